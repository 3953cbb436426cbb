// Long because the life of a message, from its operation to the rank that waits for it, is told in one place.
// Carries out a program: every rank has a clock, does its operations one after the other, and waits for messages.
//
//   eager        sender --data--> receiver                        the sender goes on at once
//   rendezvous   sender --request--> receiver, which answers when it has a receive for it; then the data
//   in a node    no transfer: memoryLatency, and the bytes at memoryRate; a rendezvous waits for its receive
//
// Invariants: a rank is at one of: in the heap (its clock is its next time), waiting, over; its time is computation,
// overhead or wait, and their sum is its clock; every message is sent once and received once; nothing is allocated per
// message. A receive costs its overhead once the message is there and the rank waits or has come to its wait.

import { TimeHeap } from '../base/time-heap.js';
import type { TransferSink } from '../flows/work-source.js';
import { collectiveStep, CollectiveStep, collectiveSteps } from './collective-steps.js';
import { handshakeBytes } from './machine.js';
import type { MessageRecorder } from './message-recorder.js';
import { MessageSlots, MessageStage } from './message-slots.js';
import type { PlacedProgram } from './placed-program.js';
import { RankOperation, RankOperationKind } from './rank-program.js';
import type { TransferNumbers } from './transfer-numbers.js';

const nobody = -1;

/** What a rank is at. */
export const RankState = {
  /** in the heap */
  timed: 0,
  /** waits for what it has begun for its operation */
  awaits: 1,
  /** waits for everything that it has started */
  awaitsAll: 2,
  over: 3,
} as const;

export class ProgramRun {
  readonly ranks: number;
  /** by rank, in picoseconds: when it began to wait, or when its time goes on */
  readonly clockPs: Float64Array;
  readonly computePs: Float64Array;
  readonly overheadPs: Float64Array;
  readonly waitPs: Float64Array;
  readonly state: Uint8Array;
  /** by rank: the operation that it is at */
  readonly index: Int32Array;
  readonly slots = new MessageSlots();
  overCount = 0;
  /** operations that are done, of all ranks */
  executed = 0;
  /** over the network; handshakes apart */
  messagesSent = 0;
  messagesReceived = 0;
  payloadBytes = 0;
  handshakes = 0;
  messagesInNodes = 0;
  bytesInNodes = 0;
  /** of the last rank that is over, in picoseconds */
  endPs = 0;
  private readonly heap = new TimeHeap();
  private readonly operation = new RankOperation();
  private readonly part = new CollectiveStep();
  /** by rank: step of a collective; whether the overhead of the next send was taken already */
  private readonly step: Int32Array;
  private readonly isCharged: Uint8Array;
  /** by rank: what it began and awaits before its next operation, and before it goes on behind waitAll */
  private readonly awaited: Int32Array;
  private readonly started: Int32Array;
  /** by rank: how often it has waited, also where there was nothing to wait for */
  private readonly waited: Int32Array;
  /** by rank: until when messages that came keep it busy */
  private readonly handledPs: Float64Array;
  /** by rank: messages that its NIC has, and those that wait for it */
  private readonly atNic: Int32Array;
  private readonly queueHead: Int32Array;
  private readonly queueTail: Int32Array;
  private readonly psPerByte: number;

  /** @param number of this program among those of the run */
  constructor(
    readonly plan: PlacedProgram,
    readonly number: number,
    private readonly numbers: TransferNumbers,
    private readonly recorder: MessageRecorder | null,
  ) {
    const { program, startPs, machine } = plan;
    const ranks = (this.ranks = program.ranks);
    this.clockPs = new Float64Array(ranks).fill(startPs);
    this.computePs = new Float64Array(ranks);
    this.overheadPs = new Float64Array(ranks);
    this.waitPs = new Float64Array(ranks);
    this.state = new Uint8Array(ranks);
    this.index = new Int32Array(ranks);
    this.step = new Int32Array(ranks);
    this.isCharged = new Uint8Array(ranks);
    this.awaited = new Int32Array(ranks);
    this.started = new Int32Array(ranks);
    this.waited = new Int32Array(ranks);
    this.handledPs = new Float64Array(ranks).fill(startPs);
    this.atNic = new Int32Array(ranks);
    this.queueHead = new Int32Array(ranks).fill(nobody);
    this.queueTail = new Int32Array(ranks).fill(nobody);
    this.psPerByte = 8e12 / machine.memoryRate;
    for (let rank = 0; rank < ranks; rank++) this.heap.set(rank, startPs);
  }

