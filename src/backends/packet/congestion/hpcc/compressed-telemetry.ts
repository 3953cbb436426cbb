// Telemetry in two bytes: each switch port keeps a running utilisation, and a packet carries the largest of its path,
// coarsely encoded.
// Source: Ben Basat et al., "PINT: Probabilistic In-band Network Telemetry", SIGCOMM 2020, section 4.3 (HPCC over
// PINT): multiplicative encoding, maximum aggregation. Invariant: decode(encode(u)) is within the square root of the
// base of u, from the smallest code up.

import { grown } from '../../../../base/columns.js';
import type { EventRecords } from '../../../../engine/event-records.js';
import type { PacketTelemetry } from '../../plug-ins.js';
import type { Ports } from '../../ports.js';

/** utilisation of code 1; code 0 says that nothing was sampled */
const leastUtilisation = 1 / 1024;
/** most codes: two bytes are on the wire, far fewer are needed */
const mostCodes = 65_535;
const mostUtilisation = 1024;

export class CompressedTelemetry implements PacketTelemetry {
  /** code of the packet in a record */
  private code = new Uint16Array(0);
  /** utilisation of each port, and when it was last brought up to date */
  private readonly utilisation: Float64Array;
  private readonly updatedPs: Float64Array;
  /**
   * bytes of acknowledgements, with their gaps, since then: they count with the next data packet, which knows the queue
   */
  private readonly unstampedBytes: Float64Array;
  /** values[k]: utilisation of code k + 1 */
  private readonly values: Float64Array;

  /**
   * @param logBase ratio of neighbouring codes, above 1
   * @param baseRttPs the time over which utilisation is smoothed
   */
  constructor(
    records: EventRecords,
    private readonly ports: Ports,
    logBase: number,
    private readonly baseRttPs: number,
  ) {
    this.utilisation = new Float64Array(ports.count);
    this.updatedPs = new Float64Array(ports.count);
    this.unstampedBytes = new Float64Array(ports.count);
    const values: number[] = [];
    for (let value = leastUtilisation; value < mostUtilisation && values.length < mostCodes; value *= logBase)
      values.push(value);
    this.values = Float64Array.from(values);
    this.code = grown(this.code, records.capacity);
    records.onGrow((capacity) => {
      this.code = grown(this.code, capacity);
    });
  }

  departed(packet: number): void {
    this.code[packet] = 0;
  }

  stamp(packet: number, port: number, linkBytes: number, queueBytes: number): void {
    const code = this.encode(this.update(port, linkBytes, queueBytes));
    if (code > this.code[packet]!) this.code[packet] = code;
  }

  passed(port: number, linkBytes: number): void {
    this.unstampedBytes[port]! += linkBytes;
  }

  /** The largest utilisation on a packet's path as it was encoded; 0 if no switch was crossed. */
  utilisationOf(packet: number): number {
    const code = this.code[packet]!;
    return code === 0 ? 0 : this.values[code - 1]!;
  }

  /** The code nearest to a utilisation, by ratio. */
  encode(utilisation: number): number {
    const { values } = this;
    let low = 0;
    let high = values.length - 1;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (values[middle]! < utilisation) low = middle + 1;
      else high = middle;
    }
    // values[low] is the first at or above; the one below may be nearer
    return low > 0 && values[low - 1]! * values[low]! > utilisation * utilisation ? low : low + 1;
  }

  /** U <- (1 - tau / T) U + (tau / T) (queue / (B T) + bytes / (B dt)), tau = min(dt, T) */
  private update(port: number, linkBytes: number, queueBytes: number): number {
    const { baseRttPs } = this;
    const nowPs = this.ports.nowPs;
    const elapsedPs = nowPs - this.updatedPs[port]!;
    if (elapsedPs <= 0) {
      this.unstampedBytes[port]! += linkBytes;
      return this.utilisation[port]!;
    }
    const bytesPerPs = this.ports.rateBps[port]! / 8e12;
    const tauPs = Math.min(elapsedPs, baseRttPs);
    const u =
      queueBytes / (bytesPerPs * baseRttPs) + (linkBytes + this.unstampedBytes[port]!) / (bytesPerPs * elapsedPs);
    this.unstampedBytes[port] = 0;
    this.updatedPs[port] = nowPs;
    return (this.utilisation[port] = (this.utilisation[port]! * (baseRttPs - tauPs) + u * tauPs) / baseRttPs);
  }
}
