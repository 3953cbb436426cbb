// One collective under way: hands out the moves that may leave, and on every arrival those that it released. Memory is
// the frontier: the counts of moves of which some prerequisites have arrived (waiting-counts.ts); what is under way,
// its network remembers.
// Invariants: a move is handed out once, when its last prerequisite has arrived and the rank that sends it has come to
// the collective; moves of no bytes arrive at once, without the network. What arrives at a rank that has not come yet
// is kept for it (its buffers are registered).
// A move's delay counts from the end of its last prerequisite; where connections have slots, from the arrival of its
// data: what it waits for the wire or for a slot hides the delay. Between servers its ranks' processors take one move
// after the other (posting.ts).

import { addTo } from '../base/lists-by-key.js';
import { fail } from '../base/fail.js';
import { Float64List } from '../base/columns.js';
import { maxTransferBytes, type TransferSink } from '../flows/work-source.js';
import { type Communicator, isWithinServer } from './communicator.js';
import { connectionOf } from './connection-names.js';
import { Posts } from './posting.js';
import { moveWireBytes, type WireCost } from './protocols.js';
import { type Connections, describeSent, emptyMove, type Move, type Schedule } from './schedule.js';
import { WaitingCounts } from './waiting-counts.js';

/**
 * The largest buffer of a collective: no transfer of it exceeds maxTransferBytes, whatever the algorithm and the
 * protocol.
 */
export const maxCollectiveBytes = maxTransferBytes / 2;

export interface RunOptions {
  /** number of the collective's move 0 among all transfers */
  readonly firstId?: number;
  /** what protocol and NVSwitches add to the bytes of a move; left out: nothing (Simple) */
  readonly wire?: WireCost;
  /** time from a move's release to its start, in picoseconds: within a server, and between servers */
  readonly intraServerDelayPs?: number;
  readonly networkDelayPs?: number;
  /**
   * how long a move between servers keeps the processors at its ends, in picoseconds (posting.ts); left out: not at all
   */
  readonly postPs?: number;
  /** moves of so many bytes on the wire and more wait for no posts; left out: all do */
  readonly postHidingBytes?: number;
  /**
   * number of the connection of channel 0, those of the others follow: moves between servers go over connections
   * (TransferSink); left out or -1: each has queue pairs of its own
   */
  readonly firstConnection?: number;
  /** called when a place has come and everything that it sends and receives has arrived */
  readonly onPlaceFinished?: (place: number, nowPs: number) => void;
  /** called when a move leaves, with its number among all transfers; the move is a scratch object */
  readonly onMove?: (id: number, move: Readonly<Move>) => void;
}

const plainWire: WireCost = { protocol: 'simple', nvswitchShare: 1 };

export class CollectiveRun {
  readonly firstId: number;
  /** moves that have not arrived, and those of them that have left */
  remaining: number;
  underWay = 0;
  private readonly waiting = new WaitingCounts();
  private readonly arrivedAtOnce = new Float64List(8);
  private readonly move = emptyMove();
  private readonly wire: WireCost;
  private readonly intraServerDelayPs: number;
  private readonly networkDelayPs: number;
  private readonly posts: Posts | null;
  private readonly firstConnection: number;
  private readonly onPlaceFinished: ((place: number, nowPs: number) => void) | null;
  private readonly onMove: ((id: number, move: Readonly<Move>) => void) | null;
  /** by place: moves that have not arrived; empty if nobody asks */
  private readonly remainingAt: Float64Array;
  /** by rank: 1 once it has come; null: all have */
  private hasCome: Uint8Array | null = null;
  /** ranks that have not come yet */
  private expected: number;
  /** by rank that has not come: its moves that could leave otherwise */
  private held: Map<number, number[]> | null = null;
  private hasStarted = false;
  private isAbandoned = false;
  /** of the call under way */
  private nowPs = 0;
  private sink!: TransferSink;
  private readonly leaveOrHold = (move: number): void => this.leaveSince(move, this.nowPs);
  /** of a schedule that finds a place's roots again: those of ranks that have not come need not be held */
  private readonly leaveOrSkip = (move: number): void => {
    if (!this.isEarly(move)) this.leave(move, this.nowPs);
  };
  private readonly release = (move: number): void => this.count(move, this.nowPs);

