// How firm the order of plans is: the first ones run again with a GPU that computes slowly, and with a link between switches
// that is down, each by the model that the plan was timed by.
// Invariants: plans are disturbed in the same place of the same fabric, so that their times can be compared; a link is down
// in runs of plans alone that were timed by a model with contention: closed forms know the fabric as built.
// Not modelled: several faults at once, faults during the iteration, restarts.

import { firstUplink } from '../../app/training-plans/fault-places.js';
import { levelsOfDetail } from '../../app/training-plans/plan-request.js';
import type { Plan } from '../../scenario/plan.js';
import { type NoLinkFault, type RankedPlan, slowGpuSpeed } from '../../report/training-plans/ranked-plan.js';
import type { PlanRunner } from './run-finalists.js';

/**
 * Runs the first plans disturbed.
 * @param count how many of them @returns all plans, those with what disturbances make of them; stopped: as far as it came
 */
export async function withRobustness(
  plans: readonly RankedPlan[],
  count: number,
  fabric: Plan['fabric'],
  run: PlanRunner,
): Promise<RankedPlan[]> {
  const first = plans.slice(0, count);
  if (first.length === 0) return [...plans];
  const slow = await run(first, [`stragglers=[{ rank: 0, compute: ${slowGpuSpeed} }]`], 'slow GPU');
  const link = firstUplink(fabric);
  const detailed = link === null ? [] : first.filter(({ times }) => levelsOfDetail.indexOf(times.model) > 0);
  const failed =
    detailed.length === 0
      ? []
      : await run(detailed, [`failures.events=[{ at: 0us, link: ${link!} }]`], `link ${link!} down`);
  const failedLinkOf = (plan: RankedPlan): number | NoLinkFault => {
    const place = detailed.indexOf(plan);
    if (place < 0) return link === null ? 'no such link' : 'closed forms';
    return failed[place]?.totalPs ?? 'stopped';
  };
  return plans.map((plan, i) => {
    const slowGpuPs = slow[i]?.totalPs;
    return slowGpuPs === undefined ? plan : { ...plan, disturbed: { slowGpuPs, failedLinkPs: failedLinkOf(plan) } };
  });
}
