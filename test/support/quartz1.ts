// Quartz1, the cluster of the dissertation, recognised, and traffic on it by name.

import { recogniseFatTree, type FatTree } from '../../src/fabric/fat-tree.js';
import { generateFabric } from '../../src/fabric/generators/catalogue.js';
import { namedTraffic, parseTrafficName } from '../../src/flows/traffic/catalogue.js';
import type { Traffic } from '../../src/flows/traffic/matrix.js';

/** Made once; trees do not change. */
export const quartz1: FatTree = recogniseFatTree(generateFabric('quartz1')).tree!;

/** Traffic over all hosts of quartz1; jobs on fragmented hosts. */
export function named(name: string, seed = 11): Traffic {
  const parsed = parseTrafficName(name);
  if ('message' in parsed) throw new Error(parsed.message);
  const made = namedTraffic(name, parsed.groups, quartz1.fabric.hosts.length, { seed, allocation: 'fragmented' });
  if (typeof made === 'string') throw new Error(made);
  return made;
}
