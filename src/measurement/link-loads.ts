// What every link carried, and where flows were held up: from the paths of queue pairs and the times between their
// starts and ends, so it means the same on every backend.
//   Bytes: a port's bytes over its rate are a time that nothing on the fabric can beat; the port for which it is
//   largest is the busiest.
//   Sharing: on each port of its path a queue pair meets a number of others, on average over its life. The port with
//   the most for its rate
//   is the one that held it up (of equal ones the first: a flow that meets nobody is held up by its own NIC), and its
//   bytes count there.
// A queue pair that changes its path divides its bytes by the time it was on each, and is held up on the last one; one
// that takes several ways at once divides them equally among the ports at one place of the way. Not counted:
// acknowledgements, retransmissions; of queue pairs that never finish, paths before the last.

import { grown } from '../base/columns.js';
import type { Fabric } from '../fabric/fabric.js';
import { linkTiers, type LinkTiers } from '../fabric/link-tiers.js';
import { PortsOfPackets } from './ports-of-packets.js';

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
  /**
   * link bytes of the queue pairs that the tier held up, and how many shared the link meanwhile, weighted by these
   * bytes (0: none)
   */
  readonly heldUpBytes: number;
  readonly sharing: number;
}

/** A path that a queue pair has left, and for how long it had it. */
interface LeftPath {
  readonly ports: Int32Array;
  readonly lifePs: number;
}

export class LinkLoads {
  private readonly bytes: Float64Array;
  private readonly flows: Float64Array;
  private readonly heldUpBytes: Float64Array;
  private readonly sharedBytes: Float64Array;
  /** by port: queue pairs under way, the integral of that number over time, and until when it is known */
  private readonly active: Float64Array;
  private readonly activePs: Float64Array;
  private readonly knownPs: Float64Array;
  /** by slot: length of the path, start, bytes; by slot and hop: port, and the port's integral at the start */
  private lengths = new Int32Array(0);
  private startPs = new Float64Array(0);
  private linkBytes = new Float64Array(0);
  private ports = new Int32Array(0);
  private integralPs = new Float64Array(0);
  private stride = 0;
  /** by slot, of the few that need it */
  private readonly left = new Map<number, LeftPath[]>();
  /** ports of queue pairs without one path; by entry there: the port's integral when it was taken */
  private readonly taken: PortsOfPackets;
  private takenIntegralPs = new Float64Array(0);
  private tiers: LinkTiers | null = null;

  constructor(private readonly fabric: Fabric) {
    const { portCount } = fabric;
    this.taken = new PortsOfPackets(fabric);
    this.bytes = new Float64Array(portCount);
    this.flows = new Float64Array(portCount);
    this.heldUpBytes = new Float64Array(portCount);
    this.sharedBytes = new Float64Array(portCount);
    this.active = new Float64Array(portCount);
    this.activePs = new Float64Array(portCount);
    this.knownPs = new Float64Array(portCount);
  }

  /** A queue pair starts. @param path output ports @param linkBytes what it takes of every link on the path */
  started(slot: number, path: Int32Array, length: number, linkBytes: number, nowPs: number): void {
    this.reserve(slot, path.length);
    const { bytes, flows, active, activePs, ports, integralPs } = this;
    this.lengths[slot] = length;
    this.startPs[slot] = nowPs;
    this.linkBytes[slot] = linkBytes;
    for (let i = 0, entry = slot * this.stride; i < length; i++, entry++) {
      const port = path[i]!;
      bytes[port]! += linkBytes;
      flows[port]!++;
      this.settle(port, nowPs);
      active[port]!++;
      ports[entry] = port;
      integralPs[entry] = activePs[port]!;
    }
  }

  /** A queue pair goes on over another path. */
  moved(slot: number, path: Int32Array, length: number, nowPs: number): void {
    const linkBytes = this.linkBytes[slot]!;
    const begin = slot * this.stride;
    const ports = this.ports.slice(begin, begin + this.lengths[slot]!);
    for (const port of ports) {
      this.settle(port, nowPs);
      this.active[port]!--;
      this.bytes[port]! -= linkBytes;
    }
    const before = this.left.get(slot) ?? [];
    before.push({ ports, lifePs: nowPs - this.startPs[slot]! });
    this.left.set(slot, before);
    // a port of both paths has it once
    for (let i = 0; i < length; i++) if (ports.includes(path[i]!)) this.flows[path[i]!]!--;
    this.started(slot, path, length, linkBytes, nowPs);
  }

  /** A queue pair without a path of its own, which started with none, takes a port for the first time. */
  took(slot: number, port: number, nowPs: number): void {
    this.settle(port, nowPs);
    this.active[port]!++;
    this.flows[port]!++;
    const entry = this.taken.add(slot, port);
    this.takenIntegralPs = grown(this.takenIntegralPs, this.taken.capacity);
    this.takenIntegralPs[entry] = this.activePs[port]!;
  }

