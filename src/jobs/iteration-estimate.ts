// How long one iteration of a workload takes by closed forms, without the events of a run: the passes of each stage,
// walked once each (stage-walk.ts), put together in the order of the pipeline schedule. With many micro-batches the
// pipeline is walked with two smaller numbers of them, and what the others take follows (micro-batch-rounds.ts).
// Invariant: what a run on the analytical backend takes, where no more micro-batches are left out; an estimate else.
// Not modelled: stragglers and explicit groups of ranks; costs that differ between stages that are neither
// first nor last.

import { fail } from '../base/fail.js';
import { type Dimension, dimensions } from '../collectives/parallel-groups.js';
import type { CollectiveKind } from '../collectives/schedule.js';
import type { Fabric } from '../fabric/fabric.js';
import { groupNames } from '../workload/policies.js';
import { collectiveNames, type Workload } from '../workload/workload.js';
import { chunksOf, stageParts, type StageParts } from './build-program.js';
import type { CollectiveCosts } from './collective-costs.js';
import type { CollectiveSettings, Job, PipelineSchedule } from './job.js';
import { type CollectivePlan, type JobGroup, JobGroups } from './job-groups.js';
import { communicationKinds, type CommunicationKind } from './job-report.js';
import { beyondRounds, type IterationEstimate, microBatchRounds } from './micro-batch-rounds.js';
import { pipelineOrder, type StagePass } from './pipeline-order.js';
import { Operation, type Program } from './program.js';
import { StageWalk, type TimedPart, timedPart } from './stage-walk.js';

/** Where iterations run, and how their collectives are done. */
export interface EstimateSite {
  readonly fabric: Fabric;
  readonly settings: CollectiveSettings;
  readonly costs: CollectiveCosts;
}

/** Rounds of micro-batches, as many as there are stages, that a pipeline is walked with at most. */
const mostRounds = 3;
/** Micro-batches that a job without a pipeline is walked with at most. */
const mostAlone = 4;

/** Estimates iterations on one fabric; what groups of one shape take is remembered. */
export class IterationEstimator {
  private readonly groups = new Map<string, JobGroups>();
  private readonly collectivePs = new Map<CollectivePlan, number>();
  /** by kind and ranks: what jobs of other shapes have in common */
  private readonly alike = new Map<string, JobGroup>();
  /** by bytes, then by pair of hosts */
  private readonly messagePs = new Map<number, Map<number, number>>();

  constructor(private readonly site: EstimateSite) {}

  /**
   * The time of an iteration.
   * @param workload that a generator made: its number of GPUs is given
   * @param slowdown how much longer computation takes beside collectives
   * @param layout order in which ranks are numbered
   */
  estimate(
    workload: Workload,
    schedule: PipelineSchedule,
    slowdown: number,
    layout: readonly Dimension[] = dimensions,
  ): IterationEstimate {
    const { microBatches } = workload;
    const groups = this.groupsOf(workload, layout);
    const parts = this.partsOf(workload, groups, schedule);
    const walked = (count: number): IterationEstimate =>
      this.walked({ ...workload, microBatches: count }, groups, schedule, slowdown, parts);
    const stages = workload.groups.pipeline;
    const rounds = microBatchRounds(microBatches, stages, stages === 1 ? mostAlone : mostRounds * stages);
    if (rounds === null) return walked(microBatches);
    return beyondRounds(walked(rounds.smaller), walked(rounds.larger), rounds.beyond);
  }

  /**
   * What the ranks of one stage wait for within a layer, in picoseconds: a micro-batch forward and backward.
   * @param one an iteration of a model with one layer in each stage @param two with two layers
   * @param layout order in which ranks are numbered
   */
  exposedLayerPs(one: Workload, two: Workload, layout: readonly Dimension[]): number {
    const [of1, of2] = [one, two].map((workload) => {
      const timed = this.timedParts(workload, this.groupsOf(workload, layout), 0, '1f1b');
      const walk = new StageWalk(0, timed.plainPasses);
      for (const isForward of [true, false]) walk.take(timed.partOf(isForward, 0, false), null);
      return walk.clockPs - walk.computePs;
    }) as [number, number];
    return of2 - of1;
  }

  /**
   * How long the collectives of a layer keep their group busy, in picoseconds: a micro-batch forward and backward; of the
   * group that is busy longest. @param one as above @param two, layout as above
   */
  busyLayerPs(one: Workload, two: Workload, layout: readonly Dimension[]): number {
    const [of1, of2] = [one, two].map((workload) => {
      const timed = this.timedParts(workload, this.groupsOf(workload, layout), 0, '1f1b');
      const busyPs = new Float64Array(groupNames.length);
      for (const isForward of [true, false]) {
        const { program, takesPs, first } = timed.partOf(isForward, 0, false);
        takesPs.forEach((ps, at) => (busyPs[program.group[at]!]! += ps));
        first?.takesPs.forEach((ps, at) => (busyPs[first.program.group[at]!]! += ps));
      }
      return busyPs;
    }) as [Float64Array, Float64Array];
    return Math.max(...of2.map((ps, group) => ps - of1[group]!));
  }

