// All-to-all with PXN: what the ranks of one server have for the ranks of another that share a NIC is gathered over
// NVLink at the GPU with the NIC of that rail, crosses the network as one flow, and is scattered over NVLink on the
// other side. Ranks of one server send directly. With a NIC per GPU the scatter is empty (every GPU is its own rail's),
// which is NCCL's PXN; with fewer NICs all three phases are there. Between two servers of L ranks with k NICs k flows
// cross instead of L x L.
// The blocks of a network flow stand in scratch behind the result: at the sender by destination and source, at the
// receiver likewise. A rail, a step and a slot give a move its number, so some numbers carry nothing: the proxy's own
// part, and places that a server lacks.
// Sources: communication-stack document (docs/SOURCES.md), "PXN Optimization"; NCCL 2.12 (PXN). Not modelled: the limit
// of 8 blocks that NCCL aggregates.

import type { BlockMatrix } from './block-matrix.js';
import { type Placement, ranksPerServer } from './communicator.js';
import { nicProxy } from './proxies.js';
import { type Move, type PieceVisitor, type Schedule, sizeOfPieces } from './schedule.js';

/** What a move is, as its number says it. */
interface Slot {
  phase: 'gather' | 'network' | 'scatter' | 'direct';
  rail: number;
  from: number;
  to: number;
  source: number;
  destination: number;
}

/** steps: gather and what stays in the server, network, scatter */
const steps = { gather: 0, direct: 0, network: 1, scatter: 2 } as const;

/**
 * Moves: by distance of servers, server, rail, slot (gathers by local index, the network flow, scatters by local
 * index); then the direct ones.
 */
export class AggregatedAllToAll implements Schedule {
  readonly algorithm = 'aggregated';
  readonly kind = 'alltoall';
  readonly switchCount = 0;
  readonly stepCount = 3;
  readonly chunkCount = 1;
  readonly rankCount: number;
  readonly delivery = null;
  readonly moveCount: number;
  /** the rails */
  readonly channelCount: number;
  readonly bufferBytes: number;
  /** by server: its proxies, and the places that each of them serves */
  private readonly proxies: readonly (readonly number[])[];
  private readonly served: readonly (readonly (readonly number[])[])[];
  private readonly locals: number;
  private readonly slots: number;
  private readonly betweenServers: number;
  private readonly slot: Slot = { phase: 'direct', rail: 0, from: 0, to: 0, source: 0, destination: 0 };

  constructor(
    private readonly placement: Placement,
    private readonly blocks: BlockMatrix,
  ) {
    const { rankCount, servers } = placement;
    this.proxies = servers.map((places) => [...new Set(Array.from(places, (place) => nicProxy(placement, place)))]);
    this.served = servers.map((places, server) =>
      this.proxies[server]!.map((proxy) => Array.from(places).filter((place) => nicProxy(placement, place) === proxy)),
    );
    this.rankCount = rankCount;
    this.channelCount = Math.max(...this.proxies.map(({ length }) => length));
    this.locals = ranksPerServer(placement).most;
    this.slots = 2 * this.locals + 1;
    this.betweenServers = servers.length * (servers.length - 1) * this.channelCount * this.slots;
    this.moveCount = this.betweenServers + rankCount * this.locals;
    // result, then what a proxy gathers for other ranks, then what it has to scatter
    this.bufferBytes =
      blocks.largestResultBytes + (servers.length > 1 ? 2 * rankCount * this.locals * blocks.largestBlockBytes : 0);
  }

  describe(move: number, into: Move): void {
    const slot = this.read(move);
    into.source = slot.source;
    into.destination = slot.destination;
    into.isReduction = false;
    into.step = steps[slot.phase];
    into.channel = slot.rail;
    into.chunk = 0;
    into.sizeBytes = sizeOfPieces(this, move);
  }

  pieces(move: number, visit: PieceVisitor): void {
    const { blocks, placement } = this;
    const { phase, rail, from, to, source, destination } = this.read(move);
    if (source === destination) return;
    if (phase === 'direct') {
      visit(
        blocks.inputStart(source, destination),
        blocks.resultStart(source, destination),
        blocks.size(source, destination),
        true,
      );
      return;
    }
    const destinations = phase === 'scatter' ? [destination] : (this.served[to]![rail] ?? []);
    const sources = phase === 'gather' ? [source] : placement.servers[from]!;
    const enters = this.proxies[to]![rail]!;
    const leaves = this.leaving(from, rail, enters);
    for (const last of destinations) {
      for (const first of sources) {
        const isInput = phase === 'gather' || (phase === 'network' && first === leaves);
        const isResult = phase === 'scatter' || (phase === 'network' && last === enters);
        const start = isInput
          ? blocks.inputStart(first, last)
          : phase === 'scatter'
            ? this.arrivedStart(first, last)
            : this.gatheredStart(first, last);
        const end = isResult
          ? blocks.resultStart(first, last)
          : phase === 'gather'
            ? this.gatheredStart(first, last)
            : this.arrivedStart(first, last);
        visit(start, end, blocks.size(first, last), isInput);
      }
    }
  }

