// Spreading: flows that can go a way of a smaller sum of squares do, as long as nothing comes above what the largest
// loads are already. That lowers the l2 norm, and mostly the number of hot links, behind a largest load that stays.
// Source: Taffet's dissertation (docs/SOURCES.md), section 5.4.
// Invariant: no load of a phase ends above its ceiling that was not above it before.

import { wayLength, type FlowRouting } from './flow-routing.js';
import type { SearchBudget } from './search-budget.js';

const flowsPerSpend = 256;
/** so large that no gain in squares pays for any excess that is more than rounding */
const forbidding = 1e15;

/**
 * Goes over all flows until a pass moves next to none.
 * @param order of the flows @param mostWork links looked at, at most
 * @returns moves
 */
export function spreadLoads(routing: FlowRouting, order: Int32Array, budget: SearchBudget, mostWork: number): number {
  const { penalty } = routing;
  routing.penalty = forbidding;
  const begin = routing.work;
  let counted = begin;
  let all = 0;
  for (let moves = order.length; moves > order.length / 100 && !budget.ended && routing.work - begin < mostWork;) {
    moves = 0;
    for (let i = 0; i < order.length && !budget.ended && routing.work - begin < mostWork; i++) {
      if (moveToCheapest(routing, order[i]!)) moves++;
      if (i % flowsPerSpend !== 0) continue;
      budget.spend(routing.work - counted);
      counted = routing.work;
    }
    all += moves;
  }
  budget.spend(routing.work - counted);
  routing.penalty = penalty;
  return all;
}

function moveToCheapest(routing: FlowRouting, flow: number): boolean {
  const { way } = routing;
  const at = wayLength * flow;
  const up = way[at]!;
  if (up === -1) return false;
  routing.take(flow);
  const own = routing.costOfWay(flow, up);
  if (routing.find(flow) < own * (1 - 1e-9)) {
    routing.putFound(flow);
    return true;
  }
  routing.put(flow, up, way[at + 1]!, way[at + 2]!, way[at + 3]!);
  return false;
}
