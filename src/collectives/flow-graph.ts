// The flows of a collective as the communication-stack document (docs/SOURCES.md, chapter 3) describes them:
// SingleFlow, a node of a graph that names those before and behind it. Made from the schedule, flow by flow, when they
// are asked for: a graph of any size takes no memory.
// Invariants: flow f of a collective is its move f; a flow stands among the children of exactly those that stand in its
// prev; prev and parallelDeps together are all that the move waits for. Flows of no bytes are part of the graph: they
// keep order.
// Where the document leaves a word open: prev has the flows whose data a flow needs, as in its examples; parallelDeps
// those after which it has its turn: of the same sender (backward PAT: the same receiver), over a connection with slots
// the one before it, which need only have left, and the one whose slot it takes (the document's examples have none). A
// chunk is numbered as its examples do: by step along a ring, by receiver in an all-to-all. Not in a graph: delays
// before flows, ranks that come late, and that SimAI's flows of a connection are delivered in order
// (docs/models/collectives.md, "Order of delivery").

import type { Communicator } from './communicator.js';
import { moveWireBytes, type WireCost } from './protocols.js';
import { emptyMove, type Move, type Schedule } from './schedule.js';

/** What a flow is part of, in the document's words and, where it has none, in their style. */
const connectionTypes = [
  'RING',
  'TREE',
  'NVLS',
  'PXN_INIT',
  'NET',
  'PXN_FINAL',
  'P2P',
  'COLLNET_DIRECT',
  'COLLNET_CHAIN',
  'PAT',
  'HALVING_DOUBLING',
] as const;
export type ConnectionType = (typeof connectionTypes)[number];

/** One flow; its lists are scratch of the object that it is written into. */
export interface SingleFlow {
  flowId: number;
  /** nodes of the fabric */
  source: number;
  destination: number;
  /** data; and what its links carry, flags of the protocol included */
  sizeBytes: number;
  wireBytes: number;
  prev: number[];
  parallelDeps: number[];
  children: number[];
  channel: number;
  chunk: number;
  chunkCount: number;
  connectionType: ConnectionType;
  /** step of the algorithm, from 0 */
  step: number;
  /** the receiver adds what it receives */
  isReduction: boolean;
}

/** A scratch object for `describe`. */
export function emptyFlow(): SingleFlow {
  return {
    flowId: 0,
    source: 0,
    destination: 0,
    sizeBytes: 0,
    wireBytes: 0,
    prev: [],
    parallelDeps: [],
    children: [],
    channel: 0,
    chunk: 0,
    chunkCount: 1,
    connectionType: 'RING',
    step: 0,
    isReduction: false,
  };
}

/** Flows that are told one by one. */
export interface FlowSet {
  readonly count: number;
  /** Writes a flow into `into`. @param flow below `count` */
  describe(flow: number, into: SingleFlow): void;
}

/** The graph of a collective. */
export class FlowGraph implements FlowSet {
  readonly count: number;
  private readonly move = emptyMove();
  private readonly other = emptyMove();

  /** @param firstId number of its first flow */
  constructor(
    private readonly communicator: Communicator,
    private readonly schedule: Schedule,
    private readonly wire: WireCost,
    private readonly firstId = 0,
  ) {
    this.count = schedule.moveCount;
  }

  describe(flow: number, into: SingleFlow): void {
    const { schedule, communicator, move, firstId } = this;
    schedule.describe(flow, move);
    const { source, destination, sizeBytes } = move;
    const isAtSwitch = source >= communicator.rankCount || destination >= communicator.rankCount;
    into.flowId = firstId + flow;
    into.source = communicator.nodes[source]!;
    into.destination = communicator.nodes[destination]!;
    into.sizeBytes = sizeBytes;
    // bytes and flags; what else keeps links from their rate (serverShare, networkShare) is no byte
    const { protocol, nvswitchShare } = this.wire;
    into.wireBytes = sizeBytes === 0 ? 0 : moveWireBytes({ protocol, nvswitchShare }, sizeBytes, isAtSwitch, true);
    into.channel = move.channel;
    into.step = move.step;
    into.isReduction = move.isReduction;
    this.nameChunk(move, into);
    this.nameNeighbours(flow, into);
    into.connectionType = this.connectionType(flow, isAtSwitch);
  }

