// Recursive halving and doubling: reduce-scatter by halving the data at each step (the partner is far first), allgather
// by doubling it (near first), allreduce as one after the other. Each step is MPI's send-receive: a rank goes on when
// its own send and what it receives are done. Not a power of two: the first 2 r ranks (r too many) work in pairs, of
// which the odd one hands over what it has and waits for the result. With n a power of two a rank sends (n - 1) / n of
// the buffer per phase in log2(n) steps.
// Source: Thakur, Rabenseifner, Gropp, "Optimization of Collective Communication Operations in MPICH" (2005), sections
// 4.2 and 4.4; pairs as in MPICH. Not modelled: Rabenseifner's sharing of the additions within a pair, which saves
// computation and no communication.

import { fail } from '../base/fail.js';
import { partStart } from './division.js';
import { type CollectiveKind, type Move, type PieceVisitor, type Schedule, sizeOfPieces } from './schedule.js';

export type HalvingDoublingKind = Extract<CollectiveKind, 'allreduce' | 'allgather' | 'reducescatter'>;

/**
 * fold: the odd one of a pair hands over what it has · halve, double: with the partner at a distance · unfold: the even
 * one hands over the result
 */
type RoundName = 'fold' | 'halve' | 'double' | 'unfold';

interface Round {
  readonly name: RoundName;
  readonly distance: number;
}

/** Moves are numbered by round, then rank; a rank that sends nothing in a round has a move of no bytes to itself. */
export class HalvingDoubling implements Schedule {
  readonly algorithm = 'halving-doubling';
  readonly switchCount = 0;
  readonly channelCount = 1;
  readonly chunkCount = 1;
  readonly delivery = null;
  readonly moveCount: number;
  readonly stepCount: number;
  readonly bufferBytes: number;
  /** pairs among the first ranks; ranks in the power of two that remains */
  private readonly pairs: number;
  private readonly core: number;
  private readonly rounds: readonly Round[];

  /** @param sizeBytes the whole buffer of a rank */
  constructor(
    readonly kind: HalvingDoublingKind,
    readonly rankCount: number,
    sizeBytes: number,
  ) {
    let core = 1;
    while (2 * core <= rankCount) core *= 2;
    this.core = core;
    this.pairs = rankCount - core;
    const rounds: Round[] = [];
    const add = (name: RoundName, distance = 1): void => void rounds.push({ name, distance });
    if (this.pairs > 0) add('fold');
    if (kind !== 'allgather') for (let distance = core / 2; distance >= 1; distance /= 2) add('halve', distance);
    if (kind !== 'reducescatter') for (let distance = 1; distance < core; distance *= 2) add('double', distance);
    if (this.pairs > 0) add('unfold');
    this.rounds = rounds;
    this.stepCount = rounds.length;
    this.moveCount = rounds.length * rankCount;
    this.bufferBytes = sizeBytes;
  }

  describe(move: number, into: Move): void {
    const step = Math.floor(move / this.rankCount);
    const rank = move - step * this.rankCount;
    const { name } = this.rounds[step]!;
    into.source = rank;
    into.destination = this.destination(step, rank);
    into.isReduction =
      into.destination !== rank && (name === 'halve' || (name === 'fold' && this.kind !== 'allgather'));
    into.step = step;
    into.channel = 0;
    into.chunk = 0;
    into.sizeBytes = sizeOfPieces(this, move);
  }

  pieces(move: number, visit: PieceVisitor): void {
    const step = Math.floor(move / this.rankCount);
    const rank = move - step * this.rankCount;
    if (this.destination(step, rank) === rank) return;
    const { bufferBytes, rankCount } = this;
    const { name, distance } = this.rounds[step]!;
    const range = (start: number, end: number): void => visit(start, start, end - start, false);
    const core = this.coreOf(rank);
    switch (name) {
      case 'fold':
        return this.kind === 'allgather'
          ? range(partStart(bufferBytes, rankCount, rank), partStart(bufferBytes, rankCount, rank + 1))
          : range(0, bufferBytes);
      case 'halve': {
        const first = (core ^ distance) & ~(distance - 1);
        return range(this.regionStart(first), this.regionStart(first + distance));
      }
      case 'double': {
        const first = core & ~(distance - 1);
        return range(this.regionStart(first), this.regionStart(first + distance));
      }
      case 'unfold': {
        if (this.kind === 'allreduce') return range(0, bufferBytes);
        const [start, end] = [partStart(bufferBytes, rankCount, rank + 1), partStart(bufferBytes, rankCount, rank + 2)];
        if (this.kind === 'reducescatter') return range(start, end);
        range(0, start);
        return range(end, bufferBytes);
      }
    }
  }

