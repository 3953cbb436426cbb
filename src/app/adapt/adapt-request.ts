// What a loop of measuring and routing is asked for.

import type { RouteObjective } from '../routes/route-objective.js';
import type { CounterMix } from '../reconstruct/reconstruction-request.js';

/** What the optimizer is told: what counters tell, or, to see what that costs, what was sent. */
export const knowledges = ['counters', 'perfect'] as const;
type Knowledge = (typeof knowledges)[number];

/** How routes come to the fabric: switches have tables, or hash, and pairs have source ports (RoCE). */
export const routeCarriers = ['tables', 'source-ports'] as const;
type RouteCarrier = (typeof routeCarriers)[number];

/** Epochs, and what is done in each. */
export interface AdaptRequest {
  /** files of scenarios: an epoch each, in turn; the fabric is one */
  readonly scenarios: readonly string[];
  /** how often tables are made anew; 1 if left out. As many runs and one more */
  readonly epochs?: number;
  /** `path=value`, as `--set` of a run */
  readonly overrides?: readonly string[];
  /** how routes come to the fabric; tables if left out */
  readonly by?: RouteCarrier;
  /** every epoch draws anew: the seed of its scenario and its number */
  readonly newSeeds?: boolean;
  /** virtual lanes that counters tell apart; left out: those of the scenario, or 5 that only count */
  readonly lanes?: number;
  /** readings within an epoch, each a phase for the optimizer; 1 if left out */
  readonly phases?: number;
  /** what is counted, with packets of large messages as the scenario has them; bytes if left out */
  readonly mix?: CounterMix;
  readonly knowledge?: Knowledge;
  /** as of a reconstruction; `od` if left out */
  readonly dictionary?: string;
  /** limit of each search, 30 if left out: CPU seconds for traffic, all phases together; wall-clock seconds for routes */
  readonly seconds?: number;
  /** work of the optimizer, which repeats it to the byte */
  readonly mostWork?: number;
  /** what new tables are searched for first: the smallest largest load if left out. Decisions are by that anyhow */
  readonly objective?: RouteObjective;
  /** entries that an epoch may change; all if left out */
  readonly mostChanges?: number;
  /** two hosts, by name or rank: how their way changed, and why */
  readonly why?: string;
}
