// Shortest routes to switches, for packets that switches send each other: one next hop for each pair of nodes, found by
// a search from the switch when the first packet goes there.
// Invariant: every next hop is one link closer to the switch, over links that are up as far as routing knows; hosts
// forward nothing. Where several are as close, the numbers of the two nodes choose. Not modelled: several ways at once.

import { type Fabric, NodeKind } from '../fabric/fabric.js';
import type { EqualCostRoutes } from './equal-cost.js';
import type { PathTracer } from './path.js';

const unknown = -1;

export class SwitchRoutes {
  private readonly fabric: Fabric;
  private routes: EqualCostRoutes;
  /** by switch: the output port of each node towards it */
  private readonly ports = new Map<number, Int32Array>();

  constructor(private readonly tracer: PathTracer) {
    this.fabric = tracer.fabric;
    this.routes = tracer.routes;
  }

  /** The output port of a node towards a switch; -1 if there is no route. */
  nextPort(node: number, to: number): number {
    if (this.routes !== this.tracer.routes) {
      this.routes = this.tracer.routes;
      this.ports.clear();
    }
    let ports = this.ports.get(to);
    if (ports === undefined) this.ports.set(to, (ports = this.search(to)));
    return ports[node]!;
  }

  private search(to: number): Int32Array {
    const { portOffset, nodeKind, nodeCount, portNeighbour } = this.fabric;
    const ports = new Int32Array(nodeCount).fill(unknown);
    const distance = new Int32Array(nodeCount).fill(unknown);
    const queue = [to];
    distance[to] = 0;
    for (const node of queue) {
      if (nodeKind[node] === NodeKind.host) continue;
      for (let port = portOffset[node]!; port < portOffset[node + 1]!; port++) {
        const peer = portNeighbour[port]!;
        if (distance[peer] !== unknown || !this.routes.leads(port)) continue;
        distance[peer] = distance[node]! + 1;
        queue.push(peer);
      }
    }
    const closer: number[] = [];
    for (const node of queue) {
      if (node === to) continue;
      closer.length = 0;
      for (let port = portOffset[node]!; port < portOffset[node + 1]!; port++) {
        const peer = portNeighbour[port]!;
        if (distance[peer] === distance[node]! - 1 && nodeKind[peer] !== NodeKind.host && this.routes.leads(port))
          closer.push(port);
      }
      ports[node] = closer[(node + to) % closer.length]!;
    }
    return ports;
  }
}
