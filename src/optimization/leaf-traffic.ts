// What routes are made for: traffic from leaf switches to destinations. The traffic of all hosts of a leaf to one
// destination takes one way, so a matrix of hosts comes down to flows (leaf, destination). Source: the dissertation,
// section 3.3.1, "J: traffic pattern".
// Invariants: flows of a destination stand together, leaves ascending; a destination's own leaf has none; every weight
// is above 0.

import type { FatTree } from '../fabric/fat-tree.js';
import { TrafficColumn, type TrafficMatrix } from '../flows/traffic/matrix.js';
import { Float64List, Int32List } from '../base/columns.js';

export interface LeafTraffic {
  readonly tree: FatTree;
  /** hostCount + 1 offsets into leaf and weight, by rank of the destination */
  readonly offset: Int32Array;
  /** place of the sending leaf in tree.switches[0] */
  readonly leaf: Int32Array;
  readonly weight: Float64Array;
  /** what each host sends and receives in all, by rank; traffic on its own leaf included */
  readonly hostOut: Float64Array;
  readonly hostIn: Float64Array;
}

/** Sums a matrix up by sending leaf. Linear in its pairs. */
export function aggregateByLeaf(tree: FatTree, matrix: TrafficMatrix): LeafTraffic {
  const { hostCount } = matrix;
  const leaves = tree.switches[0]!;
  const leafIndex = new Int32Array(tree.fabric.nodeCount);
  leaves.forEach((node, index) => {
    leafIndex[node] = index;
  });
  const leafOf = Int32Array.from(tree.hostLeaf, (node) => leafIndex[node]!);
  const column = new TrafficColumn(hostCount);
  const sums = new Float64Array(leaves.length);
  const touched = new Int32Array(leaves.length);
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
      hostOut[source]! += amount;
      received += amount;
      const from = leafOf[source]!;
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
  return { tree, offset, leaf: leaf.toArray(), weight: weight.toArray(), hostOut, hostIn };
}
