// The central controller: before a flow starts, it searches the source port whose path shares no hop with any flow that
// is under way. It walks the very tables and hash that the switches use. Source: central-controller document
// (docs/SOURCES.md), sections 3 and 5, with its two fixes: the final hop is never a conflict (no port choice can change
// it), and a path of one hop is left alone. Where no such path is free, its policy says what to do (docs/models/
// central-controller.md#policies); the source's, first-fit, leaves the flow its own port and forgets it.
// Invariant: what is released is what was placed; placed flows of one pair have different ports; with first-fit a
// placed hop belongs to exactly one flow. How ports are found without trying all: port-search.ts, least-path.ts. Not
// modelled: control-plane delay, stale tables.

import { type Fabric, serverOf } from '../fabric/fabric.js';
import type { PathTracer } from '../routing/path.js';
import type { BackgroundLoad } from './background-load.js';
import { HopHashes } from './hop-hashes.js';
import { HopLoads } from './hop-loads.js';
import { JointAssignment } from './joint-assignment.js';
import { LeastPath } from './least-path.js';
import { PathChoices } from './path-choices.js';
import type { PlacedFlow } from './placed-flow.js';
import { PortSearch } from './port-search.js';
import { type PortSet, TakenPorts } from './taken-ports.js';
import { TwoTier } from './two-tier.js';

/** What a controller does. */
export const controllerPolicies = ['first-fit', 'least-loaded', 'bandwidth-aware', 'batch'] as const;
export type ControllerPolicy = (typeof controllerPolicies)[number];

export type { PlacedFlow } from './placed-flow.js';

export class CentralController {
  /** flows for which a path with room was found, and those for which there was none */
  assigned = 0;
  unassigned = 0;

  private readonly fabric: Fabric;
  private readonly isByRate: boolean;
  /** by flow that is placed: its rate as the background takes it; empty without one */
  private readonly ownBps = new Map<number, number>();
  private readonly loads: HopLoads;
  /** by output port: what it has room for, in flows or in bit/s */
  private readonly room: Float64Array;
  private readonly held: Float64Array;
  private readonly search: PortSearch;
  /** null: who finds no room is left alone */
  private readonly least: LeastPath | null;
  private readonly taken: TakenPorts;
  private readonly path: Int32Array;
  /** null: flows are placed one by one */
  private readonly joint: JointAssignment | null;
  /** of the flow that is being placed, in the unit of `room` */
  private weight = 1;

  /** @param background what others put on links; null: nothing, or nobody looks */
  constructor(
    private readonly tracer: PathTracer,
    readonly policy: ControllerPolicy = 'first-fit',
    private readonly background: BackgroundLoad | null = null,
  ) {
    const { fabric, maxLength } = tracer;
    this.fabric = fabric;
    this.path = new Int32Array(maxLength);
    this.taken = new TakenPorts(fabric.nodeCount);
    const loads = (this.loads = new HopLoads(fabric.portCount, maxLength));
    const isByRate = (this.isByRate = policy === 'bandwidth-aware');
    this.room = Float64Array.from({ length: fabric.portCount }, (_, port) => (isByRate ? this.rateOf(port) : 1));
    this.held = isByRate ? loads.rateBps : loads.flows;
    const hashes = new HopHashes(tracer);
    this.search = new PortSearch(tracer, hashes, this.held, this.room);
    const costOf = isByRate
      ? (port: number) => (loads.rateBps[port]! + this.otherBps(port) + this.weight) / this.rateOf(port)
      : (port: number) => loads.bytes[port]! + loads.otherBytes[port]!;
    this.least = policy === 'first-fit' ? null : new LeastPath(tracer, hashes, costOf);
    this.joint =
      policy === 'least-loaded' || policy === 'batch'
        ? new JointAssignment({
            tracer,
            placer: this,
            loads,
            flowsOn: (port) => loads.flows[port]! + (this.room[port]! > 0 ? 0 : 1),
            choices: new PathChoices(tracer, hashes, (port) => this.held[port]! < this.room[port]!),
            twoTier: new TwoTier(tracer),
            isBatch: policy === 'batch',
          })
        : null;
  }

