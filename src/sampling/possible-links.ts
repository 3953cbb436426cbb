// Which links a packet may have taken, from its ends alone: those on any equal-cost way between them, whatever the
// hashes say. A receiver tests no others.
// Hosts that hang on the same switches share the links between switches; their own links are told apart by host.
// Invariant: every link of every path that the routes allow is among them. Ways that were possible before the routes
// changed are not: packets under way when a link fails are tested for the new ones.
// Source: Taffet's dissertation (docs/SOURCES.md), 2.5.1, "we do not need to test link d".

import type { Fabric } from '../fabric/fabric.js';
import type { EqualCostRoutes } from '../routing/equal-cost.js';

export class PossibleLinks {
  /** by node: number of its set of neighbours */
  private readonly classOf: Int32Array;
  private readonly classes: number;
  private readonly known = new Map<number, Int32Array>();
  private routes: EqualCostRoutes | null = null;
  private readonly scratch: Int32Array;
  private readonly seen: Uint8Array;

  /** @param routesNow the routes in force */
  constructor(
    private readonly fabric: Fabric,
    private readonly routesNow: () => EqualCostRoutes,
  ) {
    const { nodeCount, portOffset, portPeer, portNode, portCount } = fabric;
    const names = new Map<string, number>();
    this.classOf = Int32Array.from({ length: nodeCount }, (_, node) => {
      const peers = Array.from(portPeer.subarray(portOffset[node]!, portOffset[node + 1]!), (peer) => portNode[peer]!);
      const name = peers.sort((a, b) => a - b).join(' ');
      const found = names.get(name);
      if (found !== undefined) return found;
      names.set(name, names.size);
      return names.size - 1;
    });
    this.classes = names.size;
    this.scratch = new Int32Array(portCount);
    this.seen = new Uint8Array(nodeCount);
  }

  /** The routes in force now. */
  routesInForce(): EqualCostRoutes {
    return this.routesNow();
  }

  /** One number for all pairs of nodes between which the same links between other nodes are possible. */
  pairOf(source: number, destination: number): number {
    return this.classOf[source]! * this.classes + this.classOf[destination]!;
  }

  /** Sending ports of links between the two that touch neither of them, of their `pairOf`. */
  between(source: number, destination: number): Int32Array {
    if (this.routes !== this.routesNow()) {
      this.routes = this.routesNow();
      this.known.clear();
    }
    const pair = this.pairOf(source, destination);
    const known = this.known.get(pair);
    if (known !== undefined) return known;
    const found = this.search(source, destination, this.routes);
    this.known.set(pair, found);
    return found;
  }

  private search(source: number, destination: number, routes: EqualCostRoutes): Int32Array {
    const { portNode, portPeer } = this.fabric;
    const { seen } = this;
    const found: number[] = [];
    const todo: number[] = [];
    const visit = (node: number): void => {
      if (node === destination || seen[node] === 1) return;
      seen[node] = 1;
      todo.push(node);
    };
    const first = routes.sourcePorts(source, destination, this.scratch);
    for (let i = 0; i < first; i++) visit(portNode[portPeer[this.scratch[i]!]!]!);
    for (let i = 0; i < todo.length; i++) {
      const set = routes.nextHopSet(todo[i]!, destination);
      if (set < 0) continue;
      for (let at = routes.setOffset[set]!; at < routes.setOffset[set + 1]!; at++) {
        const port = routes.setPorts[at]!;
        const next = portNode[portPeer[port]!]!;
        if (next === destination) continue;
        found.push(port);
        visit(next);
      }
    }
    for (const node of todo) seen[node] = 0;
    return Int32Array.from(found);
  }
}
