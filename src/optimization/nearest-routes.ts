// Routes near tables in use: as few entries changed as can be found, below the loads that were reached already. From
// the ways of the tables in use flows leave links above the ceiling (conflict-search.ts) with a limit on changed
// entries that halves its distance to what was tried in vain.
// Invariant: what is returned has no load between switches above the ceiling.

import type { RandomStream } from '../base/random.js';
import type { ForwardingTables } from '../routing/forwarding-tables.js';
import { ChangeLimit } from './change-limit.js';
import { resolveConflicts } from './conflict-search.js';
import type { FlowRouting } from './flow-routing.js';
import { routeGreedily } from './greedy-routes.js';
import type { SearchBudget } from './search-budget.js';

/** Searches below each limit before it counts as tried in vain, and moves without getting nearer in each. */
const triesPerLimit = 3;
const patience = 3000;

/**
 * Finds ways near tables.
 * @param routing with the ceiling that is to be met; left with the last ways tried
 * @param current the tables in use; changes count against them
 * @param start the same with minimal entries for all hosts
 * @param order of flows without a way in `start`
 * @returns ways of all flows with the fewest changed entries found; null if the ceiling was not met
 */
export function nearestWays(
  routing: FlowRouting,
  current: ForwardingTables,
  start: ForwardingTables,
  order: Int32Array,
  random: RandomStream,
  budget: SearchBudget,
): Int32Array | null {
  let best: Int32Array | null = null;
  let most = Infinity;
  let least = -1;
  while (most - least > 1 && !budget.ended) {
    const limit = new ChangeLimit(routing, current, most === Infinity ? most : Math.floor((most + least) / 2));
    let met = false;
    for (let i = 0; i < triesPerLimit && !met && !budget.ended; i++) {
      routing.clear();
      routing.follow(start);
      routeGreedily(routing, order, budget);
      limit.recount();
      met = resolveConflicts(routing, random, budget, { sample: 8, patience, limit });
    }
    limit.recount();
    if (met) {
      best = routing.way.slice();
      most = Math.min(limit.changed, limit.most);
    } else if (best === null) return null;
    else least = limit.most;
  }
  return best;
}