  /** Whether flows that are known at one time are placed together (assignTogether); else one by one. */
  get placesTogether(): boolean {
    return this.joint !== null;
  }

  /**
   * Chooses source ports for flows that are known at one time, and places them.
   * @param flows whose ports decide their paths (hasSay)
   * @param fallbackPorts the ports that they have if nobody chooses
   * @returns their ports
   */
  assignTogether(flows: readonly PlacedFlow[], fallbackPorts: readonly number[]): number[] {
    const { joint } = this;
    if (joint === null) return flows.map((flow, i) => this.assignSourcePort(flow, fallbackPorts[i]!));
    const ports = joint.assign(flows, fallbackPorts);
    for (const { flow } of flows)
      if (this.loads.isAlone(flow)) this.assigned++;
      else this.unassigned++;
    return ports;
  }

  /**
   * Chooses a source port and places the flow on its path (AssignSport).
   * @param fallbackPort the port to use when there is nothing to choose
   * @returns the lowest port from 1 to 65534 whose path has room but for its last hop; if there is none, that of the
   * least path of the policy, or with first-fit fallbackPort (then nothing is placed)
   */
  assignSourcePort(flow: PlacedFlow, fallbackPort: number): number {
    if (!this.hasSay(flow, fallbackPort)) return fallbackPort;
    const port = this.portWithRoom(flow);
    if (port >= 0) {
      this.assigned++;
      return this.place(flow, port);
    }
    this.unassigned++;
    return this.placeWithoutRoom(flow, fallbackPort);
  }

  /**
   * As assignSourcePort, for one that had a port before: it keeps it if its path has room.
   * @param port the one that it had
   */
  keepSourcePort(flow: PlacedFlow, port: number): number {
    return !this.hasSay(flow, port) || this.keepsSourcePort(flow, port) ? port : this.assignSourcePort(flow, port);
  }

  /** Places a flow by the port that it had before if its path has room. @returns whether it has */
  keepsSourcePort(flow: PlacedFlow, port: number): boolean {
    if (!this.hasSay(flow, port) || this.takenBy(flow).has(port) || !this.hasRoom(flow, port)) return false;
    this.place(flow, port);
    return true;
  }

  /**
   * Whether what a flow holds is the path of its port by the routes in force; nothing, if there is nothing to choose.
   */
  isWhereItHolds(flow: PlacedFlow, port: number): boolean {
    if (serverOf(this.fabric, flow.source) === serverOf(this.fabric, flow.destination)) return true;
    return this.loads.isAt(flow.flow, this.path, 1, this.computePath(flow, port) - 1);
  }

  /** Gives up the hops of a flow that has a port and keeps it, until placeAnew. */
  giveUpHops(flow: number): void {
    const rateBps = this.ownBps.get(flow);
    if (rateBps !== undefined) {
      this.ownBps.delete(flow);
      this.loads.eachHop(flow, (hop) => this.background!.ownChanges(hop, -rateBps));
    }
    this.loads.remove(flow);
  }

  /**
   * Port counters have been read.
   * @param ratesBps of every output port
   * @param overPs over how long that is the average, up to now, in picoseconds; 0: the rates of now
   */
  portsPolled(ratesBps: Float64Array, overPs: number): void {
    const { background, loads, room } = this;
    if (background === null) return;
    background.polled(ratesBps, overPs);
    // the source's policy knows reservations alone
    if (this.policy === 'first-fit') return;
    for (let port = 0; port < room.length; port++) {
      const otherBps = background.rateBps[port]!;
      loads.otherBytes[port] = background.bytesAhead(port);
      room[port] = this.isByRate ? this.rateOf(port) - otherBps : otherBps > 0 ? 0 : 1;
    }
  }

