// Collectives of a job that are not sent: when each ends.
// Collectives of one group come one after the other, as NCCL's do on one communicator: over the network they would
// share its links, and the last would end about then. How long one takes alone is asked for again and again, and
// remembered.
// Not modelled: collectives of different groups, and messages, that share links.

import type { CollectiveCosts } from './collective-costs.js';
import type { CollectivePlan, JobGroup } from './job-groups.js';
import type { OpenCollective } from './open-collective.js';

export class ClosedForms {
  private readonly takes = new Map<CollectivePlan, number>();
  private readonly busyUntilPs = new Map<JobGroup, number>();

  constructor(private readonly costs: CollectiveCosts) {}

  /** When a collective ends of which the last rank comes now. */
  endPs({ group, plan }: OpenCollective, nowPs: number): number {
    let takesPs = this.takes.get(plan);
    if (takesPs === undefined)
      this.takes.set(plan, (takesPs = this.costs.costPs(plan.request, plan.choice, group.communicator)));
    const endPs = Math.max(nowPs, this.busyUntilPs.get(group) ?? 0) + takesPs;
    this.busyUntilPs.set(group, endPs);
    return endPs;
  }
}
