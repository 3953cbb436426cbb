// What every link carried: bytes and queue pairs by output port, from the paths of what was sent, so it means the same on every backend.
// A port's bytes over its rate are a time that nothing on the fabric can beat: the largest of them is a lower bound, and names the bottleneck.
// Counted when a queue pair starts, on the path it then has. Not counted: acknowledgements, retransmissions, new paths after a failure.

import type { Fabric } from '../fabric/fabric.js';
import { linkTiers, type LinkTiers } from '../fabric/link-tiers.js';

/** The links of one tier (link-tiers.ts), in one direction. */
export interface TierLoad {
  readonly name: string;
  /** output ports, and those of them that carried anything */
  readonly ports: number;
  readonly usedPorts: number;
  /** queue pairs over all ports, and those of the port with the most bytes for its rate */
  readonly flows: number;
  readonly busiestFlows: number;
  /** link bytes (with headers and gaps) over all ports, and over the busiest */
  readonly bytes: number;
  readonly busiestBytes: number;
  /** time that the busiest port needs for its bytes, and the mean over all ports of the tier, in picoseconds */
  readonly busiestPs: number;
  readonly meanPs: number;
  readonly busiestPort: number;
  /** rate of the busiest port */
  readonly rateBps: number;
}

export class LinkLoads {
  private readonly bytes: Float64Array;
  private readonly flows: Float64Array;
  private tiers: LinkTiers | null = null;

  constructor(private readonly fabric: Fabric) {
    this.bytes = new Float64Array(fabric.portCount);
    this.flows = new Float64Array(fabric.portCount);
  }

  /** A queue pair starts. @param path output ports @param linkBytes what it takes of every link on the path */
  add(path: Int32Array, length: number, linkBytes: number): void {
    const { bytes, flows } = this;
    for (let i = 0; i < length; i++) {
      const port = path[i]!;
      bytes[port]! += linkBytes;
      flows[port]!++;
    }
  }

  /** Bytes that an output port carried. */
  bytesOf(port: number): number {
    return this.bytes[port]!;
  }

  /** Every tier, in the order in which a packet meets them. */
  byTier(): TierLoad[] {
    const { fabric, bytes, flows } = this;
    const { tiers, tierOf } = (this.tiers ??= linkTiers(fabric));
    const loads = tiers.map(({ name, ports }) => ({ name, ports, usedPorts: 0, flows: 0, busiestFlows: 0, bytes: 0, busiestBytes: 0, busiestPs: 0, meanPs: 0, busiestPort: -1, rateBps: 0 }));
    for (let port = 0; port < fabric.portCount; port++) {
      if (flows[port] === 0) continue;
      const load = loads[tierOf[port]!]!;
      const rateBps = fabric.linkRateBps[fabric.portLink[port]!]!;
      const timePs = (bytes[port]! * 8e12) / rateBps;
      load.usedPorts++;
      load.flows += flows[port]!;
      load.bytes += bytes[port]!;
      load.meanPs += timePs / load.ports;
      if (timePs > load.busiestPs) Object.assign(load, { busiestPs: timePs, busiestBytes: bytes[port]!, busiestFlows: flows[port]!, busiestPort: port, rateBps });
    }
    return loads;
  }
}
