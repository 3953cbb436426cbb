// How many pieces follow each other: chunks of a collective's way along trees, chains or NVSwitches, of the blocks of a
// ring, and of a message.
// A slot of a connection's FIFO is an eighth of its buffer (NCCL_STEPS); the buffers are NCCL's, of which NCCL_BUFFSIZE
// sets Simple's. No chunk is larger than a slot. NCCL makes chunks smaller where a pipeline would not fill; LL and
// LL128 pass data on line by line within a slot. Simplified here: one size per protocol, small enough that the way
// through a tree is short beside the bytes. NVLS has chunks of its own (nvls-chunks.ts). A ring's blocks are a pipeline
// themselves, and are cut where the buffer is smaller than NCCL's own.
// Every chunk is a transfer per edge, so there is a limit to their number, from which on they grow beyond a slot: a
// pipeline has then so many that filling it hardly counts. A smaller buffer has a higher limit, so that what it holds
// back is seen. Messages are sent in pieces where these are smaller than NCCL's own, of which eight, under way
// together, hold nothing back on any path.
// Sources: NCCL 2.12 to 2.30, device.h, init.cc and enqueue.cc; its manual, NCCL_BUFFSIZE and NCCL_P2P_NET_CHUNKSIZE.

import type { Protocol, TunedAlgorithm } from './protocols.js';
import type { CollectiveKind } from './schedule.js';

/** What is cut. */
export interface WholeCollective {
  readonly kind: CollectiveKind;
  readonly sizeBytes: number;
  readonly ranks: number;
  readonly channels: number;
}

/** What is cut over connections with slots. */
export interface PipelinedCollective extends WholeCollective {
  readonly servers: number;
  /** NCCL_BUFFSIZE; left out: NCCL's own */
  readonly bufferBytes?: number | undefined;
}

const chunkBytes: Readonly<Record<Protocol, number>> = { ll: 2 ** 13, ll128: 2 ** 15, simple: 2 ** 17 };
/**
 * bytes of data of LL's and LL128's lines that take 2 KiB on the wire; smaller moves would be headers rather than data
 */
const linesBytes = { ll: 128 * 8, ll128: 16 * 120 };
/** of profiles without connections */
const plainChunkBytes = 2 ** 18;
const mostChunks = 64;
/**
 * small groups may have more with Simple, while ranks x channels x chunks are few: so a way of many hops does not weigh
 */
const mostOfFew = 256;
const mostMovesAhead = 65_536;
/** chunks of a chain over many servers: so many for each */
const chunksPerServer = 32;
/** pieces of a ring's block, where the buffer is smaller than NCCL's own: so many, times how often it fits there */
const mostOfBlock = 16;
/** pieces of a block of CollNet's gathers, in which each waits for the one before it */
const mostOfRail = 8;
/** SimAI's NVLS (docs/models/simai.md#collectives) */
const simaiNvlsChunks = 4;

/** NCCL_STEPS, the slots of a connection's FIFO, in every version read (2.12 to 2.30) */
export const connectionSlots = 8;
/** bytes of data of a buffer: 8 of LL's 16 B, 120 of LL128's 128 B */
const bufferBytesOf: Readonly<Record<Protocol, number>> = {
  ll: 2 ** 18,
  ll128: 120 * 640 * 8 * 8 * (120 / 128),
  simple: 2 ** 22,
};
/** NCCL's own NCCL_P2P_NET_CHUNKSIZE */
export const messageChunkBytes = 2 ** 17;

/** Bytes of a slot of a connection with Simple. @param bufferBytes NCCL_BUFFSIZE; left out: NCCL's own */
export function slotBytes(bufferBytes: number = bufferBytesOf.simple): number {
  return bufferBytes / connectionSlots;
}

