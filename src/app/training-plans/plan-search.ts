// The plans of a space in the order of what they take by closed forms, as far as somebody asks for them.
// A plan waits in one queue under what is known of it: first its computation, then a bound with its waits, then its
// time. Who comes first is looked at more closely and waits anew, or, if its time is known, is the next in order.
// Invariant: what is known of a plan never exceeds its time, so a plan that is handed out is the best of all that are
// left, and of the others only as much is known as that takes.

import { TimeHeap } from '../../base/time-heap.js';
import type { Host } from '../../base/host.js';
import { sizeText } from '../../base/quantity-text.js';
import { LeastTimes } from '../../workload/least-time.js';
import type { IterationEstimator } from '../../jobs/iteration-estimate.js';
import type { IterationEstimate } from '../../jobs/micro-batch-rounds.js';
import { estimateOrOversized, layerCostsOf } from './estimate-plans.js';
import {
  addInfeasible,
  decisionOf,
  type FeasiblePlan,
  feasiblePlans,
  type Infeasible,
  type SpaceRequest,
} from './plan-space.js';

/** A plan with what it takes by closed forms. */
export interface EstimatedPlan extends FeasiblePlan {
  readonly estimate: IterationEstimate;
}

/** What somebody may be told, and may ask for, while plans are looked at. */
export interface SearchHooks {
  readonly host: Pick<Host, 'breathe' | 'wallMs'>;
  readonly stopRequested?: () => boolean;
  /** @param share of the plans that can run, 0 to 1; null: they are still counted */
  readonly onProgress?: (what: string, share: number | null) => void;
  /** when those that were wanted are known */
  readonly onEnd?: () => void;
}

/** Wall-clock milliseconds between two looks at whether to stop. */
const sliceMs = 50;

/** A plan in the queue, with what is known of it. */
interface Waiting {
  readonly plan: FeasiblePlan;
  /** whether its waits are part of `leastPs` */
  readonly hasWaits: boolean;
  readonly estimate: IterationEstimate | null;
}

class PlanSearch {
  /** plans that can run, and those of them whose time is known */
  feasible = 0;
  estimated = 0;
  readonly infeasible = new Map<string, Infeasible>();
  /** false: somebody stopped it, and other plans may be better than those handed out */
  isComplete = true;
  private lookMs: number;

  constructor(
    private readonly request: SpaceRequest,
    private readonly estimator: IterationEstimator,
    private readonly hooks: SearchHooks,
  ) {
    this.lookMs = hooks.host.wallMs() + sliceMs;
  }

  /** The plans, the shortest first; if it is stopped, those whose time is known, and no more. */
  async *inOrder(): AsyncGenerator<EstimatedPlan, void, undefined> {
    const times = new LeastTimes(layerCostsOf(this.estimator));
    const queue = new TimeHeap();
    const waiting: (Waiting | null)[] = [];
    for (const plan of feasiblePlans(this.request, times, this)) {
      queue.set(waiting.length, plan.leastPs, waiting.length);
      waiting.push({ plan, hasWaits: false, estimate: null });
      if (await this.isStopped(`${waiting.length} plans that fit`, null)) break;
    }
    while (queue.size > 0) {
      const key = queue.firstKey;
      const first = waiting[key]!;
      if (first.estimate !== null) {
        queue.remove(key);
        waiting[key] = null;
        yield { ...first.plan, estimate: first.estimate };
      } else if (this.isComplete) {
        const next = this.looked(first, times);
        waiting[key] = next;
        if (next === null) queue.remove(key);
        else queue.set(key, next.estimate?.totalPs ?? next.plan.leastPs, key);
        await this.isStopped(`${this.estimated} of ${this.feasible} plans estimated`, this.estimated / this.feasible);
      } else queue.remove(key);
    }
  }

  /** Looks at a plan more closely. @returns null: it cannot run */
  private looked({ plan, hasWaits }: Waiting, times: LeastTimes): Waiting | null {
    if (!hasWaits)
      return { plan: { ...plan, leastPs: times.ofPlan(plan.training, plan.layout) }, hasWaits: true, estimate: null };
    const estimate = estimateOrOversized(plan, this.request, this.estimator);
    if ('sizeBytes' in estimate) {
      const { message, sizeBytes, mostBytes } = estimate;
      this.feasible--;
      addInfeasible(this, 'transferSize', `${message}: ${sizeText(sizeBytes)} of at most ${sizeText(mostBytes)}`);
      return null;
    }
    this.estimated++;
    return { plan, hasWaits, estimate };
  }

  private async isStopped(what: string, share: number | null): Promise<boolean> {
    const { host, onProgress, stopRequested } = this.hooks;
    if (host.wallMs() < this.lookMs) return false;
    onProgress?.(what, share);
    await host.breathe();
    this.lookMs = host.wallMs() + sliceMs;
    if (stopRequested?.() === true) this.isComplete = false;
    return !this.isComplete;
  }
}

export interface BestPlans extends Pick<PlanSearch, 'feasible' | 'estimated' | 'infeasible' | 'isComplete'> {
  /** in order of their times, the shortest first */
  readonly best: readonly EstimatedPlan[];
  /** the next of the others, variants of the best among them, the shortest first; null: none, or it was stopped */
  readonly next: () => Promise<EstimatedPlan | null>;
}

/**
 * Finds the best plans.
 * @param wanted how many of them
 * @param variants whether plans are listed that differ in chunks of a stage or mapping alone; else the best of them
 */
export async function bestPlans(
  request: SpaceRequest,
  estimator: IterationEstimator,
  wanted: number,
  hooks: SearchHooks,
  variants = false,
): Promise<BestPlans> {
  const search = new PlanSearch(request, estimator, hooks);
  const plans = search.inOrder();
  const best = new Map<string, EstimatedPlan>();
  const others: EstimatedPlan[] = [];
  while (best.size < wanted) {
    const { value, done } = await plans.next();
    if (done === true) break;
    const key = variants ? String(best.size) : decisionOf(value);
    if (best.has(key)) others.push(value);
    else best.set(key, value);
  }
  const { feasible, estimated, infeasible, isComplete } = search;
  hooks.onEnd?.();
  const next = async (): Promise<EstimatedPlan | null> => others.shift() ?? (await plans.next()).value ?? null;
  return { best: [...best.values()], next, feasible, estimated, infeasible, isComplete };
}
