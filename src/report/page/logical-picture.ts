// A program's ranks on their logical grid as SVG: a cell in the shade of the links of its node, a slice for each z; once
// for what nodes receive and once for what they send.
// Invariants: marks of cell i are 2 i (what it sends) and 2 i + 1 (what it receives); y goes down, as in the source.
// Source: Taffet's dissertation (docs/SOURCES.md), figure 2.7.

import { coordinate, escaped } from '../svg-text.js';
import type { MarkPackets } from './congested-picture.js';
import { cellClass, shadeOf } from './congested-scale.js';
import { pictureWidth } from './fabric-layout.js';
import type { LogicalGrid } from './logical-grid.js';

const margin = 12;
const [largestCell, smallestCell] = [26, 4];
const mostHigh = 720;
/** for the words above the slices */
const leastWidth = 300;
/** between slices, and for the words above a slice and above a way */
const [between, sliceWords, wayWords] = [16, 16, 24];
/** cells narrower than this have no gap */
const gapFrom = 7;
const mostTitles = 4000;

interface SliceLayout {
  readonly cell: number;
  readonly perRow: number;
  readonly rows: number;
  /** whether both ways stand in one row */
  readonly isBeside: boolean;
}

/** How the slices of a way are set: both ways beside each other if there is room. */
function layoutOf([x, y, z]: LogicalGrid['sides']): SliceLayout {
  const room = pictureWidth - 2 * margin;
  for (let cell = largestCell; ; cell--) {
    const own = x * cell + between;
    const isBeside = 2 * z * own + between <= room;
    const perRow = isBeside ? z : Math.max(1, Math.min(z, Math.floor((room + between) / own)));
    const rows = Math.ceil(z / perRow);
    const high = (isBeside ? 1 : 2) * rows * (y * cell + sliceWords + between);
    if ((x * cell <= room && high <= mostHigh) || cell === smallestCell) return { cell, perRow, rows, isBeside };
  }
}

/** How high the drawing of a way is. */
function wayHeight(y: number, { cell, rows }: SliceLayout): number {
  return wayWords + rows * (y * cell + sliceWords + between);
}

/** How high the drawing is. */
export function logicalHeight({ sides }: LogicalGrid): number {
  const layout = layoutOf(sides);
  return (layout.isBeside ? 1 : 2) * wayHeight(sides[1], layout) + 4;
}

/** What is drawn. @param nameOf of a cell, for its title */
export function logicalBody(
  grid: LogicalGrid,
  packets: MarkPackets,
  nameOf: ((cell: number) => string) | null,
): string {
  const { sides } = grid;
  const layout = layoutOf(sides);
  const { cell, perRow, isBeside } = layout;
  const [x, y, z] = sides;
  const size = cell >= gapFrom ? cell - 1 : cell;
  const parts: string[] = [];
  const text = (left: number, top: number, words: string, name: string): void => {
    parts.push(`<text class="${name}" x="${coordinate(left)}" y="${coordinate(top)}">${escaped(words)}</text>`);
  };
  for (const way of [1, 0]) {
    const top = way === 1 || isBeside ? 0 : wayHeight(y, layout);
    const begin = way === 1 || !isBeside ? margin : 2 * margin + z * (x * cell + between);
    text(begin, top + 14, way === 1 ? 'What nodes receive' : 'What nodes send', 'way');
    for (let slice = 0; slice < z; slice++) {
      const left = begin + (slice % perRow) * (x * cell + between);
      const down = top + wayWords + Math.floor(slice / perRow) * (y * cell + sliceWords + between);
      if (z > 1) text(left, down + 10, `z = ${slice}`, 'name row');
      for (let at = 0; at < x * y; at++) {
        const own = at + x * y * slice;
        const mark = 2 * own + way;
        const traffic = packets.traffic[mark]!;
        const title =
          nameOf !== null && 2 * x * y * z <= mostTitles ? `><title>${escaped(nameOf(mark))}</title></rect>` : '/>';
        parts.push(
          `<rect data-mark="${mark}" class="${cellClass(traffic, shadeOf(packets.congested[mark]!, traffic))}" ` +
            `x="${coordinate(left + (at % x) * cell)}" y="${coordinate(down + sliceWords + Math.floor(at / x) * cell)}" ` +
            `width="${size}" height="${size}"${title}`,
        );
      }
    }
  }
  return parts.join('');
}

/** The drawing for the page. */
export function logicalSvg(grid: LogicalGrid, packets: MarkPackets): string {
  const { cell, perRow, isBeside } = layoutOf(grid.sides);
  const slices = perRow * (grid.sides[0] * cell + between);
  const width = Math.max(leastWidth, 2 * margin + (isBeside ? 2 * slices + margin : slices));
  return (
    `<svg xmlns="http://www.w3.org/2000/svg" class="fabric congested" style="min-width:0;max-width:${1.5 * width}px" ` +
    `viewBox="0 0 ${width} ${coordinate(logicalHeight(grid))}" role="img" ` +
    `aria-label="Congestion by place on the logical grid" font-size="11">${logicalBody(grid, packets, null)}</svg>`
  );
}
