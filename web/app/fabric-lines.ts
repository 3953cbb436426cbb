// How the lines of the fabric lie and look: the shade and the width of what is sent. Said once for Canvas and files; the shader
// of WebGL says it in its own language.

import type { FabricDrawing } from '#weft/app/view/run-view.js';
import { boxesSvg, boxHeight, pictureWidth } from '#weft/report/page/fabric-layout.js';
import { loadClass, type Look } from '#weft/report/page/look.js';

/** What rounding to a part of 255 may add to a load. */
const rounding = 0.002;

/** Ends of the half of each directed line that begins at its box, four numbers each. */
export function halves({ boxes, lineEnds }: FabricDrawing): Float32Array {
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

function shapeText({ boxes, lineEnds }: FabricDrawing): string {
  return `${boxes.map(({ label }) => label).join()} ${Array.from(lineEnds).join()}`;
}

/** Whether two fabrics have the same picture. */
export function hasShapeOf(a: FabricDrawing, b: FabricDrawing): boolean {
  return a === b || shapeText(a) === shapeText(b);
}

/** Height of the picture of a fabric, in its own units. */
export function pictureHeight({ boxes }: FabricDrawing): number {
  return Math.max(60, ...boxes.map(({ y }) => y)) + 36;
}

/** Which of the shades a load has. */
export function shadeOf(load: number): number {
  return loadClass(load - rounding);
}

export function lineWidth(load: number): number {
  return 0.7 + 2.3 * load;
}

/** A line of a picture in words of SVG. @returns its colour and width, and dashes where it has some; null: it is not drawn */
type LineLook = (line: number) => { readonly colour: string; readonly width: number; readonly dashes?: string } | null;

/** The fabric as SVG that stands alone, in colours that are given. */
export function fabricSvg(view: FabricDrawing, { background, text, line }: Look, lookOf: LineLook): string {
  const ends = halves(view);
  const lines = Array.from({ length: ends.length / 4 }, (_, own) => {
    const drawn = lookOf(own);
    if (drawn === null) return '';
    const [x1, y1, x2, y2] = ends.subarray(4 * own, 4 * own + 4);
    const dashes = drawn.dashes === undefined ? '' : ` stroke-dasharray="${drawn.dashes}"`;
    return `<line x1="${x1}" y1="${y1}" x2="${x2}" y2="${y2}" stroke="${drawn.colour}" stroke-width="${drawn.width}"${dashes}/>`;
  });
  return `<svg xmlns="http://www.w3.org/2000/svg" class="fabric" viewBox="0 0 ${pictureWidth} ${pictureHeight(view)}" font-family="sans-serif" font-size="11">
<style>.box { fill: ${background}; stroke: ${line}; } text { fill: ${text}; }</style>
<rect width="100%" height="100%" fill="${background}"/>
${lines.join('\n')}
${boxesSvg(view.boxes)}
</svg>
`;
}
