// How many chunks a collective's way along trees, chains or NVSwitches is cut into.
// NCCL cuts a channel's part by the slots of its connections' FIFOs (Simple 512 KiB each, LL 32 KiB and LL128 562 KiB of
// data; NCCL's buffer sizes over NCCL_STEPS, 2.12 to 2.30), and makes chunks smaller where a pipeline would not fill.
// LL and LL128 pass data on line by line within a slot. Simplified here: one size per protocol, small enough that the
// way through a tree is short beside the bytes, and a limit to their number, since every chunk is a transfer per edge.
// NVLS has chunks of its own (nvls-chunks.ts).

import type { Protocol, TunedAlgorithm } from './protocols.js';
import type { CollectiveKind } from './schedule.js';

/** What is cut. */
export interface WholeCollective {
  readonly kind: CollectiveKind;
  readonly sizeBytes: number;
  readonly ranks: number;
  readonly channels: number;
}

const chunkBytes: Readonly<Record<Protocol, number>> = { ll: 2 ** 13, ll128: 2 ** 15, simple: 2 ** 17 };
/** of profiles without connections */
const plainChunkBytes = 2 ** 18;
const mostChunks = 64;
/** small groups may have more with Simple, while ranks x channels x chunks are few: so a way of many hops does not weigh */
const mostOfFew = 256;
const mostMovesAhead = 65_536;
/** SimAI's NVLS (docs/models/simai.md#collectives) */
const simaiNvlsChunks = 4;

/** Chunks of a collective over connections with slots. */
export function pipelinedChunks(algorithm: TunedAlgorithm, protocol: Protocol, whole: WholeCollective): number {
  if (isUncut(algorithm, whole.kind)) return 1;
  if (protocol !== 'simple') return chunks(whole, chunkBytes[protocol], mostChunks);
  const most = Math.max(mostChunks, Math.min(mostOfFew, Math.floor(mostMovesAhead / (whole.ranks * whole.channels))));
  return chunks(whole, chunkBytes[protocol], most);
}

/** Chunks of NVLS, one for every round of its pipeline (nvls-chunks.ts). */
export function nvlsChunks(sizeBytes: number, roundBytes: number): number {
  return Math.max(1, Math.min(mostChunks, Math.ceil(sizeBytes / roundBytes)));
}

/** Chunks of a collective whose chunks wait for each other. */
export function plainChunks(algorithm: TunedAlgorithm, whole: WholeCollective): number {
  if (algorithm === 'nvls') return simaiNvlsChunks;
  return isUncut(algorithm, whole.kind) ? 1 : chunks(whole, plainChunkBytes, mostChunks);
}

/** Rings pipeline their blocks, PAT its steps. */
function isUncut(algorithm: TunedAlgorithm, kind: CollectiveKind): boolean {
  return algorithm === 'pat' || (algorithm === 'ring' && kind !== 'broadcast' && kind !== 'reduce');
}

function chunks({ sizeBytes, channels }: WholeCollective, bytes: number, most: number): number {
  return Math.max(1, Math.min(most, Math.ceil(sizeBytes / channels / bytes)));
}
