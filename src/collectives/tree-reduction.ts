// Allreduce, reduce and broadcast along trees, one per channel, in chunks that follow each other. Up: every place adds
// what its children send to what it has, and sends the sum to its parent. Down: every place passes on what its parent
// sends. An allreduce goes up, and down again as soon as the root has a chunk of every child.
// A chunk waits for the same chunk of the edges before it (all children on the way up, the parent's on the way down),
// and follows the chunk before it on its own edge: when that one has arrived, or, with several slots, when it has left
// and a slot is free. Each channel carries one part of the buffer.
// The shape of the trees is what distinguishes algorithms: double-binary-tree.ts, nvls.ts, collnet.ts, chain.ts.

import { partSize, partStart } from './division.js';
import type { Forest } from './forest.js';
import type { AlgorithmName, CollectiveKind, Connections, Move, PieceVisitor, Schedule } from './schedule.js';

export type TreeKind = Extract<CollectiveKind, 'allreduce' | 'reduce' | 'broadcast'>;

/** What makes a reduction along trees. */
export interface TreeReductionParts {
  readonly algorithm: AlgorithmName;
  readonly kind: TreeKind;
  readonly rankCount: number;
  /** one tree per channel */
  readonly forest: Forest;
  /** the whole buffer of a rank */
  readonly sizeBytes: number;
  /** pieces of a channel's part that follow each other; left out: 1 */
  readonly chunkCount?: number;
  /** chunks that an edge may have under way, in each direction (schedule.ts, Connections); left out: 1 */
  readonly slots?: number;
}

/** Moves are numbered by direction (up, then down), then edge, then chunk. */
export class TreeReduction implements Schedule, Connections {
  readonly algorithm: AlgorithmName;
  readonly kind: TreeKind;
  readonly rankCount: number;
  private readonly forest: Forest;
  readonly chunkCount: number;
  readonly slots: number;
  readonly connections: Connections | null;
  readonly switchCount: number;
  readonly delivery = null;
  readonly moveCount: number;
  readonly stepCount: number;
  readonly channelCount: number;
  readonly bufferBytes: number;
  /** moves before those that go down */
  private readonly upCount: number;
  private readonly upSteps: number;

  constructor({ algorithm, kind, rankCount, forest, sizeBytes, chunkCount = 1, slots = 1 }: TreeReductionParts) {
    this.algorithm = algorithm;
    this.kind = kind;
    this.rankCount = rankCount;
    this.forest = forest;
    this.chunkCount = chunkCount;
    this.slots = slots;
    this.connections = slots > 1 ? this : null;
    const perDirection = forest.edgeCount * chunkCount;
    this.switchCount = forest.placeCount - rankCount;
    this.channelCount = forest.treeCount;
    this.bufferBytes = sizeBytes;
    this.upCount = kind === 'broadcast' ? 0 : perDirection;
    this.upSteps = kind === 'broadcast' ? 0 : forest.height;
    this.moveCount = kind === 'allreduce' ? 2 * perDirection : perDirection;
    this.stepCount = kind === 'allreduce' ? 2 * forest.height : forest.height;
  }

  describe(move: number, into: Move): void {
    const { forest, chunkCount, upCount } = this;
    const isUp = move < upCount;
    const inDirection = isUp ? move : move - upCount;
    const edge = Math.floor(inDirection / chunkCount);
    const [child, parent, depth] = [forest.child[edge]!, forest.parent[edge]!, forest.depth[edge]!];
    into.source = isUp ? child : parent;
    into.destination = isUp ? parent : child;
    into.isReduction = isUp;
    into.step = isUp ? this.upSteps - 1 - depth : this.upSteps + depth;
    into.channel = forest.treeOf[edge]!;
    into.chunk = inDirection - edge * chunkCount;
    into.sizeBytes = partSize(this.bufferBytes, this.channelCount * chunkCount, into.channel * chunkCount + into.chunk);
  }

