// What each port did by queue, counted as it happens, and the transmitters that count what goes through them. Only a
// run that asks for it has these transmitters: the others have the plain ones, which know nothing of counters.
// Invariant: a packet is counted when its transmission begins, so the bytes of all intervals add up to the total. Where
// it is dropped or marked, a packet counts at the output port that it was for.

import type { EventRecords } from '../../../engine/event-records.js';
import { HeadBits, Kind, PacketWord, kindMask } from '../packets.js';
import { Ports, type PortsParts, queuesPerPort } from '../ports.js';

// constants of this module fold into the machine code, imported ones do not
const { head: HEAD } = PacketWord;
const { bytesShift, queueShift } = HeadBits;

/** values of a queue: index `(port x 8 + queue) x 4 + value` of PortCounters.queues */
export const QueueValue = { packetsSent: 0, bytesSent: 1, peakBytes: 2 } as const;

/** values of a port: index `port x 2 + value` of PortCounters.ports */
export const PortValue = {
  bytesSent: 0,
  /** picoseconds of link time that they take */
  busyPs: 1,
} as const;

// constants of this module fold into the machine code
const { packetsSent: PACKETS, bytesSent: BYTES, peakBytes: PEAK } = QueueValue;
const { bytesSent: PORT_BYTES, busyPs: BUSY } = PortValue;

export class PortCounters {
  /**
   * what every packet touches, one record for each queue and port (QueueValue, PortValue); all whole numbers in float64
   */
  readonly queues: Float64Array;
  readonly ports: Float64Array;
  /** by port x 8 + queue */
  readonly packetsDropped: Float64Array;
  readonly packetsMarked: Float64Array;
  /** control frames by the priority that they are for */
  readonly pausesSent: Float64Array;
  readonly resumesSent: Float64Array;
  readonly pausesReceived: Float64Array;
  readonly resumesReceived: Float64Array;

  constructor(ports: number) {
    const queue = (): Float64Array => new Float64Array(ports * queuesPerPort);
    this.queues = new Float64Array(ports * queuesPerPort * 4);
    this.ports = new Float64Array(ports * 2);
    this.packetsDropped = queue();
    this.packetsMarked = queue();
    this.pausesSent = queue();
    this.resumesSent = queue();
    this.pausesReceived = queue();
    this.resumesReceived = queue();
  }
}

/** Transmitters that count what they send. */
export class MeteredPorts extends Ports {
  private readonly packetRecords: EventRecords;

  constructor(
    parts: PortsParts,
    private readonly counters: PortCounters,
  ) {
    super(parts);
    this.packetRecords = parts.wheel.records;
  }

  override transmit(port: number, packet: number): void {
    const head = this.packetRecords.words[(packet << 3) + HEAD]!;
    super.transmit(port, packet);
    this.countSent(port, head);
  }

  override transmitControl(port: number, frame: number): void {
    const { words } = this.packetRecords;
    const head = words[(frame << 3) + HEAD]!;
    // counted as what it is when it goes out: a frame that waits may be rewritten
    const sent = (head & kindMask) === Kind.pause ? this.counters.pausesSent : this.counters.resumesSent;
    sent[(port << 3) + words[(frame << 3) + PacketWord.place]!]!++;
    super.transmitControl(port, frame);
    this.countSent(port, head);
  }

  private countSent(port: number, head: number): void {
    const { queues, ports } = this.counters;
    const at = ((port << 3) + ((head >> queueShift) & 7)) << 2;
    const bytes = head >> bytesShift;
    queues[at + PACKETS]!++;
    queues[at + BYTES]! += bytes;
    ports[(port << 1) + PORT_BYTES]! += bytes;
    ports[(port << 1) + BUSY]! += this.freeAtPs(port) - this.nowPs;
  }

  override append(port: number, packet: number): void {
    super.append(port, packet);
    this.countQueued(port, (this.packetRecords.words[(packet << 3) + HEAD]! >> queueShift) & 7);
  }

  protected override insertControl(port: number, frame: number): void {
    super.insertControl(port, frame);
    this.countQueued(port, 0);
  }

  private countQueued(port: number, queue: number): void {
    const { queues } = this.counters;
    const bytes = this.queueBytes(port, queue);
    const at = (((port << 3) + queue) << 2) + PEAK;
    if (bytes > queues[at]!) queues[at] = bytes;
  }
}