  private nameChunk({ step, chunk, destination }: Readonly<Move>, into: SingleFlow): void {
    const { algorithm, kind, stepCount, chunkCount, rankCount } = this.schedule;
    if (kind === 'alltoall') {
      into.chunk = destination;
      into.chunkCount = rankCount;
      return;
    }
    const isAroundRing = algorithm === 'ring' && kind !== 'broadcast' && kind !== 'reduce';
    into.chunk = isAroundRing ? step * chunkCount + chunk : chunk;
    into.chunkCount = isAroundRing ? stepCount * chunkCount : chunkCount;
  }

  private nameNeighbours(flow: number, { prev, parallelDeps, children }: SingleFlow): void {
    const { schedule, firstId } = this;
    prev.length = parallelDeps.length = children.length = 0;
    schedule.predecessors(flow, (earlier) =>
      (this.brings(earlier, flow) ? prev : parallelDeps).push(firstId + earlier),
    );
    schedule.successors(flow, (later) => {
      if (this.brings(flow, later)) children.push(firstId + later);
    });
    const { connections } = schedule;
    if (!connections) return;
    const before = connections.before(flow);
    if (before < 0) return;
    parallelDeps.push(firstId + before);
    let owner = before;
    for (let i = 1; i < connections.slots && owner >= 0; i++) owner = connections.before(owner);
    if (owner >= 0 && owner !== before) parallelDeps.push(firstId + owner);
  }

  /** Whether a flow waits for what an earlier one brings to its sender; else for its turn to send. */
  private brings(earlier: number, later: number): boolean {
    const { schedule, other } = this;
    schedule.describe(later, other);
    const { source } = other;
    schedule.describe(earlier, other);
    return other.destination === source;
  }

  private connectionType(flow: number, isAtSwitch: boolean): ConnectionType {
    switch (this.schedule.algorithm) {
      case 'ring':
        return this.typeOnRing(flow);
      case 'aggregated':
        return this.typeOfAggregate(flow);
      case 'direct':
        return this.schedule.kind === 'sendrecv' ? 'P2P' : 'RING';
      case 'tree':
        return 'TREE';
      case 'nvls':
        return 'NVLS';
      case 'nvls-tree':
        return isAtSwitch ? 'NVLS' : 'TREE';
      case 'collnet-direct':
        return 'COLLNET_DIRECT';
      case 'collnet-chain':
        return 'COLLNET_CHAIN';
      case 'pat':
        return 'PAT';
      case 'halving-doubling':
        return 'HALVING_DOUBLING';
    }
  }

  /** A hop that takes several flows of one step goes by proxies. */
  private typeOnRing(flow: number): ConnectionType {
    const { schedule, move, other, communicator } = this;
    const { kind } = schedule;
    // a chain's steps are its hops
    if (kind === 'broadcast' || kind === 'reduce') return 'RING';
    const { source, destination, step, channel, chunk } = move;
    let [follows, goesOn] = [false, false];
    schedule.predecessors(flow, (earlier) => {
      schedule.describe(earlier, other);
      follows ||= other.step === step && other.channel === channel && other.chunk === chunk;
    });
    schedule.successors(flow, (later) => {
      schedule.describe(later, other);
      goesOn ||= other.step === step && other.channel === channel && other.chunk === chunk;
    });
    if (!follows && !goesOn) return 'RING';
    if (communicator.serverOf[source] !== communicator.serverOf[destination]) return 'NET';
    return goesOn ? 'PXN_INIT' : 'PXN_FINAL';
  }

  /** Gathers, flows between servers, scatters; what stays within a server goes directly and nothing waits for it. */
  private typeOfAggregate(flow: number): ConnectionType {
    const { step } = this.move;
    if (step > 0) return step === 1 ? 'NET' : 'PXN_FINAL';
    let isGather = false;
    this.schedule.successors(flow, () => (isGather = true));
    return isGather ? 'PXN_INIT' : 'RING';
  }
}
