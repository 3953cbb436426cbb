// Random minimal routing: every switch sends every destination by a random port among those on minimal up-down paths.
// Invariant: the same seed gives the same tables. A baseline, as in Table 3.3 of Taffet's dissertation
// (docs/SOURCES.md).

import { RandomStream } from '../base/random.js';
import type { FatTree } from '../fabric/fat-tree.js';
import type { ForwardingTables } from './forwarding-tables.js';
import { fillMinimal } from './fill-minimal.js';

/**
 * Tables for all hosts and switches; pairs of switches without an up-down path between them have no entry. @param
 * offset which of their LIDs
 */
export function routeRandom(tree: FatTree, seed: number, offset = 0): ForwardingTables {
  const random = new RandomStream(seed, offset === 0 ? 'random routes' : `random routes, LID offset ${offset}`);
  return fillMinimal(tree, (_, candidates) => () => candidates[random.nextBelow(candidates.length)]!);
}
