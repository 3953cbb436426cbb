// Greedy routes: flows one after another, heaviest first, each on the way that is cheapest then.
// Heavy flows first is what makes it good: light ones fill what they leave. It is not repeated: putting flows in again
// makes it worse.
// Invariant: every flow has a way afterwards: those that have one at all are all that is to be routed (route-demand.ts), and
// ways that others force lead on to the destination.

import { fail } from '../base/fail.js';
import type { FlowRouting } from './flow-routing.js';
import type { SearchBudget } from './search-budget.js';

const flowsPerSpend = 256;

/**
 * Gives a way to every flow of `order` that has none. All of them get one even if the budget ends: then they are put in
 * without being spent.
 * @throws InvariantError if one has no way: flows that cannot arrive are no part of what is to be routed
 */
export function routeGreedily(routing: FlowRouting, order: Int32Array, budget: SearchBudget): void {
  let counted = routing.work;
  order.forEach((flow, i) => {
    if (routing.way[4 * flow] !== -1) return;
    if (routing.find(flow) === Infinity) fail(`flow ${flow} has no way`);
    routing.putFound(flow);
    if (i % flowsPerSpend !== 0) return;
    budget.spend(routing.work - counted);
    counted = routing.work;
  });
  budget.spend(routing.work - counted);
}
