// Priority flow control: a switch pauses one queue of its upstream when its ingress reaches its threshold, and resumes
// it below. Frames are real packets: they wait for the transmission in progress, take link time, and act on arrival,
// after the response time. A pause lasts until its resume or, with a pause time, until it runs out; the switch then
// repeats it while its queue stays above. Of the frames for one queue at most one waits at a port: it says what holds
// when it is sent.
// Invariant: every pause is followed by a resume once the buffer drains; queue 0 is never paused; NVSwitches send none.
// Source: IEEE 802.1Qbb; thresholds as in SimAI (docs/models/simai.md#switches). Not modelled: one frame for several
// priorities.

import { NodeKind } from '../../../fabric/fabric.js';
import { type EventRecords } from '../../../engine/event-records.js';
import type { Alarms } from '../../../engine/alarms.js';
import type { Clock } from '../../../engine/event-wheel.js';
import type { Verdict } from '../../../execution/network.js';
import { bytesShift, Kind, kindMask, type PacketPool, PacketWord } from '../packets.js';
import type { HostPauseLog } from '../host-pauses.js';
import type { FlowControlParts } from '../parts.js';
import type { FlowControl, FlowControlCounters, PauseWatcher, PortOwner } from '../plug-ins.js';
import { PauseHolder, type Ports, queuesPerPort } from '../ports.js';
import type { SharedBuffer } from '../switch/shared-buffer.js';
import { PauseTimers } from './pause-timers.js';

/** A network in which only pauses are repeated, and none begins or ends, for this many pause times stands still. */
const stillPauseTimes = 4;

/** A clock that knows how many events wait. */
export interface WaitingClock extends Clock {
  readonly size: number;
}

/** What PFC is made from. */
export type PriorityFlowControlParts = Pick<
  FlowControlParts,
  | 'fabric'
  | 'settings'
  | 'buffer'
  | 'ports'
  | 'packets'
  | 'records'
  | 'alarms'
  | 'owner'
  | 'signature'
  | 'pauseWatcher'
  | 'hostPauses'
> & { readonly clock: WaitingClock };

export class PriorityFlowControl implements FlowControl {
  readonly isLossless = true;
  pauses = 0;
  resumes = 0;
  refreshes = 0;
  expiries = 0;
  framesLost = 0;
  /** bit q of a port: its upstream's queue q was paused by this end */
  readonly pausedUpstream: Uint8Array;
  private readonly sends: Uint8Array;
  private readonly frameBytes: number;
  private readonly resumeOffset: number;
  /** null: a pause lasts until its resume */
  private readonly timers: PauseTimers | null;
  /** frames that were sent and have not arrived */
  private framesUnderWay = 0;
  /** when a pause last began or ended anywhere */
  private lastChangePs = -0;

  private readonly buffer: SharedBuffer;
  private readonly ports: Ports;
  private readonly packets: PacketPool;
  private readonly records: EventRecords;
  private readonly clock: WaitingClock;
  private readonly alarms: Alarms;
  private readonly owner: PortOwner;
  private readonly signature: number;
  /** sees what is paused and why; null: nobody does */
  private readonly watcher: PauseWatcher | null;
  /** keeps account of hosts that stand still */
  private readonly hosts: HostPauseLog;

  constructor(parts: PriorityFlowControlParts) {
    const { fabric, ports } = parts;
    const { pfc, packet } = parts.settings;
    this.buffer = parts.buffer;
    this.ports = ports;
    this.packets = parts.packets;
    this.records = parts.records;
    this.clock = parts.clock;
    this.alarms = parts.alarms;
    this.owner = parts.owner;
    this.signature = parts.signature;
    this.watcher = parts.pauseWatcher;
    this.hosts = parts.hostPauses.by('pfc');
    this.pausedUpstream = new Uint8Array(fabric.portCount);
    this.sends = fabric.nodeKind.map((kind) => (kind === NodeKind.switch ? 1 : 0));
    this.frameBytes = packet.pauseFrame;
    this.resumeOffset = pfc.resumeOffset;
    this.timers = pfc.pauseTime > 0 ? this.makeTimers(pfc.pauseTime) : null;
  }

