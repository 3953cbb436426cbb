// Whose flows a central controller places that has only a share of the servers.
// Invariant: the same fabric, share and seed draw the same servers, each by itself; so a small share of few servers may
// draw none, which the plan says.

import { RandomStream } from '../base/random.js';
import { type Fabric, serverOf } from '../fabric/fabric.js';

/**
 * Draws servers, one by one in order of their first hosts.
 * @param share from 0 to 1 @returns by node: 1 for the hosts of those that were drawn
 */
export function askingHosts(fabric: Fabric, share: number, seed: number): Uint8Array {
  const random = new RandomStream(seed, 'controller share');
  const asks = new Uint8Array(fabric.nodeCount);
  const byServer = new Map<number, number>();
  for (const host of fabric.hosts) {
    const server = serverOf(fabric, host);
    const drawn = byServer.get(server) ?? (random.nextFraction() < share ? 1 : 0);
    byServer.set(server, drawn);
    asks[host] = drawn;
  }
  return asks;
}
