// What a data packet brings back to its sender besides the ECN mark: when it was sent, and what each switch port on its
// way saw. A packet becomes its own acknowledgement in the same record, so everything is kept beside the record and
// nothing is copied.
// Invariant: the columns exist only for what the congestion control asked for; a run that asks for nothing pays one
// null test per hop.
// Source: in-band telemetry as HPCC uses it, Li et al., SIGCOMM 2019, section 4.1. Values are exact: no 24-bit clocks
// or 80-byte units.

import { grown } from '../../base/columns.js';
import type { EventRecords } from '../../engine/event-records.js';
import type { PacketParts } from './parts.js';
import type { PacketTelemetry } from './plug-ins.js';
import type { Ports } from './ports.js';

/** Stamps of every switch on the way: what the entry of a congestion control asks for. */
export const stamps = ({ records, ports, tracer }: PacketParts): PacketTelemetry =>
  new Telemetry(records, ports, tracer.maxLength);

export class Telemetry implements PacketTelemetry {
  /** when the packet of a record left its host, in picoseconds */
  sentPs = new Float64Array(0);
  /** hops stamped on the packet of a record */
  hopCount = new Uint8Array(0);
  /**
   * record x hops + hop: output port, time, bytes of link time it had sent before, bytes that waited behind the packet
   */
  hopPort = new Int32Array(0);
  hopTimePs = new Float64Array(0);
  hopSentBytes = new Float64Array(0);
  hopQueueBytes = new Float64Array(0);
  /** bytes that each port has sent, gaps included: a port that is never idle sends its rate */
  private readonly sentBytes: Float64Array;

  /** @param hops most switches on a path */
  constructor(
    records: EventRecords,
    private readonly ports: Ports,
    readonly hops: number,
  ) {
    this.sentBytes = new Float64Array(ports.count);
    this.reserve(records.capacity);
    records.onGrow((capacity) => this.reserve(capacity));
  }

  departed(packet: number): void {
    this.sentPs[packet] = this.ports.nowPs;
    this.hopCount[packet] = 0;
  }

  stamp(packet: number, port: number, linkBytes: number, queueBytes: number): void {
    const hop = this.hopCount[packet]!;
    if (hop < this.hops) {
      const at = packet * this.hops + hop;
      this.hopCount[packet] = hop + 1;
      this.hopPort[at] = port;
      this.hopTimePs[at] = this.ports.nowPs;
      this.hopSentBytes[at] = this.sentBytes[port]!;
      this.hopQueueBytes[at] = queueBytes;
    }
    this.sentBytes[port]! += linkBytes;
  }

  passed(port: number, linkBytes: number): void {
    this.sentBytes[port]! += linkBytes;
  }

  private reserve(capacity: number): void {
    this.sentPs = grown(this.sentPs, capacity);
    this.hopCount = grown(this.hopCount, capacity);
    this.hopPort = grown(this.hopPort, capacity * this.hops);
    this.hopTimePs = grown(this.hopTimePs, capacity * this.hops);
    this.hopSentBytes = grown(this.hopSentBytes, capacity * this.hops);
    this.hopQueueBytes = grown(this.hopQueueBytes, capacity * this.hops);
  }
}
