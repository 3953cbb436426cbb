// The error bands that the product prints, from the rows of the comparisons with measurements: data files in src/report,
// written whole and only if they change.

import { readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { CollectiveKind } from '#weft/collectives/schedule.js';
import {
  type BandKind,
  type BandServers,
  type BandSizes,
  bandClass,
  type MeasuredBand,
} from '#weft/report/band-classes.js';
import { repositoryFolder } from './repository.js';

/** A row that counts: its class, and its error as a share of the measured time. */
export interface BandedRow {
  readonly kind: CollectiveKind;
  readonly servers: number;
  readonly sizeBytes: number;
  readonly timeError: number;
}

const kinds: readonly BandKind[] = ['allreduce', 'alltoall', 'others'];
const servers: readonly BandServers[] = ['one', 'two', 'more'];
const sizes: readonly BandSizes[] = ['small', 'middle', 'large', 'all'];

/** Errors of every class that has rows. */
export function measuredBandsOf(rows: readonly BandedRow[]): MeasuredBand[] {
  return kinds.flatMap((kind) =>
    servers.flatMap((scope) =>
      sizes.flatMap((size) => {
        const own = rows.filter((row) => {
          const one = bandClass(row.kind, row.servers, row.sizeBytes);
          return one?.kind === kind && one.servers === scope && (size === 'all' || one.sizes === size);
        });
        return own.length === 0
          ? []
          : [{ kind, servers: scope, sizes: size, ...percentages(own.map(({ timeError }) => timeError)) }];
      }),
    ),
  );
}

function rounded(share: number): number {
  return Math.round(share * 1000) / 10;
}

/** Rows, median, nine of ten and worst of absolute errors, in percent with one decimal. */
export function percentages(
  errors: readonly number[],
): Pick<MeasuredBand, 'rows' | 'medianPercent' | 'p90Percent' | 'worstPercent'> {
  const sorted = errors.map((error) => Math.abs(error)).sort((a, b) => a - b);
  const half = sorted.length >> 1;
  const middle = sorted.length % 2 === 1 ? sorted[half]! : (sorted[half - 1]! + sorted[half]!) / 2;
  return {
    rows: sorted.length,
    medianPercent: rounded(middle),
    p90Percent: rounded(sorted[Math.ceil(0.9 * sorted.length) - 1]!),
    worstPercent: rounded(sorted.at(-1)!),
  };
}

/** The text of src/report/measured-bands.ts. */
export function measuredBandsText(bands: readonly MeasuredBand[]): string {
  const lines = bands.map(
    ({ kind, servers: scope, sizes: size, rows, medianPercent, p90Percent, worstPercent }) =>
      `  { kind: '${kind}', servers: '${scope}', sizes: '${size}', rows: ${rows}, medianPercent: ${medianPercent}, p90Percent: ${p90Percent}, worstPercent: ${worstPercent} },`,
  );
  return `// Errors of collectives by class. Written by \`npm run measured\`; the table "Error bands" of docs/models/measured.md has the
// same figures, and every row behind them stands on that page.

import type { MeasuredBand } from './band-classes.js';

// oxfmt-ignore
export const measuredBands: readonly MeasuredBand[] = [
${lines.join('\n')}
];
`;
}

/** The text of src/report/iteration-band.ts. @param errors of every computed row, with or without sign */
export function iterationBandText(errors: readonly number[]): string {
  const { rows, medianPercent, p90Percent, worstPercent } = percentages(errors);
  return `// Errors of iteration times. Written by \`npm run iterations\`; every row behind it stands in docs/models/iteration-times.md.

export const iterationRows = {
  rows: ${rows},
  medianPercent: ${medianPercent},
  p90Percent: ${p90Percent},
  worstPercent: ${worstPercent},
} as const;
`;
}

/** Writes a data file of src/report, if it changes. @returns whether it did */
export function writeBandFile(name: 'measured-bands.ts' | 'iteration-band.ts', text: string): boolean {
  const path = join(repositoryFolder, 'src/report', name);
  if (readFileSync(path, 'utf8') === text) return false;
  writeFileSync(`${path}.new`, text);
  renameSync(`${path}.new`, path);
  return true;
}

/** The table of the page. */
export function bandTable(bands: readonly MeasuredBand[]): string[] {
  const names: Readonly<Record<BandKind | BandServers | BandSizes, string>> = {
    allreduce: 'allreduce',
    alltoall: 'all-to-all',
    others: 'allgather, reduce-scatter, sendrecv',
    one: 'one server',
    two: 'two servers',
    more: 'three and more',
    small: 'below 64 KiB',
    middle: '64 KiB to 64 MiB',
    large: 'from 64 MiB',
    all: 'all',
  };
  return [
    '| kind | servers | sizes | rows | median | 9 of 10 at most | worst |',
    '|---|---|---|---|---|---|---|',
    ...bands.map(
      (band) =>
        `| ${names[band.kind]} | ${names[band.servers]} | ${names[band.sizes]} | ${band.rows} | ${band.medianPercent.toFixed(1)} % | ${band.p90Percent.toFixed(1)} % | ${band.worstPercent.toFixed(1)} % |`,
    ),
  ];
}
