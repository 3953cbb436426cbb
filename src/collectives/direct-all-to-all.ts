// All-to-all by direct sends: every rank sends every other one its block, to the next rank first, then to the one after it, and so on.
// All blocks leave at once, or each rank has at most `concurrency` of them under way. A rank's block for itself stays where it is.
// Every rank sends (and with even blocks receives) (n - 1) / n of its buffer in n - 1 flows.
// Sources: NCCL's all-to-all by grouped send and receive, in the order of distance; SimAI's flows (its notes, section 12), all at once.

import type { BlockMatrix } from './block-matrix.js';
import { partSize, partStart } from './division.js';
import type { Move, PieceVisitor, Schedule } from './schedule.js';

/** Moves are numbered by distance, then source, then channel. */
export class DirectAllToAll implements Schedule {
  readonly algorithm = 'direct';
  readonly kind = 'alltoall';
  readonly switchCount = 0;
  readonly chunkCount = 1;
  readonly rankCount: number;
  readonly moveCount: number;
  readonly stepCount: number;
  readonly bufferBytes: number;
  private readonly perStep: number;

  /** @param concurrency blocks of a rank that may be under way at the same time; Infinity: all */
  constructor(
    private readonly blocks: BlockMatrix,
    readonly channelCount = 1,
    private readonly concurrency = Infinity,
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
    into.destination = (into.source + step + 1) % this.rankCount;
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
    const destination = (source + step + 1) % this.rankCount;
    const sizeBytes = blocks.size(source, destination);
    const start = partStart(sizeBytes, channelCount, move - rest * channelCount);
    visit(blocks.inputStart(source, destination) + start, blocks.resultStart(source, destination) + start, partSize(sizeBytes, channelCount, move - rest * channelCount), true);
  }

  prerequisites(move: number): number {
    return move >= this.concurrency * this.perStep ? 1 : 0;
  }

  successors(move: number, visit: (successor: number) => void): void {
    const next = move + this.concurrency * this.perStep;
    if (next < this.moveCount) visit(next);
  }

  roots(visit: (move: number) => void): void {
    const count = Math.min(this.moveCount, this.concurrency * this.perStep);
    for (let move = 0; move < count; move++) visit(move);
  }

  movesByPlace(): Float64Array {
    return new Float64Array(this.rankCount).fill(2 * this.stepCount * this.channelCount);
  }
}
