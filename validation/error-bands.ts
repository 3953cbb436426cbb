// The error bands that the product prints, from the rows of the comparisons with measurements: data files in src/report,
// written whole and only if they change.
// Errors are those of what was not fitted to a row's cluster (measured/left-out.ts). Each class is judged by clusters that
// are left out, too: the band is made anew from the other clusters' rows, and the left-out rows inside are counted.
// Invariants: a class has ten rows of two clusters at least, and 88 to 95 % of those left out lie inside; a class of which
// that cannot be had is not written, and a wider one stands for it. A row counts in one class, the one that is printed for
// it, so the share holds for what is printed.

import { readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { NetworkKind } from '#weft/collectives/hardware-figures.js';
import type { CollectiveKind } from '#weft/collectives/schedule.js';
import {
  type BandClass,
  type BandKind,
  type BandNetwork,
  bandClasses,
  bandPlace,
  type BandServers,
  type BandSizes,
  type CrossValidated,
  isSameClass,
  type MeasuredBand,
  type MeasuredNetwork,
} from '#weft/report/band-classes.js';
import { repositoryFolder } from './repository.js';

const leastRows = 10;
/** of a class of one kind of GPU, or of all sizes; others pool what is unlike, and need one more */
const leastClusters = 2;
const leastInside = 0.88;
const mostInside = 0.95;
/** How far beyond the worst of the others a band may go: a class that needs more gives its rows to a wider one. */
const mostStretch = 1.25;

/** An error as a share of the measured time, of a row of a cluster. */
export interface ClusterRow {
  readonly cluster: string;
  readonly error: number;
}

/** A row that counts. */
export interface BandedRow extends ClusterRow {
  readonly kind: CollectiveKind;
  readonly servers: number;
  readonly sizeBytes: number;
  readonly gpuType: string;
  readonly network: NetworkKind;
}

/** The share of sorted errors below which a share of them lies. */
function quantile(sorted: readonly number[], share: number): number {
  return sorted[Math.max(0, Math.ceil(share * sorted.length - 1e-9) - 1)]!;
}

function sortedErrors(rows: readonly ClusterRow[]): number[] {
  return rows.map(({ error }) => Math.abs(error)).sort((a, b) => a - b);
}

/** How a band follows from rows: the share of them that is to lie inside, and a factor on that. */
interface Rule {
  readonly share: number;
  readonly stretch: number;
}

/** The share of rows that lie inside the band of all clusters but their own. */
function insideOf(rows: readonly ClusterRow[], { share, stretch }: Rule): number {
  let inside = 0;
  for (const cluster of new Set(rows.map((row) => row.cluster))) {
    const bound = stretch * quantile(sortedErrors(rows.filter((row) => row.cluster !== cluster)), share);
    inside += rows.filter((row) => row.cluster === cluster && Math.abs(row.error) <= bound * (1 + 1e-9)).length;
  }
  return inside / rows.length;
}

/** The narrowest rule by which nine of ten rows that are left out lie inside; from nine of ten rows up. */
function narrowestRule(rows: readonly ClusterRow[]): Rule {
  for (let percent = 90; percent <= 100; percent++) {
    const rule = { share: percent / 100, stretch: 1 };
    if (insideOf(rows, rule) >= 0.9) return rule;
  }
  // the factor that each row needs beyond the worst of the other clusters
  const needed = rows.map(
    (row) => Math.abs(row.error) / sortedErrors(rows.filter((one) => one.cluster !== row.cluster)).at(-1)!,
  );
  needed.sort((a, b) => a - b);
  return { share: 1, stretch: quantile(needed, 0.9) };
}

/** Errors of rows by clusters that are left out; null where too few rows or clusters say so. */
export function crossValidated(rows: readonly ClusterRow[], fewest = leastClusters): CrossValidated | null {
  const clusters = new Set(rows.map(({ cluster }) => cluster)).size;
  if (rows.length < leastRows || clusters < fewest) return null;
  const rule = narrowestRule(rows);
  const inside = insideOf(rows, rule);
  if (inside < leastInside || inside > mostInside || rule.stretch > mostStretch) return null;
  const sorted = sortedErrors(rows);
  const half = sorted.length >> 1;
  const median = sorted.length % 2 === 1 ? sorted[half]! : (sorted[half - 1]! + sorted[half]!) / 2;
  const nineOfTen = rule.stretch * quantile(sorted, rule.share);
  return {
    rows: rows.length,
    clusters,
    medianPercent: roundedUp(median),
    p90Percent: roundedUp(nineOfTen),
    worstPercent: roundedUp(Math.max(nineOfTen, sorted.at(-1)!)),
    insidePercent: Math.round(inside * 100),
  };
}

/** In percent with one decimal, at least what it is. */
function roundedUp(share: number): number {
  return Math.ceil(share * 1000 - 1e-9) / 10;
}

/** How wide a class is: by each of these before the next. */
function widthOf({ gpus, network, servers, sizes }: BandClass): number {
  return [gpus === null, servers === 'several', network === null, sizes === 'all'].reduce(
    (width, isWide, bit) => width + (isWide ? 2 ** bit : 0),
    0,
  );
}

/** The bands of all classes that rows belong to, the narrowest first, each row in one of them at most. */
export function measuredBandsOf(rows: readonly BandedRow[]): MeasuredBand[] {
  const classes: BandClass[] = [];
  const members: ClusterRow[][] = [];
  for (const row of rows) {
    const place = bandPlace(row.kind, row.servers, row.sizeBytes, row.gpuType, row.network);
    if (place === null) continue;
    for (const own of bandClasses(place)) {
      let at = classes.findIndex((one) => isSameClass(one, own));
      if (at < 0) at = classes.push(own) - 1;
      (members[at] ??= []).push(row);
    }
  }
  const bands: MeasuredBand[] = [];
  const counted = new Set<ClusterRow>();
  const narrowestFirst = classes.map((own, at) => ({ own, at })).sort((a, b) => widthOf(a.own) - widthOf(b.own));
  for (const { own, at } of narrowestFirst) {
    const rest = members[at]!.filter((row) => !counted.has(row));
    const isPooled = own.gpus === null && own.sizes !== 'all';
    const band = crossValidated(rest, isPooled ? leastClusters + 1 : leastClusters);
    if (band === null) continue;
    bands.push({ ...own, ...band });
    for (const row of rest) counted.add(row);
  }
  return bands.sort((a, b) => (orderOf(a) < orderOf(b) ? -1 : 1));
}

const order = {
  kind: ['allreduce', 'alltoall', 'others'],
  servers: ['one', 'two', 'more', 'several'],
  sizes: ['small', 'middle', 'large', 'all'],
} as const;

function orderOf({ kind, servers, sizes, network, gpus }: BandClass): string {
  const places = [order.kind.indexOf(kind), order.servers.indexOf(servers), order.sizes.indexOf(sizes)];
  return `${places.join('')} ${network ?? ''} ${gpus ?? ''}`;
}

/** What was measured: GPUs by name, and the networks and sizes by kind of collective, such as `efa large`. */
export interface MeasuredRange {
  readonly gpus: readonly string[];
  readonly networks: Readonly<Record<BandKind, readonly MeasuredNetwork[]>>;
}

export function measuredRangeOf(rows: readonly BandedRow[]): MeasuredRange {
  const networks: Record<BandKind, Set<MeasuredNetwork>> = {
    allreduce: new Set(),
    alltoall: new Set(),
    others: new Set(),
  };
  for (const row of rows) {
    const place = bandPlace(row.kind, row.servers, row.sizeBytes, row.gpuType, row.network);
    if (place !== null) networks[place.kind].add(`${place.network} ${place.sizes}`);
  }
  return {
    gpus: [...new Set(rows.map(({ gpuType }) => gpuType))].sort(),
    networks: {
      allreduce: [...networks.allreduce].sort(),
      alltoall: [...networks.alltoall].sort(),
      others: [...networks.others].sort(),
    },
  };
}

function roundedPercent(share: number): number {
  return Math.round(share * 1000) / 10;
}

/** Rows, median and worst of absolute errors, in percent with one decimal: of the rows as they are. */
export function percentages(errors: readonly number[]): { rows: number; medianPercent: number; worstPercent: number } {
  const sorted = errors.map((error) => Math.abs(error)).sort((a, b) => a - b);
  const half = sorted.length >> 1;
  const middle = sorted.length % 2 === 1 ? sorted[half]! : (sorted[half - 1]! + sorted[half]!) / 2;
  return { rows: sorted.length, medianPercent: roundedPercent(middle), worstPercent: roundedPercent(sorted.at(-1)!) };
}

/** An object as a line of TypeScript. */
function literal(value: object): string {
  return JSON.stringify(value)
    .replaceAll('"', "'")
    .replace(/'(\w+)':/g, '$1: ')
    .replaceAll(',', ', ')
    .replace(/^\{/, '{ ')
    .replace(/\}$/, ' }');
}

/** The text of src/report/measured-bands.ts. */
export function measuredBandsText(bands: readonly MeasuredBand[], { gpus, networks }: MeasuredRange): string {
  return `// Errors of collectives by class, and what was measured. Written by \`npm run measured\`; the table "Error bands" of
// docs/models/measured.md has the same figures, and measured.csv beside it every row behind them.

import type { BandKind, MeasuredBand, MeasuredNetwork } from './band-classes.js';

/** GPUs of the clusters. */
export const measuredGpus: readonly string[] = [${gpus.map((gpu) => `'${gpu}'`).join(', ')}];

/** Networks over which a kind of collective was measured, and at which sizes. */
// oxfmt-ignore
export const measuredNetworks: Readonly<Record<BandKind, readonly MeasuredNetwork[]>> = {
${Object.entries(networks)
  .map(([kind, own]) => `  ${kind}: [${own.map((network) => `'${network}'`).join(', ')}],`)
  .join('\n')}
};

// oxfmt-ignore
export const measuredBands: readonly MeasuredBand[] = [
${bands.map((band) => `  ${literal(band)},`).join('\n')}
];
`;
}

/** The text of src/report/iteration-band.ts. */
export function iterationBandText(rows: readonly ClusterRow[]): string {
  const band = crossValidated(rows);
  if (band === null) throw new Error('no band of iteration times holds for sources that are left out');
  return `// Errors of iteration times. Written by \`npm run iterations\`; every row behind it stands in docs/models/iteration-times.csv.

import type { CrossValidated } from './band-classes.js';

export const iterationRows: CrossValidated = {
${Object.entries(band)
  .map(([key, value]) => `  ${key}: ${value},`)
  .join('\n')}
};
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
  const names: Readonly<Record<BandKind | BandServers | BandSizes | BandNetwork, string>> = {
    allreduce: 'allreduce',
    alltoall: 'all-to-all',
    others: 'allgather, reduce-scatter, sendrecv',
    one: 'one',
    two: 'two',
    more: 'three and more',
    several: 'two and more',
    small: 'below 64 KiB',
    middle: '64 KiB to 64 MiB',
    large: 'from 64 MiB',
    all: 'all',
    within: 'NVLink',
    infiniband: 'InfiniBand or RoCE',
    efa: 'EFA',
    slingshot: 'Slingshot',
    tcpx: 'TCPX',
    tcpxo: 'TCPXO',
  };
  return [
    '| kind | servers | sizes | network | GPUs | rows | clusters | median | 9 of 10 at most | worst | left out and inside |',
    '|---|---|---|---|---|---|---|---|---|---|---|',
    ...bands.map(
      (band) =>
        `| ${names[band.kind]} | ${names[band.servers]} | ${names[band.sizes]} | ${band.network === null ? 'any' : names[band.network]} | ${band.gpus ?? 'any'} | ${band.rows} | ${band.clusters} | ${band.medianPercent.toFixed(1)} % | ${band.p90Percent.toFixed(1)} % | ${band.worstPercent.toFixed(1)} % | ${band.insidePercent} % |`,
    ),
  ];
}
