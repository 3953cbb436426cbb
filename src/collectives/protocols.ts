// NCCL's protocols (LL, LL128, Simple): what they add to the bytes of a move, and the latencies that go with each
// algorithm. LL sends 4 B of flag with every 4 B of data, LL128 8 B with every 120 B; Simple sends data alone and
// synchronises with fences. Base latency: once per collective. Hardware latency: once per step, by the path that the
// step takes.
// Sources: tables of the communication-stack document (docs/SOURCES.md), 2.5. Where they are empty (0), the totals that
// SimAI 1.7 uses (base plus hardware; docs/models/simai.md#send-latencies-of-17), less the base: the document's own, or
// 8.4 us for trees and 8.0 us for PAT (NCCL's tuning table); the algorithms that have no base in either table have it
// in the hardware latency.
// Not modelled: the compute-bound limits of LL, and thread counts.

import type { AlgorithmName } from './schedule.js';

export type Protocol = 'll' | 'll128' | 'simple';
export const protocols: readonly Protocol[] = ['ll', 'll128', 'simple'];

/** What a step runs over. */
export type PathKind = 'nvlink' | 'pci' | 'network';

/** The algorithms that NCCL has latencies for. */
export type TunedAlgorithm = Extract<
  AlgorithmName,
  'tree' | 'ring' | 'collnet-direct' | 'collnet-chain' | 'nvls' | 'nvls-tree' | 'pat'
>;
export const tunedAlgorithms: readonly TunedAlgorithm[] = [
  'tree',
  'ring',
  'collnet-direct',
  'collnet-chain',
  'nvls',
  'nvls-tree',
  'pat',
];

/** Bytes of a line, and those of them that are data. */
const lines: Readonly<Record<Protocol, readonly [lineBytes: number, dataBytes: number]>> = {
  ll: [8, 4],
  ll128: [128, 120],
  simple: [1, 1],
};

/** What a move takes of the links under a protocol: data and flags. */
export function wireBytes(protocol: Protocol, sizeBytes: number): number {
  const [lineBytes, dataBytes] = lines[protocol];
  // whole lines, and the flags of a last one that is not full
  return sizeBytes + Math.ceil(sizeBytes / dataBytes) * (lineBytes - dataBytes);
}

/** What moves add to their bytes on a link. */
export interface WireCost {
  readonly protocol: Protocol;
  /** bytes that a link of an NVSwitch carries for each byte of a move */
  readonly nvswitchShare: number;
  /** the same of all other links, within a server and between servers; left out: 1 */
  readonly serverShare?: number;
  readonly networkShare?: number;
}

/**
 * What a move takes of its links.
 * @param isAtSwitch whether one of its ends is an NVSwitch
 * @param isIntraServer whether both are of one server
 */
export function moveWireBytes(cost: WireCost, sizeBytes: number, isAtSwitch: boolean, isIntraServer: boolean): number {
  const { protocol, nvswitchShare, serverShare = 1, networkShare = 1 } = cost;
  const share = isAtSwitch ? nvswitchShare : isIntraServer ? serverShare : networkShare;
  return wireBytes(protocol, share === 1 ? sizeBytes : Math.ceil(sizeBytes * share));
}

/** microseconds for LL, LL128, Simple; 0: the table has none */
type Row = readonly [ll: number, ll128: number, simple: number];
type Table = Readonly<Record<TunedAlgorithm, Row>>;
const none: Row = [0, 0, 0];

/** Rows of a table that has no more than these. */
function tableOf(rows: Partial<Table>): Table {
  const entries = tunedAlgorithms.map((algorithm) => [algorithm, rows[algorithm] ?? none] as const);
  return Object.fromEntries(entries) as Record<TunedAlgorithm, Row>;
}

const documentBase: Table = tableOf({
  tree: [6.8, 14, 0],
  ring: [6.6, 14, 8.4],
  nvls: [0, 0, 23],
});
const documentHardware: Readonly<Record<PathKind, Table>> = {
  nvlink: tableOf({
    tree: [0.6, 1.25, 28],
    ring: [0.6, 1.9, 3.4],
  }),
  pci: tableOf({
    tree: [1, 1, 0],
    ring: [1, 1, 0],
  }),
  network: tableOf({
    tree: [5, 8.5, 0],
    ring: [2.7, 5.5, 0],
  }),
};
/** base where the document has none */
const fallbackBase: Table = tableOf({
  tree: [0, 0, 8.4],
  pat: [0, 0, 8],
});
/** base and hardware latency together */
const fallbackTotal: Readonly<Record<PathKind, Table>> = {
  nvlink: tableOf({
    tree: [7.4, 15.25, 12.4],
    ring: [7.2, 15.9, 11.8],
    'collnet-direct': [0, 0, 3.7],
    'collnet-chain': [0, 0, 2.8],
    nvls: [0, 0, 25],
    'nvls-tree': [0, 0, 25],
    pat: [0, 0, 12],
  }),
  pci: tableOf({}),
  network: tableOf({
    tree: [11.8, 22.5, 22.4],
    ring: [9.3, 18, 22.4],
    'collnet-direct': [0, 0, 31],
    'collnet-chain': [0, 0, 30],
    nvls: [0, 0, 18],
    'nvls-tree': [0, 0, 20.9],
    pat: [0, 0, 22],
  }),
};

export interface Latency {
  /** once per collective, in picoseconds */
  readonly basePs: number;
  /** once per step */
  readonly hardwarePs: number;
}

/**
 * The latencies of an algorithm under a protocol over a path; null if neither table has any: the combination does not
 * exist.
 */
export function latencyOf(algorithm: TunedAlgorithm, protocol: Protocol, path: PathKind): Latency | null {
  const column = protocols.indexOf(protocol);
  const own = documentBase[algorithm][column]!;
  const hardware = documentHardware[path][algorithm][column]!;
  if (hardware > 0) return { basePs: toPs(own), hardwarePs: toPs(hardware) };
  const total = fallbackTotal[path][algorithm][column]!;
  if (total === 0) return null;
  const base = own > 0 ? own : fallbackBase[algorithm][column]!;
  // a total below the base (NVLS over the network): all of it counts per step
  return base < total
    ? { basePs: toPs(base), hardwarePs: toPs(total) - toPs(base) }
    : { basePs: 0, hardwarePs: toPs(total) };
}

function toPs(microseconds: number): number {
  return Math.round(microseconds * 1e6);
}