/** Chunks of a collective over connections with slots. */
export function pipelinedChunks(algorithm: TunedAlgorithm, protocol: Protocol, whole: PipelinedCollective): number {
  if (algorithm === 'pat') return 1;
  const { kind, sizeBytes, channels, ranks, servers } = whole;
  if (algorithm === 'collnet-direct' && kind !== 'allreduce')
    return Math.max(1, Math.min(mostOfRail, Math.ceil(sizeBytes / ranks / channels / chunkBytes.simple)));
  const ownBytes = bufferBytesOf[protocol];
  const bufferBytes = protocol === 'simple' ? (whole.bufferBytes ?? ownBytes) : ownBytes;
  const slot = bufferBytes / connectionSlots;
  const isBlock = isUncut(algorithm, kind);
  const part = sizeBytes / channels / (isBlock ? ranks : 1);
  const ownPiece =
    protocol !== 'simple' && passesLines(algorithm, protocol, servers) ? linesBytes[protocol] : chunkBytes[protocol];
  const piece = isBlock ? slot : Math.min(slot, ownPiece);
  const limit = isBlock ? (bufferBytes < ownBytes ? mostOfBlock : 1) : limitOf(algorithm, protocol, whole);
  const most = limit * Math.max(1, ownBytes / bufferBytes);
  return Math.max(1, Math.min(Math.ceil(most), Math.ceil(part / piece)));
}

/**
 * Within a server a ring's GPUs pass lines of LL and LL128 on as they come; to other servers processors send whole
 * slots.
 */
export function passesLines(algorithm: TunedAlgorithm, protocol: Protocol, servers: number): boolean {
  return algorithm === 'ring' && protocol !== 'simple' && servers === 1;
}

/** Most chunks along trees and chains with NCCL's own buffers. */
function limitOf(
  algorithm: TunedAlgorithm,
  protocol: Protocol,
  { channels, ranks, servers }: PipelinedCollective,
): number {
  const ofChain = algorithm === 'ring' ? chunksPerServer * servers : 0;
  const ofFew = protocol === 'simple' ? Math.min(mostOfFew, Math.floor(mostMovesAhead / (ranks * channels))) : 0;
  return Math.max(mostChunks, ofChain, ofFew);
}

/**
 * How many slots a piece along a chain or tree is, at most 1: NCCL posts slots, whatever pieces a channel's part has
 * here.
 */
export function slotsPerPiece(
  protocol: Protocol,
  { sizeBytes, channels, bufferBytes }: PipelinedCollective,
  pieces: number,
): number {
  const own = bufferBytesOf[protocol];
  const slot = (protocol === 'simple' ? (bufferBytes ?? own) : own) / connectionSlots;
  return Math.min(1, Math.max(1, Math.ceil(sizeBytes / channels / slot)) / pieces);
}

/** Chunks of NVLS, one for every round of its pipeline (nvls-chunks.ts). */
export function nvlsChunks(sizeBytes: number, roundBytes: number): number {
  return Math.max(1, Math.min(mostChunks, Math.ceil(sizeBytes / roundBytes)));
}

/**
 * Pieces of a message between two ranks.
 * @param wantedBytes NCCL_P2P_NET_CHUNKSIZE; left out: NCCL's own @param bufferBytes NCCL_BUFFSIZE; left out: NCCL's
 * own
 */
export function messageChunks(sizeBytes: number, wantedBytes?: number, bufferBytes?: number): number {
  const piece = Math.min(wantedBytes ?? messageChunkBytes, slotBytes(bufferBytes));
  return piece < messageChunkBytes ? Math.max(1, Math.ceil(sizeBytes / piece)) : 1;
}

/** Chunks of a collective whose chunks wait for each other. */
export function plainChunks(algorithm: TunedAlgorithm, whole: WholeCollective): number {
  if (algorithm === 'nvls') return simaiNvlsChunks;
  if (isUncut(algorithm, whole.kind)) return 1;
  return Math.max(1, Math.min(mostChunks, Math.ceil(whole.sizeBytes / whole.channels / plainChunkBytes)));
}

/** Rings pipeline their blocks, PAT its steps. */
function isUncut(algorithm: TunedAlgorithm, kind: CollectiveKind): boolean {
  return algorithm === 'pat' || (algorithm === 'ring' && kind !== 'broadcast' && kind !== 'reduce');
}
