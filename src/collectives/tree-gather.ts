// Allgather along trees, one per channel: the block of every rank floods its tree, over each edge once, away from its
// owner. So an edge that divides the ranks into a and b carries a blocks one way and b the other: with an NVSwitch in
// the middle (NVLS) every GPU sends its block once and receives every other one once. Backwards (reversed.ts) it is a
// reduce-scatter.
// A chunk of a block waits for its arrival at the place that passes it on, and follows the chunk before it on the same
// edge.
// Sources: communication-stack document (docs/SOURCES.md), 2.2 (NVLS-tree for the allgather of tensor parallelism: the
// document names the algorithm, not its flows); NCCL's NVLS allgather and reduce-scatter. Not modelled: multicast.

import { Blocks } from './division.js';
import type { Forest } from './forest.js';
import type { AlgorithmName, Move, PieceVisitor, ReversibleSchedule } from './schedule.js';

/** Moves are numbered by block, then edge (of all trees), then chunk. */
export class TreeAllgather implements ReversibleSchedule {
  readonly kind = 'allgather';
  readonly switchCount: number;
  readonly delivery = null;
  readonly moveCount: number;
  readonly stepCount: number;
  readonly channelCount: number;
  readonly bufferBytes: number;
  private readonly blocks: Blocks;
  /** by edge: the places below it have positions firstPosition .. lastPosition - 1 in their tree */
  private readonly firstPosition: Int32Array;
  private readonly lastPosition: Int32Array;
  /** by tree * placeCount + place: position, and the edge above */
  private readonly position: Int32Array;
  private readonly edgeOf: Int32Array;

  /** @param sizeBytes what every rank has in the end */
  constructor(
    readonly algorithm: AlgorithmName,
    readonly rankCount: number,
    private readonly forest: Forest,
    sizeBytes: number,
    readonly chunkCount = 1,
  ) {
    const { placeCount, treeCount, edgeCount } = forest;
    this.switchCount = placeCount - rankCount;
    this.moveCount = rankCount * edgeCount * chunkCount;
    this.stepCount = 2 * forest.height;
    this.channelCount = treeCount;
    this.bufferBytes = sizeBytes;
    this.blocks = new Blocks(sizeBytes, rankCount, treeCount * chunkCount);
    this.firstPosition = new Int32Array(edgeCount);
    this.lastPosition = new Int32Array(edgeCount);
    this.position = new Int32Array(treeCount * placeCount);
    this.edgeOf = new Int32Array(treeCount * placeCount).fill(-1);
    for (let tree = 0; tree < treeCount; tree++) this.enter(tree);
  }

  describe(move: number, into: Move): void {
    const { forest, chunkCount } = this;
    const rest = Math.floor(move / chunkCount);
    const block = Math.floor(rest / forest.edgeCount);
    const edge = rest - block * forest.edgeCount;
    const isUp = this.isBelow(block, edge);
    const [child, parent, depth] = [forest.child[edge]!, forest.parent[edge]!, forest.depth[edge]!];
    into.source = isUp ? child : parent;
    into.destination = isUp ? parent : child;
    into.isReduction = false;
    into.step = isUp ? forest.height - 1 - depth : forest.height + depth;
    into.channel = forest.treeOf[edge]!;
    into.chunk = move - rest * chunkCount;
    into.sizeBytes = this.blocks.size(block, into.channel * chunkCount + into.chunk);
  }

  pieces(move: number, visit: PieceVisitor): void {
    const { forest, chunkCount, blocks } = this;
    const rest = Math.floor(move / chunkCount);
    const block = Math.floor(rest / forest.edgeCount);
    const slice = forest.treeOf[rest - block * forest.edgeCount]! * chunkCount + (move - rest * chunkCount);
    const start = blocks.start(block, slice);
    visit(start, start, blocks.size(block, slice), false);
  }

  prerequisites(move: number): number {
    const { forest, chunkCount } = this;
    const rest = Math.floor(move / chunkCount);
    const block = Math.floor(rest / forest.edgeCount);
    const edge = rest - block * forest.edgeCount;
    const source = this.isBelow(block, edge) ? forest.child[edge] : forest.parent[edge];
    return (source === block ? 0 : 1) + (move > rest * chunkCount ? 1 : 0);
  }

