// Allgather along trees, one per channel: the block of every rank floods its tree, over each edge once, away from its
// owner. Where blocks have rails (CollNet direct), each channel has a tree per rail, and a block floods that of its
// own. So an edge that divides the ranks into a and b carries a blocks one way and b the other: with an NVSwitch in the
// middle (NVLS) every GPU sends its block once and receives every other one once. Backwards (reversed.ts) it is a
// reduce-scatter.
// A chunk of a block waits for its arrival at the place that passes it on, and follows the chunk before it on the same
// edge.
// Sources: communication-stack document (docs/SOURCES.md), 2.2 (NVLS-tree for the allgather of tensor parallelism: the
// document names the algorithm, not its flows); NCCL's NVLS allgather and reduce-scatter. Not modelled: multicast.

import { Blocks } from './division.js';
import type { Forest } from './forest.js';
import type { AlgorithmName, Move, PieceVisitor, ReversibleSchedule } from './schedule.js';

/** Which trees a block floods: those whose number, divided by the number of rails, leaves its rail. */
export interface Rails {
  readonly count: number;
  /** by rank */
  readonly railOf: Int32Array;
}

/** Trees of channels and rails: by channel, then rail, all of them over all ranks. */
export interface RailTrees {
  readonly forest: Forest;
  readonly rails: Rails;
}

/** Moves are numbered by block, then edge (of all its trees), then chunk. */
export class TreeAllgather implements ReversibleSchedule {
  readonly kind = 'allgather';
  readonly switchCount: number;
  readonly delivery = null;
  readonly moveCount: number;
  readonly stepCount: number;
  readonly channelCount: number;
  readonly bufferBytes: number;
  private readonly forest: Forest;
  /** null: every block floods every tree */
  private readonly rails: Rails | null;
  private readonly blocks: Blocks;
  /** edges that a block floods */
  private readonly edgesPerBlock: number;
  /** with rails, all of one size: edges of a tree */
  private readonly edgesPerTree: number;
  /** by edge: the places below it have positions firstPosition .. lastPosition - 1 in their tree */
  private readonly firstPosition: Int32Array;
  private readonly lastPosition: Int32Array;
  /** by tree * placeCount + place: position, and the edge above */
  private readonly position: Int32Array;
  private readonly edgeOf: Int32Array;

  /**
   * @param trees a forest, of which every block floods every tree, or trees of rails
   * @param sizeBytes what every rank has in the end
   */
  constructor(
    readonly algorithm: AlgorithmName,
    readonly rankCount: number,
    trees: Forest | RailTrees,
    sizeBytes: number,
    readonly chunkCount = 1,
  ) {
    const [forest, rails] = 'rails' in trees ? [trees.forest, trees.rails] : [trees, null];
    this.forest = forest;
    this.rails = rails;
    const { placeCount, treeCount, edgeCount } = forest;
    this.switchCount = placeCount - rankCount;
    const railCount = rails?.count ?? 1;
    this.edgesPerBlock = edgeCount / railCount;
    this.edgesPerTree = edgeCount / treeCount;
    this.moveCount = rankCount * this.edgesPerBlock * chunkCount;
    this.stepCount = 2 * forest.height;
    this.channelCount = treeCount / railCount;
    this.bufferBytes = sizeBytes;
    this.blocks = new Blocks(sizeBytes, rankCount, this.channelCount * chunkCount);
    this.firstPosition = new Int32Array(edgeCount);
    this.lastPosition = new Int32Array(edgeCount);
    this.position = new Int32Array(treeCount * placeCount);
    this.edgeOf = new Int32Array(treeCount * placeCount).fill(-1);
    for (let tree = 0; tree < treeCount; tree++) this.enter(tree);
  }

  describe(move: number, into: Move): void {
    const { forest, chunkCount } = this;
    const rest = Math.floor(move / chunkCount);
    const block = Math.floor(rest / this.edgesPerBlock);
    const edge = this.edgeOfBlock(block, rest - block * this.edgesPerBlock);
    const isUp = this.isBelow(block, edge);
    const [child, parent, depth] = [forest.child[edge]!, forest.parent[edge]!, forest.depth[edge]!];
    into.source = isUp ? child : parent;
    into.destination = isUp ? parent : child;
    into.isReduction = false;
    into.step = isUp ? forest.height - 1 - depth : forest.height + depth;
    into.channel = this.channelOf(edge);
    into.chunk = move - rest * chunkCount;
    into.sizeBytes = this.blocks.size(block, into.channel * chunkCount + into.chunk);
  }

