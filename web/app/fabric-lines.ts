// How the lines of the fabric lie and look: the shade and the width of what is sent. Said once for Canvas and files; the shader
// of WebGL says it in its own language.

import type { RunView } from '#weft/app/view/run-view.js';
import { boxHeight } from '#weft/report/page/fabric-layout.js';
import { loadClass } from '#weft/report/page/look.js';

/** What rounding to a part of 255 may add to a load. */
const rounding = 0.002;

/** Ends of the half of each directed line that begins at its box, four numbers each. */
export function halves({ boxes, lineEnds }: RunView): Float32Array {
  const ends = new Float32Array(2 * lineEnds.length);
  for (let line = 0; 2 * line < lineEnds.length; line++) {
    const [from, to] = [boxes[lineEnds[2 * line]!]!, boxes[lineEnds[2 * line + 1]!]!];
    const reach = boxHeight / 2;
    const [y1, y2] =
      from.y === to.y
        ? [from.y - reach, to.y - reach]
        : from.y > to.y
          ? [from.y - reach, to.y + reach]
          : [from.y + reach, to.y - reach];
    ends.set([from.x, y1, (from.x + to.x) / 2, (y1 + y2) / 2], 4 * line);
  }
  return ends;
}

/** Height of the picture of a fabric, in its own units. */
export function pictureHeight({ boxes }: RunView): number {
  return Math.max(60, ...boxes.map(({ y }) => y)) + 36;
}

/** Which of the shades a load has. */
export function shadeOf(load: number): number {
  return loadClass(load - rounding);
}

export function lineWidth(load: number): number {
  return 0.7 + 2.3 * load;
}
