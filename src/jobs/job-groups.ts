// The groups of a job's ranks, by what a collective runs over, and how each group does its collectives.
// Invariant: of each kind, every rank is in exactly one group; groups other than those of the pipeline stay within a
// stage. Communicators, choices and schedules are made when a group first needs them, and kept: a collective that comes
// again costs nothing anew.

import { addTo } from '../base/lists-by-key.js';
import { groupFacts, buildSchedule, scheduleProblem, type CollectiveRequest } from '../collectives/build-schedule.js';
import { Communicator, ranksPerServer } from '../collectives/communicator.js';
import type { GroupFacts } from '../collectives/group-facts.js';
import { canNvls } from '../collectives/nvls.js';
import { parallelGroups, type GroupKind } from '../collectives/parallel-groups.js';
import type { CollectiveKind, Schedule } from '../collectives/schedule.js';
import { type NetworkTimes, streamLeadPs } from '../collectives/stream-lead.js';
import { keepsPace } from '../collectives/stream-paths.js';
import { hasStreams, StreamedSchedule } from '../collectives/streams.js';
import { choose, type Choice, chooseWith, isNccl, protocolProblem } from '../collectives/selection.js';
import type { Fabric } from '../fabric/fabric.js';
import { parallelSizes } from '../workload/group-sizes.js';
import type { GroupName } from '../workload/policies.js';
import type { CollectiveSettings, Job } from './job.js';
import type { CommunicationKind } from './job-report.js';

/** As what a group counts in figures. */
export const communicationKindOf: Readonly<Record<GroupName, CommunicationKind>> = {
  none: 'all',
  tp: 'TP',
  dp: 'DP',
  pp: 'PP',
  ep: 'EP',
  dp_ep: 'DP_EP',
  cp: 'CP',
  all: 'all',
  server: 'all',
  acrossServers: 'all',
};

/** groups of a job are fewer */
const mostGroups = 2 ** 20;

/** The number of a group's communicator in the run. @param group null: of messages between stages */
export function communicatorNumber(job: number, group: JobGroup | null): number {
  return job * mostGroups + (group === null ? 0 : group.id + 1);
}

/** What the rules of a selection profile take a group for that is none of theirs. */
const selectedAs = (name: GroupName): GroupKind =>
  name === 'none' || name === 'all' || name === 'acrossServers' ? 'dp' : name === 'server' ? 'tp' : name;

/** How a group does a collective. */
export interface CollectivePlan {
  readonly request: CollectiveRequest;
  readonly choice: Choice;
  /** made when it is first asked for */
  readonly schedule: Schedule;
  /** from a rank's start of the collective to its first move; asks for the schedule */
  readonly startDelayPs: number;
  /** its schedule was made, of streams */
  readonly isStreamed: boolean;
}

/** What the groups of a job share. */
export interface GroupParts {
  readonly job: Job;
  readonly fabric: Fabric;
  readonly settings: CollectiveSettings;
  /** given: collectives that can be streams are */
  readonly streams: NetworkTimes | null;
}

/** One group of ranks. */
export class JobGroup {
  private madeCommunicator: Communicator | null = null;
  private madeFacts: GroupFacts | null = null;
  private readonly plans = new Map<string, CollectivePlan>();

  /** @param id among all groups of the job @param ranks of the job, ascending */
  constructor(
    readonly id: number,
    readonly name: GroupName,
    readonly ranks: Int32Array,
    private readonly parts: GroupParts,
  ) {}

  get communicator(): Communicator {
    return (this.madeCommunicator ??= new Communicator(
      this.parts.fabric,
      this.ranks.map((rank) => this.parts.job.ranks[rank]!),
    ));
  }

  private get facts(): GroupFacts {
    return (this.madeFacts ??= groupFacts(this.communicator));
  }

  /** How the group does a collective. */
  planOf(kind: CollectiveKind, sizeBytes: number): CollectivePlan {
    const key = `${kind} ${sizeBytes}`;
    const known = this.plans.get(key);
    if (known !== undefined) return known;
    const request: CollectiveRequest = { kind, sizeBytes, groupKind: selectedAs(this.name) };
    const choice = this.choose(kind, sizeBytes);
    let made: Pick<CollectivePlan, 'schedule' | 'startDelayPs'> | null = null;
    const make = () => (made ??= this.build(request, choice));
    const plan = {
      request,
      choice,
      get schedule(): Schedule {
        return make().schedule;
      },
      get startDelayPs(): number {
        return make().startDelayPs;
      },
      get isStreamed(): boolean {
        return made !== null && made.schedule instanceof StreamedSchedule;
      },
    };
    this.plans.set(key, plan);
    return plan;
  }

  /** The moves of a part of a collective, done as the whole is. @param share of its bytes */
  partOf({ request, choice }: CollectivePlan, share: number): Schedule {
    const sizeBytes = Math.max(1, Math.ceil(share * request.sizeBytes));
    return buildSchedule({ ...request, sizeBytes }, choice, this.communicator);
  }

