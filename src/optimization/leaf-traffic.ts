// What routes are made for: traffic from leaf switches to destinations. The traffic of all hosts of a leaf to one
// destination takes one way, so a matrix of hosts comes down to flows (leaf, destination). Source: Taffet's
// dissertation (docs/SOURCES.md), section 3.3.1, "J: traffic pattern".
// Invariants: flows of a destination stand together, leaves ascending; a destination's own leaf has none; every weight
// is above 0. What hosts send and receive is that of the same flows, and of pairs on one leaf.

import type { FatTree } from '../fabric/fat-tree.js';
import { UpDownReach } from '../routing/up-down-reach.js';
import { TrafficColumn, type TrafficMatrix } from '../flows/traffic/matrix.js';
import { Float64List, Int32List } from '../base/columns.js';

export interface LeafTraffic {
  readonly tree: FatTree;
  /** hostCount + 1 offsets into leaf and weight, by rank of the destination */
  readonly offset: Int32Array;
  /** place of the sending leaf in tree.switches[0] */
  readonly leaf: Int32Array;
  readonly weight: Float64Array;
  /** which LID of the destination each flow goes to; left out: all to the first */
  readonly lidOffset?: Uint8Array;
  /** flows (leaf, destination) that were left out */
  readonly leftOut: number;
  /** what each host sends and receives in these flows, by rank; traffic on its own leaf included */
  readonly hostOut: Float64Array;
  readonly hostIn: Float64Array;
}

/** Whether a flow counts: place of its leaf in tree.switches[0], rank of its destination, also on that leaf. */
export type FlowFilter = (leaf: number, destination: number) => boolean;

/**
 * Sums up a matrix by sending leaf, without the flows that no up-down routes can carry. What routes are computed for.
 */
export function routableTraffic(tree: FatTree, matrix: TrafficMatrix): LeafTraffic {
  const reach = UpDownReach.of(tree);
  if (reach.complete) return aggregateByLeaf(tree, matrix);
  const leafOf = leafPlaces(tree);
  return aggregateByLeaf(tree, matrix, (leaf, destination) => reach.joins(leaf, leafOf[destination]!));
}

/** Place in tree.switches[0] of the leaf of each host, by rank. */
export function leafPlaces(tree: FatTree): Int32Array {
  const place = new Int32Array(tree.fabric.nodeCount);
  tree.switches[0]!.forEach((node, index) => {
    place[node] = index;
  });
  return Int32Array.from(tree.hostLeaf, (node) => place[node]!);
}

/** Sums up a matrix by sending leaf. Linear in its pairs. @param counts which flows; every one if it is left out */
export function aggregateByLeaf(tree: FatTree, matrix: TrafficMatrix, counts?: FlowFilter): LeafTraffic {
  const { hostCount } = matrix;
  const leaves = tree.switches[0]!;
  const leafOf = leafPlaces(tree);
  const column = new TrafficColumn(hostCount);
  const sums = new Float64Array(leaves.length);
  const touched = new Int32Array(leaves.length);
  /** the destination for which a leaf's flow was left out last */
  const leftOutFor = new Int32Array(leaves.length).fill(-1);
  let leftOut = 0;
  const offset = new Int32Array(hostCount + 1);
  const leaf = new Int32List();
  const weight = new Float64List();
  const hostOut = new Float64Array(hostCount);
  const hostIn = new Float64Array(hostCount);
  for (let destination = 0; destination < hostCount; destination++) {
    matrix.toDestination(destination, column);
    const { sources, weights, length } = column;
    const own = leafOf[destination]!;
    let count = 0;
    let received = 0;
    for (let i = 0; i < length; i++) {
      const source = sources[i]!;
      const amount = weights[i]!;
      const from = leafOf[source]!;
      if (counts !== undefined && !counts(from, destination)) {
        if (leftOutFor[from] !== destination) leftOut++;
        leftOutFor[from] = destination;
        continue;
      }
      hostOut[source]! += amount;
      received += amount;
      if (from === own) continue;
      if (sums[from] === 0) touched[count++] = from;
      sums[from]! += amount;
    }
    hostIn[destination] = received;
    for (const from of touched.subarray(0, count).sort()) {
      leaf.push(from);
      weight.push(sums[from]!);
      sums[from] = 0;
    }
    offset[destination + 1] = leaf.length;
  }
  return { tree, offset, leaf: leaf.toArray(), weight: weight.toArray(), leftOut, hostOut, hostIn };
}
