// Ring allreduce, allgather and reduce-scatter. Every channel has a ring of its own over all places and carries its
// slice of every block. In step k every place sends one block to the next place, the one that it received in step k -
// 1; a reduce-scatter adds it to what is there. After n - 1 steps each place has the sum of its own block; n - 1 more
// pass the sums around: an allreduce. A block's way through the ring is one chain, so a move waits for one other: the
// arrival of the same chunk in the step before. With more than one chunk, a chunk also follows the chunk before it in
// the same step.
// Over one slot per hop, as with MPI's send-receive, a move leaves when the one before it over the same hop has
// arrived; over several, as through NCCL's connections, when that one has left and a slot is free. With no limit, as in
// SimAI, a place sends on what it has received, whatever it is still sending: moves over a slow hop then share it, all
// of them late. With PXN a hop between servers may take two or three moves, one after the other, through scratch of the
// same layout behind the buffer. Per rank 2 (n - 1) / n of the buffer is sent in an allreduce, (n - 1) / n in the
// others.
// Sources: Thakur, Rabenseifner, Gropp, "Optimization of Collective Communication Operations in MPICH" (2005), section
// 4; NCCL's rings; SimAI's flows (docs/models/simai.md#collectives). Not modelled: NCCL's slices within a chunk, and
// that a chunk larger than a slot takes several.

import { Blocks } from './division.js';
import type { RingOrders } from './ring-order.js';
import type { CollectiveKind, Connections, Delivery, Move, PieceVisitor, Schedule } from './schedule.js';

export type RingKind = Extract<CollectiveKind, 'allreduce' | 'allgather' | 'reducescatter'>;

/**
 * The moves that one step of all rings makes, in order of channel and position: an edge of a ring is one hop, or
 * several with PXN.
 */
class RingHops {
  readonly count: number;
  readonly source: Int32Array;
  readonly destination: Int32Array;
  /** edge of each hop, channel * rankCount + position of its sender; first hop of each edge, and the end of the last */
  readonly edge: Int32Array;
  readonly first: Int32Array;

  constructor({ rankCount, channelCount, order }: RingOrders, way: WayBetween | null) {
    const edges = channelCount * rankCount;
    const sources: number[] = [];
    const destinations: number[] = [];
    const edgeOf: number[] = [];
    this.first = new Int32Array(edges + 1);
    for (let edge = 0; edge < edges; edge++) {
      const source = order[edge]!;
      const destination = order[nextEdge(edge, rankCount)]!;
      const places = way === null ? [source, destination] : way(source, destination);
      for (let i = 1; i < places.length; i++) {
        sources.push(places[i - 1]!);
        destinations.push(places[i]!);
        edgeOf.push(edge);
      }
      this.first[edge + 1] = sources.length;
    }
    this.count = sources.length;
    this.source = Int32Array.from(sources);
    this.destination = Int32Array.from(destinations);
    this.edge = Int32Array.from(edgeOf);
  }
}

/** The places on the way from one place to the next, both included (proxies.ts). */
type WayBetween = (source: number, destination: number) => readonly number[];

function nextEdge(edge: number, rankCount: number): number {
  return (edge + 1) % rankCount === 0 ? edge + 1 - rankCount : edge + 1;
}

function edgeBefore(edge: number, rankCount: number): number {
  return edge % rankCount === 0 ? edge - 1 + rankCount : edge - 1;
}

/** What makes a collective along rings. */
export interface RingParts {
  readonly kind: RingKind;
  /** one ring per channel */
  readonly rings: RingOrders;
  /** the whole buffer of a rank (of an allgather: what it has in the end) */
  readonly sizeBytes: number;
  /** pieces of a slice that follow each other; left out: 1 */
  readonly chunkCount?: number;
  /** between neighbours in a ring; null or left out: directly */
  readonly way?: WayBetween | null;
  /**
   * moves over one hop that may be under way: 1, each waits for the one before to arrive; more, to leave (schedule.ts,
   * Connections); left out: no limit and no order
   */
  readonly slots?: number;
}

/** Moves are numbered by step, then hop (channel, position), then chunk. */
export class Ring implements Schedule, Delivery, Connections {
  readonly algorithm = 'ring';
  readonly kind: RingKind;
  readonly chunkCount: number;
  readonly slots: number;
  readonly connections: Connections | null;
  readonly switchCount = 0;
  readonly rankCount: number;
  readonly moveCount: number;
  readonly stepCount: number;
  readonly channelCount: number;
  readonly bufferBytes: number;
  /** what leaves in turn arrives in turn */
  readonly delivery: Delivery | null;
  private readonly order: Int32Array;
  private readonly hops: RingHops;
  private readonly blocks: Blocks;
  /** steps that add: the later ones replace */
  private readonly reducingSteps: number;