  get counters(): FlowControlCounters {
    return {
      pauseFrames: this.pauses,
      resumeFrames: this.resumes,
      pauseRefreshes: this.refreshes,
      pausesExpired: this.expiries,
      pauseFramesLost: this.framesLost,
    };
  }

  excuse(): string | null {
    return this.framesLost > 0 ? `${this.framesLost} PFC frames were lost` : null;
  }

  /** A port may still be paused whose resume was lost, if its pause runs out. */
  verdicts(): Verdict[] {
    const { pauses, resumes, expiries } = this;
    const held = this.heldPorts();
    return [
      {
        name: 'pauses resumed',
        ok: held === 0 && this.pausingPorts() === 0 && pauses === resumes,
        detail: `${pauses} pauses, ${resumes} resumes, ${expiries} ran out, ${held} ports still paused`,
      },
    ];
  }

  /** Ports whose upstream is paused right now. */
  pausingPorts(): number {
    let count = 0;
    for (const queues of this.pausedUpstream) if (queues !== 0) count++;
    return count;
  }

  /** Ports that are paused and will stay so until somebody resumes them. */
  heldPorts(): number {
    const { ports, timers } = this;
    let count = 0;
    for (let port = 0; port < ports.count; port++) {
      if (ports.pausedQueues(port) === 0) continue;
      for (let queue = 1; queue < queuesPerPort; queue++) {
        if (
          !ports.isHeldBy(port, queue, PauseHolder.priorityFlowControl) ||
          timers?.willExpire(port * queuesPerPort + queue) === true
        )
          continue;
        count++;
        break;
      }
    }
    return count;
  }

  admitted(_packet: number, node: number, ingress: number, egress: number, queue: number, isCrowded: boolean): void {
    if (!isCrowded) return;
    const bit = 1 << queue;
    if ((this.pausedUpstream[ingress]! & bit) !== 0 || this.sends[node] === 0) return;
    this.pausedUpstream[ingress]! |= bit;
    this.pauses++;
    if (this.watcher !== null) this.watcher.began(this.clock.nowPs, ingress, egress, queue);
    this.send(Kind.pause, ingress, queue);
    if (this.timers === null) return;
    this.lastChangePs = this.clock.nowPs;
    this.timers.startRefresh(ingress * queuesPerPort + queue);
  }

  vacated(_packet: number, node: number, ingress: number, _egress: number, queue: number): void {
    const bit = 1 << queue;
    if ((this.pausedUpstream[ingress]! & bit) === 0) return;
    const index = ingress * queuesPerPort + queue;
    const { buffer } = this;
    if (buffer.headroomBytesOf(index) !== 0) return;
    const pool = buffer.poolBytesOf(index);
    if (pool !== 0 && pool + this.resumeOffset > buffer.threshold(node)) return;
    this.pausedUpstream[ingress]! &= ~bit;
    this.resumes++;
    if (this.watcher !== null) this.watcher.ended(this.clock.nowPs, index);
    this.send(Kind.resume, ingress, queue);
    if (this.timers === null) return;
    this.lastChangePs = this.clock.nowPs;
    this.timers.stopRefresh(index);
  }

  received(frame: number, port: number): void {
    const at = frame << 3;
    const { words } = this.records;
    const queue = words[at + PacketWord.place]!;
    const isPause = (words[at + PacketWord.head]! & kindMask) === Kind.pause;
    this.framesUnderWay--;
    if (this.watcher !== null) this.tell(this.watcher, frame, port * queuesPerPort + queue, isPause);
    this.packets.release(frame);
    if (this.timers !== null) this.time(this.timers, port, queue, isPause);
    this.ports.setPaused(port, queue, isPause);
    this.account(port, queue, isPause);
    if (!isPause) this.owner.resume(port);
  }

  linkWentDown(port: number): void {
    for (let queue = 1; queue < queuesPerPort; queue++) this.forget(port, queue);
    if (this.ports.pausedQueues(port) === 0) return;
    for (let queue = 1; queue < queuesPerPort; queue++) {
      this.ports.setPaused(port, queue, false);
      this.hosts.portReleased(port, queue);
    }
    this.owner.resume(port);
  }

  lost(frame: number): void {
    this.framesUnderWay--;
    this.framesLost++;
    this.packets.release(frame);
  }