  /** By stage. */
  private partsOf(workload: Workload, groups: JobGroups, schedule: PipelineSchedule): TimedParts[] {
    const parts: TimedParts[] = [];
    const stages = workload.groups.pipeline;
    // stages in the middle have the same parts, in an order of their own
    for (let stage = 0; stage < stages; stage++)
      parts.push(
        stage <= 1 || stage === stages - 1 ? this.timedParts(workload, groups, stage, schedule) : parts[stage - 1]!,
      );
    return parts;
  }

  private walked(
    workload: Workload,
    groups: JobGroups,
    schedule: PipelineSchedule,
    slowdown: number,
    parts: readonly TimedParts[],
  ): IterationEstimate {
    const stages = workload.groups.pipeline;
    const lanes = parts.map((of, stage): Lane => {
      const order = orderOf(workload, stage, schedule);
      return { timed: timedStage(of, order), walk: new StageWalk(slowdown, of.plainPasses), next: 0 };
    });
    const tags = 2 * workload.microBatches * stages * chunksOf(workload);
    const messages = { sentPs: new Float64Array(tags).fill(-1), arrivedPs: new Float64Array(tags) };
    const pipeline = { workload, groups, stages, last: stages * chunksOf(workload) - 1, messages };
    for (const { timed, walk } of lanes) walk.take(timed.start, timed.gathers[0] ?? null);
    while (lanes.some(({ timed, next }) => next < timed.order.length)) {
      let hasMoved = false;
      lanes.forEach((lane, stage) => {
        while (this.pass(lane, stage, pipeline)) hasMoved = true;
      });
      if (!hasMoved) fail('all stages of a pipeline wait for each other');
    }
    for (const { timed, walk } of lanes) walk.take(timed.end, null);
    const { walk } = lanes.reduce((slowest, lane) => (lane.walk.clockPs > slowest.walk.clockPs ? lane : slowest));
    return {
      totalPs: walk.clockPs,
      computePs: walk.computePs,
      bubblePs: walk.bubblePs,
      exposedPs: Object.fromEntries(communicationKinds.map((kind, i) => [kind, walk.exposedPs[i]!])) as Record<
        CommunicationKind,
        number
      >,
    };
  }

  /** Carries out the next pass of a stage. @returns false if there is none, or what it needs has not been sent */
  private pass(lane: Lane, stage: number, { workload, groups, stages, last, messages }: Pipeline): boolean {
    const { timed, walk, next } = lane;
    const pass = timed.order[next];
    if (pass === undefined) return false;
    const { isForward, microBatch, chunk } = pass;
    const part = timed.parts[next]!;
    const { kind, length } = part.program;
    const tag = (at: number): number => 2 * (microBatch * (last + 1) + at) + (isForward ? 0 : 1);
    const position = chunk * stages + stage;
    if (kind[0] === Operation.receive) {
      const sentPs = messages.sentPs[tag(position)]!;
      if (sentPs < 0) return false;
      walk.receive(sentPs, messages.arrivedPs[tag(position)]!);
    }
    walk.take(part, timed.gathers[next + 1] ?? null);
    if (kind[length - 1] === Operation.send) {
      const to = position + (isForward ? 1 : -1);
      messages.sentPs[tag(to)] = walk.clockPs;
      messages.arrivedPs[tag(to)] = walk.clockPs + this.sendPs(groups, stage, to % stages, workload.stageTransferBytes);
    }
    lane.next++;
    return true;
  }

  /** From the first rank of a stage to its partner of another. */
  private sendPs(groups: JobGroups, stage: number, other: number, sizeBytes: number): number {
    if (sizeBytes === 0) return 0;
    const { hosts, nodeCount } = this.site.fabric;
    const rank = groups.ofStage[stage]![0]!;
    const [source, destination] = [hosts[rank]!, hosts[groups.partner(rank, other)]!];
    let bySize = this.messagePs.get(sizeBytes);
    if (bySize === undefined) this.messagePs.set(sizeBytes, (bySize = new Map()));
    const key = source * nodeCount + destination;
    let takesPs = bySize.get(key);
    if (takesPs === undefined) bySize.set(key, (takesPs = this.site.costs.transferPs(source, destination, sizeBytes)));
    return takesPs;
  }