  pieces(move: number, visit: PieceVisitor): void {
    const { forest, chunkCount, upCount, bufferBytes } = this;
    const inDirection = move < upCount ? move : move - upCount;
    const edge = Math.floor(inDirection / chunkCount);
    const part = forest.treeOf[edge]! * chunkCount + (inDirection - edge * chunkCount);
    const start = partStart(bufferBytes, this.channelCount * chunkCount, part);
    visit(start, start, partSize(bufferBytes, this.channelCount * chunkCount, part), false);
  }

  prerequisites(move: number): number {
    const { forest, chunkCount, upCount } = this;
    const isUp = move < upCount;
    const inDirection = isUp ? move : move - upCount;
    const edge = Math.floor(inDirection / chunkCount);
    const chunk = inDirection - edge * chunkCount;
    const follows = (chunk > 0 ? 1 : 0) + (this.slots > 1 && chunk >= this.slots ? 1 : 0);
    if (isUp) return forest.countBelow[edge]! + follows;
    if (forest.edgeAbove[edge]! >= 0) return 1 + follows;
    return (upCount > 0 ? forest.countBelowRoot[forest.treeOf[edge]!]! : 0) + follows;
  }

  successors(move: number, visit: (successor: number) => void): void {
    const { forest, chunkCount, upCount } = this;
    const isUp = move < upCount;
    const inDirection = isUp ? move : move - upCount;
    const edge = Math.floor(inDirection / chunkCount);
    const chunk = inDirection - edge * chunkCount;
    const above = forest.edgeAbove[edge]!;
    if (!isUp) this.visitDown(forest.firstBelow[edge]!, forest.countBelow[edge]!, chunk, visit);
    else if (above >= 0) visit(above * chunkCount + chunk);
    else if (this.kind === 'allreduce')
      this.visitDown(
        forest.firstEdge[forest.treeOf[edge]!]!,
        forest.countBelowRoot[forest.treeOf[edge]!]!,
        chunk,
        visit,
      );
    if (this.slots === 1 && chunk + 1 < chunkCount) visit(move + 1);
  }

  predecessors(move: number, visit: (predecessor: number) => void): void {
    const { forest, chunkCount, upCount } = this;
    const isUp = move < upCount;
    const inDirection = isUp ? move : move - upCount;
    const edge = Math.floor(inDirection / chunkCount);
    const chunk = inDirection - edge * chunkCount;
    const above = forest.edgeAbove[edge]!;
    const tree = forest.treeOf[edge]!;
    const visitUp = (first: number, count: number): void => {
      for (let below = first; below < first + count; below++) visit(below * chunkCount + chunk);
    };
    if (isUp) visitUp(forest.firstBelow[edge]!, forest.countBelow[edge]!);
    else if (above >= 0) visit(upCount + above * chunkCount + chunk);
    else if (upCount > 0) visitUp(forest.firstEdge[tree]!, forest.countBelowRoot[tree]!);
    if (this.slots === 1 && chunk > 0) visit(move - 1);
  }

  before(move: number): number {
    return move % this.chunkCount === 0 ? -1 : move - 1;
  }

  after(move: number): number {
    return (move + 1) % this.chunkCount === 0 ? -1 : move + 1;
  }

  takesSlotOf(move: number): number {
    return (move % this.chunkCount) + this.slots < this.chunkCount ? move + this.slots : -1;
  }

  roots(visit: (move: number) => void): void {
    const { forest, chunkCount } = this;
    for (let edge = 0; edge < forest.edgeCount; edge++) {
      if (this.kind === 'broadcast' ? forest.edgeAbove[edge]! < 0 : forest.countBelow[edge] === 0)
        visit(edge * chunkCount);
    }
  }

  movesByPlace(): Float64Array {
    return this.forest.degrees().map((degree) => degree * this.chunkCount * (this.kind === 'allreduce' ? 2 : 1));
  }

  private visitDown(first: number, count: number, chunk: number, visit: (successor: number) => void): void {
    for (let edge = first; edge < first + count; edge++) visit(this.upCount + edge * this.chunkCount + chunk);
  }
}
