// The ports on minimal up-down paths: for one destination switch, which ports of every other switch lead to it in as
// few hops as possible, first up, then down. The set K of Taffet's dissertation (docs/SOURCES.md), section 3.3.1, for
// trees with missing and parallel links as well.
// Invariants: a switch above the destination (one that reaches it by going down alone) has only ports down, every other
// switch only ports up; so any choice of one port per switch is free of loops and of deadlocks. A switch that would
// have to go down and up again has none.

import { NodeKind } from '../fabric/fabric.js';
import type { FatTree } from '../fabric/fat-tree.js';

/** More hops than any way has. */
const farthest = 0x7fff;

export class MinimalPorts {
  /** hops from each node to the destination; -1 if no up-down path leads there. Of the last destination asked for */
  readonly distance: Int16Array;
  /** first candidate of each node in `ports`, nodeCount + 1 offsets. Of the last call of `towards` */
  readonly offset: Int32Array;
  /** candidates, as ports of the fabric, ascending within a node */
  readonly ports: Int32Array;
  private readonly down: Uint8Array;
  private readonly up: LinksOfSwitches;
  private readonly below: LinksOfSwitches;
  /** least distance by group of switches of a level */
  private readonly nearest: Int16Array;
  /** the switches above the destination and itself, level by level */
  private readonly above: Int32Array;

  constructor(readonly tree: FatTree) {
    const { nodeCount, portCount } = tree.fabric;
    this.distance = new Int16Array(nodeCount);
    this.offset = new Int32Array(nodeCount + 1);
    this.ports = new Int32Array(portCount);
    this.down = new Uint8Array(nodeCount);
    this.up = linksOfSwitches(tree, 1);
    this.below = linksOfSwitches(tree, -1);
    this.above = new Int32Array(nodeCount);
    this.nearest = new Int16Array(tree.podCount + Math.max(1, tree.coreGroupCount));
  }

  /** Finds the candidates of all switches for a destination switch (for a host: its leaf). Linear in the links. */
  towards(destination: number): void {
    this.measure(destination);
    this.collect();
  }

  /** Finds only how far all switches are from a destination switch. Linear in the links. */
  measure(destination: number): void {
    const { tree, distance, down, up, above } = this;
    const { switches, levels } = tree;
    distance.fill(-1);
    down.fill(0);
    distance[destination] = 0;
    down[destination] = 1;
    above[0] = destination;
    let count = 1;
    for (let i = 0; i < count; i++) {
      const node = above[i]!;
      for (let at = up.offset[node]!; at < up.offset[node + 1]!; at++) {
        const peer = up.peer[at]!;
        if (down[peer] === 1) continue;
        down[peer] = 1;
        distance[peer] = distance[node]! + 1;
        above[count++] = peer;
      }
    }
    for (let level = levels - 2; level >= 0; level--) {
      this.findNearest(switches[level + 1]!);
      for (const node of switches[level]!) {
        if (down[node] === 1 || up.offset[node] === up.offset[node + 1]) continue;
        const least = this.nearest[this.groupOf(up.peer[up.offset[node]!]!)]!;
        let nearest = farthest;
        for (let at = up.offset[node]!; at < up.offset[node + 1]! && nearest > least; at++) {
          const hops = distance[up.peer[at]!]!;
          if (hops !== -1 && hops < nearest) nearest = hops;
        }
        if (nearest !== farthest) distance[node] = nearest + 1;
      }
    }
  }

  /** The least distance among given switches of one level, group by group: no switch below one finds a lesser one. */
  private findNearest(switches: Int32Array): void {
    const { distance, nearest } = this;
    nearest.fill(farthest);
    for (const node of switches) {
      const group = this.groupOf(node);
      if (distance[node] !== -1 && distance[node]! < nearest[group]!) nearest[group] = distance[node]!;
    }
  }

  /** Pod of a switch, above the pods its core group. All that a switch is linked to above is of one group. */
  private groupOf(node: number): number {
    const { podOf, podCount, coreGroupOf } = this.tree;
    return podOf[node] === -1 ? podCount + Math.max(0, coreGroupOf[node]!) : podOf[node]!;
  }

  /** The candidates of one switch for the destination that was measured last: ports of the fabric, ascending. */
  candidates(node: number): number[] {
    const { distance, down, below, up } = this;
    const nearer = distance[node]! - 1;
    const ports: number[] = [];
    if (nearer < 0) return ports;
    const links = down[node] === 1 ? below : up;
    for (let at = links.offset[node]!; at < links.offset[node + 1]!; at++)
      if (distance[links.peer[at]!] === nearer) ports.push(links.port[at]!);
    return ports;
  }

  /** Finds the candidates of all switches for the destination that was measured last. Linear in the links. */
  collect(): void {
    const { tree, distance, down, offset, ports } = this;
    const { nodeCount } = tree.fabric;
    let count = 0;
    for (let node = 0; node < nodeCount; node++) {
      offset[node] = count;
      const nearer = distance[node]! - 1;
      if (nearer < 0) continue;
      const links = down[node] === 1 ? this.below : this.up;
      for (let at = links.offset[node]!; at < links.offset[node + 1]!; at++)
        if (distance[links.peer[at]!] === nearer) ports[count++] = links.port[at]!;
    }
    offset[nodeCount] = count;
  }
}

/** The links of switches to switches of the next level, in one direction. */
interface LinksOfSwitches {
  /** by node, nodeCount + 1 offsets */
  readonly offset: Int32Array;
  /** port of the fabric, ascending within a node, and the switch at its other end */
  readonly port: Int32Array;
  readonly peer: Int32Array;
}

function linksOfSwitches({ fabric, nodeLevel }: FatTree, step: 1 | -1): LinksOfSwitches {
  const { nodeCount, portOffset, nodeKind, portNeighbour } = fabric;
  const offset = new Int32Array(nodeCount + 1);
  const port = new Int32Array(fabric.portCount);
  const peer = new Int32Array(fabric.portCount);
  let count = 0;
  for (let node = 0; node < nodeCount; node++) {
    offset[node] = count;
    if (nodeKind[node] === NodeKind.host) continue;
    for (let own = portOffset[node]!; own < portOffset[node + 1]!; own++) {
      const other = portNeighbour[own]!;
      if (nodeKind[other] === NodeKind.host || nodeLevel[other] !== nodeLevel[node]! + step) continue;
      port[count] = own;
      peer[count++] = other;
    }
  }
  offset[nodeCount] = count;
  return { offset, port: port.subarray(0, count), peer: peer.subarray(0, count) };
}