  constructor(
    readonly communicator: Communicator,
    readonly schedule: Schedule,
    options: RunOptions = {},
  ) {
    this.firstId = options.firstId ?? 0;
    this.remaining = schedule.moveCount;
    this.expected = schedule.rankCount;
    this.wire = options.wire ?? plainWire;
    this.intraServerDelayPs = options.intraServerDelayPs ?? 0;
    this.networkDelayPs = options.networkDelayPs ?? 0;
    const { postPs = 0, postHidingBytes = Infinity } = options;
    this.posts = postPs > 0 ? new Posts({ postPs, postHidingBytes }, schedule.kind, communicator.rankCount) : null;
    this.firstConnection = options.firstConnection ?? -1;
    this.onPlaceFinished = options.onPlaceFinished ?? null;
    this.onMove = options.onMove ?? null;
    this.remainingAt = this.onPlaceFinished === null ? new Float64Array(0) : schedule.movesByPlace();
  }

  /** Moves of which some prerequisites have arrived and others not: what the run remembers. */
  get waitingMoves(): number {
    return this.waiting.size;
  }

  /** All ranks come at once: hands out the moves without prerequisites. */
  start(nowPs: number, sink: TransferSink): void {
    if (this.hasStarted) fail('a collective was started twice');
    this.hasStarted = true;
    this.expected = 0;
    this.nowPs = nowPs;
    this.sink = sink;
    for (let place = 0; place < this.schedule.rankCount; place++) this.reportIfDone(place);
    this.schedule.roots(this.leaveOrHold);
    this.settle();
  }

  /** One rank comes, each once: hands out its moves that wait for nothing else. @param place of the rank */
  join(place: number, nowPs: number, sink: TransferSink): void {
    this.nowPs = nowPs;
    this.sink = sink;
    if (!this.hasStarted) {
      this.hasStarted = true;
      this.hasCome = new Uint8Array(this.schedule.rankCount);
    }
    if (this.hasCome === null || this.hasCome[place] === 1) fail(`rank ${place} of a collective came twice`);
    const isFirst = this.expected === this.schedule.rankCount;
    this.hasCome[place] = 1;
    if (--this.expected === 0) this.hasCome = null;
    this.reportIfDone(place);
    const { schedule } = this;
    const isFound = schedule.rootsOf !== undefined;
    if (isFirst) schedule.roots(isFound ? this.leaveOrSkip : this.leaveOrHold);
    else {
      if (isFound && !this.isAbandoned) schedule.rootsOf!(place, this.leaveOrSkip);
      this.letGo(place);
    }
    this.settle();
  }

  /**
   * Nothing more leaves, and no place is finished any more: what is under way arrives and releases nothing. Not to be
   * called from inside a callback of the run.
   */
  abandon(): void {
    this.isAbandoned = true;
    this.remaining = this.underWay;
    this.held?.clear();
  }

  /** A move has arrived: hands out those that it released. @param id firstId + number of the move */
  finished(id: number, nowPs: number, sink: TransferSink): void {
    this.underWay--;
    if (this.isAbandoned) {
      this.remaining--;
      return;
    }
    this.nowPs = nowPs;
    this.sink = sink;
    this.arrive(id - this.firstId);
    this.settle();
  }

  /** All bytes of a move have left: what waited for the wire leaves. @param id firstId + number of the move */
  sent(id: number, nowPs: number, sink: TransferSink): void {
    const { connections } = this.schedule;
    if (!connections || this.isAbandoned) return;
    this.nowPs = nowPs;
    this.sink = sink;
    this.hasLeft(connections, id - this.firstId);
    this.settle();
  }

  /** One of a move's prerequisites is over. @param dataPs since when its data is there, if that is the one; else 0 */
  private count(move: number, dataPs: number): void {
    const { schedule, waiting } = this;
    if (!waiting.arrived(move, schedule.prerequisites(move), dataPs)) return;
    this.leaveSince(move, schedule.connections ? waiting.notedPs : this.nowPs);
  }

