// The links between switches of a fat tree as routing sees them: which ports lead up from a leaf, from a spine to the
// cores, from a core into a pod, and from the spines down to a leaf. A "drop" is a port of a spine that sends down to a
// leaf.
// Invariants: ports are those of the fabric; leaves, spines and cores are counted from 0 in the order of tree.switches.
// Missing and parallel links are simply what the lists hold. A tree of two levels has no cores, one of a single leaf
// has no spines.

import type { FatTree } from '../fabric/fat-tree.js';
import { loadPerTraffic } from './table-loads.js';

/** Lists of ports, one after another: list i is ports[offset[i] .. offset[i + 1]). */
export interface PortLists {
  readonly offset: Int32Array;
  readonly ports: Int32Array;
}

export class RouteNetwork {
  readonly leafCount: number;
  readonly spineCount: number;
  readonly coreCount: number;
  readonly hostCount: number;
  /** place within its level of the switch that sends by a port, and of the one that receives; by port */
  readonly portFrom: Int32Array;
  readonly portTo: Int32Array;
  /** load per traffic, by port */
  readonly worth: Float64Array;
  /** leaf of each host, by rank */
  readonly leafOf: Int32Array;
  readonly leafPod: Int32Array;
  readonly spinePod: Int32Array;
  /** core group of each spine; -1 without cores above it */
  readonly spineGroup: Int32Array;
  /** ports up, by leaf */
  readonly leafUp: PortLists;
  /** ports to the cores, by spine */
  readonly spineUp: PortLists;
  /** ports of spines down to a leaf, by leaf */
  readonly drops: PortLists;
  /** ports down into a pod, by core x podCount + pod */
  readonly coreDown: PortLists;
  /** ports between switches, ascending */
  readonly links: Int32Array;

  constructor(readonly tree: FatTree) {
    const { fabric, nodeLevel, switches, podOf, podCount, coreGroupOf } = tree;
    const place = new Int32Array(fabric.nodeCount);
    for (const level of switches)
      level.forEach((node, index) => {
        place[node] = index;
      });
    this.portFrom = Int32Array.from(fabric.portNode, (node) => place[node]!);
    this.portTo = Int32Array.from(fabric.portPeer, (peer) => place[fabric.portNode[peer]!]!);
    this.worth = loadPerTraffic(fabric);
    this.leafCount = switches[0]!.length;
    this.spineCount = switches[1]?.length ?? 0;
    this.coreCount = switches[2]?.length ?? 0;
    this.hostCount = fabric.hosts.length;
    this.leafOf = Int32Array.from(tree.hostLeaf, (node) => place[node]!);
    this.leafPod = switches[0]!.map((node) => podOf[node]!);
    this.spinePod = (switches[1] ?? new Int32Array(0)).map((node) => podOf[node]!);
    this.spineGroup = (switches[1] ?? new Int32Array(0)).map((node) => coreGroupOf[node]!);
    const levelOf = (port: number): number => nodeLevel[fabric.portNode[port]!]!;
    const peerLevel = (port: number): number => nodeLevel[fabric.portNeighbour[port]!]!;
    const { portFrom, portTo, spinePod } = this;
    const collect = (lists: number, list: (port: number) => number): PortLists => {
      const found: [list: number, port: number][] = [];
      for (let port = 0; port < fabric.portCount; port++) {
        const own = list(port);
        if (own !== -1) found.push([own, port]);
      }
      return portLists(lists, found);
    };
    this.leafUp = collect(this.leafCount, (port) =>
      levelOf(port) === 0 && peerLevel(port) === 1 ? portFrom[port]! : -1,
    );
    this.spineUp = collect(this.spineCount, (port) =>
      levelOf(port) === 1 && peerLevel(port) === 2 ? portFrom[port]! : -1,
    );
    this.drops = collect(this.leafCount, (port) => (levelOf(port) === 1 && peerLevel(port) === 0 ? portTo[port]! : -1));
    this.coreDown = collect(this.coreCount * podCount, (port) =>
      levelOf(port) === 2 && peerLevel(port) === 1 ? portFrom[port]! * podCount + spinePod[portTo[port]!]! : -1,
    );
    const links: number[] = [];
    for (let port = 0; port < fabric.portCount; port++)
      if (levelOf(port) >= 0 && peerLevel(port) >= 0) links.push(port);
    this.links = Int32Array.from(links);
  }
}

function portLists(lists: number, found: readonly [list: number, port: number][]): PortLists {
  const offset = new Int32Array(lists + 1);
  for (const [list] of found) offset[list + 1]!++;
  for (let list = 0; list < lists; list++) offset[list + 1]! += offset[list]!;
  const next = offset.slice();
  const ports = new Int32Array(found.length);
  for (const [list, port] of found) ports[next[list]!++] = port;
  return { offset, ports };
}
