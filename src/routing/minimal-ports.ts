// The ports on minimal up-down paths: for one destination switch, which ports of every other switch lead to it in as
// few hops as possible, first up, then down. The set K of Taffet's dissertation (docs/SOURCES.md), section 3.3.1, for
// trees with missing and parallel links as well.
// Invariants: a switch above the destination (one that reaches it by going down alone) has only ports down, every other
// switch only ports up; so any choice of one port per switch is free of loops and of deadlocks. A switch that would
// have to go down and up again has none.

import { NodeKind } from '../fabric/fabric.js';
import type { FatTree } from '../fabric/fat-tree.js';

export class MinimalPorts {
  /** hops from each node to the destination; -1 if no up-down path leads there. Of the last call of `towards` */
  readonly distance: Int16Array;
  /** first candidate of each node in `ports`, nodeCount + 1 offsets */
  readonly offset: Int32Array;
  /** candidates, as ports of the fabric, ascending within a node */
  readonly ports: Int32Array;
  private readonly down: Uint8Array;

  constructor(readonly tree: FatTree) {
    const { nodeCount, portCount } = tree.fabric;
    this.distance = new Int16Array(nodeCount);
    this.offset = new Int32Array(nodeCount + 1);
    this.ports = new Int32Array(portCount);
    this.down = new Uint8Array(nodeCount);
  }

  /** Finds the candidates of all switches for a destination switch (for a host: its leaf). Linear in the links. */
  towards(destination: number): void {
    const { tree, distance, down } = this;
    const { fabric, nodeLevel, switches, levels } = tree;
    const { portOffset, portNode, portPeer } = fabric;
    distance.fill(-1);
    down.fill(0);
    distance[destination] = 0;
    down[destination] = 1;
    for (let level = nodeLevel[destination]! + 1; level < levels; level++) {
      for (const node of switches[level]!) {
        for (let port = portOffset[node]!; port < portOffset[node + 1]!; port++) {
          const peer = portNode[portPeer[port]!]!;
          if (nodeLevel[peer] !== level - 1 || down[peer] === 0) continue;
          down[node] = 1;
          distance[node] = distance[peer]! + 1;
          break;
        }
      }
    }
    for (let level = levels - 2; level >= 0; level--) {
      for (const node of switches[level]!) {
        if (down[node] === 1) continue;
        let nearest = -1;
        for (let port = portOffset[node]!; port < portOffset[node + 1]!; port++) {
          const peer = portNode[portPeer[port]!]!;
          const hops = nodeLevel[peer] === level + 1 ? distance[peer]! : -1;
          if (hops !== -1 && (nearest === -1 || hops < nearest)) nearest = hops;
        }
        if (nearest !== -1) distance[node] = nearest + 1;
      }
    }
    this.collect(destination);
  }

  private collect(destination: number): void {
    const { tree, distance, down, offset, ports } = this;
    const { fabric, nodeLevel } = tree;
    const { portOffset, portNode, portPeer, nodeKind } = fabric;
    let count = 0;
    for (let node = 0; node < fabric.nodeCount; node++) {
      offset[node] = count;
      if (nodeKind[node] === NodeKind.host || distance[node]! <= 0 || node === destination) continue;
      const step = down[node] === 1 ? -1 : 1;
      for (let port = portOffset[node]!; port < portOffset[node + 1]!; port++) {
        const peer = portNode[portPeer[port]!]!;
        if (
          nodeLevel[peer]! !== nodeLevel[node]! + step ||
          nodeKind[peer] === NodeKind.host ||
          distance[peer] !== distance[node]! - 1
        )
          continue;
        ports[count++] = port;
      }
    }
    offset[fabric.nodeCount] = count;
  }
}