  /** The queue pair in a slot has finished. */
  finished(slot: number, nowPs: number): void {
    this.divide(slot, nowPs);
    const { fabric, active, activePs, ports, integralPs } = this;
    const { portLink, linkRateBps } = fabric;
    const lifePs = nowPs - this.startPs[slot]!;
    let worst = -1;
    let worstWeight = 0;
    let sharing = 0;
    for (let i = 0, entry = slot * this.stride; i < this.lengths[slot]!; i++, entry++) {
      const port = ports[entry]!;
      this.settle(port, nowPs);
      active[port]!--;
      const mean = lifePs > 0 ? (activePs[port]! - integralPs[entry]!) / lifePs : 1;
      const weight = mean / linkRateBps[portLink[port]!]!;
      // a little more than the links before is no more: sums of times are rounded
      if (weight <= worstWeight * (1 + 1e-9)) continue;
      worst = port;
      worstWeight = weight;
      sharing = mean;
    }
    if (worst < 0) return;
    const linkBytes = this.linkBytes[slot]!;
    this.heldUpBytes[worst]! += linkBytes;
    this.sharedBytes[worst]! += linkBytes * sharing;
  }

  /** Books the bytes of a queue pair that had several paths. */
  private divide(slot: number, nowPs: number): void {
    const linkBytes = this.linkBytes[slot]!;
    this.divideAmongTaken(slot, linkBytes, nowPs);
    const before = this.left.get(slot);
    if (before === undefined) return;
    this.left.delete(slot);
    const lastPs = nowPs - this.startPs[slot]!;
    const wholePs = before.reduce((sum, { lifePs }) => sum + lifePs, lastPs);
    if (wholePs === 0) return;
    for (const { ports, lifePs } of before)
      for (const port of ports) this.bytes[port]! += (linkBytes * lifePs) / wholePs;
    const begin = slot * this.stride;
    for (let entry = begin; entry < begin + this.lengths[slot]!; entry++)
      this.bytes[this.ports[entry]!]! -= linkBytes * (1 - lastPs / wholePs);
  }

  /** Books the bytes of a queue pair without one path: at each place of the way its ports share them equally. */
  private divideAmongTaken(slot: number, linkBytes: number, nowPs: number): void {
    this.taken.read(slot);
    const { count, ports, places, entries, lastPlace } = this.taken;
    if (count === 0) return;
    const beside = new Int32Array(lastPlace + 1);
    for (let i = 0; i < count; i++) beside[places[i]!]!++;
    const lifePs = nowPs - this.startPs[slot]!;
    let worst = -1;
    let worstWeight = 0;
    let sharing = 0;
    for (let i = 0; i < count; i++) {
      const port = ports[i]!;
      this.bytes[port]! += linkBytes / beside[places[i]!]!;
      this.settle(port, nowPs);
      this.active[port]!--;
      const mean = lifePs > 0 ? (this.activePs[port]! - this.takenIntegralPs[entries[i]!]!) / lifePs : 1;
      const weight = mean / this.fabric.linkRateBps[this.fabric.portLink[port]!]!;
      if (weight <= worstWeight * (1 + 1e-9)) continue;
      worst = port;
      worstWeight = weight;
      sharing = mean;
    }
    if (worst < 0) return;
    this.heldUpBytes[worst]! += linkBytes;
    this.sharedBytes[worst]! += linkBytes * sharing;
  }

  /** Bytes that an output port carried. */
  bytesOf(port: number): number {
    return this.bytes[port]!;
  }

  /** Every tier, in the order in which a packet meets them. */
  byTier(): TierLoad[] {
    const { fabric, bytes, flows } = this;
    const { tiers, tierOf } = (this.tiers ??= linkTiers(fabric));
    const loads = tiers.map(({ name, ports }) => ({
      name,
      ports,
      usedPorts: 0,
      flows: 0,
      busiestFlows: 0,
      bytes: 0,
      busiestBytes: 0,
      busiestPs: 0,
      meanPs: 0,
      busiestPort: -1,
      rateBps: 0,
      heldUpBytes: 0,
      sharing: 0,
    }));
    for (let port = 0; port < fabric.portCount; port++) {
      if (flows[port] === 0) continue;
      const load = loads[tierOf[port]!]!;
      const rateBps = fabric.linkRateBps[fabric.portLink[port]!]!;
      const timePs = (bytes[port]! * 8e12) / rateBps;
      load.usedPorts++;
      load.flows += flows[port]!;
      load.bytes += bytes[port]!;
      load.meanPs += timePs / load.ports;
      load.heldUpBytes += this.heldUpBytes[port]!;
      load.sharing += this.sharedBytes[port]!;
      if (timePs > load.busiestPs)
        Object.assign(load, {
          busiestPs: timePs,
          busiestBytes: bytes[port]!,
          busiestFlows: flows[port]!,
          busiestPort: port,
          rateBps,
        });
    }
    for (const load of loads) load.sharing = load.heldUpBytes === 0 ? 0 : load.sharing / load.heldUpBytes;
    return loads;
  }

  private settle(port: number, nowPs: number): void {
    this.activePs[port]! += this.active[port]! * (nowPs - this.knownPs[port]!);
    this.knownPs[port] = nowPs;
  }

  private reserve(slot: number, stride: number): void {
    if (slot < this.lengths.length) return;
    const capacity = Math.max(256, 2 * this.lengths.length, slot + 1);
    this.stride = stride;
    this.lengths = grown(this.lengths, capacity);
    this.startPs = grown(this.startPs, capacity);
    this.linkBytes = grown(this.linkBytes, capacity);
    this.ports = grown(this.ports, capacity * stride);
    this.integralPs = grown(this.integralPs, capacity * stride);
  }
}
