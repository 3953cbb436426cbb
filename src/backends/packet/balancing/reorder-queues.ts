// Queues in which packets wait at the last switch of their way for those of their queue pair that were sent before them
// and are slower: one queue for each queue pair that needs one, first in, first out. What waits stands in the switch's
// shared buffer like any packet (switch/switches.ts counts it), and both queues and bytes are bounded.
// Invariants: no switch holds more bytes than the limit, no output port more queues; a queue is let out as a whole, in
// its order, by its time at the latest, so that nothing waits for ever.
// Source: Song et al., SIGCOMM 2023, section 3.3 (virtual output queues that are paused and resumed). Not modelled: how
// long a switch takes to resume a queue; a queue that is let out goes behind what is queued at its port, not beside it.

import { grown, Int32List } from '../../../base/columns.js';
import { fail } from '../../../base/fail.js';
import type { Alarm, Alarms } from '../../../engine/alarms.js';
import type { EventRecords } from '../../../engine/event-records.js';
import type { Clock } from '../../../engine/event-wheel.js';
import type { Verdict } from '../../../execution/network.js';
import type { Fabric } from '../../../fabric/fabric.js';
import { bytesShift, PacketWord } from '../packets.js';
import type { HeldReceiver, ReorderState } from '../plug-ins.js';

const { next: NEXT, head: HEAD } = PacketWord;
const none = -1;

export interface ReorderLimits {
  /** that wait in one switch */
  readonly bytes: number;
  /** in use at one output port */
  readonly queuesPerPort: number;
}

/** Who opens queues. */
export interface ReorderOwner {
  /** The time of a queue pair's queue has come: it is let out now, and is no more. */
  timeIsUp(pair: number): void;
}

export class ReorderQueues implements ReorderState {
  /**
   * packets that have waited, queues that ran out of time, and that had to be let out, or could not begin, for want of
   * room
   */
  packets = 0;
  timeouts = 0;
  overflows = 0;
  /** most bytes of a switch, most queues of an output port */
  peakBytes = 0;
  peakQueues = 0;
  private waiting = 0;

  /** by queue: first and last packet, output port, queue pair, the bytes */
  private readonly first = new Int32List();
  private readonly last = new Int32List();
  private readonly port = new Int32List();
  private readonly pair = new Int32List();
  private bytes = new Float64Array(64);
  /** by queue: when it is let out, and when its alarm rings (Infinity: none is set) */
  private duePs = new Float64Array(64);
  private alarmPs = new Float64Array(64).fill(Infinity);
  private readonly free: number[] = [];
  /** by node, and by output port */
  readonly bytesOfSwitch: Float64Array;
  readonly queuesOfSwitch: Int32Array;
  readonly packetsOfSwitch: Int32Array;
  private readonly queuesOfPort: Uint16Array;
  private receiver!: HeldReceiver;
  private readonly alarm: Alarm;

  constructor(
    private readonly parts: {
      readonly fabric: Fabric;
      readonly records: EventRecords;
      readonly clock: Clock;
      readonly alarms: Alarms;
    },
    private readonly limits: ReorderLimits,
    private readonly owner: ReorderOwner,
  ) {
    this.bytesOfSwitch = new Float64Array(parts.fabric.nodeCount);
    this.queuesOfSwitch = new Int32Array(parts.fabric.nodeCount);
    this.packetsOfSwitch = new Int32Array(parts.fabric.nodeCount);
    this.queuesOfPort = new Uint16Array(parts.fabric.portCount);
    this.alarm = parts.alarms.register('let a reorder queue out', (queue) => this.ring(queue));
  }

  /** Whoever takes packets that are let out: this closes the circle once. */
  use(receiver: HeldReceiver): void {
    this.receiver = receiver;
  }

  /** A queue for a queue pair at an output port; -1 if the port or its switch has no room for its first packet. */
  open(pair: number, port: number, firstBytes: number): number {
    const node = this.parts.fabric.portNode[port]!;
    if (
      this.queuesOfPort[port]! >= this.limits.queuesPerPort ||
      this.bytesOfSwitch[node]! + firstBytes > this.limits.bytes
    ) {
      this.overflows++;
      return none;
    }
    const queue = this.free.pop() ?? this.make();
    this.first.values[queue] = none;
    this.port.values[queue] = port;
    this.pair.values[queue] = pair;
    this.bytes[queue] = 0;
    this.duePs[queue] = Infinity;
    this.queuesOfSwitch[node]!++;
    const queues = ++this.queuesOfPort[port]!;
    if (queues > this.peakQueues) this.peakQueues = queues;
    return queue;
  }

