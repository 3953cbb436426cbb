// The chunks by which NVLS and NVLS-tree go through a server's NVSwitches, and what every chunk costs.
// A channel gives each of the server's GPUs (heads) a chunk at a time; all channels together make a round of channels x
// heads x chunk bytes. NCCL takes chunks of 128 KiB (NVLS-tree on four servers and more: 64 KiB) and smaller ones where
// the buffer has too few rounds to fill the pipeline.
// A round takes its bytes over the links, and a time of its own for the synchronisation of its GPUs, which no pipeline
// hides. It makes the bandwidth rise in steps where chunks grow: 8 H100 carry 257 GB/s of algorithm bandwidth at 128 to
// 512 MiB and 275 from 1 GiB on, where chunks become 128 KiB.
// Sources: chunk sizes and their limits, NCCL's src/enqueue.cc at 2.21.5 to 2.28.9 (facts, no code). The share of
// NVLink and the time of a round are fitted to published tables (hardware-figures.ts): on 8 H100 (A-08 of
// docs/models/measured.md) rounds of 16, 8 and 4 MiB take 61.0, 32.6 and 18.9 us.
// The first round of NVLS-tree has no such time up and down: it is among the 25 us that NCCL's tuner has once. (2
// servers of 8 H100 take 154 and 210 us for one and two rounds of 8 MiB, of which links need 100 and 128; B-06 has the
// same.)
// Not modelled: registered buffers, which skip copies.

import type { Choice, SelectionRequest } from './choice.js';
import { nvlsChunks } from './chunking.js';
import type { GroupFacts } from './group-facts.js';
import type { NvlsAlgorithm } from './hardware-figures.js';
import type { TunedAlgorithm } from './protocols.js';

const kib = 1024;
/** each: as long as the buffer has fewer rounds than that, chunks of more bytes become as small as that */
const limitsOf: Readonly<Record<NvlsAlgorithm, readonly (readonly [rounds: number, chunkBytes: number])[]>> = {
  nvls: [
    [64, 64 * kib],
    [8, 32 * kib],
    [2, 16 * kib],
  ],
  'nvls-tree': [
    [4, 64 * kib],
    [1, 32 * kib],
  ],
};
const largestChunkBytes = 128 * kib;
const manyServers = 4;

/** Bytes of a round: of all channels and GPUs of a server. */
function nvlsRoundBytes(algorithm: NvlsAlgorithm, sizeBytes: number, channels: number, facts: GroupFacts): number {
  return nvlsChunkBytes(algorithm, sizeBytes, channels, facts) * channels * facts.ranksPerServer;
}

/** What NVLS takes beside what its bytes need of links that are used wholly. */
export interface NvlsTimes {
  /** share of NVLink that its bytes reach; 0: not known, all */
  readonly linkShare: number;
  /** what the synchronisation of a round takes */
  readonly roundUs: Readonly<Record<NvlsAlgorithm, number>>;
}

/** A round of NVLS is what all channels and GPUs of a server send of at a time; each is a chunk of the simulation. */
export function nvlsRounds(
  algorithm: NvlsAlgorithm,
  { kind, sizeBytes, facts }: SelectionRequest,
  channels: number,
  times: NvlsTimes,
): Pick<Choice, 'chunks' | 'nvswitchShare'> {
  const roundBytes = nvlsRoundBytes(algorithm, sizeBytes, channels, facts);
  const reducers = kind === 'allreduce' ? facts.ranksPerServer : null;
  return {
    chunks: nvlsChunks(sizeBytes, roundBytes),
    nvswitchShare: nvswitchShare(algorithm, times, facts.nvlinkBps / 8e9, roundBytes, reducers),
  };
}

/** What the synchronisation of a first round takes that the tuner's latency has already, in picoseconds. */
export function firstRoundPs(
  algorithm: TunedAlgorithm,
  { roundUs }: NvlsTimes,
  sizeBytes: number,
  channels: number,
  facts: GroupFacts,
): number {
  if (algorithm !== 'nvls-tree') return 0;
  const share = Math.min(1, sizeBytes / nvlsRoundBytes(algorithm, sizeBytes, channels, facts));
  return Math.round(2 * roundUs[algorithm] * share * 1e6);
}

/** Bytes of a chunk: what a channel sends of one GPU's part at a time. */
export function nvlsChunkBytes(
  algorithm: NvlsAlgorithm,
  sizeBytes: number,
  channels: number,
  { ranksPerServer, servers }: GroupFacts,
): number {
  const chunksPerRound = channels * ranksPerServer;
  let chunkBytes = algorithm === 'nvls-tree' && servers >= manyServers ? 64 * kib : largestChunkBytes;
  for (const [rounds, smaller] of limitsOf[algorithm])
    if (sizeBytes < rounds * chunksPerRound * chunkBytes && chunkBytes > smaller) chunkBytes = smaller;
  return chunkBytes;
}

/**
 * What a link of an NVSwitch carries for each byte of a move, so that its time is that of the rounds. Of an allreduce a
 * rank reduces the part of one in n: it reads that from the switch while the switch reads all parts from it, and writes
 * the sum of its part once while all sums come down, so each direction carries (1 + 1/n) of the buffer.
 * @param linkGBps what a GPU's NVLinks carry, GB/s
 * @param reducers ranks of a server that reduce an allreduce; null: none, of other kinds
 */
export function nvswitchShare(
  algorithm: NvlsAlgorithm,
  { linkShare, roundUs }: NvlsTimes,
  linkGBps: number,
  roundBytes: number,
  reducers: number | null,
): number {
  const bytesShare = (reducers === null ? 1 : 1 + 1 / reducers) / (linkShare > 0 ? linkShare : 1);
  return bytesShare + (roundUs[algorithm] * 1e3 * linkGBps) / roundBytes;
}
