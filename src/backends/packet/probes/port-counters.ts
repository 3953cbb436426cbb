// What each port did by queue, counted as it happens, and the transmitters that count it. Only a run that asks for it has these
// transmitters: the others have the plain ones, which know nothing of counters.
// Invariant: a packet is counted when its transmission begins, so the bytes of all intervals add up to the total.

import type { Fabric } from '../../../fabric/fabric.js';
import { type EventRecords, Word } from '../event-records.js';
import type { EventWheel } from '../event-wheel.js';
import { bytesShift as importedBytesShift, queueShift as importedQueueShift } from '../packets.js';
import { Ports, queuesPerPort } from '../ports.js';

// constants of this module fold into the machine code, imported ones do not
const { head: HEAD } = Word;
const queueShift = importedQueueShift;
const bytesShift = importedBytesShift;

export class PortCounters {
  /** by port x 8 + queue; all whole numbers in float64 */
  readonly packetsSent: Float64Array;
  readonly bytesSent: Float64Array;
  /** by port: bytes sent, and picoseconds of link time that they take */
  readonly portBytesSent: Float64Array;
  readonly busyPs: Float64Array;

  constructor(ports: number) {
    const queue = (): Float64Array => new Float64Array(ports * queuesPerPort);
    this.packetsSent = queue();
    this.bytesSent = queue();
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
    const head = this.packetRecords.words[(frame << 3) + HEAD]!;
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
}
