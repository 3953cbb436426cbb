// How far switches stand from the hosts: leaves are linked to hosts, spines to leaves, cores to spines.
// Invariant: the level of a switch is the number of links to its nearest host; NVSwitches stand in servers and lead
// nowhere, so no level is counted through them. Not modelled: what a switch is called where levels are mixed, as when a
// host hangs on a spine; that spine is a leaf.

import { type Fabric, NodeKind } from './fabric.js';

/** The level of NVSwitches: between hosts and leaves. */
export const nvswitchLevel = 0.5;

/** What a switch of level 1, 2, 3 is called. */
const levelWords = ['', 'leaf', 'spine', 'core'];

/** The word for switches of a level from 1: `leaf`, `spine`, `core`, `tier4`. */
export function levelWord(level: number): string {
  return levelWords[level] ?? `tier${level}`;
}

/** By node: 0 for hosts and for switches that no host reaches, nvswitchLevel for NVSwitches, else links to a host. */
export function switchLevels({
  nodeCount,
  nodeKind,
  hosts,
  portOffset,
  portNode,
  portPeer,
}: Fabric): Float64Array<ArrayBuffer> {
  const levels = Float64Array.from({ length: nodeCount }, (_, node) =>
    nodeKind[node] === NodeKind.nvswitch ? nvswitchLevel : 0,
  );
  let frontier: number[] = Array.from(hosts);
  for (let level = 1; frontier.length > 0; level++) {
    const next: number[] = [];
    for (const node of frontier) {
      for (let port = portOffset[node]!; port < portOffset[node + 1]!; port++) {
        const peer = portNode[portPeer[port]!]!;
        if (nodeKind[peer] !== NodeKind.switch || levels[peer] !== 0) continue;
        levels[peer] = level;
        next.push(peer);
      }
    }
    frontier = next;
  }
  return levels;
}
