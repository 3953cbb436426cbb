// The catalogues of what a collective comes to: a row of the table of nccl-tests, a row beside a measurement, and where
// the time of one collective goes. JSON, columns of tables and docs/formats/json-output.md follow: a new figure is one
// entry. Counts are of float elements of 4 bytes, per rank's share where nccl-tests counts so.

import { busFactor } from '../../collectives/bus-bandwidth.js';
import type { CollectiveKind } from '../../collectives/schedule.js';
import type { Choice } from '../../collectives/selection.js';
import type { NamedPlace } from '../../measurement/lost-causes.js';
import type { ErrorBand } from '../band-classes.js';
import type { CollectiveExplanation, OtherTime } from '../collective-explanation.js';
import { numberWithin, signedText } from '../text-style.js';
import { bytes, group, plain, rateGBps, ratio, timeSeconds, timeUs, whole, type FigureEntry } from './figure.js';

/** One line of the table. */
export interface CollectiveRow {
  readonly kind: CollectiveKind;
  readonly ranks: number;
  readonly sizeBytes: number;
  /** rank of the group; -1 where there is none */
  readonly root: number;
  readonly choice: Choice;
  readonly timePs: number;
  /** bytes per second */
  readonly algorithmBandwidth: number;
  readonly busBandwidth: number;
  readonly flows: number;
  readonly cpuSeconds: number;
  readonly digest: string;
  /** of the class of the time; null: none is known */
  readonly errorBand: ErrorBand | null;
  /** nothing more can happen, and not all bytes have arrived: there is no time */
  readonly isBlocked: boolean;
  /** links on which flows lost time, that with the most first */
  readonly places: readonly NamedPlace[];
  /** checks that failed, in words */
  readonly problems: readonly string[];
}

/** The collective that a stored run is of. */
export interface StoredCollective {
  readonly row: CollectiveRow;
  /** what bounds it (collective-verdict.ts) */
  readonly verdict: string;
}

/** One size, measured and simulated. */
export interface ComparedRow {
  readonly sizeBytes: number;
  readonly measuredUs: number;
  readonly simulatedUs: number;
  /** 10^9 bytes per second */
  readonly measuredBusbwGBps: number;
  readonly simulatedBusbwGBps: number;
  /** of the time: 0.1 is 10 % too slow */
  readonly timeError: number;
  /** of the bus bandwidth: 0.1 is 10 % too fast */
  readonly busbwError: number;
  /** algorithm, protocol and channels of the simulation */
  readonly how: string;
}

/** Errors of several rows. */
export interface ErrorSummary {
  readonly rows: number;
  /** of absolute errors; NaN of no rows */
  readonly median: number;
  /** the largest in size, with its sign; NaN of no rows */
  readonly worst: number;
  readonly worstSizeBytes: number;
}

const elementBytes = 4;
const reducing: ReadonlySet<CollectiveKind> = new Set(['allreduce', 'reducescatter', 'reduce']);
const rooted: ReadonlySet<CollectiveKind> = new Set(['broadcast', 'reduce']);
/** nccl-tests counts what one rank contributes to, or gets of, these */
const shared: ReadonlySet<CollectiveKind> = new Set(['allgather', 'reducescatter', 'alltoall']);

/** True if a collective has a root. */
export function hasRoot(kind: CollectiveKind): boolean {
  return rooted.has(kind);
}

/** A cell of a number, `-` where there is none; nccl-tests' way with numbers of any size. */
const within =
  (columns: number) =>
  (value: number | null | undefined): string =>
    typeof value === 'number' ? numberWithin(value, columns - 1) : '-';

/** Of a size that was simulated; heads of columns are name and unit. */
export const collectiveFigures: readonly FigureEntry<CollectiveRow>[] = [
  bytes('sizeBytes', 'the whole buffer of a rank', {
    column: ['size (B)', 11, (size) => String(size)],
  }),
  whole(
    'count',
    ({ kind, sizeBytes, ranks }) => Math.floor(sizeBytes / elementBytes / (shared.has(kind) ? ranks : 1)),
    'elements of 4 bytes, as nccl-tests counts them',
    { column: ['count (elements)', 10, (count) => String(count)] },
  ),
  plain('type', () => 'float', 'of the elements', { column: ['type', 5, (type) => type] }),
  plain('redop', ({ kind }) => (reducing.has(kind) ? 'sum' : 'none'), '`sum`, or `none` without a reduction', {
    column: ['redop', 5, (operation) => operation],
  }),
  plain('root', ({ kind, root }) => (hasRoot(kind) ? root : -1), 'rank of the group; -1: it has none', {
    column: ['root', 4, String],
  }),
  timeUs(
    'timeUs',
    ({ isBlocked, timePs }) => (isBlocked ? null : timePs / 1e6),
    'from the call to the last arrival; `null`: it is blocked',
    {
      label: 'Time of the collective',
      lessIsBetter: true,
      prominence: 'headline',
      column: ['time (us)', 8, within(8)],
    },
  ),
  rateGBps('algbwGBps', (row) => (row.isBlocked ? null : row.algorithmBandwidth / 1e9), 'buffer over time', {
    label: 'Algorithm bandwidth',
    lessIsBetter: false,
    column: ['algbw (GB/s)', 6, within(6)],
  }),
  rateGBps('busbwGBps', (row) => (row.isBlocked ? null : row.busBandwidth / 1e9), '`algbwGBps` times `busFactor`', {
    label: 'Bus bandwidth',
    lessIsBetter: false,
    prominence: 'headline',
    column: ['busbw (GB/s)', 6, within(6)],
  }),
  ratio('busFactor', ({ kind, ranks }) => busFactor(kind, ranks), 'of the kind and its ranks, as nccl-tests has it'),
  plain('algorithm', ({ choice }) => choice.algorithm, 'that was chosen'),
  plain('protocol', ({ choice }) => choice.protocol),
  whole('channels', ({ choice }) => choice.channels),
  whole('chunks', ({ choice }) => choice.chunks),
  plain('pxn', ({ choice }) => choice.pxn, 'whether it goes over proxies'),
  plain('reason', ({ choice }) => choice.reason, 'of the choice, in words'),
  timeUs(
    'modelUs',
    ({ choice: { modelPs } }) => (modelPs === undefined ? null : modelPs / 1e6),
    "NCCL's estimate, by which it chose; `null`: it had none",
  ),
  whole('flows', 'that were sent'),
  timeSeconds('cpuSeconds', 'of the simulation', { role: 'cost' }),
  plain('digest', 'of its records'),
  plain('errorBand', '[how far](json-output.md#error-bands) such times lie from measured ones, or `null`'),
  plain('problems', 'self-checks that failed'),
];

