// A fabric's links as plain values, for comparisons that do not go through Weft's own writer.

import type { Fabric } from '../../src/fabric/fabric.js';

/** Each link as its two nodes, in the order in which it names them. */
export function linkEnds(fabric: Fabric): [number, number][] {
  return Array.from({ length: fabric.linkCount }, (_, link) => [
    fabric.portNode[fabric.linkPorts[2 * link]!]!,
    fabric.portNode[fabric.linkPorts[2 * link + 1]!]!,
  ]);
}

/** The nodes at the other ends of a node's links, in the order of its ports. */
export function neighbours(fabric: Fabric, node: number): number[] {
  return Array.from(
    fabric.portPeer.subarray(fabric.portOffset[node], fabric.portOffset[node + 1]),
    (peer) => fabric.portNode[peer]!,
  );
}