  pieces(move: number, visit: PieceVisitor): void {
    const { chunkCount, blocks } = this;
    const rest = Math.floor(move / chunkCount);
    const block = Math.floor(rest / this.edgesPerBlock);
    const edge = this.edgeOfBlock(block, rest - block * this.edgesPerBlock);
    const slice = this.channelOf(edge) * chunkCount + (move - rest * chunkCount);
    const start = blocks.start(block, slice);
    visit(start, start, blocks.size(block, slice), false);
  }

  prerequisites(move: number): number {
    const { forest, chunkCount } = this;
    const rest = Math.floor(move / chunkCount);
    const block = Math.floor(rest / this.edgesPerBlock);
    const edge = this.edgeOfBlock(block, rest - block * this.edgesPerBlock);
    const source = this.isBelow(block, edge) ? forest.child[edge] : forest.parent[edge];
    return (source === block ? 0 : 1) + (move > rest * chunkCount ? 1 : 0);
  }

  predecessors(move: number, visit: (predecessor: number) => void): void {
    const { forest, chunkCount } = this;
    const rest = Math.floor(move / chunkCount);
    const block = Math.floor(rest / this.edgesPerBlock);
    const edge = this.edgeOfBlock(block, rest - block * this.edgesPerBlock);
    const source = this.isBelow(block, edge) ? forest.child[edge]! : forest.parent[edge]!;
    if (source !== block)
      visit(this.firstMove(block, this.edgeTowards(block, source, forest.treeOf[edge]!)) + (move - rest * chunkCount));
    if (move > rest * chunkCount) visit(move - 1);
  }

  successors(move: number, visit: (successor: number) => void): void {
    const { forest, chunkCount } = this;
    const rest = Math.floor(move / chunkCount);
    const block = Math.floor(rest / this.edgesPerBlock);
    const edge = this.edgeOfBlock(block, rest - block * this.edgesPerBlock);
    const chunk = move - rest * chunkCount;
    const destination = this.isBelow(block, edge) ? forest.parent[edge]! : forest.child[edge]!;
    this.edgesAt(destination, forest.treeOf[edge]!, (next) => {
      if (next !== edge) visit(this.firstMove(block, next) + chunk);
    });
    if (chunk + 1 < chunkCount) visit(move + 1);
  }

  roots(visit: (move: number) => void): void {
    const railCount = this.rails?.count ?? 1;
    for (let block = 0; block < this.rankCount; block++) {
      for (let tree = this.rails?.railOf[block] ?? 0; tree < this.forest.treeCount; tree += railCount)
        this.edgesAt(block, tree, (edge) => visit(this.firstMove(block, edge)));
    }
  }

  leaves(visit: (move: number) => void): void {
    const { forest, chunkCount } = this;
    for (let block = this.rankCount - 1; block >= 0; block--) {
      for (let i = this.edgesPerBlock - 1; i >= 0; i--) {
        const edge = this.edgeOfBlock(block, i);
        const destination = this.isBelow(block, edge) ? forest.parent[edge]! : forest.child[edge]!;
        let edges = 0;
        this.edgesAt(destination, forest.treeOf[edge]!, () => edges++);
        if (edges === 1) visit(this.firstMove(block, edge) + chunkCount - 1);
      }
    }
  }

  movesByPlace(): Float64Array {
    const { forest, rails, chunkCount } = this;
    if (rails === null) return forest.degrees().map((degree) => degree * this.rankCount * chunkCount);
    const blocksOn = new Float64Array(rails.count);
    for (const rail of rails.railOf) blocksOn[rail]!++;
    const moves = new Float64Array(forest.placeCount);
    for (let edge = 0; edge < forest.edgeCount; edge++) {
      const own = blocksOn[forest.treeOf[edge]! % rails.count]! * chunkCount;
      moves[forest.child[edge]!]! += own;
      moves[forest.parent[edge]!]! += own;
    }
    return moves;
  }

  /** Edge `i` of those that a block floods. */
  private edgeOfBlock(block: number, i: number): number {
    const { rails, edgesPerTree } = this;
    if (rails === null) return i;
    const channel = Math.floor(i / edgesPerTree);
    return (channel * rails.count + rails.railOf[block]!) * edgesPerTree + (i - channel * edgesPerTree);
  }

  /** The move of a block's first chunk over an edge of its trees. */
  private firstMove(block: number, edge: number): number {
    const { rails, edgesPerTree } = this;
    const i = rails === null ? edge : this.channelOf(edge) * edgesPerTree + (edge % edgesPerTree);
    return (block * this.edgesPerBlock + i) * this.chunkCount;
  }

  private channelOf(edge: number): number {
    const tree = this.forest.treeOf[edge]!;
    return this.rails === null ? tree : Math.floor(tree / this.rails.count);
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
