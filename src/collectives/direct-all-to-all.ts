// All-to-all by direct sends: every rank sends every other one its block, in one of several orders: by distance (the
// next rank first), by server (its own server first, then the others by growing strides, at each the rank beside its
// own first), or by rank. All blocks leave at once, or each rank has at most `concurrency` of them under way. A rank's
// block for itself stays where it is. A block may go in pieces, as a message of NCCL's. Every rank sends (and with even
// blocks receives) (n - 1) / n of its buffer in n - 1 flows.
// Invariant: by distance and by server every rank receives from one other at each turn; by rank all begin with the
// same.
// Sources: by server: NCCL's schedule of sends and receives (init.cc of NVIDIA/nccl at tag 2.28.9, facts only). By
// rank, all at once: communication-stack document (docs/SOURCES.md), "AllToAll for MoE"; SimAI
// (docs/models/simai.md#collectives).

import type { BlockMatrix } from './block-matrix.js';
import { fail } from '../base/fail.js';
import { ChunkFifo } from './chunk-fifo.js';
import { partSize, partStart } from './division.js';
import type { Move, PieceVisitor, Schedule } from './schedule.js';

export type PeerOrder = 'by-distance' | 'by-server' | 'by-rank';

/** How blocks are sent; what is left out: each whole over one channel, all at once, by distance. */
export interface DirectSends {
  readonly channelCount?: number;
  /** blocks of a rank that may be under way at the same time; Infinity: all */
  readonly concurrency?: number;
  readonly order?: PeerOrder;
  /** by server: ranks of each, which stand beside each other */
  readonly ranksPerServer?: number;
  /** pieces of a block's part in a channel, which go in order; more than one only where all blocks may be under way */
  readonly chunkCount?: number;
  /** of them that may be under way, at least 2 if there are several */
  readonly slots?: number;
}

/** Moves are numbered by turn, then source, then channel, then chunk. */
export class DirectAllToAll implements Schedule {
  readonly algorithm = 'direct';
  readonly kind = 'alltoall';
  readonly switchCount = 0;
  readonly connections: ChunkFifo | null;
  readonly rankCount: number;
  readonly delivery = null;
  readonly moveCount: number;
  readonly stepCount: number;
  readonly bufferBytes: number;
  private readonly perStep: number;
  /** by server: how far on it stands in its turn */
  private readonly strides: Int32Array;

  readonly chunkCount: number;
  readonly channelCount: number;
  private readonly concurrency: number;
  private readonly order: PeerOrder;
  private readonly ranksPerServer: number;

  constructor(
    private readonly blocks: BlockMatrix,
    sends: DirectSends = {},
  ) {
    const { rankCount } = blocks;
    const { channelCount = 1, concurrency = Infinity, order = 'by-distance', chunkCount = 1, slots = 1 } = sends;
    const { ranksPerServer = Math.max(1, rankCount) } = sends;
    if (chunkCount > 1 && concurrency < Infinity) fail('an all-to-all whose blocks wait for each other, in pieces');
    if (rankCount % ranksPerServer !== 0) fail(`an all-to-all of ${rankCount} ranks, ${ranksPerServer} per server`);
    this.rankCount = rankCount;
    this.channelCount = channelCount;
    this.concurrency = concurrency;
    this.order = order;
    this.ranksPerServer = ranksPerServer;
    this.strides = growingStrides(rankCount / ranksPerServer);
    this.chunkCount = chunkCount;
    this.connections = chunkCount > 1 ? new ChunkFifo(chunkCount, slots) : null;
    this.stepCount = Math.max(0, rankCount - 1);
    this.perStep = rankCount * channelCount * chunkCount;
    this.moveCount = this.stepCount * this.perStep;
    this.bufferBytes = blocks.largestResultBytes;
  }

  describe(move: number, into: Move): void {
    const parts = this.channelCount * this.chunkCount;
    const rest = Math.floor(move / parts);
    const step = Math.floor(rest / this.rankCount);
    const part = move - rest * parts;
    into.source = rest - step * this.rankCount;
    into.destination = this.peer(into.source, step);
    into.isReduction = false;
    into.step = step;
    into.channel = Math.floor(part / this.chunkCount);
    into.chunk = part % this.chunkCount;
    into.sizeBytes = partSize(this.blocks.size(into.source, into.destination), parts, part);
  }

  pieces(move: number, visit: PieceVisitor): void {
    const { blocks } = this;
    const parts = this.channelCount * this.chunkCount;
    const rest = Math.floor(move / parts);
    const step = Math.floor(rest / this.rankCount);
    const source = rest - step * this.rankCount;
    const destination = this.peer(source, step);
    const sizeBytes = blocks.size(source, destination);
    const start = partStart(sizeBytes, parts, move - rest * parts);
    visit(
      blocks.inputStart(source, destination) + start,
      blocks.resultStart(source, destination) + start,
      partSize(sizeBytes, parts, move - rest * parts),
      true,
    );
  }

  prerequisites(move: number): number {
    return (move >= this.concurrency * this.perStep ? 1 : 0) + (this.connections?.waitsFor(move) ?? 0);
  }

  successors(move: number, visit: (successor: number) => void): void {
    const next = move + this.concurrency * this.perStep;
    if (next < this.moveCount) visit(next);
  }

  predecessors(move: number, visit: (predecessor: number) => void): void {
    const earlier = move - this.concurrency * this.perStep;
    if (earlier >= 0) visit(earlier);
  }

  roots(visit: (move: number) => void): void {
    const count = Math.min(this.moveCount, this.concurrency * this.perStep);
    for (let move = 0; move < count; move += this.chunkCount) visit(move);
  }

  movesByPlace(): Float64Array {
    return new Float64Array(this.rankCount).fill(2 * this.stepCount * this.channelCount * this.chunkCount);
  }

  /** To whom a rank sends at its turn. */
  private peer(source: number, step: number): number {
    if (this.order === 'by-rank') return step < source ? step : step + 1;
    const turn = step + 1;
    if (this.order === 'by-distance') return (source + turn) % this.rankCount;
    const { ranksPerServer, strides } = this;
    const local = source % ranksPerServer;
    const server = source - local + strides[Math.floor(turn / ranksPerServer)]! * ranksPerServer;
    return (server % this.rankCount) + ((local + turn) % ranksPerServer);
  }
}

/** 0, 1, 3, 6, 10, ...: the triangular numbers modulo a power of two are all numbers below it; those below count. */
function growingStrides(count: number): Int32Array {
  let power = 1;
  while (power < count) power *= 2;
  return Int32Array.from({ length: power }, (_, at) => ((at * (at + 1)) / 2) % power).filter(
    (stride) => stride < count,
  );
}
