// The error band of a figure: how far published measurements lie from what Weft predicts for figures of its class, from
// the pages that compare them (measured-bands.ts and iteration-band.ts are written with them); of a profile that was
// calibrated, how far its held-out rows lie from it.
// Invariant: a figure of a class that nobody measured has no band, and says so.

import type { CollectiveKind } from '../collectives/schedule.js';
import { ncclNetwork, type NcclProfile } from '../collectives/nccl-figures.js';
import { isNccl, type Profile, profileName } from '../collectives/selection.js';
import { formatSizeBytes } from '../base/units.js';
import { gpuTypeOf } from '../fabric/gpu-types.js';
import { iterationRows } from './iteration-band.js';
import {
  type BandClass,
  bandClasses,
  type BandKind,
  type BandNetwork,
  bandPlace,
  type BandServers,
  type BandSizes,
  bandwidthFromBytes,
  type ErrorBand,
  isSameClass,
  latencyBelowBytes,
  type MeasuredBand,
} from './band-classes.js';
import { wrapped } from './text-style.js';
import { measuredBands, measuredGpus, measuredNetworks } from './measured-bands.js';

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
  several: 'several servers',
};
const sizeNames: Readonly<Record<BandSizes, string>> = {
  small: `below ${formatSizeBytes(latencyBelowBytes)}`,
  middle: `${formatSizeBytes(latencyBelowBytes)} to ${formatSizeBytes(bandwidthFromBytes)}`,
  large: `from ${formatSizeBytes(bandwidthFromBytes)}`,
  all: 'all sizes',
};
const networkNames: Readonly<Record<BandNetwork, string>> = {
  within: 'NVLink',
  infiniband: 'InfiniBand',
  efa: 'EFA',
  slingshot: 'Slingshot',
  tcpx: 'TCPX',
  tcpxo: 'TCPXO',
};

/** A collective, as far as its band depends on it. */
export interface BandedCollective {
  readonly kind: CollectiveKind;
  /** that its ranks are on */
  readonly servers: number;
  readonly sizeBytes: number;
  /** as the fabric names it */
  readonly gpuType: string;
}

/**
 * The band of one collective's time under a profile: of the narrowest class of which clusters that were left out bear
 * it out; null: none is known.
 */
export function collectiveBand(
  profile: Profile,
  { kind, servers, sizeBytes, gpuType }: BandedCollective,
  bands: readonly MeasuredBand[] = measuredBands,
): ErrorBand | null {
  if (typeof profile !== 'string') return heldOutBand(profile);
  if (!isMeasured(profile) || !isMeasuredGpu(gpuType)) return null;
  const place = bandPlace(kind, servers, sizeBytes, gpuType, ncclNetwork(profile));
  if (place === null || !measuredNetworks[place.kind].includes(`${place.network} ${place.sizes}`)) return null;
  for (const own of bandClasses(place)) {
    const found = bands.find((band) => isSameClass(band, own));
    if (found === undefined) continue;
    const { rows, clusters, medianPercent, p90Percent, worstPercent } = found;
    return { class: classText(found), rows, clusters, medianPercent, p90Percent, worstPercent, source: measuredPage };
  }
  return null;
}

/** A class in words: `allreduce on one server, from 64MiB, hopper`. */
function classText({ gpus, network, kind, servers, sizes }: BandClass): string {
  const { [kind]: kinds } = kindNames;
  const over = network === null || network === 'within' ? '' : `, ${networkNames[network]}`;
  return `${kinds} on ${serverNames[servers]}, ${sizeNames[sizes]}${over}${gpus === null ? '' : `, ${gpus}`}`;
}

/** The band of an iteration's time; null: none is known. */
export function iterationBand(profile: Profile): ErrorBand | null {
  if (typeof profile === 'string' && !hasIterations(profile)) return null;
  const { rows, clusters, medianPercent, p90Percent, worstPercent } = iterationRows;
  const source = 'docs/models/iteration-times.md';
  return { class: 'iteration times', rows, clusters, medianPercent, p90Percent, worstPercent, source };
}