const asPercent = (error: number | null | undefined): string => signedText(100 * error!);
const asMeasured = (value: number | null | undefined): string => numberWithin(value!, 7);

/** Of a size that was measured and simulated; heads of columns are name and unit. */
export const measuredFigures: readonly FigureEntry<ComparedRow>[] = [
  bytes('sizeBytes', '', { column: ['size (B)', 11, (size) => String(size)] }),
  timeUs('measuredUs', '', { column: ['measured (us)', 9, asMeasured] }),
  timeUs('simulatedUs', '', { column: ['simulated (us)', 9, asMeasured] }),
  ratio('timeError', 'of the time: 0.1 is 10 % too slow', {
    column: ['error (%)', 7, asPercent],
  }),
  rateGBps('measuredBusbwGBps', '', { column: ['measured (GB/s)', 8, asMeasured] }),
  rateGBps('simulatedBusbwGBps', '', { column: ['simulated (GB/s)', 9, asMeasured] }),
  ratio('busbwError', 'of the bus bandwidth: 0.1 is 10 % too fast'),
  plain('how', 'algorithm, protocol and channels of the simulation'),
];

/** Of errors over several rows; null: there is no row. */
export const errorFigures: readonly FigureEntry<ErrorSummary>[] = [
  whole('rows'),
  ...(
    [
      ['medianError', 'median', 'of absolute errors'],
      ['worstError', 'worst', 'the largest in size, with its sign'],
      ['worstSizeBytes', 'worstSizeBytes', 'where that is'],
    ] as const
  ).map(([key, figure, says]) =>
    ratio(key, (errors: ErrorSummary) => (Number.isNaN(errors[figure]) ? null : errors[figure]), says),
  ),
];

/** from this share on, another algorithm is said to be faster */
const muchFaster = 1.1;

/** Whether another algorithm is much faster in simulation. */
export function isMuchFaster({ timePs }: CollectiveExplanation, other: OtherTime): boolean {
  return other.timePs !== null && timePs > muchFaster * other.timePs;
}

const us = (timePs: number | null): number | null => (timePs === null ? null : timePs / 1e6);

/** Of one collective that is taken apart. */
export const explanationFigures: readonly FigureEntry<CollectiveExplanation>[] = [
  plain('kind', ({ request }) => request.kind),
  bytes('sizeBytes', ({ request }) => request.sizeBytes, 'the whole buffer of a rank'),
  group('group', (explanation: CollectiveExplanation) => explanation, [
    plain('ranks', ({ communicator }: CollectiveExplanation) => Array.from(communicator.ranks), 'as nodes'),
    whole('servers', ({ facts }: CollectiveExplanation) => facts.servers),
    plain('ranksPerServer', '`most` and `fewest`'),
    whole('nicsPerServer', 'ranks with a NIC of the server with the fewest'),
    plain('nvlinkBps', ({ facts }: CollectiveExplanation) => facts.nvlinkBps, 'of one GPU, in one direction'),
    plain(
      'networkBps',
      ({ facts }: CollectiveExplanation) => (Number.isFinite(facts.networkBps) ? facts.networkBps : null),
      'of all NICs of a server; `null` within one server',
    ),
  ]),
  plain('choice', ({ choice }) => ({ ...choice }), 'algorithm, protocol, channels, chunks, delays, and the reason'),
  plain('channels', '`ring` or `tree` of each channel'),
  plain('steps', 'moves and bytes of each step, of those that are alike together'),
  whole('moveCount', ({ schedule }) => schedule.moveCount),
  whole('movesCounted', 'of them in `steps`'),
  plain('moves', 'the first 10,000'),
  whole('movesLeftOut', ({ schedule, moves }) => schedule.moveCount - moves.length),
  plain('links', ({ tiers }) => tiers, 'what each kind of link carried'),
  timeUs('timeUs', ({ timePs }) => us(timePs), 'simulated', { lessIsBetter: true }),
  timeUs('modelUs', ({ modelPs }) => us(modelPs), "by NCCL's model; `null`: it has none for the algorithm"),
  plain(
    'alternatives',
    (own) =>
      own.others.map((other) => ({
        algorithm: other.algorithm,
        protocol: other.protocol,
        timeUs: us(other.timePs),
        isMuchFaster: isMuchFaster(own, other),
      })),
    'other algorithms by their fastest protocol: `timeUs` (`null`: too many moves), `isMuchFaster` (by a tenth)',
  ),
];
