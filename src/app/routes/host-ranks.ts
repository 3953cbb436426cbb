// Ranks of hosts by the names that files give them.

import type { RoutedFabric } from '../../fabric/routed-fabric.js';

/**
 * Ranks by whole name, and by its first word; adapters with two ports, and sites that do not name their hosts, have
 * several of a name.
 */
export function hostNames({ fabric, identity }: RoutedFabric): Map<string, number[]> {
  const whole = new Map<string, number[]>();
  const words = new Map<string, number[]>();
  fabric.hosts.forEach((host, rank) => {
    const name = identity.nodeName[host]!;
    addRank(whole, name, rank);
    addRank(words, name.split(' ')[0]!, rank);
  });
  // a whole name goes before the first word of others
  return new Map([...words, ...whole]);
}

function addRank(ranks: Map<string, number[]>, name: string, rank: number): void {
  const there = ranks.get(name);
  if (there === undefined) ranks.set(name, [rank]);
  else there.push(rank);
}
