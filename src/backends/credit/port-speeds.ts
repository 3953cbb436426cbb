// How fast ports are, by class: ports whose rates and latencies are equal share a class, so that the times of all
// transmissions of a fabric stand in a few cache lines.
// Invariant: a class never changes; a port whose rate changes goes to another one.

import { grown } from '../../base/columns.js';
import type { Fabric } from '../../fabric/fabric.js';
import { portLatencyPs } from '../../fabric/forwarding-latency.js';
import type { PortRules } from './link-buffers.js';

/** Reals of a class, in picoseconds: index `at(port) + real` of `reals`. */
export const SpeedReal = {
  /** time of a full packet, and of a header */
  fullPs: 0,
  headerPs: 1,
  /** from the port to the next node */
  latencyPs: 2,
  /** how long credits take back to the port */
  returnPs: 3,
} as const;

export class PortSpeeds {
  /** by port */
  private readonly classOf: Int32Array;
  /** all ports are of one class so far: nobody has to look */
  private areEqual = true;
  reals = new Float64Array(4 * 16);
  private rateBps = new Float64Array(16);
  private readonly known = new Map<string, number>();

  constructor(
    private readonly fabric: Fabric,
    private readonly rules: PortRules,
  ) {
    this.classOf = new Int32Array(fabric.portCount);
  }

  /** Where the reals of a port's class begin. */
  at(port: number): number {
    return this.areEqual ? 0 : this.classOf[port]! << 2;
  }

  /** A port has a rate from now on. */
  setRate(port: number, rateBps: number): void {
    const { fabric, rules } = this;
    const latencyPs = portLatencyPs(fabric, port);
    const returnPs = fabric.linkLatencyPs[fabric.portLink[port]!]! + rules.returnLatencyPs;
    const key = `${rateBps} ${latencyPs} ${returnPs}`;
    let known = this.known.get(key);
    if (known === undefined) {
      known = this.known.size;
      this.known.set(key, known);
      if (known === this.rateBps.length) {
        this.rateBps = grown(this.rateBps, 2 * known);
        this.reals = grown(this.reals, 8 * known);
      }
      this.rateBps[known] = rateBps;
      const at = known << 2;
      this.reals[at + SpeedReal.fullPs] = serialisationPs(rules.fullBytes, rateBps);
      this.reals[at + SpeedReal.headerPs] = serialisationPs(rules.headerBytes, rateBps);
      this.reals[at + SpeedReal.latencyPs] = latencyPs;
      this.reals[at + SpeedReal.returnPs] = returnPs;
    }
    this.classOf[port] = known;
    if (known > 0) this.areEqual = false;
  }

  /** Time of so many bytes on the link of a port, in picoseconds. */
  serialisationPs(port: number, bytes: number): number {
    return serialisationPs(bytes, this.rateBps[this.classOf[port]!]!);
  }
}

function serialisationPs(bytes: number, rateBps: number): number {
  return Math.round((bytes * 8e12) / rateBps);
}
