// A reorder buffer at the receiving host, before a transport that takes packets in order only: what comes ahead of its
// turn waits for what is missing, and is handed on in order.
// Invariants: no host holds more bytes than its limit; a packet that finds no room is handed on as it is; nothing waits
// longer than the timeout behind the same gap, then all of it is handed on, and the transport deals with the gap.
// Source: the reorder buffers of adaptive-routing NICs and Ethernet adapters, as a bounded memory by host
// (docs/models/load-balancing.md). Not modelled: a limit by queue pair, time to store and fetch a packet.

import { grown } from '../../../base/columns.js';
import type { EventRecords } from '../../../engine/event-records.js';
import type { Clock } from '../../../engine/event-wheel.js';
import type { Verdict } from '../../../execution/network.js';
import { bytesShift, PacketWord } from '../packets.js';
import type { PairAlarm } from '../pair-alarms.js';
import type { PacketParts } from '../parts.js';
import type { Transport, TransportCounters } from '../plug-ins.js';
import { PairWord, type QueuePairs } from '../queue-pairs.js';

const { next: NEXT, head: HEAD, sequence: SEQUENCE } = PacketWord;
const none = -1;

export class InOrderDelivery implements Transport {
  private packets = 0;
  private timeouts = 0;
  private overflows = 0;
  private peakBytes = 0;
  private waiting = 0;
  /** by queue pair: the packets that wait, by number, from the first to the last; since when for the same one; timed */
  private first = new Int32Array(0);
  private last = new Int32Array(0);
  private sincePs = new Float64Array(0);
  private isTimed = new Uint8Array(0);
  private readonly bytesOfHost: Float64Array;
  private readonly limitBytes: number;
  private readonly timeoutPs: number;

  private readonly pairs: QueuePairs;
  private readonly records: EventRecords;
  private readonly clock: Clock;
  private readonly timer: PairAlarm;

  constructor(
    parts: PacketParts,
    private readonly inner: Transport,
  ) {
    const { pairs, settings, fabric } = parts;
    this.pairs = pairs;
    this.records = parts.records;
    this.clock = parts.clock;
    this.limitBytes = settings.reorder.buffer;
    this.timeoutPs = settings.reorder.timeout;
    this.bytesOfHost = new Float64Array(fabric.nodeCount);
    this.timer = parts.pairAlarms.register('stop waiting for a packet', (pair) => this.due(pair));
    this.reserve(pairs.capacity);
    pairs.onGrow((capacity) => this.reserve(capacity));
  }

  get counters(): TransportCounters {
    return this.inner.counters;
  }

  get gaveUp(): number {
    return this.inner.gaveUp;
  }

  /** What the buffers add to the counters of the run. */
  get bufferCounters(): Readonly<Record<string, number>> {
    return {
      reorderedAtHosts: this.packets,
      reorderHostPeakBytes: this.peakBytes,
      reorderHostTimeouts: this.timeouts,
      reorderHostOverflows: this.overflows,
    };
  }

  verdicts(): Verdict[] {
    return [
      {
        name: "hosts' reorder buffers bounded, and empty at the end",
        ok: this.waiting === 0 && this.peakBytes <= this.limitBytes,
        detail: `${this.waiting} packets wait; at most ${this.peakBytes} of ${this.limitBytes} bytes in a host`,
      },
    ];
  }

  canSend(pair: number): boolean {
    return this.inner.canSend(pair);
  }

  fill(pair: number, packet: number): void {
    this.inner.fill(pair, packet);
  }

  receiveAcknowledgement(packet: number, pair: number): void {
    this.inner.receiveAcknowledgement(packet, pair);
  }

  receiveData(packet: number, pair: number): void {
    const sequence = this.records.words[(packet << 3) + SEQUENCE]!;
    if (sequence > this.expected(pair) && this.hold(packet, pair, sequence)) return;
    const before = this.expected(pair);
    this.inner.receiveData(packet, pair);
    if (this.first[pair]! < 0 || this.expected(pair) === before) return;
    while (this.first[pair]! >= 0 && this.sequenceOf(this.first[pair]!) <= this.expected(pair)) this.handOn(pair);
    this.sincePs[pair] = this.clock.nowPs;
  }

  /** Keeps a packet that is ahead of its turn. @returns false if its host has no room */
  private hold(packet: number, pair: number, sequence: number): boolean {
    const { words } = this.records;
    const host = this.pairs.destination[pair]!;
    const bytes = this.bytesOfHost[host]! + (words[(packet << 3) + HEAD]! >> bytesShift);
    if (bytes > this.limitBytes) {
      this.overflows++;
      return false;
    }
    this.bytesOfHost[host] = bytes;
    if (bytes > this.peakBytes) this.peakBytes = bytes;
    this.packets++;
    this.waiting++;
    const last = this.last[pair]!;
    if (this.first[pair]! < 0) {
      this.first[pair] = this.last[pair] = packet;
      words[(packet << 3) + NEXT] = none;
      this.sincePs[pair] = this.clock.nowPs;
      if (this.isTimed[pair] === 0) this.time(pair, this.clock.nowPs + this.timeoutPs);
    } else if (this.sequenceOf(last) <= sequence) {
      words[(last << 3) + NEXT] = packet;
      words[(packet << 3) + NEXT] = none;
      this.last[pair] = packet;
    } else this.insert(packet, pair, sequence);
    return true;
  }

  /** Puts a packet before one with a larger number. */
  private insert(packet: number, pair: number, sequence: number): void {
    const { words } = this.records;
    let before = none;
    let after = this.first[pair]!;
    while (this.sequenceOf(after) <= sequence) {
      before = after;
      after = words[(after << 3) + NEXT]!;
    }
    words[(packet << 3) + NEXT] = after;
    if (before < 0) this.first[pair] = packet;
    else words[(before << 3) + NEXT] = packet;
  }

  /** Gives the first packet that waits to the transport. */
  private handOn(pair: number): void {
    const { words } = this.records;
    const packet = this.first[pair]!;
    this.first[pair] = words[(packet << 3) + NEXT]!;
    this.bytesOfHost[this.pairs.destination[pair]!]! -= words[(packet << 3) + HEAD]! >> bytesShift;
    this.waiting--;
    this.inner.receiveData(packet, pair);
  }

  /** A queue pair may have waited long enough for the packet that is missing. */
  private due(pair: number): void {
    this.isTimed[pair] = 0;
    if (this.first[pair]! < 0) return;
    const duePs = this.sincePs[pair]! + this.timeoutPs;
    if (duePs > this.clock.nowPs) {
      this.time(pair, duePs);
      return;
    }
    this.timeouts++;
    while (this.first[pair]! >= 0) this.handOn(pair);
  }

  private time(pair: number, timePs: number): void {
    this.isTimed[pair] = 1;
    this.timer.at(timePs, pair);
  }

  private expected(pair: number): number {
    return this.pairs.words[(pair << 4) + PairWord.expectedPacket]!;
  }

  private sequenceOf(packet: number): number {
    return this.records.words[(packet << 3) + SEQUENCE]!;
  }

  private reserve(capacity: number): void {
    this.first = grown(this.first, capacity, none);
    this.last = grown(this.last, capacity, none);
    this.sincePs = grown(this.sincePs, capacity);
    this.isTimed = grown(this.isTimed, capacity);
  }
}
