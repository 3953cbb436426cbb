// What a search for routes looks for before all else.

import type { RoutedFabric } from '../../fabric/routed-fabric.js';
import { requireTree } from './fabric-input.js';
import { refuseSeveralLids } from './route-algorithm.js';

/** As few links between switches above a load as can be, in units of the traffic (optimization/fewest-above.ts). */
export interface RouteObjective {
  readonly fewestAbove: number;
}

/** @throws InputError unless the fabric is a tree whose hosts have one LID */
export function requireForObjective(source: RoutedFabric): void {
  requireTree(source);
  refuseSeveralLids(source, '--objective', 'links above a load are counted for one LID per host');
}