  predecessors(move: number, visit: (predecessor: number) => void): void {
    const { forest, chunkCount } = this;
    const rest = Math.floor(move / chunkCount);
    const block = Math.floor(rest / forest.edgeCount);
    const edge = rest - block * forest.edgeCount;
    const source = this.isBelow(block, edge) ? forest.child[edge]! : forest.parent[edge]!;
    if (source !== block)
      visit(
        (block * forest.edgeCount + this.edgeTowards(block, source, forest.treeOf[edge]!)) * chunkCount +
          (move - rest * chunkCount),
      );
    if (move > rest * chunkCount) visit(move - 1);
  }

  successors(move: number, visit: (successor: number) => void): void {
    const { forest, chunkCount } = this;
    const rest = Math.floor(move / chunkCount);
    const block = Math.floor(rest / forest.edgeCount);
    const edge = rest - block * forest.edgeCount;
    const chunk = move - rest * chunkCount;
    const destination = this.isBelow(block, edge) ? forest.parent[edge]! : forest.child[edge]!;
    this.edgesAt(destination, forest.treeOf[edge]!, (next) => {
      if (next !== edge) visit((block * forest.edgeCount + next) * chunkCount + chunk);
    });
    if (chunk + 1 < chunkCount) visit(move + 1);
  }

  roots(visit: (move: number) => void): void {
    const { forest, chunkCount } = this;
    for (let block = 0; block < this.rankCount; block++) {
      for (let tree = 0; tree < forest.treeCount; tree++)
        this.edgesAt(block, tree, (edge) => visit((block * forest.edgeCount + edge) * chunkCount));
    }
  }

  leaves(visit: (move: number) => void): void {
    const { forest, chunkCount } = this;
    for (let block = this.rankCount - 1; block >= 0; block--) {
      for (let edge = forest.edgeCount - 1; edge >= 0; edge--) {
        const destination = this.isBelow(block, edge) ? forest.parent[edge]! : forest.child[edge]!;
        let edges = 0;
        this.edgesAt(destination, forest.treeOf[edge]!, () => edges++);
        if (edges === 1) visit((block * forest.edgeCount + edge + 1) * chunkCount - 1);
      }
    }
  }

  movesByPlace(): Float64Array {
    return this.forest.degrees().map((degree) => degree * this.rankCount * this.chunkCount);
  }

  /** True if the owner of a block is on the lower side of an edge. */
  private isBelow(block: number, edge: number): boolean {
    const position = this.position[this.forest.treeOf[edge]! * this.forest.placeCount + block]!;
    return position >= this.firstPosition[edge]! && position < this.lastPosition[edge]!;
  }

  /** The edge at a place over which a block comes to it: below, if its owner is there, else above. */
  private edgeTowards(block: number, place: number, tree: number): number {
    let found = this.edgeOf[tree * this.forest.placeCount + place]!;
    this.edgesAt(place, tree, (edge) => {
      if (this.forest.parent[edge] === place && this.isBelow(block, edge)) found = edge;
    });
    return found;
  }

  /** Edges of a tree at a place, ascending. */
  private edgesAt(place: number, tree: number, visit: (edge: number) => void): void {
    const { forest } = this;
    const above = this.edgeOf[tree * forest.placeCount + place]!;
    if (above < 0 && place !== forest.root[tree]) return;
    if (above >= 0) visit(above);
    const first = above < 0 ? forest.firstEdge[tree]! : forest.firstBelow[above]!;
    const count = above < 0 ? forest.countBelowRoot[tree]! : forest.countBelow[above]!;
    for (let edge = first; edge < first + count; edge++) visit(edge);
  }

  /** Gives the places of a tree their positions, depth first: those below an edge follow each other. */
  private enter(tree: number): void {
    const { forest, position, edgeOf } = this;
    const base = tree * forest.placeCount;
    position.fill(-1, base, base + forest.placeCount);
    let next = 0;
    position[base + forest.root[tree]!] = next++;
    // ~edge: the places below it have all been entered
    const stack: number[] = [];
    const push = (first: number, count: number): void => {
      for (let edge = first + count - 1; edge >= first; edge--) stack.push(edge);
    };
    push(forest.firstEdge[tree]!, forest.countBelowRoot[tree]!);
    for (let edge = stack.pop(); edge !== undefined; edge = stack.pop()) {
      if (edge < 0) {
        this.lastPosition[~edge] = next;
        continue;
      }
      const place = forest.child[edge]!;
      edgeOf[base + place] = edge;
      this.firstPosition[edge] = next;
      position[base + place] = next++;
      stack.push(~edge);
      push(forest.firstBelow[edge]!, forest.countBelow[edge]!);
    }
  }
}
