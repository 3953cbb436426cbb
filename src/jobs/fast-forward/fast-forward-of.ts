// The fast-forward of a job: its groups and messages, the islands that they use.
// Invariant: groups are asked for in the order of the programs, so that they have the numbers that they have without.

import type { CollectiveKind } from '../../collectives/schedule.js';
import { groupNames } from '../../workload/policies.js';
import { collectiveNames } from '../../workload/workload.js';
import type { Actors } from '../actors.js';
import type { Job } from '../job.js';
import type { CollectivePlan, JobGroup, JobGroups } from '../job-groups.js';
import type { JobParts } from '../job-parts.js';
import { Operation, type Program } from '../program.js';
import { FastForward } from './fast-forward.js';
import { groupPairs } from './group-pairs.js';
import { islandsOf } from './islands.js';
import type { ReplayEvents } from './replay-events.js';

/** What there is of a job. */
interface JobInParts {
  readonly job: Job;
  readonly groups: JobGroups;
  /** by stage */
  readonly programs: readonly Program[];
  readonly actors: Actors;
}

/** The fast-forward of a job; null: nobody asks for it. @param events what it asks of the job */
export function fastForwardOf(
  { job, groups, programs, actors }: JobInParts,
  { fabric, fastForward }: Pick<JobParts, 'fabric' | 'fastForward'>,
  events: ReplayEvents,
): FastForward | null {
  if (fastForward === undefined || fastForward === null) return null;
  const found = new Map<JobGroup, Set<CollectivePlan>>();
  const messages: number[] = [];
  for (let actor = 0; actor < actors.count; actor++) {
    const rank = actors.ranks[actor]!;
    const { length, kind, group, stage, collective, sizeBytes } = programs[actors.stageOf[actor]!]!;
    const partners = new Set<number>();
    for (let at = 0; at < length; at++) {
      if (kind[at] === Operation.collective || kind[at] === Operation.start) {
        const each = groups.group(groupNames[group[at]!]!, rank);
        if (each.ranks.length === 1) continue;
        let plans = found.get(each);
        if (plans === undefined) found.set(each, (plans = new Set()));
        plans.add(each.planOf(collectiveNames[collective[at]!] as CollectiveKind, sizeBytes[at]!));
      } else if (kind[at] === Operation.send && sizeBytes[at]! > 0) partners.add(groups.partner(rank, stage[at]!));
    }
    for (const partner of partners) messages.push(fabric.hosts[job.ranks[rank]!]!, fabric.hosts[job.ranks[partner]!]!);
  }
  const pairs = Array.from(found, ([group, plans]) => groupPairs(group, plans));
  return new FastForward(islandsOf(pairs, messages, fastForward.routes), fastForward.settings, events);
}
