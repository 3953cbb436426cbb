// All-to-all by direct sends: every rank sends every other one its block, in the order of their distance (the next rank
// first) or of their ranks. All blocks leave at once, or each rank has at most `concurrency` of them under way. A
// rank's block for itself stays where it is. A block may go in pieces, as a message of NCCL's. Every rank sends (and with even blocks receives) (n - 1) / n of its buffer
// in n - 1 flows.
// Sources: by distance: NCCL's grouped send and receive. By rank, all at once: communication-stack document
// (docs/SOURCES.md), "AllToAll for MoE"; SimAI (docs/models/simai.md#collectives). By rank, all begin with the same
// receiver.

import type { BlockMatrix } from './block-matrix.js';
import { fail } from '../base/fail.js';
import { ChunkFifo } from './chunk-fifo.js';
import { partSize, partStart } from './division.js';
import type { Move, PieceVisitor, Schedule } from './schedule.js';

export type PeerOrder = 'by-distance' | 'by-rank';

/** How a block's part in a channel is sent. */
export interface BlockPieces {
  /** pieces of it, which go in order; more than one only where all blocks may be under way */
  readonly chunkCount: number;
  /** of them that may be under way, at least 2 if there are several */
  readonly slots: number;
}

const oneBlock: BlockPieces = { chunkCount: 1, slots: 1 };

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

  readonly chunkCount: number;

  /** @param concurrency blocks of a rank that may be under way at the same time; Infinity: all */
  constructor(
    private readonly blocks: BlockMatrix,
    readonly channelCount = 1,
    private readonly concurrency = Infinity,
    private readonly order: PeerOrder = 'by-distance',
    { chunkCount, slots }: BlockPieces = oneBlock,
  ) {
    this.chunkCount = chunkCount;
    if (chunkCount > 1 && concurrency < Infinity) fail('an all-to-all whose blocks wait for each other, in pieces');
    this.connections = chunkCount > 1 ? new ChunkFifo(chunkCount, slots) : null;
    this.rankCount = blocks.rankCount;
    this.stepCount = Math.max(0, blocks.rankCount - 1);
    this.perStep = blocks.rankCount * channelCount * chunkCount;
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
    return (source + step + 1) % this.rankCount;
  }
}