  prerequisites(move: number): number {
    if (move >= this.betweenServers) return 0;
    const slot = move % this.slots;
    return slot < this.locals ? 0 : slot === this.locals ? this.locals : 1;
  }

  successors(move: number, visit: (successor: number) => void): void {
    if (move >= this.betweenServers) return;
    const slot = move % this.slots;
    if (slot < this.locals) visit(move - slot + this.locals);
    else if (slot === this.locals) for (let i = 1; i <= this.locals; i++) visit(move + i);
  }

  predecessors(move: number, visit: (predecessor: number) => void): void {
    if (move >= this.betweenServers) return;
    const slot = move % this.slots;
    if (slot === this.locals) for (let i = this.locals; i >= 1; i--) visit(move - i);
    else if (slot > this.locals) visit(move - slot + this.locals);
  }

  roots(visit: (move: number) => void): void {
    for (let first = 0; first < this.betweenServers; first += this.slots)
      for (let i = 0; i < this.locals; i++) visit(first + i);
    for (let move = this.betweenServers; move < this.moveCount; move++) visit(move);
  }

  movesByPlace(): Float64Array {
    const moves = new Float64Array(this.rankCount);
    for (let move = 0; move < this.moveCount; move++) {
      const { source, destination } = this.read(move);
      moves[source]!++;
      if (destination !== source) moves[destination]!++;
    }
    return moves;
  }

  private read(move: number): Slot {
    const { placement, slot, locals, channelCount } = this;
    const { servers, serverOf } = placement;
    if (move >= this.betweenServers) {
      const rest = move - this.betweenServers;
      slot.phase = 'direct';
      slot.rail = 0;
      slot.source = Math.floor(rest / locals);
      slot.from = slot.to = serverOf[slot.source]!;
      slot.destination = servers[slot.to]![rest % locals] ?? slot.source;
      return slot;
    }
    const flow = Math.floor(move / this.slots);
    const number = move - flow * this.slots;
    const pair = Math.floor(flow / channelCount);
    const distance = Math.floor(pair / servers.length) + 1;
    slot.rail = flow - pair * channelCount;
    slot.from = pair % servers.length;
    slot.to = (slot.from + distance) % servers.length;
    const enters = this.proxies[slot.to]![slot.rail];
    const leaves = this.leaving(slot.from, slot.rail, enters);
    const members = this.served[slot.to]![slot.rail] ?? [];
    slot.phase = number < locals ? 'gather' : number === locals ? 'network' : 'scatter';
    if (slot.phase === 'gather') {
      slot.destination = leaves;
      slot.source = enters === undefined ? leaves : (servers[slot.from]![number] ?? leaves);
    } else if (slot.phase === 'network') {
      slot.source = leaves;
      slot.destination = enters ?? leaves;
    } else {
      slot.source = enters ?? leaves;
      slot.destination = members[number - locals - 1] ?? slot.source;
    }
    return slot;
  }

  /** The proxy of a server by which it sends to a proxy of another: on the same rail if there is one. */
  private leaving(server: number, rail: number, enters: number | undefined): number {
    const own = this.proxies[server]!;
    const { railOf } = this.placement;
    return own.find((proxy) => enters !== undefined && railOf[proxy] === railOf[enters]) ?? own[rail % own.length]!;
  }

  /** Scratch at the sending proxy: by destination, then local index of the source. */
  private gatheredStart(source: number, destination: number): number {
    const { blocks, locals, placement } = this;
    return blocks.largestResultBytes + (destination * locals + placement.localOf[source]!) * blocks.largestBlockBytes;
  }

  /** Scratch at the receiving proxy: by source, then local index of the destination. */
  private arrivedStart(source: number, destination: number): number {
    const { blocks, locals, placement } = this;
    return (
      blocks.largestResultBytes +
      (placement.rankCount * locals + source * locals + placement.localOf[destination]!) * blocks.largestBlockBytes
    );
  }
}