  /** When something is due next, in picoseconds; Infinity: nothing is. */
  get nextPs(): number {
    return this.heap.firstPs;
  }

  get isFinished(): boolean {
    return this.overCount === this.ranks;
  }

  /** Everything that is due at `nowPs` or before; what is sent goes to the sink. */
  advance(nowPs: number, sink: TransferSink): void {
    const { heap, ranks } = this;
    while (heap.firstPs <= nowPs) {
      const timePs = heap.firstPs;
      const key = heap.pop();
      if (key < ranks) this.goOn(key, timePs, sink);
      else this.delivered(key - ranks, timePs);
    }
  }

  /** A transfer has arrived. @param slot of its message */
  arrived(slot: number, nowPs: number, sink: TransferSink): void {
    const { slots } = this;
    const stage = slots.stage[slot]!;
    if (stage === MessageStage.answer) {
      slots.stage[slot] = MessageStage.data;
      this.launch(slot, nowPs, sink);
    } else {
      this.leftNic(slots.source[slot]!, nowPs, sink);
      if (stage === MessageStage.data) this.delivered(slot, nowPs);
      else this.offered(slot, nowPs, sink);
    }
    this.advance(nowPs, sink);
  }

  /** A rank does what it can without waiting. @param nowPs its clock */
  private goOn(rank: number, nowPs: number, sink: TransferSink): void {
    const { operation, clockPs, index } = this;
    const { program } = this.plan;
    clockPs[rank] = nowPs;
    const count = program.operations(rank);
    for (;;) {
      if (index[rank]! >= count) return this.end(rank, nowPs);
      program.read(rank, index[rank]!, operation);
      switch (operation.kind) {
        case RankOperationKind.compute:
          this.nextOperation(rank);
          if (operation.timePs === 0) continue;
          this.computes(rank, operation.timePs, nowPs);
          return;
        case RankOperationKind.startReceive:
          this.receive(rank, operation.peer, operation.sizeBytes, operation.tag, 0, nowPs, sink);
          this.nextOperation(rank);
          continue;
        case RankOperationKind.startSend:
          if (this.takesOverhead(rank, nowPs)) return;
          this.send(rank, operation.peer, operation.sizeBytes, operation.tag, 0, nowPs, sink);
          this.nextOperation(rank);
          continue;
        case RankOperationKind.waitAll:
          if (this.waits(rank, RankState.awaitsAll, nowPs)) return;
          this.waited[rank]!++;
          this.nextOperation(rank);
          continue;
        case RankOperationKind.send:
        case RankOperationKind.receive:
          if (this.exchanges(rank, nowPs, sink)) return;
          continue;
        default:
          if (this.stepsOn(rank, nowPs, sink)) return;
      }
    }
  }

  private computes(rank: number, timePs: number, nowPs: number): void {
    const { computeSpeed } = this.plan;
    const ownPs = computeSpeed === null ? timePs : Math.round(timePs / computeSpeed[rank]!);
    this.computePs[rank]! += ownPs;
    this.clockPs[rank] = nowPs + ownPs;
    this.heap.set(rank, nowPs + ownPs);
  }

  /** A blocking send or receive. Step 0 begins it, step 1 is behind it. @returns whether the rank has to wait */
  private exchanges(rank: number, nowPs: number, sink: TransferSink): boolean {
    const { kind, peer, sizeBytes, tag } = this.operation;
    if (this.step[rank] === 0) {
      if (kind === RankOperationKind.send) {
        if (this.takesOverhead(rank, nowPs)) return true;
        this.send(rank, peer, sizeBytes, tag, 1, nowPs, sink);
      } else this.receive(rank, peer, sizeBytes, tag, 1, nowPs, sink);
      this.step[rank] = 1;
    }
    if (this.waits(rank, RankState.awaits, nowPs)) return true;
    // an eager send is out of the rank's hands at once
    if (kind === RankOperationKind.receive || sizeBytes > this.plan.machine.eagerLimit) this.waited[rank]!++;
    this.step[rank] = 0;
    this.nextOperation(rank);
    return false;
  }

