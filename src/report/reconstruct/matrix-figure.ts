// Pictures of traffic matrices, what was found beside what was sent: the form of Taffet's dissertation
// (docs/SOURCES.md), Appendix A and Figures 4.13, 5.15: row = destination, column = source, origin above left; white is
// nothing, black the largest pair of both; differences blue where too much was found, red where too little, scaled
// apart; less than a thousandth of the largest pair is none.
// Invariant: a picture has at most `mostCells` squares a side; a square of several pairs shows the largest of them.

import { TrafficColumn, collapsed, type Traffic } from '../../flows/traffic/matrix.js';
import { coordinate, escaped, textElement } from '../svg-text.js';

const mostCells = 256;
const [side, gap, head] = [384, 36, 62];
/** Ranks of the part above left that is drawn once more, where there are at least twice as many. */
const detailRanks = 64;
const shades = 32;
/** of the largest entry of a basis, and of the largest pair for differences: less is noise */
const noiseShare = 1e-3;
const outline = '#5fb4e5';

/** A square part of a matrix: ranks from `row` on receive, those from `column` on send. */
export interface MatrixView {
  readonly row: number;
  readonly column: number;
  readonly count: number;
}

/** A matrix or a part of it, drawn. */
interface Panel {
  readonly title: string;
  /** destination x hosts + source */
  readonly values: Float32Array;
  readonly view: MatrixView;
  /** what is black; null: blue is above 0 and red below, each as dark as its largest */
  readonly largest: number | null;
  /** parts of the view that are drawn elsewhere */
  readonly outlined: readonly MatrixView[];
}

/** What a basis of a dictionary tells of a matrix, and its entries there; destination x hosts + source. */
export interface ToldByBasis {
  readonly name: string;
  readonly share: Float32Array;
  readonly entries: Float32Array;
}

/**
 * The picture as SVG.
 * @param truth what was sent; null: it is not known
 * @param told what each basis tells, one below the other
 */
export function matrixFigure(found: Traffic, truth: Traffic | null, told: readonly ToldByBasis[] = []): string {
  const matrices = [densePairs(found), ...(truth === null ? [] : [densePairs(truth)])];
  const ranks = found.hostCount;
  const { first, count } = activeRange(matrices, ranks);
  const whole = { row: first, column: first, count };
  const detail = { ...whole, count: detailRanks };
  const hasDetail = count >= 2 * detailRanks;
  const largest = Math.max(...matrices.map(largestOf)) || 1;
  const groups = [
    [
      { title: 'found', values: matrices[0]!, largest },
      ...(truth === null
        ? []
        : [
            { title: 'sent', values: matrices[1]!, largest },
            {
              title: 'found - sent',
              values: withoutNoise(
                matrices[0]!.map((own, i) => own - matrices[1]![i]!),
                largest,
              ),
              largest: null,
            },
          ]),
    ],
    ...told.map(({ name, share, entries }) => [
      { title: `told by ${name}`, values: share, largest },
      { title: `entries in ${name}`, values: withoutNoise(entries), largest: null },
    ]),
  ];
  const rows = groups.flatMap((group): Panel[][] => {
    const drawn = (title: string, view: MatrixView, outlined: readonly MatrixView[]): Panel[] =>
      group.map((own) => ({ ...own, title: `${own.title}, ${title}`, view, outlined }));
    const all = drawn(`hosts ${first} to ${first + count - 1}`, whole, hasDetail ? [detail] : []);
    return hasDetail ? [all, drawn('the part outlined above', detail, [])] : [all];
  });
  return picture(found.name, 'Traffic: row = destination, column = source', rows, ranks);
}

/**
 * One matrix, or a part of it, as SVG.
 * @param values destination x hosts + source @param ranks hosts
 * @param isSigned blue above 0 and red below, each as dark as its largest @param outlined parts that are drawn elsewhere
 */
export function singleMatrix(
  title: string,
  values: Float32Array,
  ranks: number,
  view: MatrixView,
  isSigned: boolean,
  outlined: readonly MatrixView[] = [],
): string {
  const { row, column, count } = view;
  const span = (first: number): string => `${first} to ${first + count - 1}`;
  const where = row === column ? `ranks ${span(row)}` : `rows ${span(row)}, columns ${span(column)}`;
  const largest = isSigned ? null : largestOf(values) || 1;
  return picture(title, title, [[{ title: where, values, view, largest, outlined }]], ranks);
}

function picture(name: string, title: string, rows: readonly (readonly Panel[])[], ranks: number): string {
  const width = gap + Math.max(...rows.map(({ length }) => length)) * (side + gap);
  const height = head + rows.length * (side + gap) + 10;
  const parts = [
    `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}" font-family="Helvetica, Arial, sans-serif">`,
    `<title>${escaped(name)}</title>`,
    `<rect width="${width}" height="${height}" fill="#ffffff"/>`,
    textElement(gap, 24, title, { size: 16, bold: true }),
  ];
  rows.forEach((panels, v) => {
    panels.forEach(({ title: own, values, view, largest, outlined }, p) => {
      const [x, y] = [gap + p * (side + gap), head + v * (side + gap)];
      parts.push(textElement(x, y - 8, own, { size: 13 }));
      parts.push(cellsOf(values, ranks, view, x, y, largest));
      parts.push(`<rect x="${x}" y="${y}" width="${side}" height="${side}" fill="none" stroke="#888888"/>`);
      for (const { row, column, count } of outlined) {
        const at = (ranksBefore: number): string => coordinate((side * ranksBefore) / view.count);
        const [left, top] = [
          coordinate(x + Number(at(column - view.column))),
          coordinate(y + Number(at(row - view.row))),
        ];
        parts.push(
          `<rect x="${left}" y="${top}" width="${at(count)}" height="${at(count)}" fill="none" stroke="${outline}"/>`,
        );
      }
    });
  });
  return `${parts.join('\n')}\n</svg>\n`;
}

/**
 * Entries without what a search has not yet brought to nothing; scaled apart it would be as dark as what counts.
 * @param largest what entries are small beside; left out: the largest of them
 */
export function withoutNoise(
  entries: Float32Array,
  largest = entries.reduce((most, own) => Math.max(most, Math.abs(own)), 0),
): Float32Array {
  const least = noiseShare * largest;
  return entries.map((own) => (Math.abs(own) < least ? 0 : own));
}

function largestOf(values: Float32Array): number {
  return values.reduce((own, value) => Math.max(own, value), 0);
}

/** All pairs: destination x hosts + source. */
export function densePairs(traffic: Traffic): Float32Array {
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
  { row: firstRow, column: firstColumn, count }: MatrixView,
  x: number,
  y: number,
  largest: number | null,
): string {
  const cells = Math.min(count, mostCells);
  const binned = new Float64Array(cells * cells);
  const binOf = Int32Array.from({ length: count }, (_, i) => Math.floor((i * cells) / count));
  for (let to = 0; to < count; to++)
    for (let from = 0; from < count; from++) {
      const own = values[(firstRow + to) * ranks + firstColumn + from]!;
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
