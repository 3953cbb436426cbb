// Greedy routes: flows one after another, heaviest first, each on the way that is cheapest then.
// Heavy flows first is what makes it good: light ones fill what they leave. It is not repeated: putting flows in again
// makes it worse.
// Invariant: every flow has a way afterwards: those that have one at all are all that is to be routed
// (route-demand.ts), and ways that others force lead on to the destination.
// Cores alone, where the ends of all flows are given: largest first, the cheapest core; flows to one host that meet at
// a spine go on together. Source of that step: Taffet's dissertation (docs/SOURCES.md), section 3.4, Partitioned
// Binary.

import { fail } from '../base/fail.js';
import type { FlowRouting } from './flow-routing.js';
import type { LeafEnds } from './leaf-annealing.js';
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

/**
 * Puts all flows on ways with the given ends.
 * @returns flows that did not get the ends that they should have
 */
export function routeCores(
  routing: FlowRouting,
  order: Int32Array,
  { up, down, inPod }: LeafEnds,
  budget: SearchBudget,
): number {
  routing.clear();
  const counted = routing.work;
  const displaced: number[] = [];
  for (const flow of order) {
    if (inPod[flow] === 1) routing.put(flow, up[flow]!, -1, -1, down[flow]!);
    else if (routing.findCore(flow, up[flow]!, down[flow]!) < Infinity) routing.putFound(flow);
    else displaced.push(flow);
  }
  for (const flow of displaced) {
    if (routing.find(flow) === Infinity) fail(`flow ${flow} has no way`);
    routing.putFound(flow);
  }
  budget.spend(routing.work - counted);
  return displaced.length;
}
