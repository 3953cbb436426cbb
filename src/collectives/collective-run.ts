// One collective under way: hands out the moves that may leave, and on every arrival those that it released. Memory is the frontier: the
// counts of moves of which some prerequisites have arrived (waiting-counts.ts); what is under way, its network remembers.
// Invariants: a move is handed out once, when its last prerequisite has arrived; moves of no bytes arrive at once, without the network.

import { fail } from '../base/fail.js';
import { Float64List } from '../base/columns.js';
import { maxTransferBytes, type TransferSink } from '../flows/work-source.js';
import type { Communicator } from './communicator.js';
import { type Protocol, wireBytes } from './protocols.js';
import { emptyMove, type Schedule } from './schedule.js';
import { WaitingCounts } from './waiting-counts.js';

/** The largest buffer of a collective: no transfer of it exceeds maxTransferBytes, whatever the algorithm and the protocol. */
export const maxCollectiveBytes = maxTransferBytes / 2;

export interface RunOptions {
  /** number of the collective's move 0 among all transfers */
  readonly firstId?: number;
  /** what the protocol adds to the bytes of a move; left out: nothing (Simple) */
  readonly protocol?: Protocol;
  /** time from a move's release to its start, in picoseconds: within a server, and between servers */
  readonly intraServerDelayPs?: number;
  readonly networkDelayPs?: number;
  /** called when everything that a place sends and receives has arrived */
  readonly onPlaceFinished?: (place: number, nowPs: number) => void;
}

export class CollectiveRun {
  readonly firstId: number;
  /** moves that have not arrived */
  remaining: number;
  private readonly waiting = new WaitingCounts();
  private readonly arrivedAtOnce = new Float64List();
  private readonly move = emptyMove();
  private readonly protocol: Protocol;
  private readonly intraServerDelayPs: number;
  private readonly networkDelayPs: number;
  private readonly onPlaceFinished: ((place: number, nowPs: number) => void) | null;
  /** by place: moves that have not arrived; empty if nobody asks */
  private readonly remainingAt: Float64Array;
  /** of the call under way */
  private nowPs = 0;
  private sink!: TransferSink;
  private readonly leaveRoot = (move: number): void => this.leave(move);
  private readonly release = (move: number): void => {
    if (this.waiting.arrived(move, this.schedule.prerequisites(move))) this.leave(move);
  };

  constructor(
    readonly communicator: Communicator,
    readonly schedule: Schedule,
    options: RunOptions = {},
  ) {
    this.firstId = options.firstId ?? 0;
    this.remaining = schedule.moveCount;
    this.protocol = options.protocol ?? 'simple';
    this.intraServerDelayPs = options.intraServerDelayPs ?? 0;
    this.networkDelayPs = options.networkDelayPs ?? 0;
    this.onPlaceFinished = options.onPlaceFinished ?? null;
    this.remainingAt = this.onPlaceFinished === null ? new Float64Array(0) : schedule.movesByPlace();
  }

  /** Moves of which some prerequisites have arrived and others not: what the run remembers. */
  get waitingMoves(): number {
    return this.waiting.size;
  }

  /** Hands out the moves without prerequisites. */
  start(nowPs: number, sink: TransferSink): void {
    this.nowPs = nowPs;
    this.sink = sink;
    if (this.onPlaceFinished !== null) {
      for (let place = 0; place < this.schedule.rankCount; place++) if (this.remainingAt[place] === 0) this.onPlaceFinished(place, nowPs);
    }
    this.schedule.roots(this.leaveRoot);
    this.settle();
  }

  /** A move has arrived: hands out those that it released. @param id firstId + number of the move */
  finished(id: number, nowPs: number, sink: TransferSink): void {
    this.nowPs = nowPs;
    this.sink = sink;
    this.arrive(id - this.firstId);
    this.settle();
  }

  private leave(number: number): void {
    const { move, communicator } = this;
    this.schedule.describe(number, move);
    if (move.sizeBytes === 0) {
      this.arrivedAtOnce.push(number);
      return;
    }
    const { nodes, rankCount, serverOf } = communicator;
    const { source, destination } = move;
    const isIntraServer = source >= rankCount || destination >= rankCount || serverOf[source] === serverOf[destination];
    const sizeBytes = wireBytes(this.protocol, move.sizeBytes);
    if (sizeBytes > maxTransferBytes) fail(`a move of ${sizeBytes} B, more than ${maxTransferBytes}`);
    this.sink.transfer(this.firstId + number, nodes[source]!, nodes[destination]!, sizeBytes, this.nowPs + (isIntraServer ? this.intraServerDelayPs : this.networkDelayPs));
  }

  private settle(): void {
    const { arrivedAtOnce } = this;
    while (arrivedAtOnce.length > 0) this.arrive(arrivedAtOnce.values[--arrivedAtOnce.length]!);
  }

  private arrive(number: number): void {
    this.remaining--;
    if (this.onPlaceFinished !== null) {
      const { move } = this;
      this.schedule.describe(number, move);
      const { source, destination } = move;
      this.placeDone(source);
      if (destination !== source) this.placeDone(destination);
    }
    const { schedule, waiting } = this;
    const { delivery } = schedule;
    if (delivery === null) {
      schedule.successors(number, this.release);
      return;
    }
    // beyond the numbers of the moves stand their deliveries, which wait for the move and for the delivery before
    if (!waiting.arrived(schedule.moveCount + number, delivery.isFirst(number) ? 1 : 2)) return;
    for (let delivered = number; delivered >= 0; ) {
      schedule.successors(delivered, this.release);
      const next = delivery.next(delivered);
      delivered = next >= 0 && waiting.arrived(schedule.moveCount + next, 2) ? next : -1;
    }
  }

  private placeDone(place: number): void {
    if (--this.remainingAt[place]! === 0 && place < this.schedule.rankCount) this.onPlaceFinished!(place, this.nowPs);
  }
}