  private build(request: CollectiveRequest, choice: Choice): Pick<CollectivePlan, 'schedule' | 'startDelayPs'> {
    const { communicator } = this;
    const { streams } = this.parts;
    const steps = buildSchedule(request, choice, communicator);
    if (streams === null || !hasStreams(steps)) return { schedule: steps, startDelayPs: choice.startDelayPs };
    const schedule = new StreamedSchedule(steps);
    if (streams.isSelective === true && !keepsPace(schedule, communicator, streams.tracer))
      return { schedule: steps, startDelayPs: choice.startDelayPs };
    return {
      schedule,
      startDelayPs: choice.startDelayPs + streamLeadPs(schedule, communicator, { ...streams, ...choice }),
    };
  }

  private choose(kind: CollectiveKind, sizeBytes: number): Choice {
    const { communicator } = this;
    const { fabric, settings } = this.parts;
    const { profile, algorithm, protocol, nvls, pxn, collnet, channels, environment } = settings;
    const request = {
      kind,
      groupKind: selectedAs(this.name),
      sizeBytes,
      facts: this.facts,
      gpuType: fabric.gpuType,
      hasNvswitches: canNvls(communicator),
      nvls,
      pxn,
      collnet,
      channels,
      ...(environment === undefined ? {} : { environment }),
    };
    const own = choose(profile, request);
    // what cannot be done here is done as the profile chooses
    const wished =
      algorithm === 'auto' || scheduleProblem(algorithm, kind, communicator) !== null ? own.algorithm : algorithm;
    const hasProtocol = protocol !== 'auto' && protocolProblem(wished, protocol) === null;
    if (hasProtocol || (isNccl(profile) && wished !== own.algorithm))
      return chooseWith(profile, request, {
        algorithm: wished === own.algorithm ? 'auto' : wished,
        protocol: hasProtocol ? protocol : 'auto',
      });
    if (wished === own.algorithm) return own;
    return {
      ...own,
      algorithm: wished,
      channels: channels > 0 ? channels : Math.max(1, Math.min(own.channels, ranksPerServer(communicator).most)),
      reason: 'collectives.algorithm',
    };
  }
}

interface GroupsOfKind {
  readonly groups: readonly JobGroup[];
  /** by rank of the job */
  readonly groupOf: Int32Array;
  readonly placeOf: Int32Array;
}

export class JobGroups {
  /** by rank: its stage of the pipeline */
  readonly stageOf: Int32Array;
  /** by stage: its ranks, ascending */
  readonly ofStage: readonly Int32Array[];
  private readonly pipelines: readonly Int32Array[];
  private readonly pipelineOf: Int32Array;
  private readonly kinds = new Map<GroupName, GroupsOfKind>();
  private nextId = 0;

  constructor(private readonly parts: GroupParts) {
    const { job } = parts;
    const count = job.ranks.length;
    this.pipelines = parallelGroups('pp', parallelSizes(job.workload.groups), job.layout);
    this.stageOf = new Int32Array(count);
    this.pipelineOf = new Int32Array(count);
    const ofStage: number[][] = Array.from({ length: job.workload.groups.pipeline }, () => []);
    this.pipelines.forEach((ranks, pipeline) => {
      ranks.forEach((rank, stage) => {
        this.stageOf[rank] = stage;
        this.pipelineOf[rank] = pipeline;
      });
    });
    for (let rank = 0; rank < count; rank++) ofStage[this.stageOf[rank]!]!.push(rank);
    this.ofStage = ofStage.map((ranks) => Int32Array.from(ranks));
  }

  /** The rank of another stage that this one exchanges activations with. */
  partner(rank: number, stage: number): number {
    return this.pipelines[this.pipelineOf[rank]!]![stage]!;
  }

  /** The group of a rank. */
  group(name: GroupName, rank: number): JobGroup {
    const { groups, groupOf } = this.kind(name);
    return groups[groupOf[rank]!]!;
  }

  /** Place of a rank in its group. */
  place(name: GroupName, rank: number): number {
    return this.kind(name).placeOf[rank]!;
  }

  private kind(name: GroupName): GroupsOfKind {
    const known = this.kinds.get(name);
    if (known !== undefined) return known;
    const { job } = this.parts;
    const lists = this.ranksOf(name);
    const groupOf = new Int32Array(job.ranks.length);
    const placeOf = new Int32Array(job.ranks.length);
    const groups = lists.map((ranks, index) => {
      ranks.forEach((rank, place) => {
        groupOf[rank] = index;
        placeOf[rank] = place;
      });
      return new JobGroup(this.nextId++, name, ranks, this.parts);
    });
    const made = { groups, groupOf, placeOf };
    this.kinds.set(name, made);
    return made;
  }

  private ranksOf(name: GroupName): Int32Array[] {
    const { job, fabric } = this.parts;
    if (name === 'none' || name === 'all') return [...this.ofStage];
    if (name !== 'server' && name !== 'acrossServers') {
      const given = name === 'pp' || name === 'cp' ? undefined : job.groups?.[name];
      return given === undefined ? parallelGroups(name, parallelSizes(job.workload.groups), job.layout) : [...given];
    }
    const { gpusPerServer } = fabric;
    return this.ofStage.flatMap((ranks) => {
      const lists = new Map<number, number[]>();
      for (const rank of ranks) {
        const fabricRank = job.ranks[rank]!;
        const key = name === 'server' ? Math.floor(fabricRank / gpusPerServer) : fabricRank % gpusPerServer;
        addTo(lists, key, rank);
      }
      return Array.from(lists.values(), (list) => Int32Array.from(list));
    });
  }
}