  /**
   * A step of a collective: even numbers begin one, odd ones are behind it. @returns whether the rank has to wait
   */
  private stepsOn(rank: number, nowPs: number, sink: TransferSink): boolean {
    const { operation, part, step } = this;
    const steps = collectiveSteps(operation);
    while (step[rank]! < 2 * steps) {
      if (step[rank]! % 2 === 0) {
        collectiveStep(operation, rank, step[rank]! / 2, part);
        const { sendTo, receiveFrom, sizeBytes, tag } = part;
        if (sendTo >= 0 && this.takesOverhead(rank, nowPs)) return true;
        if (receiveFrom >= 0) this.receive(rank, receiveFrom, sizeBytes, tag, 1, nowPs, sink);
        if (sendTo >= 0) this.send(rank, sendTo, sizeBytes, tag, 1, nowPs, sink);
        step[rank]!++;
      }
      if (this.waits(rank, RankState.awaits, nowPs)) return true;
      this.waited[rank]!++;
      step[rank]!++;
    }
    step[rank] = 0;
    this.nextOperation(rank);
    return false;
  }

  /** The rank hands a message over, which takes its time first. @returns whether it has to wait for that */
  private takesOverhead(rank: number, nowPs: number): boolean {
    const { sendOverhead } = this.plan.machine;
    if (sendOverhead === 0 || this.isCharged[rank] === 1) {
      this.isCharged[rank] = 0;
      return false;
    }
    this.isCharged[rank] = 1;
    this.overheadPs[rank]! += sendOverhead;
    this.clockPs[rank] = nowPs + sendOverhead;
    this.heap.set(rank, this.clockPs[rank]);
    return true;
  }

  /** Whether a rank has to wait, for messages or until it has handled those that came. */
  private waits(rank: number, state: number, nowPs: number): boolean {
    const left = state === RankState.awaits ? this.awaited[rank]! : this.started[rank]!;
    if (left > 0) {
      this.state[rank] = state;
      return true;
    }
    const handledPs = this.handledPs[rank]!;
    if (handledPs <= nowPs) return false;
    this.overheadPs[rank]! += handledPs - nowPs;
    this.clockPs[rank] = handledPs;
    this.heap.set(rank, handledPs);
    return true;
  }

  /** Something that a rank may wait for is over. */
  private isDone(rank: number, isAwaited: number, nowPs: number): void {
    const state = this.state[rank]!;
    const left = isAwaited === 1 ? --this.awaited[rank]! : --this.started[rank]!;
    if (left > 0 || state !== (isAwaited === 1 ? RankState.awaits : RankState.awaitsAll)) return;
    this.state[rank] = RankState.timed;
    this.waitPs[rank]! += nowPs - this.clockPs[rank]!;
    this.clockPs[rank] = nowPs;
    this.heap.set(rank, nowPs);
  }

  /** A message came for a rank: its overhead begins when the rank is free for it. */
  private handles(rank: number, nowPs: number): void {
    const { receiveOverhead } = this.plan.machine;
    if (receiveOverhead === 0) return;
    this.handledPs[rank] = Math.max(this.handledPs[rank]!, this.clockPs[rank]!, nowPs) + receiveOverhead;
  }

  private send(
    rank: number,
    peer: number,
    sizeBytes: number,
    tag: number,
    isAwaited: number,
    nowPs: number,
    sink: TransferSink,
  ): void {
    const { slots, plan } = this;
    const isEager = sizeBytes <= plan.machine.eagerLimit;
    const stage = isEager ? MessageStage.eager : MessageStage.request;
    const slot = slots.take(rank, peer, tag, Math.max(1, sizeBytes), this.operation.phase, stage);
    slots.sendIsAwaited[slot] = isAwaited;
    slots.waits[slot] = this.waited[rank]!;
    if (!isEager) this.begins(rank, isAwaited);
    if (this.isInNode(slot)) {
      this.messagesInNodes++;
      this.bytesInNodes += sizeBytes;
      // met in the order in which they are sent, however long their bytes take
      slots.readyPs[slot] = nowPs + this.copyPs(slot);
      this.offered(slot, nowPs, sink);
      return;
    }
    this.messagesSent++;
    this.payloadBytes += sizeBytes;
    if (this.queueHead[rank] !== nobody || this.atNic[rank]! >= plan.machine.sendQueue) {
      const last = this.queueTail[rank]!;
      if (last === nobody) this.queueHead[rank] = slot;
      else slots.next[last] = slot;
      this.queueTail[rank] = slot;
    } else {
      this.atNic[rank]!++;
      this.launch(slot, nowPs, sink);
    }
  }

  private receive(
    rank: number,
    peer: number,
    sizeBytes: number,
    tag: number,
    isAwaited: number,
    nowPs: number,
    sink: TransferSink,
  ): void {
    const { slots } = this;
    this.begins(rank, isAwaited);
    const message = slots.takeWaiting(peer, rank, tag, false);
    if (message === nobody) {
      const slot = slots.take(peer, rank, tag, sizeBytes, this.operation.phase, MessageStage.receive);
      slots.receiveIsAwaited[slot] = isAwaited;
      slots.wait(slot);
      return;
    }
    slots.receiveIsAwaited[message] = isAwaited;
    this.meets(message, nowPs, sink);
  }

