// Allreduce, reduce and broadcast along trees, one per channel, in chunks that follow each other. Up: every place adds
// what its children send to what it has, and sends the sum to its parent. Down: every place passes on what its parent
// sends. An allreduce goes up, and down again as soon as the root has a chunk of every child.
// A chunk waits for the same chunk of the edges before it (all children on the way up, the parent's on the way down),
// and follows the chunk before it on its own edge: when that one has arrived, or, with several slots, when it has left
// and a slot is free. Each channel carries one part of the buffer.
// A sum in switches (SHARP): a tree's edges between servers then form a star, and every place of it sends its chunk
// into the network once and has the sum from it once, whatever the number of servers. Switches are no places, so a
// place's chunk goes to the next place of the star, from the last to the root, and the root's to the first once the sum
// is there: NICs and the links of leaves carry what they would with switches that sum. Nothing else comes down over
// those edges. The shape of the trees is what distinguishes algorithms: double-binary-tree.ts, nvls.ts, collnet.ts,
// chain.ts.

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
  /** by place: its server; edges between servers then stand for a sum in switches. Left out: places pass sums on */
  readonly overSwitches?: Int32Array | undefined;
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
  /** null: no sum in switches */
  private readonly star: Star | null;

  constructor(parts: TreeReductionParts) {
    const { algorithm, kind, rankCount, forest, sizeBytes, chunkCount = 1, slots = 1, overSwitches } = parts;
    this.star = overSwitches === undefined ? null : starOf(forest, overSwitches);
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

  sent(move: number, into: Move): void {
    this.describe(move, into);
    const { star, chunkCount, upCount, forest } = this;
    if (star === null) return;
    const isUp = move < upCount;
    const edge = Math.floor((isUp ? move : move - upCount) / chunkCount);
    const next = star.next[edge]!;
    if (next < 0) return;
    if (isUp) into.destination = next;
    // the root's own chunk goes to the first place of the star; the sum of all others has come with what they got
    else if (forest.child[edge] !== this.star!.first[forest.treeOf[edge]!]) into.sizeBytes = 0;
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

/** The order in which the places of a star over switches send to each other. */
interface Star {
  /** by edge between servers: the place after its child, the root after the last; -1 of other edges */
  readonly next: Int32Array;
  /** by tree: the first place after the root */
  readonly first: Int32Array;
}

function starOf(forest: Forest, serverOf: Int32Array): Star {
  const next = new Int32Array(forest.edgeCount).fill(-1);
  const first = new Int32Array(forest.treeCount).fill(-1);
  for (let tree = 0; tree < forest.treeCount; tree++) {
    let last = -1;
    for (let edge = forest.firstEdge[tree]!; edge < forest.firstEdge[tree + 1]!; edge++) {
      const child = forest.child[edge]!;
      if (serverOf[child] === serverOf[forest.parent[edge]!]) continue;
      if (last >= 0) next[last] = child;
      else first[tree] = child;
      next[edge] = forest.root[tree]!;
      last = edge;
    }
  }
  return { next, first };
}
