// The flows of a whole job as graphs, one after the other: every collective of every group, and every message between
// stages of the pipeline, without running it.
// Invariants: the same collectives and messages as a run of the job has (job-run.ts), each once; they are made when
// they are asked for. Flows are numbered through all of them; a run numbers them as they begin, so its numbers are
// others. Order: iteration, stage, operation of the stage's program, group.
// Not in the graphs: what joins collectives, which is computation and the order of each rank's program.

import { FlowGraph, type FlowSet, type SingleFlow } from '../collectives/flow-graph.js';
import type { CollectiveKind } from '../collectives/schedule.js';
import type { Fabric } from '../fabric/fabric.js';
import { type GroupName, groupNames } from '../workload/policies.js';
import { collectiveNames } from '../workload/workload.js';
import { buildProgram } from './build-program.js';
import type { CollectiveSettings, Job } from './job.js';
import { type JobGroup, JobGroups } from './job-groups.js';
import { Operation, PassIndex, type Program } from './program.js';

/** What joins flows: a collective of a group, or a message (operation sendrecv, group pp). */
export interface JobFlows {
  readonly cause: {
    readonly collective: number;
    readonly operation: string;
    readonly group: GroupName;
    readonly layer: number;
    readonly pass: string;
    readonly microBatch: number;
    readonly iteration: number;
  };
  readonly flows: FlowSet;
}

const passOf = Object.keys(PassIndex) as (keyof typeof PassIndex)[];

/** The graphs of a job. @param fabric on which it runs */
export function* jobFlows(job: Job, fabric: Fabric, settings: CollectiveSettings): Generator<JobFlows> {
  const groups = new JobGroups({ job, fabric, settings, streams: null });
  const { workload, iterations, pipelineSchedule } = job;
  const programs = Array.from({ length: workload.groups.pipeline }, (_, stage) =>
    buildProgram(workload, stage, pipelineSchedule),
  );
  let [collective, firstId] = [0, 0];
  for (let iteration = 0; iteration < iterations; iteration++) {
    for (const [stage, program] of programs.entries()) {
      const end = iteration + 1 < iterations ? program.iterationLength : program.length;
      for (let at = 0; at < end; at++) {
        const layer = program.layer[at]!;
        const microBatch = program.microBatch[at]!;
        for (const { operation, group, flows } of flowsOf(program, at, stage, groups, { job, fabric }, firstId)) {
          const pass = layer < 0 ? '' : passOf[program.pass[at]!]!;
          yield { cause: { collective: collective++, operation, group, layer, pass, microBatch, iteration }, flows };
          firstId += flows.count;
        }
      }
    }
  }
}

interface OperationFlows {
  readonly operation: string;
  readonly group: GroupName;
  readonly flows: FlowSet;
}

/** What an operation of a stage sends: a collective of each of its groups, or a message of each of its ranks. */
function* flowsOf(
  program: Program,
  at: number,
  stage: number,
  groups: JobGroups,
  { job, fabric }: { readonly job: Job; readonly fabric: Fabric },
  first: number,
): Generator<OperationFlows> {
  const kind = program.kind[at]!;
  const ranks = groups.ofStage[stage]!;
  const sizeBytes = program.sizeBytes[at]!;
  let firstId = first;
  if (kind === Operation.send && sizeBytes > 0) {
    for (const rank of ranks) {
      const nodeOf = (one: number): number => fabric.hosts[job.ranks[one]!]!;
      const flows = new MessageFlow(
        firstId++,
        nodeOf(rank),
        nodeOf(groups.partner(rank, program.stage[at]!)),
        sizeBytes,
      );
      yield { operation: 'sendrecv', group: 'pp', flows };
    }
  }
  if (kind !== Operation.collective && kind !== Operation.start) return;
  const group = groupNames[program.group[at]!]!;
  const operation = collectiveNames[program.collective[at]!] as CollectiveKind;
  const seen = new Set<JobGroup>();
  for (const rank of ranks) {
    const own = groups.group(group, rank);
    if (seen.has(own) || own.ranks.length === 1) continue;
    seen.add(own);
    const { schedule, choice } = own.planOf(operation, sizeBytes);
    const flows = new FlowGraph(own.communicator, schedule, choice, firstId);
    firstId += flows.count;
    yield { operation, group, flows };
  }
}

/** A message between stages: one flow that waits for no other. */
class MessageFlow implements FlowSet {
  readonly count = 1;

  constructor(
    private readonly id: number,
    private readonly source: number,
    private readonly destination: number,
    private readonly sizeBytes: number,
  ) {}

  describe(_flow: number, into: SingleFlow): void {
    into.flowId = this.id;
    into.source = this.source;
    into.destination = this.destination;
    into.sizeBytes = into.wireBytes = this.sizeBytes;
    into.prev.length = into.parallelDeps.length = into.children.length = 0;
    into.channel = into.chunk = into.step = 0;
    into.chunkCount = 1;
    into.connectionType = 'P2P';
    into.isReduction = false;
  }
}
