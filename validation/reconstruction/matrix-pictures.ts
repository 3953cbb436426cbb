// Communication matrices of mini-applications as Appendix A of Taffet's dissertation (docs/SOURCES.md) shows them, and
// what each basis of a dictionary tells of two of them, as Figures 4.6 to 4.8: pictures of docs/models/traffic-matrices.md.
// Invariant: a decomposition is of the matrix as it is: every pair has a counter of its own.

import { miniAppPatterns } from '#weft/flows/traffic/mini-app-patterns.js';
import { TrafficBuilder, type Traffic } from '#weft/flows/traffic/matrix.js';
import { bases, PairGrid, type BasisName } from '#weft/reconstruction/pair-grid.js';
import { Reconstruction } from '#weft/reconstruction/restarted-pdhg.js';
import { matrixOfPairs } from '#weft/app/reconstruct/grid-traffic.js';
import { densePairs, singleMatrix, withoutNoise, type MatrixView } from '#weft/report/reconstruct/matrix-figure.js';
import { writeBlock, writeFile } from '../figures/pages.js';

/** The page of the pictures, and their folder. */
export const matrixPage = 'docs/models/traffic-matrices.md';
export const matrixFolder = 'docs/figures/matrices';
const mostSteps = 20_000;

/** Parts that the source draws once more, by sight of its figures: first row and column, and ranks a side. */
const details: Readonly<Record<string, readonly (readonly [row: number, column: number, count: number])[]>> = {
  'boxlib-mg-c': [[0, 0, 128]],
  amg: [[0, 0, 128]],
  'boxlib-cns': [
    [0, 0, 128],
    [896, 896, 128],
  ],
  partisn: [],
  'multigrid-c': [
    [0, 0, 128],
    [740, 872, 128],
  ],
  nekbone: [[0, 0, 128]],
  lulesh: [[0, 0, 128]],
};

/** Decompositions: Figures 4.6 and 4.7, and 4.8. */
const decomposed: readonly {
  readonly pattern: string;
  readonly dictionary: readonly BasisName[];
  readonly ranks: number;
}[] = [
  { pattern: 'nekbone', dictionary: ['cd', 'cs'], ranks: 256 },
  { pattern: 'multigrid-c', dictionary: ['cd', 's'], ranks: 128 },
];

/** Draws all. @param say told what is being done */
export function drawMatrices(say: (text: string) => void): void {
  for (const [pattern, parts] of Object.entries(details)) {
    say(`the matrix of ${pattern}`);
    const { hostCount, values } = matrixOf(pattern);
    const views = parts.map(([row, column, count]) => ({ row, column, count }));
    const whole = { row: 0, column: 0, count: hostCount };
    const pictures = [
      [`${pattern}`, singleMatrix(pattern, values, hostCount, whole, false, views)] as const,
      ...views.map(
        (view, i) =>
          [`${pattern}-${i + 1}`, singleMatrix(`${pattern}, detail`, values, hostCount, view, false)] as const,
      ),
    ];
    writePictures(pattern, pictures);
  }
  for (const own of decomposed) {
    say(`${own.pattern} by ${own.dictionary.join(' + ')}`);
    writePictures(`${own.pattern}-told`, decomposition(own));
  }
}

function writePictures(name: string, pictures: readonly (readonly [name: string, svg: string])[]): void {
  for (const [file, svg] of pictures) writeFile(`${matrixFolder}/${file}.svg`, svg);
  const shown = pictures.map(([file]) => `![${file}](../figures/matrices/${file}.svg)`);
  writeBlock(matrixPage, name, `\n${shown.join('\n')}\n\n`);
}

/** All phases of a mini-application together, on as many hosts as it has ranks. */
export function patternTraffic(name: string): Traffic {
  const pattern = miniAppPatterns.find((own) => own.name === name)!;
  const ranks = pattern.ranks!;
  const builder = new TrafficBuilder(ranks, 'relative');
  pattern.phases.forEach((_, phase) => {
    pattern.send(ranks, 1, phase, (from, to, weight) => {
      builder.add(from, to, weight);
    });
  });
  const phases = [{ name: 'all', matrix: builder.build() }];
  return { name, hostCount: ranks, unit: 'relative', note: '', phases };
}

function matrixOf(name: string): { readonly hostCount: number; readonly values: Float32Array } {
  const traffic = patternTraffic(name);
  return { hostCount: traffic.hostCount, values: densePairs(traffic) };
}

/** What each basis tells of the part above left, and its entries there: the shortest sum of all that is the matrix. */
function decomposition({ pattern, dictionary, ranks: shown }: (typeof decomposed)[number]): [string, string][] {
  const { hostCount: ranks, values } = matrixOf(pattern);
  const shapes = dictionary.map((name) => bases[name]);
  const rows = Int32Array.of(0);
  const counters = Float64Array.from(values);
  const grid = new PairGrid(
    [
      {
        hosts: Int32Array.from({ length: ranks }, (_, rank) => rank),
        rows: {
          count: counters.length,
          rows,
          shares: null,
          open: (source, destination, read) => {
            rows[0] = destination * ranks + source;
            return source === destination || read?.[rows[0]] === 0 ? 0 : 1;
          },
          rowOf: (counter) => counter,
        },
      },
    ],
    counters,
    shapes,
  );
  const search = new Reconstruction(grid, counters, shapes);
  while (!search.isSettled && search.steps < mostSteps) search.advance();
  process.stderr.write(`${search.steps} steps, ${search.isSettled ? 'settled' : 'not settled'}\n`);
  const all = Array.from({ length: ranks }, (_, rank) => rank);
  const view: MatrixView = { row: 0, column: 0, count: shown };
  const draw = (title: string, own: Float32Array, isSigned: boolean): string =>
    singleMatrix(title, own, ranks, view, isSigned);
  return [
    [`${pattern}-all`, draw(pattern, values, false)],
    ...search.told().flatMap(({ share, entries }, i): [string, string][] => {
      const name = dictionary[i]!;
      return [
        [`${pattern}-by-${name}`, draw(`${pattern}, told by ${name}`, matrixOfPairs(share, grid, all, ranks), false)],
        [
          `${pattern}-in-${name}`,
          draw(`${pattern}, entries in ${name}`, withoutNoise(matrixOfPairs(entries, grid, all, ranks)), true),
        ],
      ];
    }),
  ];
}