  /** A move may leave. @param dataPs since when its delay counts */
  private leaveSince(move: number, dataPs: number): void {
    if (this.isEarly(move)) this.hold(move, this.move.source);
    else this.leave(move, dataPs);
  }

  /** Whether the rank that sends a move has not come. If so, the move is described in this.move. */
  private isEarly(move: number): boolean {
    if (this.hasCome === null) return false;
    this.schedule.describe(move, this.move);
    const { source } = this.move;
    return source < this.hasCome.length && this.hasCome[source] === 0;
  }

  private hasLeft(connections: Connections, move: number): void {
    const next = connections.after(move);
    if (next >= 0) this.count(next, 0);
  }

  private hold(move: number, place: number): void {
    this.held ??= new Map();
    addTo(this.held, place, move);
  }

  private letGo(place: number): void {
    const moves = this.held?.get(place);
    if (moves === undefined) return;
    this.held!.delete(place);
    for (const move of moves) this.leave(move, this.nowPs);
  }

  private leave(number: number, dataPs: number): void {
    const { move, communicator } = this;
    describeSent(this.schedule, number, move);
    if (move.sizeBytes === 0) {
      this.arrivedAtOnce.push(number);
      return;
    }
    const { nodes, rankCount } = communicator;
    const { nowPs } = this;
    const { source, destination } = move;
    const isAtSwitch = source >= rankCount || destination >= rankCount;
    const isIntraServer = isWithinServer(communicator, source, destination);
    const sizeBytes = moveWireBytes(this.wire, move.sizeBytes, isAtSwitch, isIntraServer);
    if (sizeBytes > maxTransferBytes) fail(`a move of ${sizeBytes} B, more than ${maxTransferBytes}`);
    const queuedPs = isIntraServer || this.posts === null ? 0 : this.posts.queue(source, destination, sizeBytes, nowPs);
    if (this.onMove !== null) this.onMove(this.firstId + number, move);
    this.underWay++;
    this.sink.transfer(
      this.firstId + number,
      nodes[source]!,
      nodes[destination]!,
      sizeBytes,
      Math.max(nowPs, dataPs + (isIntraServer ? this.intraServerDelayPs : this.networkDelayPs)) + queuedPs,
      0,
      isIntraServer || this.firstConnection < 0 ? -1 : connectionOf(this.firstConnection, move.channel),
    );
  }

  private settle(): void {
    const { arrivedAtOnce } = this;
    const { connections } = this.schedule;
    while (arrivedAtOnce.length > 0) {
      const move = arrivedAtOnce.values[--arrivedAtOnce.length]!;
      if (connections) this.hasLeft(connections, move);
      this.arrive(move);
    }
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
      this.deliver(number);
      return;
    }
    // beyond the numbers of the moves stand their deliveries, which wait for the move and for the delivery before
    if (!waiting.arrived(schedule.moveCount + number, delivery.isFirst(number) ? 1 : 2)) return;
    for (let delivered = number; delivered >= 0;) {
      this.deliver(delivered);
      const next = delivery.next(delivered);
      delivered = next >= 0 && waiting.arrived(schedule.moveCount + next, 2) ? next : -1;
    }
  }

  /** What waited for a move's data or slot may leave. */
  private deliver(move: number): void {
    const { schedule } = this;
    schedule.successors(move, this.release);
    if (!schedule.connections) return;
    const freed = schedule.connections.takesSlotOf(move);
    if (freed >= 0) this.count(freed, 0);
  }

  private placeDone(place: number): void {
    this.remainingAt[place]!--;
    if (place < this.schedule.rankCount && (this.hasCome === null || this.hasCome[place] === 1))
      this.reportIfDone(place);
  }

  private reportIfDone(place: number): void {
    if (this.onPlaceFinished !== null && this.remainingAt[place] === 0) this.onPlaceFinished(place, this.nowPs);
  }
}
