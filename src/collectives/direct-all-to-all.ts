// All-to-all by direct sends: every rank sends every other one its block, in the order of their distance (the next rank
// first) or of their ranks. All blocks leave at once, or each rank has at most `concurrency` of them under way. A
// rank's block for itself stays where it is. Every rank sends (and with even blocks receives) (n - 1) / n of its buffer
// in n - 1 flows.
// Sources: by distance: NCCL's grouped send and receive. By rank, all at once: communication-stack document
// (docs/SOURCES.md), "AllToAll for MoE"; SimAI (docs/models/simai.md#collectives). By rank, all begin with the same
// receiver.

import type { BlockMatrix } from './block-matrix.js';
import { partSize, partStart } from './division.js';
import type { Move, PieceVisitor, Schedule } from './schedule.js';

export type PeerOrder = 'by-distance' | 'by-rank';

/** Moves are numbered by turn, then source, then channel. */
export class DirectAllToAll implements Schedule {
  readonly algorithm = 'direct';
  readonly kind = 'alltoall';
  readonly switchCount = 0;
  readonly chunkCount = 1;
  readonly rankCount: number;
  readonly delivery = null;
  readonly moveCount: number;
  readonly stepCount: number;
  readonly bufferBytes: number;
  private readonly perStep: number;

  /** @param concurrency blocks of a rank that may be under way at the same time; Infinity: all */
  constructor(
    private readonly blocks: BlockMatrix,
    readonly channelCount = 1,
    private readonly concurrency = Infinity,
    private readonly order: PeerOrder = 'by-distance',
  ) {
    this.rankCount = blocks.rankCount;
    this.stepCount = Math.max(0, blocks.rankCount - 1);
    this.perStep = blocks.rankCount * channelCount;
    this.moveCount = this.stepCount * this.perStep;
    this.bufferBytes = blocks.largestResultBytes;
  }

  describe(move: number, into: Move): void {
    const rest = Math.floor(move / this.channelCount);
    const step = Math.floor(rest / this.rankCount);
    into.source = rest - step * this.rankCount;
    into.destination = this.peer(into.source, step);
    into.isReduction = false;
    into.step = step;
    into.channel = move - rest * this.channelCount;
    into.chunk = 0;
    into.sizeBytes = partSize(this.blocks.size(into.source, into.destination), this.channelCount, into.channel);
  }

  pieces(move: number, visit: PieceVisitor): void {
    const { blocks, channelCount } = this;
    const rest = Math.floor(move / channelCount);
    const step = Math.floor(rest / this.rankCount);
    const source = rest - step * this.rankCount;
    const destination = this.peer(source, step);
    const sizeBytes = blocks.size(source, destination);
    const start = partStart(sizeBytes, channelCount, move - rest * channelCount);
    visit(
      blocks.inputStart(source, destination) + start,
      blocks.resultStart(source, destination) + start,
      partSize(sizeBytes, channelCount, move - rest * channelCount),
      true,
    );
  }

  prerequisites(move: number): number {
    return move >= this.concurrency * this.perStep ? 1 : 0;
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
    for (let move = 0; move < count; move++) visit(move);
  }

  movesByPlace(): Float64Array {
    return new Float64Array(this.rankCount).fill(2 * this.stepCount * this.channelCount);
  }

  /** To whom a rank sends at its turn. */
  private peer(source: number, step: number): number {
    if (this.order === 'by-rank') return step < source ? step : step + 1;
    return (source + step + 1) % this.rankCount;
  }
}
