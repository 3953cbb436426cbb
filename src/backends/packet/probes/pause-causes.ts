// What the forest of pauses comes to: for each congestion point how many pauses go back to it, how far they spread,
// what they cost and which hosts they stopped. Invariant: every pause belongs to exactly one congestion point.

import type { PauseCauses } from '../../../execution/network-figures.js';
import { type Fabric, interfaceIndex, NodeKind } from '../../../fabric/fabric.js';
import { NodeNames } from '../../../fabric/node-names.js';
import type { PauseTree } from './pause-tree.js';

/** How many congestion points a summary names. */
const mostCongestionPoints = 100;

/** By pause: its root and the number of pauses on the way to it. */
export interface PauseWays {
  readonly root: Int32Array;
  readonly depth: Int32Array;
}

/** The root of every pause and its distance from it. */
export function pauseWays(tree: PauseTree): PauseWays {
  const root = new Int32Array(tree.count);
  const depth = new Int32Array(tree.count);
  for (let pause = 0; pause < tree.count; pause++) {
    const parent = tree.parentOf(pause);
    root[pause] = parent < 0 ? pause : root[parent]!;
    depth[pause] = parent < 0 ? 1 : depth[parent]! + 1;
  }
  return { root, depth };
}

/**
 * Sums the pauses up by their congestion points.
 * @param nowPs the end of the run, up to which unresumed pauses count
 */
export function pauseCauses(fabric: Fabric, tree: PauseTree, ways: PauseWays, nowPs: number): PauseCauses {
  const points = new Map<
    number,
    { port: number; queue: number; pauses: number; roots: number; depth: number; pausedPs: number; hosts: Set<number> }
  >();
  for (let pause = 0; pause < tree.count; pause++) {
    const port = tree.causeOf(ways.root[pause]!);
    const queue = tree.queueOf(pause);
    const key = port * 8 + queue;
    let point = points.get(key);
    if (point === undefined)
      points.set(key, (point = { port, queue, pauses: 0, roots: 0, depth: 0, pausedPs: 0, hosts: new Set() }));
    const endPs = tree.endPsOf(pause);
    const upstream = fabric.portNode[fabric.portPeer[tree.portOf(pause)]!]!;
    point.pauses++;
    if (ways.root[pause] === pause) point.roots++;
    point.depth = Math.max(point.depth, ways.depth[pause]!);
    point.pausedPs += (endPs < 0 ? nowPs : endPs) - tree.beginPsOf(pause);
    if (fabric.nodeKind[upstream] === NodeKind.host) point.hosts.add(upstream);
  }
  const ordered = [...points.entries()]
    .sort(([a, one], [b, other]) => other.pauses - one.pauses || a - b)
    .map(([, point]) => point);
  const names = new NodeNames(fabric);
  const largest = ordered
    .slice(0, mostCongestionPoints)
    .map(({ port, queue, pauses, roots, depth, pausedPs, hosts }) => ({
      node: fabric.portNode[port]!,
      interface: interfaceIndex(fabric, port),
      name: names.portName(port),
      priority: queue,
      pauses,
      roots,
      depth,
      pausedPs,
      hosts: hosts.size,
    }));
  return { pauses: tree.count, beyond: tree.beyond, congestionPoints: points.size, largest };
}
