// PAT (parallel aggregated trees): allgather in few messages for any number of ranks; backwards (reversed.ts) a
// reduce-scatter. Seen from its owner b, a block reaches rank b + x along the bits of x, the highest first: from b + x
// without its lowest bit. So far distances are crossed first, while there is little to send (Bruck's algorithm with its
// dimensions reversed). Aggregation: a message may carry up to A blocks (a power of two; what fits the buffers). The
// first log2(A) steps double the blocks per message, over the far distances. Then every rank stands at the roots of A
// equal subtrees, and these are walked in parallel, depth first, each message carrying one block of every subtree. With
// A = n/2 there are log2(n) messages per rank, with A = 1 there are n - 1. A message waits for its rank's message
// before it and for the message that brought its blocks.
// Source: Jeaugey, "PAT: a new algorithm for all-gather and reduce-scatter operations at scale" (arXiv 2506.20252,
// 2025); NCCL 2.23, which uses it with one rank per server. Not modelled: the packing of blocks, and overlap of a
// rank's messages.

import { Blocks } from './division.js';
import type { Move, PieceVisitor, ReversibleSchedule } from './schedule.js';

/** Moves are numbered by step, then channel, then rank. */
export class PatAllgather implements ReversibleSchedule {
  readonly algorithm = 'pat';
  readonly kind = 'allgather';
  readonly switchCount = 0;
  readonly chunkCount = 1;
  readonly delivery = null;
  readonly moveCount: number;
  readonly stepCount: number;
  readonly bufferBytes: number;
  private readonly blocks: Blocks;
  /**
   * by step: how far its messages go; the blocks in them are those of the ranks first, first + stride, … behind the
   * sender
   */
  private readonly distance: Int32Array;
  private readonly first: Int32Array;
  private readonly stride: Int32Array;
  /**
   * by step: the step that brings its blocks (-1: they are the sender's own), and the steps that it brings blocks for
   */
  private readonly parent: Int32Array;
  private readonly children: readonly (readonly number[])[];

  /**
   * @param sizeBytes what every rank has in the end
   * @param mostBlocks per message; rounded down to a power of two
   */
  constructor(
    readonly rankCount: number,
    sizeBytes: number,
    readonly channelCount = 1,
    mostBlocks = Infinity,
  ) {
    const steps = patSteps(rankCount, mostBlocks);
    this.stepCount = steps.length;
    this.moveCount = steps.length * channelCount * rankCount;
    this.bufferBytes = sizeBytes;
    this.blocks = new Blocks(sizeBytes, rankCount, channelCount);
    this.distance = Int32Array.from(steps, ({ distance }) => distance);
    this.first = Int32Array.from(steps, ({ first }) => first);
    this.stride = Int32Array.from(steps, ({ stride }) => stride);
    this.parent = Int32Array.from(steps, ({ parent }) => parent);
    const children = steps.map((): number[] => []);
    steps.forEach(({ parent }, step) => {
      if (parent >= 0) children[parent]!.push(step);
    });
    this.children = children;
  }

  describe(move: number, into: Move): void {
    const { rankCount, channelCount, blocks } = this;
    const rest = Math.floor(move / rankCount);
    const step = Math.floor(rest / channelCount);
    const distance = this.distance[step]!;
    into.source = move - rest * rankCount;
    into.destination = (into.source + distance) % rankCount;
    into.isReduction = false;
    into.step = step;
    into.channel = rest - step * channelCount;
    into.chunk = 0;
    if (blocks.sizeBytes % rankCount === 0) {
      into.sizeBytes = this.blocksOf(step) * blocks.size(0, into.channel);
      return;
    }
    let sizeBytes = 0;
    for (let behind = this.first[step]!; behind + distance < rankCount; behind += this.stride[step]!)
      sizeBytes += blocks.size(this.rankBehind(into.source, behind), into.channel);
    into.sizeBytes = sizeBytes;
  }

  /** Blocks in a message of a step. */
  private blocksOf(step: number): number {
    const behind = this.rankCount - this.distance[step]! - this.first[step]!;
    return Math.max(0, Math.ceil(behind / this.stride[step]!));
  }

  pieces(move: number, visit: PieceVisitor): void {
    const { rankCount, channelCount, blocks } = this;
    const rest = Math.floor(move / rankCount);
    const step = Math.floor(rest / channelCount);
    const source = move - rest * rankCount;
    const channel = rest - step * channelCount;
    for (let behind = this.first[step]!; behind + this.distance[step]! < rankCount; behind += this.stride[step]!) {
      const block = this.rankBehind(source, behind);
      const start = blocks.start(block, channel);
      visit(start, start, blocks.size(block, channel), false);
    }
  }

  prerequisites(move: number): number {
    const step = Math.floor(move / (this.rankCount * this.channelCount));
    return (step > 0 ? 1 : 0) + (this.parent[step]! >= 0 ? 1 : 0);
  }

  predecessors(move: number, visit: (predecessor: number) => void): void {
    const perStep = this.rankCount * this.channelCount;
    const step = Math.floor(move / perStep);
    const source = move % this.rankCount;
    const parent = this.parent[step]!;
    if (step > 0) visit(move - perStep);
    if (parent >= 0) visit(move - source + this.rankBehind(source, this.distance[parent]!) - (step - parent) * perStep);
  }

  successors(move: number, visit: (successor: number) => void): void {
    const perStep = this.rankCount * this.channelCount;
    const step = Math.floor(move / perStep);
    const source = move % this.rankCount;
    const destination = (source + this.distance[step]!) % this.rankCount;
    if (step + 1 < this.stepCount) visit(move + perStep);
    for (const child of this.children[step]!) visit(move - source + destination + (child - step) * perStep);
  }

  roots(visit: (move: number) => void): void {
    if (this.stepCount > 0) for (let move = 0; move < this.rankCount * this.channelCount; move++) visit(move);
  }

  leaves(visit: (move: number) => void): void {
    if (this.stepCount > 0) for (let i = 1; i <= this.rankCount * this.channelCount; i++) visit(this.moveCount - i);
  }

  movesByPlace(): Float64Array {
    return new Float64Array(this.rankCount).fill(2 * this.stepCount * this.channelCount);
  }

  private rankBehind(rank: number, behind: number): number {
    return rank >= behind ? rank - behind : rank - behind + this.rankCount;
  }
}

interface PatStep {
  readonly distance: number;
  readonly first: number;
  readonly stride: number;
  readonly parent: number;
}

/** What every rank does, step by step. */
function patSteps(rankCount: number, mostBlocks: number): PatStep[] {
  let span = 1;
  while (span < rankCount) span *= 2;
  let aggregated = 1;
  while (2 * aggregated <= Math.min(mostBlocks, span / 2)) aggregated *= 2;
  const steps: PatStep[] = [];
  const subtree = span / aggregated;
  for (let distance = span / 2; distance >= subtree; distance /= 2)
    steps.push({ distance, first: 0, stride: 2 * distance, parent: steps.length - 1 });
  const atRoots = steps.length - 1;
  const walk = (from: number, below: number, parent: number): void => {
    for (let distance = below / 2; distance >= 1; distance /= 2) {
      if (from + distance >= rankCount) continue;
      steps.push({ distance, first: from, stride: subtree, parent });
      walk(from + distance, distance, steps.length - 1);
    }
  };
  walk(0, subtree, atRoots);
  return steps;
}