  /**
   * Places a flow under way that holds no hops, by the routes in force.
   * @param port the one that it has
   * @returns the port from now on: the same if its path has room, else as assignSourcePort says; if there is none, its
   * own
   */
  placeAnew(flow: PlacedFlow, port: number): number {
    const { source, destination, destinationPort, pinned } = flow;
    if (!this.hasSay(flow, port)) return port;
    const mayKeep =
      !this.taken.isOfAnother(flow.flow, source, destination, port) &&
      (pinned === null || pinned.takes(this.tracer, source, destination, port, destinationPort));
    if (mayKeep && this.hasRoom(flow, port)) return this.place(flow, port);
    const other = this.portWithRoom(flow);
    return other >= 0 ? this.place(flow, other) : this.placeWithoutRoom(flow, port);
  }

  /** Gives back what the flow holds, if anything (ReleasePath). */
  release(flow: number): void {
    this.giveUpHops(flow);
    this.taken.remove(flow);
  }

  /** Whether a flow's port decides its path; if so, its weight is known from now on. */
  hasSay(flow: PlacedFlow, port: number): boolean {
    if (serverOf(this.fabric, flow.source) === serverOf(this.fabric, flow.destination)) return false;
    // the path's first element is the NIC: hops are what follows
    const length = this.computePath(flow, port);
    if (length - 1 <= 1) return false;
    this.weigh(length);
    return true;
  }

  private hasRoom(flow: PlacedFlow, port: number): boolean {
    const end = this.computePath(flow, port) - 1;
    for (let i = 1; i < end; i++) if (this.held[this.path[i]!]! + this.weight > this.room[this.path[i]!]!) return false;
    return true;
  }

  /** The lowest port whose path has room but for its last hop, or -1. */
  portWithRoom({ source, destination, destinationPort, pinned }: PlacedFlow): number {
    const taken = this.taken.of(source, destination);
    return this.search.lowest(source, destination, destinationPort, this.weight, pinned, taken);
  }

  /** What the policy does with a flow for which no path has room. @returns its port */
  private placeWithoutRoom(flow: PlacedFlow, fallbackPort: number): number {
    const port = this.leastPort(flow);
    return port < 0 ? fallbackPort : this.place(flow, port);
  }

  /** The lowest port of the path that costs the policy least, or -1. */
  leastPort({ source, destination, destinationPort, pinned }: PlacedFlow): number {
    const taken = this.taken.of(source, destination);
    return this.least?.lowest(source, destination, destinationPort, pinned, taken) ?? -1;
  }

  /** The ports that flows of a flow's pair have. */
  takenBy({ source, destination }: PlacedFlow): PortSet {
    return this.taken.of(source, destination);
  }

  /** The path for a port, into this.path (ComputePath). @returns its length with the NIC */
  private computePath({ source, destination, destinationPort }: PlacedFlow, port: number): number {
    return this.tracer.trace(source, destination, port, destinationPort, this.path);
  }

  /** What the flow whose path was computed last asks of a hop: one place, or the rate of its slower end. */
  private weigh(length: number): void {
    if (!this.isByRate) return;
    this.weight = Math.min(this.rateOf(this.path[0]!), this.rateOf(this.path[length - 1]!));
  }

  /** Puts a flow that holds nothing on the path of a port. @returns the port */
  place(flow: PlacedFlow, port: number): number {
    const length = this.computePath(flow, port);
    this.loads.place(flow.flow, this.path, 1, length - 1, flow.sizeBytes, this.weight);
    if (this.background !== null) {
      const rateBps = Math.min(this.rateOf(this.path[0]!), this.rateOf(this.path[length - 1]!));
      this.ownBps.set(flow.flow, rateBps);
      for (let i = 1; i < length - 1; i++) this.background.ownChanges(this.path[i]!, rateBps);
    }
    this.taken.remove(flow.flow);
    this.taken.add(flow.flow, flow.source, flow.destination, port);
    return port;
  }

  private otherBps(port: number): number {
    return this.background === null ? 0 : this.background.rateBps[port]!;
  }

  private rateOf(port: number): number {
    return this.fabric.linkRateBps[this.fabric.portLink[port]!]!;
  }
}
