// Greedy routes: flows one after another, heaviest first, each on the way that is cheapest then.
// Heavy flows first is what makes it good: light ones fill what they leave. It is not repeated: putting flows in again
// makes it worse.
// Invariant: a flow without a way stays without one only if its destination cannot be reached.

import type { FlowRouting } from './flow-routing.js';
import type { SearchBudget } from './search-budget.js';

const flowsPerSpend = 256;

/**
 * Gives a way to every flow of `order` that has none. All of them get one even if the budget ends: then they are put in
 * without being spent.
 * @returns flows that cannot arrive
 */
export function routeGreedily(routing: FlowRouting, order: Int32Array, budget: SearchBudget): number {
  let lost = 0;
  let counted = routing.work;
  order.forEach((flow, i) => {
    if (routing.way[4 * flow] !== -1) return;
    if (routing.find(flow) === Infinity) lost++;
    else routing.putFound(flow);
    if (i % flowsPerSpend !== 0) return;
    budget.spend(routing.work - counted);
    counted = routing.work;
  });
  budget.spend(routing.work - counted);
  return lost;
}