  /**
   * It is time to repeat a pause (port x 8 + queue); where nothing but repeated pauses goes on, the network stands
   * still.
   */
  private refreshDue(timers: PauseTimers, index: number): void {
    if (!timers.takeRefresh(index)) return;
    const [port, queue] = [index >> 3, index & 7];
    if (this.ports.waitingControl(port, queue, this.signature) < 0) {
      this.refreshes++;
      this.send(Kind.pause, port, queue);
    }
    timers.startRefresh(index);
    if (
      this.clock.size <= timers.waiting + this.framesUnderWay &&
      this.clock.nowPs - this.lastChangePs > stillPauseTimes * timers.durationPs(port)
    )
      this.alarms.standStill();
  }

  /** A pause (port x 8 + queue) may have run out. */
  private expiryDue(timers: PauseTimers, index: number): void {
    if (!timers.takeExpiry(index)) return;
    const port = index >> 3;
    this.expiries++;
    this.lastChangePs = this.clock.nowPs;
    if (this.watcher !== null) this.watcher.released(index);
    this.ports.setPaused(port, index & 7, false);
    this.hosts.portReleased(port, index & 7);
    this.owner.resume(port);
  }

  private makeTimers(pauseTimePs: number): PauseTimers {
    const timers: PauseTimers = new PauseTimers(this.ports, this.clock, pauseTimePs, {
      expiry: this.alarms.register('a pause runs out', (index) => this.expiryDue(timers, index)),
      refresh: this.alarms.register('repeat a pause', (index) => this.refreshDue(timers, index)),
    });
    return timers;
  }

  /**
   * The link is down: neither end pauses the other, and a pause that still waits to be sent must not do it when the
   * link is back.
   */
  private forget(port: number, queue: number): void {
    const index = port * queuesPerPort + queue;
    const waiting = this.ports.waitingControl(port, queue, this.signature);
    if (waiting >= 0) this.write(waiting, Kind.resume, port, queue);
    if ((this.pausedUpstream[port]! & (1 << queue)) !== 0) {
      this.pausedUpstream[port]! &= ~(1 << queue);
      this.resumes++;
    }
    if (this.watcher !== null) {
      this.watcher.ended(this.clock.nowPs, index);
      this.watcher.released(index);
    }
    if (this.timers === null) return;
    this.lastChangePs = this.clock.nowPs;
    this.timers.stopRefresh(index);
    this.timers.stopExpiry(index);
  }

  /** A frame has taken effect at a port: the log of pauses of hosts wants to know of theirs. */
  private account(port: number, queue: number, isPause: boolean): void {
    if (isPause) this.hosts.portPaused(port, queue);
    else this.hosts.portReleased(port, queue);
  }

  private tell(watcher: PauseWatcher, frame: number, index: number, isPause: boolean): void {
    if (isPause) watcher.held(index, this.records.words[(frame << 3) + PacketWord.sequence]!);
    else watcher.released(index);
  }

  /** A frame has taken effect: its pause runs out some time, its resume ends what would. */
  private time(timers: PauseTimers, port: number, queue: number, isPause: boolean): void {
    const index = port * queuesPerPort + queue;
    if (this.ports.isHeldBy(port, queue, PauseHolder.priorityFlowControl) !== isPause)
      this.lastChangePs = this.clock.nowPs;
    if (isPause) timers.startExpiry(index);
    else timers.stopExpiry(index);
  }

  /** A frame for queue `queue` out of the port it concerns; the frame itself rides in queue 0. */
  private send(kind: number, port: number, queue: number): void {
    const waiting = this.ports.waitingControl(port, queue, this.signature);
    const frame = waiting >= 0 ? waiting : this.packets.allocate();
    this.write(frame, kind, port, queue);
    if (waiting >= 0) return;
    this.framesUnderWay++;
    this.ports.sendControl(port, frame);
  }

  private write(frame: number, kind: number, port: number, queue: number): void {
    const { words } = this.records;
    const at = frame << 3;
    words[at + PacketWord.pair] = this.signature;
    words[at + PacketWord.place] = queue;
    words[at + PacketWord.sequence] = this.watcher === null ? -1 : this.watcher.decidedAt(port * queuesPerPort + queue);
    words[at + PacketWord.head] = kind | (this.frameBytes << bytesShift);
  }
}