  constructor({ kind, rings, sizeBytes, chunkCount = 1, way = null, slots = Infinity }: RingParts) {
    this.kind = kind;
    this.chunkCount = chunkCount;
    this.slots = slots;
    this.delivery = slots === 1 ? null : this;
    this.connections = slots > 1 && slots < Infinity ? this : null;
    const { rankCount, channelCount, order } = rings;
    this.rankCount = rankCount;
    this.channelCount = channelCount;
    this.order = order;
    this.hops = new RingHops(rings, way);
    this.blocks = new Blocks(sizeBytes, rankCount, channelCount * chunkCount);
    this.reducingSteps = kind === 'allgather' ? 0 : rankCount - 1;
    this.stepCount = (kind === 'allreduce' ? 2 : 1) * (rankCount - 1);
    this.moveCount = this.stepCount * this.hops.count * chunkCount;
    this.bufferBytes = sizeBytes * (this.hops.count > channelCount * rankCount ? 2 : 1);
  }

  describe(move: number, into: Move): void {
    const { rankCount, chunkCount, hops, reducingSteps } = this;
    const rest = Math.floor(move / chunkCount);
    const step = Math.floor(rest / hops.count);
    const hop = rest - step * hops.count;
    const edge = hops.edge[hop]!;
    into.source = hops.source[hop]!;
    into.destination = hops.destination[hop]!;
    into.step = step;
    into.channel = Math.floor(edge / rankCount);
    into.chunk = move - rest * chunkCount;
    into.isReduction = step < reducingSteps && hop + 1 === hops.first[edge + 1];
    into.sizeBytes = this.blocks.size(this.blockOf(step, edge), into.channel * chunkCount + into.chunk);
  }

  pieces(move: number, visit: PieceVisitor): void {
    const { chunkCount, hops, blocks } = this;
    const rest = Math.floor(move / chunkCount);
    const step = Math.floor(rest / hops.count);
    const hop = rest - step * hops.count;
    const edge = hops.edge[hop]!;
    const block = this.blockOf(step, edge);
    const slice = Math.floor(edge / this.rankCount) * chunkCount + (move - rest * chunkCount);
    const start = blocks.start(block, slice);
    const scratch = blocks.sizeBytes + start;
    visit(
      hop === hops.first[edge] ? start : scratch,
      hop + 1 === hops.first[edge + 1] ? start : scratch,
      blocks.size(block, slice),
      false,
    );
  }

  prerequisites(move: number): number {
    const { chunkCount, hops } = this;
    const rest = Math.floor(move / chunkCount);
    const hop = rest % hops.count;
    const isFirst = rest < hops.count && hop === hops.first[hops.edge[hop]!];
    const followsInHop = this.slots < Infinity ? !this.isFirst(move) : move - rest * chunkCount > 0;
    const needsSlot = this.connections !== null && this.placeInHop(move) >= this.slots;
    return (isFirst ? 0 : 1) + (followsInHop ? 1 : 0) + (needsSlot ? 1 : 0);
  }

  successors(move: number, visit: (successor: number) => void): void {
    const { chunkCount, hops, rankCount } = this;
    const rest = Math.floor(move / chunkCount);
    const chunk = move - rest * chunkCount;
    const step = Math.floor(rest / hops.count);
    const hop = rest - step * hops.count;
    const edge = hops.edge[hop]!;
    if (hop + 1 < hops.first[edge + 1]!) visit(move + chunkCount);
    else if (step + 1 < this.stepCount)
      visit(((step + 1) * hops.count + hops.first[nextEdge(edge, rankCount)]!) * chunkCount + chunk);
    if (this.connections !== null) return;
    const next = this.slots === 1 ? this.next(move) : chunk + 1 < chunkCount ? move + 1 : -1;
    if (next >= 0) visit(next);
  }