  private begins(rank: number, isAwaited: number): void {
    if (isAwaited === 1) this.awaited[rank]!++;
    else this.started[rank]!++;
  }

  /** An eager message or a request is where its receiver is. */
  private offered(slot: number, nowPs: number, sink: TransferSink): void {
    const { slots } = this;
    const receive = slots.takeWaiting(slots.source[slot]!, slots.destination[slot]!, slots.tag[slot]!, true);
    if (receive === nobody) {
      slots.wait(slot);
      return;
    }
    slots.receiveIsAwaited[slot] = slots.receiveIsAwaited[receive]!;
    slots.release(receive);
    this.meets(slot, nowPs, sink);
  }

  /** A message that is there, or has asked, and its receive. */
  private meets(slot: number, nowPs: number, sink: TransferSink): void {
    const { slots } = this;
    const isEager = slots.stage[slot] === MessageStage.eager;
    if (this.isInNode(slot)) {
      if (isEager) slots.stage[slot] = MessageStage.copied;
      else slots.stage[slot] = MessageStage.data;
      const atPs = isEager ? Math.max(nowPs, slots.readyPs[slot]!) : nowPs + this.copyPs(slot);
      this.heap.set(this.ranks + slot, atPs);
    } else if (isEager) this.delivered(slot, nowPs);
    else {
      slots.stage[slot] = MessageStage.answer;
      this.launch(slot, nowPs, sink);
    }
  }

  private delivered(slot: number, nowPs: number): void {
    const { slots } = this;
    const destination = slots.destination[slot]!;
    const source = slots.source[slot]!;
    const wasAsked = slots.stage[slot] === MessageStage.data;
    this.messagesReceived++;
    this.handles(destination, nowPs);
    this.isDone(destination, slots.receiveIsAwaited[slot]!, nowPs);
    if (wasAsked) this.isDone(source, slots.sendIsAwaited[slot]!, nowPs);
    slots.release(slot);
  }

  private isInNode(slot: number): boolean {
    const { hosts } = this.plan;
    return hosts[this.slots.source[slot]!] === hosts[this.slots.destination[slot]!];
  }

  /** How long a message within a node takes. */
  private copyPs(slot: number): number {
    return this.plan.machine.memoryLatency + Math.round(this.slots.sizeBytes[slot]! * this.psPerByte);
  }

  /** The NIC has room again. */
  private leftNic(rank: number, nowPs: number, sink: TransferSink): void {
    const { slots } = this;
    const next = this.queueHead[rank]!;
    if (next === nobody) {
      this.atNic[rank]!--;
      return;
    }
    this.queueHead[rank] = slots.next[next]!;
    slots.next[next] = nobody;
    if (this.queueHead[rank] === nobody) this.queueTail[rank] = nobody;
    this.launch(next, nowPs, sink);
  }

  /** What a message is at goes over the network. */
  private launch(slot: number, nowPs: number, sink: TransferSink): void {
    const { slots, plan } = this;
    const stage = slots.stage[slot]!;
    const isAnswer = stage === MessageStage.answer;
    const isData = stage === MessageStage.eager || stage === MessageStage.data;
    const from = isAnswer ? slots.destination[slot]! : slots.source[slot]!;
    const to = isAnswer ? slots.source[slot]! : slots.destination[slot]!;
    if (stage === MessageStage.data) this.atNic[from]!++;
    if (!isData) this.handshakes++;
    const id = this.numbers.give(this.number, slot);
    this.recorder?.sent(id, this.number, stage, slot, slots);
    sink.transfer(
      id,
      plan.hosts[from]!,
      plan.hosts[to]!,
      isData ? slots.sizeBytes[slot]! : handshakeBytes,
      nowPs,
      plan.trafficClass,
      this.connectionOf(from, to),
    );
  }

  /** What two ranks send each other goes over one connection. */
  private connectionOf(from: number, to: number): number {
    return (this.number * this.ranks + from) * this.ranks + to;
  }

  private nextOperation(rank: number): void {
    this.index[rank]!++;
    this.executed++;
  }

  private end(rank: number, nowPs: number): void {
    this.state[rank] = RankState.over;
    this.overCount++;
    this.endPs = Math.max(this.endPs, nowPs);
  }
}
