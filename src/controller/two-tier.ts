// The shape of a flow's paths where they all go from one leaf over one spine to another leaf: which output ports lead up
// to which spine, and which down from it.
// Invariant: a path of the pair has an up link and a down link of the same spine, and every such pair of links that are
// both listed is a path. Other shapes (three tiers, hosts on several leaves) have none.

import { type Fabric, mostPortsOfHost, NodeKind } from '../fabric/fabric.js';
import type { EqualCostRoutes } from '../routing/equal-cost.js';
import type { PathTracer } from '../routing/path.js';

/** The ways from a leaf to another. */
export interface LeafPair {
  readonly source: number;
  readonly destination: number;
  /** output ports of the source leaf, and those of spines, that lead on */
  readonly up: readonly number[];
  readonly down: readonly number[];
}

export class TwoTier {
  private readonly fabric: Fabric;
  private readonly nics: Int32Array;
  private routes: EqualCostRoutes;
  private readonly pairs = new Map<number, LeafPair | null>();

  constructor(private readonly tracer: PathTracer) {
    this.fabric = tracer.fabric;
    this.nics = new Int32Array(mostPortsOfHost(tracer.fabric));
    this.routes = tracer.routes;
  }

  /** The leaves of a pair of hosts and the ways between them; null if that is not the shape of its paths. */
  between(source: number, destination: number): LeafPair | null {
    if (this.tracer.routes !== this.routes) {
      this.routes = this.tracer.routes;
      this.pairs.clear();
    }
    const leaf = this.leafOf(source, destination);
    const far = this.leafOf(destination, source);
    if (leaf < 0 || far < 0 || leaf === far) return null;
    const key = leaf * this.fabric.nodeCount + far;
    let pair = this.pairs.get(key);
    if (pair === undefined) this.pairs.set(key, (pair = this.waysBetween(leaf, far, destination)));
    return pair;
  }

  /** The one switch by which a host sends to another; -1: there are several. */
  private leafOf(host: number, other: number): number {
    const { portNode, portPeer, nodeKind } = this.fabric;
    const count = this.routes.sourcePorts(host, other, this.nics);
    if (count === 0) return -1;
    const leaf = portNode[portPeer[this.nics[0]!]!]!;
    for (let i = 1; i < count; i++) if (portNode[portPeer[this.nics[i]!]!] !== leaf) return -1;
    return nodeKind[leaf] === NodeKind.switch ? leaf : -1;
  }

  private waysBetween(leaf: number, far: number, destination: number): LeafPair | null {
    const { portNode, portPeer } = this.fabric;
    const up = this.nextPorts(leaf, destination);
    const spines = new Set(up.map((port) => portNode[portPeer[port]!]!));
    const down: number[] = [];
    for (const spine of spines) {
      const ports = this.nextPorts(spine, destination);
      if (ports.some((port) => portNode[portPeer[port]!] !== far)) return null;
      down.push(...ports);
    }
    return up.length === 0 || down.length === 0 ? null : { source: leaf, destination: far, up, down };
  }

  private nextPorts(node: number, destination: number): number[] {
    const { setOffset, setPorts } = this.routes;
    const set = this.routes.nextHopSet(node, destination);
    return set < 0 ? [] : [...setPorts.subarray(setOffset[set], setOffset[set + 1])];
  }
}