  prerequisites(move: number): number {
    const step = Math.floor(move / this.rankCount);
    return step === 0 ? 0 : this.hearsFromOther(step - 1, move - step * this.rankCount) ? 2 : 1;
  }

  successors(move: number, visit: (successor: number) => void): void {
    const step = Math.floor(move / this.rankCount);
    if (step + 1 === this.stepCount) return;
    const rank = move - step * this.rankCount;
    const destination = this.destination(step, rank);
    visit(move + this.rankCount);
    if (destination !== rank) visit((step + 1) * this.rankCount + destination);
  }

  predecessors(move: number, visit: (predecessor: number) => void): void {
    const step = Math.floor(move / this.rankCount);
    if (step === 0) return;
    const rank = move - step * this.rankCount;
    visit(move - this.rankCount);
    if (this.hearsFromOther(step - 1, rank)) visit((step - 1) * this.rankCount + this.otherOf(step - 1, rank));
  }

  roots(visit: (move: number) => void): void {
    if (this.stepCount > 0) for (let rank = 0; rank < this.rankCount; rank++) visit(rank);
  }

  movesByPlace(): Float64Array {
    const moves = new Float64Array(this.rankCount);
    for (let step = 0; step < this.stepCount; step++) {
      for (let rank = 0; rank < this.rankCount; rank++) moves[rank]! += this.hearsFromOther(step, rank) ? 2 : 1;
    }
    return moves;
  }

  /** To whom a rank sends in a round; itself: to nobody. */
  private destination(step: number, rank: number): number {
    const { name, distance } = this.rounds[step]!;
    const isPaired = rank < 2 * this.pairs;
    switch (name) {
      case 'fold':
        return isPaired && rank % 2 === 1 ? rank - 1 : rank;
      case 'unfold':
        return isPaired && rank % 2 === 0 ? rank + 1 : rank;
      case 'halve':
      case 'double': {
        const core = this.coreOf(rank);
        return core < 0 ? rank : this.rankOf(core ^ distance);
      }
    }
  }

  private hearsFromOther(step: number, rank: number): boolean {
    const other = this.otherOf(step, rank);
    return other !== rank && this.destination(step, other) === rank;
  }

  /** With whom a rank has to do in a round; itself: with nobody. */
  private otherOf(step: number, rank: number): number {
    const { name, distance } = this.rounds[step]!;
    const core = this.coreOf(rank);
    if (name === 'halve' || name === 'double') return core < 0 ? rank : this.rankOf(core ^ distance);
    return rank < 2 * this.pairs ? rank ^ 1 : rank;
  }

  /** Number of a rank in the power of two; -1: it waits for its neighbour. */
  private coreOf(rank: number): number {
    if (rank >= 2 * this.pairs) return rank - this.pairs;
    return rank % 2 === 0 ? rank / 2 : -1;
  }

  private rankOf(core: number): number {
    if (core < 0 || core >= this.core) fail(`rank ${core} of a power of two of ${this.core}`);
    return core < this.pairs ? 2 * core : core + this.pairs;
  }

  /**
   * Where the part begins for which a rank of the power of two is responsible: an even part, or the blocks of its pair.
   */
  private regionStart(core: number): number {
    if (this.kind === 'allreduce') return partStart(this.bufferBytes, this.core, core);
    return partStart(this.bufferBytes, this.rankCount, core < this.pairs ? 2 * core : core + this.pairs);
  }
}
