// A traffic matrix in a few numbers: the columns of Table 3.1 of Taffet's dissertation (docs/SOURCES.md), and how
// even the traffic is. Hops count links of minimal paths, from host to host: 2 on one leaf, 4 in one pod, 6 otherwise;
// they are not weighted by traffic.

import { NodeKind } from '../../fabric/fabric.js';
import { hopCount, type FatTree } from '../../fabric/fat-tree.js';
import { TrafficColumn, type TrafficMatrix } from './matrix.js';

export interface TrafficStatistics {
  /** pairs with traffic */
  readonly pairs: number;
  /** pairs per host of the fabric, whether it takes part or not: Table 3.1's partners per node */
  readonly partnersPerHost: number;
  /** hosts that send or receive */
  readonly activeHosts: number;
  /** mean over pairs; 0 without pairs */
  readonly averageHops: number;
  /** pairs with 2, 4 and 6 hops */
  readonly pairsByHops: { readonly leaf: number; readonly pod: number; readonly core: number };
  readonly totalWeight: number;
  /** share of the traffic with 2, 4 and 6 hops; where there is no tree, 4 stands for all that leaves a switch */
  readonly shareByHops: { readonly leaf: number; readonly pod: number; readonly core: number };
  readonly smallestWeight: number;
  readonly largestWeight: number;
}

/** Counts a matrix. Linear in its pairs. */
export function trafficStatistics(tree: FatTree, matrix: TrafficMatrix): TrafficStatistics {
  const column = new TrafficColumn(matrix.hostCount);
  const active = new Uint8Array(matrix.hostCount);
  const pairs = new Float64Array(7);
  const weights = new Float64Array(7);
  let smallest = Infinity;
  let largest = 0;
  let sumOfHops = 0;
  const distance = tree.isTree ? null : switchDistances(tree);
  for (let destination = 0; destination < matrix.hostCount; destination++) {
    matrix.toDestination(destination, column);
    if (column.length > 0) active[destination] = 1;
    for (let i = 0; i < column.length; i++) {
      const source = column.sources[i]!;
      const weight = column.weights[i]!;
      const hops = hopCount(tree, source, destination);
      active[source] = 1;
      sumOfHops += distance === null || hops === 2 ? hops : 2 + distance(source, destination);
      pairs[hops]!++;
      weights[hops]! += weight;
      if (weight < smallest) smallest = weight;
      if (weight > largest) largest = weight;
    }
  }
  const count = pairs[2]! + pairs[4]! + pairs[6]!;
  const total = weights[2]! + weights[4]! + weights[6]!;
  const share = (part: number): number => (total === 0 ? 0 : part / total);
  return {
    pairs: count,
    partnersPerHost: count / matrix.hostCount,
    activeHosts: active.reduce((sum, own) => sum + own, 0),
    averageHops: count === 0 ? 0 : sumOfHops / count,
    pairsByHops: { leaf: pairs[2]!, pod: pairs[4]!, core: pairs[6]! },
    totalWeight: total,
    shareByHops: { leaf: share(weights[2]!), pod: share(weights[4]!), core: share(weights[6]!) },
    smallestWeight: count === 0 ? 0 : smallest,
    largestWeight: largest,
  };
}

/** Links between the switches of two hosts on a shortest way, by ranks; worked out once per destination in turn. */
function switchDistances({ fabric, hostLeaf }: FatTree): (source: number, destination: number) => number {
  const { portOffset, portNode, portPeer, nodeKind, nodeCount } = fabric;
  const distance = new Int32Array(nodeCount);
  let from = -1;
  return (source, destination) => {
    const target = hostLeaf[destination]!;
    if (target !== from) {
      from = target;
      distance.fill(-1);
      distance[target] = 0;
      const queue = [target];
      for (const node of queue)
        for (let port = portOffset[node]!; port < portOffset[node + 1]!; port++) {
          const peer = portNode[portPeer[port]!]!;
          if (nodeKind[peer] === NodeKind.host || distance[peer] !== -1) continue;
          distance[peer] = distance[node]! + 1;
          queue.push(peer);
        }
    }
    return Math.max(0, distance[hostLeaf[source]!]!);
  };
}
