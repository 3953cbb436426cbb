// Pictures of traffic matrices, what was found beside what was sent: the form of Taffet's dissertation
// (docs/SOURCES.md), Appendix A and Figures 4.13, 5.15: row = destination, column = source, origin above left; white is
// nothing, black the largest pair of both; differences blue where too much was found, red where too little, scaled
// apart.
// Invariant: a picture has at most `mostCells` squares a side; a square of several pairs shows the largest of them.

import { TrafficColumn, collapsed, type Traffic } from '../../flows/traffic/matrix.js';
import { coordinate, escaped, textElement } from '../svg-text.js';

const mostCells = 256;
const [side, gap, head] = [384, 36, 62];
/** Ranks of the part above left that is drawn once more, where there are at least twice as many. */
const detailRanks = 64;
const shades = 32;
const outline = '#5fb4e5';

/** Ranks of hosts that are drawn, from `first`. */
interface View {
  readonly title: string;
  readonly first: number;
  readonly count: number;
}

/** The picture as SVG. @param truth what was sent; null: it is not known */
export function matrixFigure(found: Traffic, truth: Traffic | null): string {
  const matrices = [dense(found), ...(truth === null ? [] : [dense(truth)])];
  const ranks = found.hostCount;
  const active = activeRange(matrices, ranks);
  const whole: View = { title: `hosts ${active.first} to ${active.first + active.count - 1}`, ...active };
  const detail: View = { title: 'the part outlined above', first: active.first, count: detailRanks };
  const views = active.count >= 2 * detailRanks ? [whole, detail] : [whole];
  const largest = matrices.reduce((most, values) => values.reduce((own, value) => Math.max(own, value), most), 0) || 1;
  const panels = [
    { title: 'found', values: matrices[0]!, isSigned: false },
    ...(truth === null
      ? []
      : [
          { title: 'sent', values: matrices[1]!, isSigned: false },
          { title: 'found - sent', values: matrices[0]!.map((own, i) => own - matrices[1]![i]!), isSigned: true },
        ]),
  ];
  const width = gap + panels.length * (side + gap);
  const height = head + views.length * (side + gap) + 10;
  const parts = [
    `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}" font-family="Helvetica, Arial, sans-serif">`,
    `<title>${escaped(found.name)}</title>`,
    `<rect width="${width}" height="${height}" fill="#ffffff"/>`,
    textElement(gap, 24, 'Traffic: row = destination, column = source', { size: 16, bold: true }),
  ];
  views.forEach((view, v) => {
    panels.forEach(({ title, values, isSigned }, p) => {
      const [x, y] = [gap + p * (side + gap), head + v * (side + gap)];
      parts.push(textElement(x, y - 8, `${title}, ${view.title}`, { size: 13 }));
      parts.push(cellsOf(values, ranks, view, x, y, isSigned ? null : largest));
      parts.push(`<rect x="${x}" y="${y}" width="${side}" height="${side}" fill="none" stroke="#888888"/>`);
      if (v === 0 && views.length > 1) {
        const size = coordinate((side * detail.count) / view.count);
        parts.push(`<rect x="${x}" y="${y}" width="${size}" height="${size}" fill="none" stroke="${outline}"/>`);
      }
    });
  });
  return `${parts.join('\n')}\n</svg>\n`;
}

/** All pairs: destination x hosts + source. */
function dense(traffic: Traffic): Float32Array {
  const { hostCount } = traffic;
  const matrix = collapsed(traffic);
  const values = new Float32Array(hostCount * hostCount);
  const column = new TrafficColumn(hostCount);
  for (let to = 0; to < hostCount; to++) {
    matrix.toDestination(to, column);
    for (let i = 0; i < column.length; i++) values[to * hostCount + column.sources[i]!] = column.weights[i]!;
  }
  return values;
}

/** From the first to the last rank that sends or receives. */
function activeRange(matrices: readonly Float32Array[], ranks: number): { first: number; count: number } {
  let [first, last] = [ranks, 0];
  for (const values of matrices)
    values.forEach((own, i) => {
      if (own === 0) return;
      for (const rank of [Math.floor(i / ranks), i % ranks]) {
        if (rank < first) first = rank;
        if (rank > last) last = rank;
      }
    });
  return first > last ? { first: 0, count: ranks } : { first, count: last - first + 1 };
}

/** Squares of a view as one path for each shade. @param largest what is black; null: of both signs, scaled apart */
function cellsOf(
  values: Float32Array,
  ranks: number,
  { first, count }: View,
  x: number,
  y: number,
  largest: number | null,
): string {
  const cells = Math.min(count, mostCells);
  const binned = new Float64Array(cells * cells);
  const binOf = Int32Array.from({ length: count }, (_, i) => Math.floor((i * cells) / count));
  for (let to = 0; to < count; to++)
    for (let from = 0; from < count; from++) {
      const own = values[(first + to) * ranks + first + from]!;
      const bin = binOf[to]! * cells + binOf[from]!;
      if (Math.abs(own) > Math.abs(binned[bin]!)) binned[bin] = own;
    }
  const most = largest ?? (binned.reduce((own, value) => Math.max(own, value), 0) || 1);
  const least = binned.reduce((own, value) => Math.min(own, value), 0) || -1;
  const size = side / cells;
  const paths = new Map<string, string[]>();
  for (let row = 0; row < cells; row++)
    for (let at = 0; at < cells;) {
      const colour = colourOf(binned[row * cells + at]!, least, most, largest === null);
      let end = at + 1;
      while (end < cells && colourOf(binned[row * cells + end]!, least, most, largest === null) === colour) end++;
      if (colour !== null) {
        const path = paths.get(colour) ?? [];
        path.push(
          `M${coordinate(x + at * size)} ${coordinate(y + row * size)}h${coordinate((end - at) * size)}v${coordinate(size)}h${coordinate((at - end) * size)}z`,
        );
        paths.set(colour, path);
      }
      at = end;
    }
  return Array.from(paths, ([colour, path]) => `<path fill="${colour}" d="${path.join('')}"/>`).join('\n');
}

/** White is null: what is below half a shade. */
function colourOf(value: number, least: number, most: number, isSigned: boolean): string | null {
  const shade = Math.round((shades * value) / (value < 0 ? -least : most));
  if (shade === 0) return null;
  const light = Math.round(255 * (1 - Math.min(shades, Math.abs(shade)) / shades))
    .toString(16)
    .padStart(2, '0');
  if (!isSigned) return `#${light}${light}${light}`;
  return shade > 0 ? `#${light}${light}ff` : `#ff${light}${light}`;
}
