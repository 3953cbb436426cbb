// What a job sends in all (flows, bytes, packets, packet-hops), without carrying it out: each collective of each group
// is counted once, move by move, and taken as often as the programs have it.
// Invariants: a complete amount has every transfer that a run of the job has (job-run.ts) if nothing fails; it does not
// depend on how counting is cut into steps. As soon as one group of each kind is counted, `isKnown`: groups that are
// not counted yet are taken to send as much as those of their kind that are.
// Not counted: pauses, notifications, what is sent again.

import type { CollectiveKind, Move, Schedule } from '../collectives/schedule.js';
import { describeSent, emptyMove } from '../collectives/schedule.js';
import { isWithinServer } from '../collectives/communicator.js';
import { moveWireBytes, type WireCost } from '../collectives/protocols.js';
import type { NetworkTimes } from '../collectives/stream-lead.js';
import type { Fabric } from '../fabric/fabric.js';
import { type GroupName, groupNames } from '../workload/policies.js';
import { collectiveNames } from '../workload/workload.js';
import { buildProgram } from './build-program.js';
import type { CollectiveSettings, Job } from './job.js';
import { type JobGroup, JobGroups } from './job-groups.js';
import { Operation, type Program } from './program.js';

/** What transfers come to. */
export interface Amount {
  readonly flows: number;
  readonly payloadBytes: number;
  readonly packets: number;
  /** links on the paths of all flows together */
  readonly flowLinks: number;
  /** data and acknowledgements over links, nothing sent twice */
  readonly packetHops: number;
}

/** What the amount of a job depends on, beside the job. */
export interface AmountParts {
  readonly fabric: Fabric;
  readonly settings: CollectiveSettings;
  /** given: collectives that can be streams are */
  readonly streams: NetworkTimes | null;
  /** links between two nodes */
  readonly linksBetween: (source: number, destination: number) => number;
  /** payload of a packet */
  readonly payloadBytes: number;
  /** packets for each acknowledgement */
  readonly packetsPerAcknowledgement: number;
}

type Sums = { -readonly [key in keyof Amount]: number };

/**
 * Everything of one kind: a collective of some bytes over groups of a name in a stage, or messages to another stage.
 */
interface Kind {
  /** so many times each group, or each rank, sends it */
  times: number;
  readonly members: readonly (JobGroup | readonly [source: number, destination: number])[];
  readonly collective: CollectiveKind | null;
  readonly sizeBytes: number;
  counted: number;
  /** of the members that are counted */
  readonly sums: Sums;
}

const none = (): Sums => ({ flows: 0, payloadBytes: 0, packets: 0, flowLinks: 0, packetHops: 0 });

export class JobAmount {
  private readonly kinds: readonly Kind[];
  /** the kind and which of its members come next: first one of each, then the others */
  private kind = 0;
  private round = 0;
  /** the schedule under way, and its next move */
  private schedule: Schedule | null = null;
  private at = 0;
  /** of the member under way */
  private sums: Sums = none();
  private readonly move: Move = emptyMove();
  private readonly mostMembers: number;

  constructor(
    job: Job,
    private readonly parts: AmountParts,
  ) {
    this.kinds = kindsOf(job, parts);
    this.mostMembers = this.kinds.reduce((most, { members }) => Math.max(most, members.length), 0);
  }

  get isComplete(): boolean {
    return this.round >= this.mostMembers;
  }

  /** Whether something of every kind has been counted. */
  get isKnown(): boolean {
    return this.round > 0 || this.isComplete;
  }

  /** What the job sends, as far as it is known: nothing of kinds of which nothing is counted. */
  get amount(): Amount {
    const all = none();
    for (const { times, members, counted, sums } of this.kinds) {
      if (counted === 0) continue;
      const scale = (times * members.length) / counted;
      for (const key of keys) all[key] += scale * sums[key];
    }
    return all;
  }

  /**
   * About what the job sends, from some moves of the first member of each kind, taken evenly; exact where all moves of
   * a collective and all groups are alike. What was counted stays as it was.
   * @param most moves of a collective that are looked at
   */
  estimate(most: number): Amount {
    const all = none();
    const counted = this.sums;
    for (const { times, members, collective, sizeBytes } of this.kinds) {
      this.sums = none();
      const [first] = members;
      let share = 1;
      if (collective === null) this.add(...(first as readonly [number, number]), sizeBytes);
      else {
        const group = first as JobGroup;
        const { choice, schedule } = group.planOf(collective, sizeBytes);
        const looks = Math.min(most, schedule.moveCount);
        for (let i = 0; i < looks; i++)
          this.countMove(schedule, choice, group, Math.floor((i * schedule.moveCount) / looks));
        share = looks / schedule.moveCount;
      }
      for (const key of keys) all[key] += (times * members.length * this.sums[key]) / (share || 1);
    }
    this.sums = counted;
    return all;
  }

  /** Counts on. @param most moves and messages to count @returns false if all is counted */
  advance(most: number): boolean {
    for (let left = most; left > 0 && !this.isComplete;) {
      const kind = this.kinds[this.kind]!;
      const member = kind.members[this.round];
      if (member === undefined) this.next();
      else if (kind.collective === null) {
        const [source, destination] = member as readonly [number, number];
        this.add(source, destination, kind.sizeBytes);
        left--;
        this.close(kind);
      } else left -= this.countMoves(kind, member as JobGroup, left);
    }
    return !this.isComplete;
  }

