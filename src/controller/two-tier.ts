// The shape of a flow's paths where they all go from one leaf over one spine to another leaf, and the links of leaves
// by units: the n-th link between a leaf and a spine is the same unit at every leaf.
// Invariant: a path of a pair of leaves has an up link and a down link of the same spine, and every such pair of links
// is a path. Other shapes (three tiers, hosts on several leaves) have none.

import { type Fabric, mostPortsOfHost, NodeKind } from '../fabric/fabric.js';
import type { EqualCostRoutes } from '../routing/equal-cost.js';
import type { PathTracer } from '../routing/path.js';

/** Two leaves between which flows go. */
export interface LeafPair {
  readonly source: number;
  readonly destination: number;
}

const none = -1;

export class TwoTier {
  /** units in all */
  readonly width: number;
  private readonly fabric: Fabric;
  private readonly nics: Int32Array;
  private routes: EqualCostRoutes;
  private readonly pairs = new Map<number, LeafPair | null>();
  /** by port of a switch that leads to another: the unit if that is a spine */
  private readonly unitOf: Int32Array;
  private readonly ups = new Map<number, Int32Array>();
  private readonly downs = new Map<number, Int32Array>();

  constructor(private readonly tracer: PathTracer) {
    this.fabric = tracer.fabric;
    this.nics = new Int32Array(mostPortsOfHost(tracer.fabric));
    this.routes = tracer.routes;
    const { nodeCount, nodeKind, portCount } = tracer.fabric;
    const firstUnit = new Int32Array(nodeCount);
    this.unitOf = new Int32Array(portCount);
    let width = 0;
    for (let node = 0; node < nodeCount; node++) {
      firstUnit[node] = width;
      if (nodeKind[node] === NodeKind.switch) width += this.numberLinks(node);
    }
    const { portNeighbour } = tracer.fabric;
    for (let port = 0; port < portCount; port++) this.unitOf[port]! += firstUnit[portNeighbour[port]!]!;
    this.width = width;
  }

  /** The leaves of a pair of hosts; null if its paths have another shape. */
  between(source: number, destination: number): LeafPair | null {
    if (this.tracer.routes !== this.routes) {
      this.routes = this.tracer.routes;
      for (const known of [this.pairs, this.ups, this.downs]) known.clear();
    }
    const leaf = this.leafOf(source, destination);
    const far = this.leafOf(destination, source);
    if (leaf < 0 || far < 0 || leaf === far) return null;
    const key = leaf * this.fabric.nodeCount + far;
    let pair = this.pairs.get(key);
    if (pair === undefined) this.pairs.set(key, (pair = this.pairOf(leaf, far, destination)));
    return pair;
  }

  /** By unit: the output port of a leaf that leads up; -1: none. Of leaves that `between` has told of. */
  up(leaf: number): Int32Array {
    return this.linksOf(this.ups, leaf);
  }

  /** By unit: the output port of a spine that leads down to a leaf; -1: none. */
  down(leaf: number): Int32Array {
    return this.linksOf(this.downs, leaf);
  }

  private linksOf(known: Map<number, Int32Array>, leaf: number): Int32Array {
    let ports = known.get(leaf);
    if (ports === undefined) known.set(leaf, (ports = new Int32Array(this.width).fill(none)));
    return ports;
  }

  /** Numbers the links between a switch and each other one from 0. @returns most links to one */
  private numberLinks(node: number): number {
    const { portOffset, nodeKind, portNeighbour } = this.fabric;
    const links = new Map<number, number>();
    let most = 0;
    for (let port = portOffset[node]!; port < portOffset[node + 1]!; port++) {
      const other = portNeighbour[port]!;
      if (nodeKind[other] !== NodeKind.switch) continue;
      const number = links.get(other) ?? 0;
      this.unitOf[port] = number;
      links.set(other, number + 1);
      most = Math.max(most, number + 1);
    }
    return most;
  }

  /** The one switch by which a host sends to another; -1: there are several. */
  private leafOf(host: number, other: number): number {
    const { nodeKind, portNeighbour } = this.fabric;
    const count = this.routes.sourcePorts(host, other, this.nics);
    if (count === 0) return none;
    const leaf = portNeighbour[this.nics[0]!]!;
    for (let i = 1; i < count; i++) if (portNeighbour[this.nics[i]!] !== leaf) return none;
    return nodeKind[leaf] === NodeKind.switch ? leaf : none;
  }

  private pairOf(leaf: number, far: number, destination: number): LeafPair | null {
    const { portPeer, portNeighbour } = this.fabric;
    const up = this.nextPorts(leaf, destination);
    const spines = new Set(up.map((port) => portNeighbour[port]!));
    const down = [...spines].flatMap((spine) => this.nextPorts(spine, destination));
    if (down.length === 0 || down.some((port) => portNeighbour[port] !== far)) return null;
    const [ups, downs] = [this.up(leaf), this.down(far)];
    for (const port of up) ups[this.unitOf[port]!] = port;
    for (const port of down) downs[this.unitOf[portPeer[port]!]!] = port;
    return { source: leaf, destination: far };
  }

  private nextPorts(node: number, destination: number): number[] {
    const { setOffset, setPorts } = this.routes;
    const set = this.routes.nextHopSet(node, destination);
    return set < 0 ? [] : [...setPorts.subarray(setOffset[set], setOffset[set + 1])];
  }
}
