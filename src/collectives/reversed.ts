// A schedule read backwards in time: an allgather, in which every block spreads from its owner, becomes a
// reduce-scatter, in which every block's summands gather at its owner. Move m becomes moveCount - 1 - m, source and
// destination change places, and what is received is added.
// Source: Thakur et al. (2005), section 4.2: "reduce-scatter ... by the reverse of allgather"; NCCL's PAT does the
// same.

import type { AlgorithmName, Move, PieceVisitor, ReversibleSchedule, Schedule } from './schedule.js';

/** The reduce-scatter that is an allgather backwards. */
export class ReversedAllgather implements Schedule {
  readonly kind = 'reducescatter';
  readonly algorithm: AlgorithmName;
  readonly rankCount: number;
  readonly switchCount: number;
  readonly delivery = null;
  readonly moveCount: number;
  readonly stepCount: number;
  readonly channelCount: number;
  readonly chunkCount: number;
  readonly bufferBytes: number;
  private counted = 0;
  private readonly count = (): void => void this.counted++;

  constructor(private readonly allgather: ReversibleSchedule) {
    this.algorithm = allgather.algorithm;
    this.rankCount = allgather.rankCount;
    this.switchCount = allgather.switchCount;
    this.moveCount = allgather.moveCount;
    this.stepCount = allgather.stepCount;
    this.channelCount = allgather.channelCount;
    this.chunkCount = allgather.chunkCount;
    this.bufferBytes = allgather.bufferBytes;
  }

  describe(move: number, into: Move): void {
    this.allgather.describe(this.moveCount - 1 - move, into);
    const { source } = into;
    into.source = into.destination;
    into.destination = source;
    into.isReduction = true;
    into.step = this.stepCount - 1 - into.step;
    into.chunk = this.chunkCount - 1 - into.chunk;
  }

  pieces(move: number, visit: PieceVisitor): void {
    this.allgather.pieces(this.moveCount - 1 - move, (from, to, sizeBytes) => visit(to, from, sizeBytes, false));
  }

  prerequisites(move: number): number {
    this.counted = 0;
    this.allgather.successors(this.moveCount - 1 - move, this.count);
    return this.counted;
  }

  successors(move: number, visit: (successor: number) => void): void {
    this.allgather.predecessors(this.moveCount - 1 - move, (predecessor) => visit(this.moveCount - 1 - predecessor));
  }

  predecessors(move: number, visit: (predecessor: number) => void): void {
    this.allgather.successors(this.moveCount - 1 - move, (successor) => visit(this.moveCount - 1 - successor));
  }

  roots(visit: (move: number) => void): void {
    this.allgather.leaves((leaf) => visit(this.moveCount - 1 - leaf));
  }

  movesByPlace(): Float64Array {
    return this.allgather.movesByPlace();
  }
}