  /** Whether a queue may take so many bytes more; if not, it is let out. */
  hasRoom(queue: number, bytes: number): boolean {
    const node = this.parts.fabric.portNode[this.port.values[queue]!]!;
    if (this.bytesOfSwitch[node]! + bytes <= this.limits.bytes) return true;
    this.overflows++;
    this.release(queue);
    return false;
  }

  append(queue: number, packet: number): void {
    const { words } = this.parts.records;
    const bytes = words[(packet << 3) + HEAD]! >> bytesShift;
    const node = this.parts.fabric.portNode[this.port.values[queue]!]!;
    words[(packet << 3) + NEXT] = none;
    if (this.first.values[queue]! < 0) this.first.values[queue] = packet;
    else words[(this.last.values[queue]! << 3) + NEXT] = packet;
    this.last.values[queue] = packet;
    this.bytes[queue]! += bytes;
    const held = (this.bytesOfSwitch[node]! += bytes);
    if (held > this.peakBytes) this.peakBytes = held;
    this.packetsOfSwitch[node]!++;
    this.packets++;
    this.waiting++;
  }

  /** Sets when a queue is let out, in place of the time it had. */
  setDue(queue: number, duePs: number): void {
    const { nowPs } = this.parts.clock;
    const ps = duePs > nowPs ? duePs : nowPs;
    this.duePs[queue] = ps;
    if (ps >= this.alarmPs[queue]!) return;
    this.alarmPs[queue] = ps;
    this.alarm.at(ps, queue);
  }

  /** Lets all packets of a queue go, in their order; the queue is free again. */
  release(queue: number): void {
    const { records } = this.parts;
    const port = this.port.values[queue]!;
    const node = this.parts.fabric.portNode[port]!;
    this.bytesOfSwitch[node]! -= this.bytes[queue]!;
    this.queuesOfSwitch[node]!--;
    this.queuesOfPort[port]!--;
    let packet = this.first.values[queue]!;
    this.pair.values[queue] = none;
    this.free.push(queue);
    while (packet >= 0) {
      // whoever takes a packet may set an alarm, and records may have moved
      const next = records.words[(packet << 3) + NEXT]!;
      this.packetsOfSwitch[node]!--;
      this.waiting--;
      this.receiver.release(packet, port);
      packet = next;
    }
  }

  verdicts(): Verdict[] {
    const { bytes, queuesPerPort } = this.limits;
    return [
      {
        name: 'reorder queues bounded, and empty at the end',
        ok: this.waiting === 0 && this.peakBytes <= bytes && this.peakQueues <= queuesPerPort,
        detail:
          `${this.waiting} packets wait; at most ${this.peakBytes} of ${bytes} bytes in a switch, ` +
          `${this.peakQueues} of ${queuesPerPort} queues at a port`,
      },
    ];
  }

  private ring(queue: number): void {
    const { nowPs } = this.parts.clock;
    // an earlier one has taken its place
    if (this.alarmPs[queue] !== nowPs) return;
    this.alarmPs[queue] = Infinity;
    const pair = this.pair.values[queue]!;
    if (pair < 0) return;
    if (this.duePs[queue]! > nowPs) {
      this.setDue(queue, this.duePs[queue]!);
      return;
    }
    this.owner.timeIsUp(pair);
    this.release(queue);
  }

  private make(): number {
    const queue = this.first.length;
    for (const list of [this.first, this.last, this.port, this.pair]) list.push(none);
    if (queue === this.bytes.length) {
      this.bytes = grown(this.bytes, 2 * queue);
      this.duePs = grown(this.duePs, 2 * queue);
      this.alarmPs = grown(this.alarmPs, 2 * queue, Infinity);
    }
    if (queue > 1 << 24) fail('more reorder queues than alarms can name');
    return queue;
  }
}
