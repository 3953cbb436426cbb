// Self-checks of routes: what has to hold of every evaluation, whatever the tables. A check that fails is a mistake of
// Weft's, but for "every host is reached", which is one of the tables.
// Invariant: bounds and loads are of the same flows, so that no lower bound is above a load by more than rounding.

import type { PhaseEvaluation, RouteEvaluation } from './evaluate-routes.js';
import type { DeadlockCheck } from './route-deadlock-check.js';
import { exactTolerance } from './route-bounds.js';
import type { RouteScore } from './route-score.js';
import type { RouteValidity } from './route-validity.js';

/** One self-check. */
export interface RouteVerdict {
  readonly name: string;
  readonly ok: boolean;
  readonly detail: string;
}

export const reachName = 'every host is reached from every leaf, without deadlock';

/** Whether every host is reached from every leaf that has hosts, up and then down or by detours free of deadlock. */
export function reachVerdict({ valid, faults, detours }: RouteValidity): RouteVerdict {
  const wrong = faults.unreachable + faults.loop + faults['down-up'];
  return {
    name: reachName,
    ok: valid,
    detail: valid
      ? `all pairs (leaf, host)${detours === 0 ? '' : `, ${detours} by detours`}`
      : `not so for ${wrong} pairs (leaf, host)`,
  };
}

export const deadlockName = 'no links wait for each other in a circle';

/** Whether the routes cannot deadlock. */
export function deadlockVerdict({ lanes, cycle }: DeadlockCheck): RouteVerdict {
  const used = lanes === 1 ? 'one lane' : `${lanes} lanes`;
  return {
    name: deadlockName,
    ok: cycle === null,
    detail: cycle === null ? used : `${cycle.ports.length} links do, on ${used}`,
  };
}

/** Whether no bound is above the load that it is a bound of, in every phase and over all at once. */
export function boundVerdict({ phases, collapsed }: Pick<RouteEvaluation, 'phases' | 'collapsed'>): RouteVerdict {
  const wrong = [...phases, collapsed].flatMap(boundsAboveLoads);
  return {
    name: 'no bound is above the load',
    ok: wrong.length === 0,
    detail: wrong[0] ?? `${phases.length} phases, and all at once`,
  };
}

function boundsAboveLoads({ name, loads, bounds }: PhaseEvaluation): string[] {
  const pairs = [
    ['adaptive bound', bounds.adaptive, loads.maxLoad],
    ['adaptive bound between switches', bounds.adaptiveNet, loads.netMaxLoad],
    ['lower bound', bounds.static, loads.maxLoad],
    ['lower bound between switches', bounds.staticNet, loads.netMaxLoad],
  ] as const;
  return pairs
    .filter(([, bound, load]) => bound > load * (1 + 2 * exactTolerance))
    .map(([what, bound, load]) => `${name}: ${what} ${bound} above the load ${load}`);
}

/**
 * Whether the loads that a search counted by itself are those that walking its tables gives.
 * @param walked largest load between switches of the flows that it routed, summed over phases
 */
export function searchVerdict({ netMaxLoad }: RouteScore, walked: number): RouteVerdict {
  return {
    name: 'the search counted the loads that its tables have',
    ok: Math.abs(netMaxLoad - walked) <= exactTolerance * Math.max(netMaxLoad, walked),
    detail: `${netMaxLoad} counted, ${walked} walked, between switches`,
  };
}
