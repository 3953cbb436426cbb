// How many transfers a job is if its collectives are carried out step by step: counted from the programs of its ranks,
// nothing is run.
// Invariant: what CollectiveRun and JobRun would hand out. Of the groups of one name in a stage the first stands for all,
// unless groups are given as lists, which may differ; then it is an estimate.

import type { CollectiveKind } from '../collectives/schedule.js';
import type { Fabric } from '../fabric/fabric.js';
import { groupNames, type GroupName } from '../workload/policies.js';
import { collectiveNames } from '../workload/workload.js';
import { buildProgram } from './build-program.js';
import { JobGroups } from './job-groups.js';
import type { CollectiveSettings, Job } from './job.js';
import { Operation, type Program } from './program.js';

/** Transfers of a job, or `most` if there are as many or more. */
export function stepTransfers(job: Job, fabric: Fabric, settings: CollectiveSettings, most: number): number {
  const groups = new JobGroups({ job, fabric, settings, streams: null });
  const { workload, iterations, pipelineSchedule } = job;
  let count = 0;
  for (let stage = 0; stage < workload.groups.pipeline && count < most; stage++) {
    const program = buildProgram(workload, stage, pipelineSchedule);
    const counter = new StageCounter(groups, groups.ofStage[stage]!);
    const every = counter.count(program, 0, program.iterationLength);
    count += every * iterations + counter.count(program, program.iterationLength, program.length);
  }
  return Math.min(most, count);
}

class StageCounter {
  private readonly moves = new Map<string, number>();
  private readonly groupCounts = new Map<GroupName, number>();

  constructor(
    private readonly groups: JobGroups,
    private readonly ranks: Int32Array,
  ) {}

  /** Transfers of a part of the stage's program, of all its ranks. */
  count(program: Program, from: number, to: number): number {
    let count = 0;
    for (let at = from; at < to; at++) {
      const kind = program.kind[at];
      const sizeBytes = program.sizeBytes[at]!;
      if (kind === Operation.send && sizeBytes > 0) count += this.ranks.length;
      else if (kind === Operation.collective || kind === Operation.start)
        count += this.ofCollective(
          groupNames[program.group[at]!]!,
          collectiveNames[program.collective[at]!] as CollectiveKind,
          sizeBytes,
        );
    }
    return count;
  }

  private ofCollective(name: GroupName, kind: CollectiveKind, sizeBytes: number): number {
    const key = `${name} ${kind} ${sizeBytes}`;
    const known = this.moves.get(key);
    if (known !== undefined) return known;
    const group = this.groups.group(name, this.ranks[0]!);
    const moves = group.ranks.length === 1 ? 0 : group.planOf(kind, sizeBytes).schedule.moveCount * this.groupsOf(name);
    this.moves.set(key, moves);
    return moves;
  }

  private groupsOf(name: GroupName): number {
    let count = this.groupCounts.get(name);
    if (count === undefined) {
      count = new Set(Array.from(this.ranks, (rank) => this.groups.group(name, rank))).size;
      this.groupCounts.set(name, count);
    }
    return count;
  }
}
