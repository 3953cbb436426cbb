// For every destination leaf the links that traffic to it may take, in columns: switches that it can come to, farthest
// first, and their ports on minimal up-down paths. Destinations of one leaf may take the same ports, so shares of
// traffic are the same for all of them.
// Invariant: a switch stands before all that it sends to; the destination itself stands nowhere.

import type { FatTree } from '../fabric/fat-tree.js';
import { Float64List, Int32List } from '../base/columns.js';
import { MinimalPorts } from '../routing/minimal-ports.js';
import type { LeafTraffic } from './leaf-traffic.js';

export interface DestinationGraphs {
  readonly tree: FatTree;
  /** destinations + 1 offsets into the columns of switches */
  readonly switchOffset: Int32Array;
  /** node of the fabric */
  readonly node: Int32Array;
  /** traffic for the destination that begins there */
  readonly injected: Float64Array;
  /** ports that lead to it in the same graph */
  readonly entries: Int32Array;
  /** switches + 1 offsets into the columns of ports */
  readonly portOffset: Int32Array;
  /** port of the fabric */
  readonly port: Int32Array;
  /** node at its other end */
  readonly next: Int32Array;
}

/** Makes the graphs of all leaves that traffic goes to. @returns null if they have more than `mostPorts` ports */
export function destinationGraphs(
  { tree, offset, leaf, weight }: LeafTraffic,
  mostPorts = Infinity,
): DestinationGraphs | null {
  const { fabric, switches, hostLeaf } = tree;
  const { nodeCount, portNeighbour } = fabric;
  const minimal = new MinimalPorts(tree);
  const injected = new Float64Array(nodeCount);
  const entries = new Int32Array(nodeCount);
  const reached = new Uint8Array(nodeCount);
  const columns = {
    switchOffset: new Int32List(),
    node: new Int32List(),
    injected: new Float64List(),
    entries: new Int32List(),
    portOffset: new Int32List(),
    port: new Int32List(),
    next: new Int32List(),
  };
  columns.switchOffset.push(0);
  columns.portOffset.push(0);
  for (const destination of switches[0]!) {
    injected.fill(0);
    hostLeaf.forEach((own, rank) => {
      if (own === destination)
        for (let flow = offset[rank]!; flow < offset[rank + 1]!; flow++)
          injected[switches[0]![leaf[flow]!]!]! += weight[flow]!;
    });
    if (!injected.some((own) => own > 0)) continue;
    minimal.towards(destination);
    const order = farthestFirst(minimal, destination);
    entries.fill(0);
    for (let node = 0; node < nodeCount; node++)
      reached[node] = injected[node]! > 0 && minimal.distance[node]! > 0 ? 1 : 0;
    for (const node of order) {
      if (reached[node] === 0) continue;
      for (let i = minimal.offset[node]!; i < minimal.offset[node + 1]!; i++) {
        const next = portNeighbour[minimal.ports[i]!]!;
        columns.port.push(minimal.ports[i]!);
        columns.next.push(next);
        reached[next] = 1;
        entries[next]!++;
      }
      columns.node.push(node);
      columns.injected.push(injected[node]!);
      columns.entries.push(entries[node]!);
      columns.portOffset.push(columns.port.length);
    }
    columns.switchOffset.push(columns.node.length);
    if (columns.port.length > mostPorts) return null;
  }
  return {
    tree,
    switchOffset: columns.switchOffset.toArray(),
    node: columns.node.toArray(),
    injected: columns.injected.toArray(),
    entries: columns.entries.toArray(),
    portOffset: columns.portOffset.toArray(),
    port: columns.port.toArray(),
    next: columns.next.toArray(),
  };
}

/** Switches from which the destination can be reached, by distance. */
function farthestFirst({ distance }: MinimalPorts, destination: number): number[] {
  const byDistance: number[][] = [];
  distance.forEach((hops, node) => {
    if (hops > 0 && node !== destination) (byDistance[hops] ??= []).push(node);
  });
  const order: number[] = [];
  for (let hops = byDistance.length - 1; hops > 0; hops--) order.push(...(byDistance[hops] ?? []));
  return order;
}
