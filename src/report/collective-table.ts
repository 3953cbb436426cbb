// The table of nccl-tests for simulated collectives, one row as soon as it is done, and the same as JSON. Sizes are
// bytes, times microseconds, bandwidths 10^9 bytes per second; counts are of float elements of 4 bytes, per rank's
// share where nccl-tests counts so.

import { formatSizeBytes } from '../base/units.js';
import { busFactor } from '../collectives/bus-bandwidth.js';
import type { CollectiveKind } from '../collectives/schedule.js';
import type { Choice } from '../collectives/selection.js';
import type { ErrorBand } from './band-classes.js';

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
  /** checks that failed, in words */
  readonly problems: readonly string[];
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

const widths = { size: 11, count: 10, type: 5, redop: 5, root: 4, time: 8, algbw: 6, busbw: 6 } as const;

/** The lines above the rows. */
export function collectiveHeader(): string {
  const names = cells(['size', 'count', 'type', 'redop', 'root', 'time', 'algbw', 'busbw']);
  const units = cells(['(B)', '(elements)', '', '', '', '(us)', '(GB/s)', '(GB/s)']);
  return `#${names.slice(1)}  algorithm\n#${units.slice(1)}  and channels\n`;
}

/** One row, with its newline. */
export function collectiveLine(row: CollectiveRow): string {
  const { count, type, redop, root } = elementsOf(row);
  const text = cells([
    String(row.sizeBytes),
    String(count),
    type,
    redop,
    String(root),
    row.isBlocked ? '-' : figure(row.timePs / 1e6, widths.time),
    row.isBlocked ? '-' : figure(row.algorithmBandwidth / 1e9, widths.algbw),
    row.isBlocked ? '-' : figure(row.busBandwidth / 1e9, widths.busbw),
  ]);
  return `${text}  ${howText(row.choice)}${row.isBlocked ? ' BLOCKED' : ''}\n`;
}

/** Algorithm, protocol and channels: `ring LL128 8`. */
export function howText({ algorithm, protocol, channels }: Choice): string {
  return `${algorithm} ${protocolName(protocol)} ${channels}`;
}

export function protocolName(protocol: Choice['protocol']): string {
  return protocol === 'simple' ? 'Simple' : protocol.toUpperCase();
}

/** A row for --json. */
export function collectiveObject(row: CollectiveRow): Record<string, unknown> {
  const { choice } = row;
  const { count, type, redop, root } = elementsOf(row);
  return {
    sizeBytes: row.sizeBytes,
    count,
    type,
    redop,
    root,
    timeUs: row.isBlocked ? null : row.timePs / 1e6,
    algbwGBps: row.isBlocked ? null : row.algorithmBandwidth / 1e9,
    busbwGBps: row.isBlocked ? null : row.busBandwidth / 1e9,
    busFactor: busFactor(row.kind, row.ranks),
    algorithm: choice.algorithm,
    protocol: choice.protocol,
    channels: choice.channels,
    chunks: choice.chunks,
    pxn: choice.pxn,
    reason: choice.reason,
    modelUs: choice.modelPs === undefined ? null : choice.modelPs / 1e6,
    flows: row.flows,
    cpuSeconds: row.cpuSeconds,
    digest: row.digest,
    errorBand: row.errorBand,
    problems: row.problems,
  };
}

/** Beyond that the tuner chose by times that the simulation does not bear out. */
const mostModelError = 0.25;

/**
 * Where NCCL's model and the simulation are far apart, in a line for a person; empty if nowhere. Of small buffers the
 * difference is nearly all that the model leaves out.
 */
export function modelLine(rows: readonly CollectiveRow[]): string {
  const far = rows.flatMap(({ sizeBytes, timePs, choice: { modelPs }, isBlocked }) =>
    modelPs === undefined || isBlocked || Math.abs(timePs / modelPs - 1) <= mostModelError
      ? []
      : [{ sizeBytes, timePs, modelPs }],
  );
  const [worst] = [...far].sort((a, b) => timesApart(b) - timesApart(a));
  if (worst === undefined) return '';
  const at = `${figure(worst.modelPs / 1e6, 9)} us by the model, ${figure(worst.timePs / 1e6, 9)} simulated at ${formatSizeBytes(worst.sizeBytes)}`;
  return `# NCCL chose by a model that is over 25 % off in ${far.length} of ${rows.length} ${rows.length === 1 ? 'row' : 'rows'}:\n#   ${at}\n`;
}

/** How many times the longer of two times is the shorter. */
function timesApart({ timePs, modelPs }: { readonly timePs: number; readonly modelPs: number }): number {
  return Math.max(timePs / modelPs, modelPs / timePs);
}

function elementsOf({ kind, sizeBytes, ranks, root }: CollectiveRow) {
  return {
    count: Math.floor(sizeBytes / elementBytes / (shared.has(kind) ? ranks : 1)),
    type: 'float',
    redop: reducing.has(kind) ? 'sum' : 'none',
    root: hasRoot(kind) ? root : -1,
  };
}

function cells(texts: readonly string[]): string {
  return texts.map((text, i) => text.padStart(Object.values(widths)[i]!)).join(' ');
}

/** As many decimals as fit, two at most: nccl-tests' way with numbers of any size. */
function figure(value: number, width: number): string {
  for (const digits of [2, 1]) {
    const text = value.toFixed(digits);
    if (text.length <= width - 1) return text;
  }
  return value.toFixed(0);
}
