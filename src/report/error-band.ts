// The error band of a figure: how far published measurements lie from what Weft predicts for figures of its class, from the
// pages that compare them (measured-bands.ts and iteration-band.ts are written with them); of a profile that was
// calibrated, how far its held-out rows lie from it.
// Invariant: a figure of a class that nobody measured has no band, and says so.

import type { CollectiveKind } from '../collectives/schedule.js';
import { isNccl, type Profile, profileName } from '../collectives/selection.js';
import { formatSizeBytes } from '../base/units.js';
import { gpuTypeOf } from '../fabric/gpu-types.js';
import { iterationRows } from './iteration-band.js';
import {
  type BandKind,
  bandClass,
  type BandServers,
  type BandSizes,
  bandwidthFromBytes,
  type ErrorBand,
  latencyBelowBytes,
  type MeasuredBand,
} from './band-classes.js';
import { measuredBands } from './measured-bands.js';

/** A class of fewer rows says too little: all sizes together stand for it. */
const leastRows = 8;
const measuredPage = 'docs/models/measured.md';
const kindNames: Readonly<Record<BandKind, string>> = {
  allreduce: 'allreduce',
  alltoall: 'all-to-all',
  others: 'allgather, reduce-scatter, sendrecv',
};
const serverNames: Readonly<Record<BandServers, string>> = {
  one: 'one server',
  two: 'two servers',
  more: 'more servers',
};
const sizeNames: Readonly<Record<BandSizes, string>> = {
  small: `below ${formatSizeBytes(latencyBelowBytes)}`,
  middle: `${formatSizeBytes(latencyBelowBytes)} to ${formatSizeBytes(bandwidthFromBytes)}`,
  large: `from ${formatSizeBytes(bandwidthFromBytes)}`,
  all: 'all sizes',
};
/** The band of one collective's time under a profile; null: none is known. @param servers that its ranks are on */
export function collectiveBand(
  profile: Profile,
  kind: CollectiveKind,
  servers: number,
  sizeBytes: number,
  bands: readonly MeasuredBand[] = measuredBands,
): ErrorBand | null {
  if (typeof profile !== 'string') return heldOutBand(profile);
  const own = isMeasured(profile) ? bandClass(kind, servers, sizeBytes) : null;
  if (own === null) return null;
  const alike = bands.filter((band) => band.kind === own.kind && band.servers === own.servers);
  const exact = alike.find((band) => band.sizes === own.sizes && band.rows >= leastRows);
  const found = exact ?? alike.find((band) => band.sizes === 'all' && band.rows >= leastRows);
  if (found === undefined) return null;
  const { rows, medianPercent, p90Percent, worstPercent } = found;
  const { [own.kind]: kinds } = kindNames;
  return {
    class: `${kinds} on ${serverNames[own.servers]}, ${sizeNames[found.sizes]}`,
    rows,
    medianPercent,
    p90Percent,
    worstPercent,
    source: measuredPage,
  };
}

/** The band of an iteration's time; null: none is known. */
export function iterationBand(profile: Profile): ErrorBand | null {
  if (typeof profile === 'string' && !hasIterations(profile)) return null;
  return { class: 'iteration times', ...iterationRows, source: 'docs/models/iteration-times.md' };
}

/** The band of the times of jobs, or why there is none. */
export function jobBand(profile: Profile): ErrorBand | string {
  return iterationBand(profile) ?? `no iteration was compared with profile ${profileName(profile)}`;
}

/** A band in words: `median 4.5 %, 9 of 10 at most 20.0 %, worst 31.0 % (84 rows)`. */
function bandText({ rows, medianPercent, p90Percent, worstPercent }: ErrorBand): string {
  return `median ${percent(medianPercent)}, 9 of 10 at most ${percent(p90Percent)}, worst ${percent(worstPercent)} (${rows} rows)`;
}

/** A band, or why there is none, in a sentence without its full stop. */
export function bandSentence(band: ErrorBand | string): string {
  return typeof band === 'string'
    ? `none is known: ${band}`
    : `${band.class} beside published ones: ${bandText(band)}; ${band.source}`;
}

/** GPUs of the published clusters (validation/measured/clusters.yaml; its GH200 is an H100 to its profile). */
const measuredGpus: ReadonlySet<string> = new Set(['A100', 'H100', 'H200', 'GH200', 'B200', 'GB200', 'RTX6000D']);

/** Whether published collectives ran on a GPU. @param gpuType as a fabric names it */
export function isMeasuredGpu(gpuType: string): boolean {
  return measuredGpus.has(gpuTypeOf(gpuType)?.name ?? '');
}

/**
 * What is said of the bands of several collectives, in lines of at most 80 columns that begin with `#`.
 * @param gpuType as the fabric names it
 */
export function bandLines(profile: Profile, gpuType: string, bands: readonly (ErrorBand | null)[]): string {
  const known = new Map(bands.flatMap((band) => (band === null ? [] : [[band.class, band] as const])));
  if (bands.length === 0) return '';
  if (known.size === 0) return `# No error band is known: ${noBandReason(profile, gpuType)}.\n`;
  const lines = [...known.values()].map((band) => `#   ${band.class}:\n#     ${bandText(band)}`);
  const { source } = known.values().next().value!;
  return `# Errors of such times against what was measured (${typeof profile === 'string' ? source : 'held out'}):\n${lines.join('\n')}\n`;
}

/** Why there is no band, in words. */
function noBandReason(profile: Profile, gpuType: string): string {
  const name = profileName(profile);
  if (typeof profile !== 'string') return 'the profile has no held-out rows';
  if (isMeasured(profile) && !isMeasuredGpu(gpuType))
    return gpuType === '' ? 'the fabric does not name its GPU' : `none was measured on ${gpuType}`;
  return isMeasured(profile)
    ? 'too few measurements of such collectives'
    : `no measurement was compared with profile ${name}`;
}

function heldOutBand({ name, heldOut }: Exclude<Profile, string>): ErrorBand | null {
  if (heldOut === null) return null;
  const { rows, median, p90, worst } = heldOut;
  return {
    class: 'rows held out of the profile',
    rows,
    medianPercent: inPercent(median),
    p90Percent: inPercent(p90),
    worstPercent: inPercent(worst),
    source: name,
  };
}

/** Whether published collectives were compared with the profile: those of the version, by network. */
function isMeasured(profile: Exclude<Profile, object>): boolean {
  return isNccl(profile) && profile !== 'nccl-2.21';
}

/** Whether published iterations were compared with the profile. */
function hasIterations(profile: Exclude<Profile, object>): boolean {
  return profile === 'nccl' || profile === 'nccl-2.28';
}

function inPercent(share: number): number {
  return Math.round(share * 1000) / 10;
}

function percent(value: number): string {
  return `${value.toFixed(1)} %`;
}
