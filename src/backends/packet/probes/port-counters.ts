// What each port did by queue, counted as it happens, and the transmitters that count what goes through them. Only a run that asks for it
// has these transmitters: the others have the plain ones, which know nothing of counters.
// Invariant: a packet is counted when its transmission begins, so the bytes of all intervals add up to the total.
// Where it is dropped or marked, a packet counts at the output port that it was for.

import type { Fabric } from '../../../fabric/fabric.js';
import { type EventRecords, Word } from '../event-records.js';
import type { EventWheel } from '../event-wheel.js';
import { bytesShift as importedBytesShift, Kind, kindMask, queueShift as importedQueueShift } from '../packets.js';
import { Ports, queuesPerPort } from '../ports.js';

// constants of this module fold into the machine code, imported ones do not
const { head: HEAD } = Word;
const queueShift = importedQueueShift;
const bytesShift = importedBytesShift;

export class PortCounters {
  /** by port x 8 + queue; all whole numbers in float64 */
  readonly packetsSent: Float64Array;
  readonly bytesSent: Float64Array;
  readonly packetsDropped: Float64Array;
  readonly packetsMarked: Float64Array;
  /** control frames by the priority that they are for */
  readonly pausesSent: Float64Array;
  readonly resumesSent: Float64Array;
  readonly pausesReceived: Float64Array;
  readonly resumesReceived: Float64Array;
  readonly peakQueueBytes: Float64Array;
  /** by port: bytes sent, and picoseconds of link time that they take */
  readonly portBytesSent: Float64Array;
  readonly busyPs: Float64Array;

  constructor(ports: number) {
    const queue = (): Float64Array => new Float64Array(ports * queuesPerPort);
    this.packetsSent = queue();
    this.bytesSent = queue();
    this.packetsDropped = queue();
    this.packetsMarked = queue();
    this.pausesSent = queue();
    this.resumesSent = queue();
    this.pausesReceived = queue();
    this.resumesReceived = queue();
    this.peakQueueBytes = queue();
    this.portBytesSent = new Float64Array(ports);
    this.busyPs = new Float64Array(ports);
  }
}

/** Transmitters that count what they send. */
export class MeteredPorts extends Ports {
  constructor(
    fabric: Fabric,
    wheel: EventWheel,
    private readonly packetRecords: EventRecords,
    gapBytes: number,
    private readonly counters: PortCounters,
    responsePs: number,
  ) {
    super(fabric, wheel, packetRecords, gapBytes, responsePs);
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
    sent[(port << 3) + words[(frame << 3) + Word.place]!]!++;
    super.transmitControl(port, frame);
    this.countSent(port, head);
  }

  private countSent(port: number, head: number): void {
    const { counters } = this;
    const index = (port << 3) + ((head >> queueShift) & 7);
    const bytes = head >> bytesShift;
    counters.packetsSent[index]!++;
    counters.bytesSent[index]! += bytes;
    counters.portBytesSent[port]! += bytes;
    counters.busyPs[port]! += this.freeAtPs(port) - this.nowPs;
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
    const { peakQueueBytes } = this.counters;
    const bytes = this.queueBytes(port, queue);
    if (bytes > peakQueueBytes[(port << 3) + queue]!) peakQueueBytes[(port << 3) + queue] = bytes;
  }
}