  private timedParts(workload: Workload, groups: JobGroups, stage: number, schedule: PipelineSchedule): TimedParts {
    const rank = groups.ofStage[stage]![0]!;
    const known: JobGroup[] = [];
    const costPs = (program: Program, at: number): number => {
      const number = program.group[at]!;
      const group = (known[number] ??= this.firstOf(groups.group(groupNames[number]!, rank)));
      const plan = group.planOf(collectiveNames[program.collective[at]!] as CollectiveKind, program.sizeBytes[at]!);
      let takesPs = this.collectivePs.get(plan);
      if (takesPs === undefined) {
        takesPs = this.site.costs.costPs(plan.request, plan.choice, group.communicator);
        this.collectivePs.set(plan, takesPs);
      }
      return takesPs;
    };
    const { start, partOf, end } = stageParts(workload, stage, schedule);
    const made = new Map<number, TimedPart>();
    const lastChunk = chunksOf(workload) - 1;
    return {
      start: timedPart(start, costPs),
      partOf: (isForward, chunk, isEdge) => {
        // chunks with neither end of the model are the same but for the numbers of their layers, which edges wait for
        const alike = isEdge || chunk === 0 || chunk === lastChunk ? chunk : 1;
        const key = 4 * alike + (isForward ? 2 : 0) + (isEdge ? 1 : 0);
        let part = made.get(key);
        if (part === undefined) made.set(key, (part = timedPart(partOf(isForward, alike, isEdge), costPs)));
        return part;
      },
      end: timedPart(end, costPs),
      plainPasses: new Map(),
    };
  }

  /** The first group of so many ranks and this kind: what its collectives take is known of it. */
  private firstOf(group: JobGroup): JobGroup {
    const key = `${group.name} ${ranksText(group.ranks)}`;
    const first = this.alike.get(key);
    if (first === undefined) this.alike.set(key, group);
    return first ?? group;
  }

  private groupsOf({ groups, ...workload }: Workload, layout: readonly Dimension[]): JobGroups {
    const { tensor, pipeline, expert, context = 1, gpus } = groups;
    const key = [tensor, pipeline, expert, context, gpus, ...layout].join(' ');
    let made = this.groups.get(key);
    if (made === undefined) {
      const { fabric, settings } = this.site;
      const job: Job = {
        name: '',
        workload: { ...workload, groups },
        ranks: Int32Array.from({ length: gpus }, (_, rank) => rank),
        startPs: 0,
        iterations: 1,
        pipelineSchedule: '1f1b',
        computeSpeed: null,
        layout,
      };
      this.groups.set(key, (made = new JobGroups({ job, fabric, settings, streams: null })));
    }
    return made;
  }
}

/** The parts of a stage with their times, made when they are first needed. */
interface TimedParts {
  readonly start: TimedPart;
  readonly partOf: (...pass: Parameters<StageParts['partOf']>) => TimedPart;
  readonly end: TimedPart;
  readonly plainPasses: ConstructorParameters<typeof StageWalk>[1];
}

/** A stage's program in the order of its passes. */
interface TimedStage {
  readonly start: TimedPart;
  readonly order: readonly StagePass[];
  /** of each pass */
  readonly parts: readonly TimedPart[];
  /** by pass: the first prefetched collective of it and later ones; at the end null */
  readonly gathers: readonly TimedPart['first'][];
  readonly end: TimedPart;
}

interface Lane {
  readonly timed: TimedStage;
  readonly walk: StageWalk;
  next: number;
}

interface Pipeline {
  readonly workload: Workload;
  readonly groups: JobGroups;
  readonly stages: number;
  /** position of the last chunk of the model */
  readonly last: number;
  /** by tag; not sent: -1 */
  readonly messages: { readonly sentPs: Float64Array; readonly arrivedPs: Float64Array };
}

/** Ranks as text, short if they are as far apart each. */
function ranksText(ranks: Int32Array): string {
  const [first = 0, second = first] = ranks;
  const isEven = ranks.every((rank, place) => rank === first + place * (second - first));
  return isEven ? `${first} ${second - first} ${ranks.length}` : ranks.join(' ');
}

function orderOf(workload: Workload, stage: number, schedule: PipelineSchedule): readonly StagePass[] {
  const { groups, microBatches } = workload;
  const shape = { stages: groups.pipeline, chunksPerStage: chunksOf(workload), microBatches, hasBackward: true };
  return pipelineOrder(schedule, stage, shape);
}

function timedStage({ start, partOf, end }: TimedParts, order: readonly StagePass[]): TimedStage {
  const lastBackward = order.reduce((last, { isForward, microBatch }) => (isForward ? last : microBatch), -1);
  const parts = order.map(({ isForward, microBatch, chunk }) =>
    partOf(isForward, chunk, microBatch === (isForward ? 0 : lastBackward)),
  );
  const gathers: TimedPart['first'][] = Array.from({ length: parts.length + 1 }, () => null);
  for (let i = parts.length - 1; i >= 0; i--) gathers[i] = parts[i]!.first ?? gathers[i + 1]!;
  return { start, order, parts, gathers, end };
}