/** The band of the times of jobs, or why there is none. */
export function jobBand(profile: Profile): ErrorBand | string {
  return iterationBand(profile) ?? `no iteration was compared with profile ${profileName(profile)}`;
}

/** A band in words: `median 4.5 %, 9 of 10 at most 20.0 %, worst 31.0 % (84 rows of 9 clusters)`. */
function bandText({ rows, clusters, medianPercent, p90Percent, worstPercent }: ErrorBand): string {
  const where = clusters === null ? '' : ` of ${clusters} clusters`;
  return `median ${medianPercent.toFixed(1)} %, 9 of 10 at most ${p90Percent.toFixed(1)} %, worst ${worstPercent.toFixed(1)} % (${rows} rows${where})`;
}

/** A band, or why there is none, in a sentence without its full stop. */
export function bandSentence(band: ErrorBand | string): string {
  return typeof band === 'string'
    ? `none is known: ${band}`
    : `${band.class} beside published ones: ${bandText(band)}; ${band.source}`;
}

/** Whether published collectives ran on a GPU. @param gpuType as a fabric names it */
function isMeasuredGpu(gpuType: string): boolean {
  return measuredGpus.includes(gpuTypeOf(gpuType)?.name ?? '');
}

/**
 * What is said of the bands of several collectives, in lines of at most 80 columns that begin with `#`.
 * @param gpuType as the fabric names it
 */
export function bandLines(profile: Profile, gpuType: string, bands: readonly (ErrorBand | null)[]): string {
  const known = new Map(bands.flatMap((band) => (band === null ? [] : [[band.class, band] as const])));
  if (bands.length === 0) return '';
  if (known.size === 0)
    return `${indented(`No error band is known: ${noBandReason(profile, gpuType)}.`, 1).join('\n')}\n`;
  const lines: string[] = [];
  for (const band of known.values()) lines.push(...indented(`${band.class}:`, 3), ...indented(bandText(band), 5));
  const { source } = known.values().next().value!;
  return `# Errors of such times against what was measured (${typeof profile === 'string' ? source : 'held out'}):\n${lines.join('\n')}\n`;
}

/** A comment in lines of at most 80 columns. */
function indented(text: string, indent: number): string[] {
  return wrapped(text, 79 - indent).map((line) => `#${' '.repeat(indent)}${line}`);
}

/** Why there is no band, in words. */
function noBandReason(profile: Profile, gpuType: string): string {
  const name = profileName(profile);
  if (typeof profile !== 'string') return 'the profile has no held-out rows';
  if (isMeasured(profile) && !isMeasuredGpu(gpuType))
    return gpuType === '' ? 'the fabric does not name its GPU' : `none was measured on ${gpuType}`;
  return isMeasured(profile)
    ? `too few measurements of such collectives over ${networkNames[ncclNetwork(profile)]}`
    : `no measurement was compared with profile ${name}`;
}

function heldOutBand({ name, heldOut }: Exclude<Profile, string>): ErrorBand | null {
  if (heldOut === null) return null;
  const { rows, median, p90, worst } = heldOut;
  return {
    class: 'rows held out of the profile',
    rows,
    clusters: null,
    medianPercent: inPercent(median),
    p90Percent: inPercent(p90),
    worstPercent: inPercent(worst),
    source: name,
  };
}

/** Whether published collectives were compared with the profile: those of the version, by network. */
function isMeasured(profile: Exclude<Profile, object>): profile is NcclProfile {
  return isNccl(profile) && profile !== 'nccl-2.21';
}

/** Whether published iterations were compared with the profile. */
function hasIterations(profile: Exclude<Profile, object>): boolean {
  return profile === 'nccl' || profile === 'nccl-2.28';
}

function inPercent(share: number): number {
  return Math.round(share * 1000) / 10;
}