  predecessors(move: number, visit: (predecessor: number) => void): void {
    const { chunkCount, hops, rankCount } = this;
    const rest = Math.floor(move / chunkCount);
    const chunk = move - rest * chunkCount;
    const step = Math.floor(rest / hops.count);
    const hop = rest - step * hops.count;
    const edge = hops.edge[hop]!;
    if (hop > hops.first[edge]!) visit(move - chunkCount);
    else if (step > 0)
      visit(((step - 1) * hops.count + hops.first[edgeBefore(edge, rankCount) + 1]! - 1) * chunkCount + chunk);
    if (this.connections !== null) return;
    const earlier = this.slots === 1 ? this.before(move) : chunk > 0 ? move - 1 : -1;
    if (earlier >= 0) visit(earlier);
  }

  roots(visit: (move: number) => void): void {
    if (this.moveCount === 0) return;
    const { first } = this.hops;
    for (let edge = 0; edge + 1 < first.length; edge++) visit(first[edge]! * this.chunkCount);
  }

  /** The next chunk over the same hop, or the first chunk of the next step. */
  next(move: number): number {
    const { chunkCount, hops } = this;
    if ((move + 1) % chunkCount !== 0) return move + 1;
    const following = move + 1 + (hops.count - 1) * chunkCount;
    return following < this.moveCount ? following : -1;
  }

  after(move: number): number {
    return this.next(move);
  }

  /** The chunk before over the same hop, or the last chunk of the step before. */
  before(move: number): number {
    const { chunkCount, hops } = this;
    const earlier = move % chunkCount === 0 ? move - 1 - (hops.count - 1) * chunkCount : move - 1;
    return earlier >= 0 ? earlier : -1;
  }

  takesSlotOf(move: number): number {
    const { chunkCount, hops } = this;
    const place = this.placeInHop(move) + this.slots;
    const step = Math.floor(place / chunkCount);
    if (step >= this.stepCount) return -1;
    const hop = Math.floor(move / chunkCount) % hops.count;
    return (step * hops.count + hop) * chunkCount + (place - step * chunkCount);
  }

  /** How many moves go over the same hop before this one. */
  private placeInHop(move: number): number {
    const { chunkCount, hops } = this;
    const rest = Math.floor(move / chunkCount);
    return Math.floor(rest / hops.count) * chunkCount + (move - rest * chunkCount);
  }

  isFirst(move: number): boolean {
    return move < this.hops.count * this.chunkCount && move % this.chunkCount === 0;
  }

  movesByPlace(): Float64Array {
    const { source, destination, count } = this.hops;
    const moves = new Float64Array(this.rankCount);
    for (let hop = 0; hop < count; hop++) {
      moves[source[hop]!]! += this.stepCount * this.chunkCount;
      moves[destination[hop]!]! += this.stepCount * this.chunkCount;
    }
    return moves;
  }

  /** Moves that one step makes, of one chunk each: over hops 0 .. hopCount - 1. */
  get hopCount(): number {
    return this.hops.count;
  }

  /**
   * What a hop carries in all steps and chunks: each phase all blocks but one.
   * @param into source, destination, channel and bytes are written
   */
  describeHop(hop: number, into: Move): void {
    const { rankCount, reducingSteps, stepCount, hops, blocks, chunkCount } = this;
    const edge = hops.edge[hop]!;
    into.source = hops.source[hop]!;
    into.destination = hops.destination[hop]!;
    into.channel = Math.floor(edge / rankCount);
    into.step = into.chunk = 0;
    const slices = (block: number): number => {
      let bytes = 0;
      for (let chunk = 0; chunk < chunkCount; chunk++) bytes += blocks.size(block, into.channel * chunkCount + chunk);
      return bytes;
    };
    // blocks differ by a byte: the first `rest` have one more than the others
    const rest = blocks.sizeBytes % rankCount;
    const all = rest * slices(0) + (rankCount - rest) * slices(rankCount - 1);
    // a reduce-scatter does not carry the block of its sender, an allgather not that of its receiver
    into.sizeBytes =
      (reducingSteps > 0 ? all - slices(this.order[edge]!) : 0) +
      (stepCount > reducingSteps ? all - slices(this.order[nextEdge(edge, rankCount)]!) : 0);
  }

  /** The block that an edge carries in a step: a block of a reduce-scatter starts behind its owner and ends there. */
  private blockOf(step: number, edge: number): number {
    const { rankCount, reducingSteps } = this;
    const base = edge - (edge % rankCount);
    const behind = step < reducingSteps ? step + 1 : step - reducingSteps;
    const position = edge - base - behind;
    return this.order[base + (position < 0 ? position + rankCount : position)]!;
  }
}