  /** @returns how many moves it has counted, at least 1 */
  private countMoves(kind: Kind, group: JobGroup, most: number): number {
    const { choice, schedule } = group.planOf(kind.collective!, kind.sizeBytes);
    if (this.schedule !== schedule) {
      this.schedule = schedule;
      this.at = 0;
    }
    const from = this.at;
    const end = Math.min(schedule.moveCount, from + most);
    for (; this.at < end; this.at++) this.countMove(schedule, choice, group, this.at);
    if (this.at === schedule.moveCount) {
      this.schedule = null;
      this.close(kind);
    }
    return Math.max(1, this.at - from);
  }

  private countMove(schedule: Schedule, cost: WireCost, { communicator }: JobGroup, at: number): void {
    const { move } = this;
    const { nodes, rankCount } = communicator;
    describeSent(schedule, at, move);
    const { source, destination, sizeBytes } = move;
    if (sizeBytes === 0) return;
    const isAtSwitch = source >= rankCount || destination >= rankCount;
    const isIntraServer = isWithinServer(communicator, source, destination);
    const wireBytes = moveWireBytes(cost, sizeBytes, isAtSwitch, isIntraServer);
    this.add(nodes[source]!, nodes[destination]!, wireBytes);
  }

  /** A member is counted to its end. */
  private close(kind: Kind): void {
    for (const key of keys) kind.sums[key] += this.sums[key];
    kind.counted++;
    this.sums = none();
    this.next();
  }

  private add(source: number, destination: number, sizeBytes: number): void {
    const { sums } = this;
    const { linksBetween, payloadBytes, packetsPerAcknowledgement } = this.parts;
    const links = linksBetween(source, destination);
    const packets = Math.ceil(sizeBytes / payloadBytes);
    sums.flows++;
    sums.payloadBytes += sizeBytes;
    sums.packets += packets;
    sums.flowLinks += links;
    sums.packetHops += links * (packets + Math.ceil(packets / packetsPerAcknowledgement));
  }

  private next(): void {
    if (++this.kind < this.kinds.length) return;
    this.kind = 0;
    this.round++;
  }
}

const keys = Object.keys(none()) as (keyof Amount)[];

/**
 * Moves and messages of a job whose collectives are carried out step by step: its transfers, where no move is empty.
 * The first group of a kind stands for all.
 */
export function stepTransfers(job: Job, fabric: Fabric, settings: CollectiveSettings): number {
  return kindsOf(job, { fabric, settings, streams: null }).reduce(
    (sum, { times, members, collective, sizeBytes }) =>
      sum +
      times *
        members.length *
        (collective === null ? 1 : (members[0] as JobGroup).planOf(collective, sizeBytes).schedule.moveCount),
    0,
  );
}

/** What the programs of a job's stages send, by kind. */
function kindsOf(
  job: Job,
  { fabric, settings, streams }: Pick<AmountParts, 'fabric' | 'settings' | 'streams'>,
): Kind[] {
  const groups = new JobGroups({ job, fabric, settings, streams });
  const kinds = new Map<string, Kind>();
  const { workload, iterations, pipelineSchedule } = job;
  for (let stage = 0; stage < workload.groups.pipeline; stage++) {
    const program = buildProgram(workload, stage, pipelineSchedule);
    for (let at = 0; at < program.length; at++) {
      const times = at < program.iterationLength ? iterations : 1;
      const sizeBytes = program.sizeBytes[at]!;
      const operation = program.kind[at]!;
      const sends = operation === Operation.send && sizeBytes > 0;
      if (!sends && operation !== Operation.collective && operation !== Operation.start) continue;
      const key = sends
        ? `${stage} to ${program.stage[at]} ${sizeBytes}`
        : `${stage} ${program.group[at]} ${program.collective[at]} ${sizeBytes}`;
      const known = kinds.get(key);
      if (known !== undefined) known.times += times;
      else {
        const members = sends
          ? pairs(job, fabric, groups, stage, program.stage[at]!)
          : groupsIn(groups, stage, program, at);
        const collective = sends ? null : (collectiveNames[program.collective[at]!] as CollectiveKind);
        kinds.set(key, { times, members, collective, sizeBytes, counted: 0, sums: none() });
      }
    }
  }
  return [...kinds.values()].filter(({ members }) => members.length > 0);
}

function pairs(job: Job, fabric: Fabric, groups: JobGroups, from: number, to: number): Kind['members'] {
  const nodeOf = (rank: number): number => fabric.hosts[job.ranks[rank]!]!;
  return Array.from(groups.ofStage[from]!, (rank) => [nodeOf(rank), nodeOf(groups.partner(rank, to))] as const);
}

/** The groups of a stage that an operation is carried out by, each once. */
function groupsIn(groups: JobGroups, stage: number, program: Program, at: number): JobGroup[] {
  const name: GroupName = groupNames[program.group[at]!]!;
  const distinct = new Set<JobGroup>();
  for (const rank of groups.ofStage[stage]!) distinct.add(groups.group(name, rank));
  return [...distinct].filter(({ ranks }) => ranks.length > 1);
}
