// The cores: with the ends of all flows given, which core each goes over. Largest first, the cheapest core; flows to
// one host that meet at a spine go on together. What does not fit between its ends gets a way of its own.
// Invariant: every flow has a way afterwards. Source of the step: Taffet's dissertation (docs/SOURCES.md), section 3.4,
// Partitioned Binary.

import { fail } from '../base/fail.js';
import type { FlowRouting } from './flow-routing.js';
import type { LeafEnds } from './leaf-annealing.js';
import type { SearchBudget } from './search-budget.js';

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
