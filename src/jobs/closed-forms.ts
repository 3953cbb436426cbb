// Collectives of a job that are not sent: how long each takes, and for whom its group waits. Both are asked for again and again, and remembered.

import type { CollectiveCosts } from './collective-costs.js';
import type { CollectivePlan, JobGroup } from './job-groups.js';
import type { OpenCollective } from './open-collective.js';

export class ClosedForms {
  private readonly takes = new Map<CollectivePlan, number>();
  private readonly expected = new Map<JobGroup, number>();

  /** @param actorOf by rank of the job; -1: another rank stands for it */
  constructor(
    readonly costs: CollectiveCosts,
    private readonly actorOf: Int32Array,
  ) {}

  /** Ranks of a group that stand for all of it. */
  expectedOf(group: JobGroup): number {
    let count = this.expected.get(group);
    if (count === undefined) this.expected.set(group, (count = group.ranks.reduce((sum, rank) => sum + (this.actorOf[rank]! >= 0 ? 1 : 0), 0)));
    return count;
  }

  /** From the start of a collective's last rank to its end, in picoseconds. */
  takesPs({ group, plan }: OpenCollective): number {
    let takesPs = this.takes.get(plan);
    if (takesPs === undefined) this.takes.set(plan, (takesPs = this.costs.costPs(plan.request, plan.choice, group.communicator)));
    return takesPs;
  }
}
