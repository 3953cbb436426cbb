// One collective on an idle fabric, as nccl-tests measures it: chosen, laid out, simulated, its time and its
// bandwidths.
// Invariant: all ranks enter it at one time; the time runs from there to the last arrival, base latency included.

import { bandwidths } from '../collectives/bus-bandwidth.js';
import { buildSchedule, type CollectiveRequest, groupFacts, scheduleProblem } from '../collectives/build-schedule.js';
import { CollectiveWork } from '../collectives/collective-work.js';
import type { Communicator } from '../collectives/communicator.js';
import type { GroupFacts } from '../collectives/group-facts.js';
import { alternativesOf } from '../collectives/nccl-choice.js';
import type { NcclEnvironment } from '../collectives/nccl-environment.js';
import { canNvls } from '../collectives/nvls.js';
import type { GroupKind } from '../collectives/parallel-groups.js';
import { type CollectiveKind, emptyMove, type Schedule } from '../collectives/schedule.js';
import {
  type Choice,
  chooseWith,
  isNccl,
  protocolProblem,
  type Profile,
  type SelectionRequest,
  type Wish,
} from '../collectives/selection.js';
import { unconnectedMove } from '../collectives/unconnected.js';
import { unlinkedHosts, unreachablePair } from '../fabric/connectivity.js';
import { hostPairs } from '../fabric/host-pairs.js';
import { MoveColumn, moveTable } from '../records/job-records.js';
import { type RecordSink, TableWriter } from '../records/schema.js';
import { untold } from '../records/transfer-label.js';
import { PathTracer } from '../routing/path.js';
import { routesByRules } from '../routing/table-routes.js';
import type { Plan } from '../scenario/plan.js';
import { collectiveCosts } from './make-network.js';
import type { RunSummary } from './run-progress.js';
import type { SimulateOptions } from './simulate.js';

/** What a group is for, and what its collectives may be done by. */
export interface GroupChoices {
  /** what the group is for, which the rules of profiles ask; `dp` where it may be left out */
  readonly groupKind: GroupKind;
  /** who chooses algorithm, protocol and channels, by name or read from a file; `nccl` where it may be left out */
  readonly profile: Profile;
  /** reductions in NVSwitches, where there are some; true where it may be left out */
  readonly nvls: boolean;
  /** sends over NICs of other GPUs of the server, by NVLink */
  readonly pxn: boolean;
  /** considers reductions between servers in trees */
  readonly collnet: boolean;
  /** 0: the profile's own number */
  readonly channels: number;
}

/** How the collectives of a group are chosen. */
export interface GroupSetup extends GroupChoices {
  /** in place of the profile's choice */
  readonly wish: Wish;
  /** variables of NCCL; left out: none */
  readonly environment?: NcclEnvironment | undefined;
}

/** A group and how its collectives are chosen. */
export interface CollectiveSetup extends GroupSetup {
  readonly communicator: Communicator;
}

/** What is to be done, once. */
export interface CollectiveTask {
  readonly kind: CollectiveKind;
  /** the whole buffer of a rank */
  readonly sizeBytes: number;
  /** place of the root of a broadcast or reduce */
  readonly root: number;
}

/** How a task will be done. */
export interface PlannedCollective {
  readonly task: CollectiveTask;
  readonly request: CollectiveRequest;
  readonly facts: GroupFacts;
  readonly choice: Choice;
  readonly schedule: Schedule;
}

/** How long it took. */
export interface CollectiveTime {
  readonly timePs: number;
  /** bytes per second */
  readonly algorithmBandwidth: number;
  readonly busBandwidth: number;
  readonly summary: RunSummary;
}

/** What came of it. */
export interface MeasuredCollective extends PlannedCollective, CollectiveTime {}

/**
 * Chooses for a task. What is chosen by itself can run: where no path joins two ranks that the first choice joins, the
 * next best that needs no such path takes its place, and its reason says so.
 * @returns words about what cannot be done, or the choice
 */
export function planCollective(setup: CollectiveSetup, task: CollectiveTask): PlannedCollective | string {
  const planned = planAsWished(setup, task);
  if (typeof planned === 'string' || setup.wish.algorithm !== 'auto') return planned;
  const apart = unconnectedRanks(setup.communicator, [planned]);
  if (apart === null) return planned;
  const other = otherChoices(setup, planned).find((one) => unconnectedRanks(setup.communicator, [one]) === null);
  if (other === undefined) return planned;
  const { algorithm } = planned.choice;
  const reason =
    `${other.choice.algorithm}: for ${algorithm}, which takes less by NCCL's model, no path leads from rank ` +
    `${apart.source} to rank ${apart.destination}`;
  return { ...other, choice: { ...other.choice, reason } };
}

function planAsWished(setup: CollectiveSetup, task: CollectiveTask): PlannedCollective | string {
  const { communicator, profile, wish } = setup;
  const { kind, sizeBytes, root } = task;
  const wished = wish.algorithm === 'auto' ? null : scheduleProblem(wish.algorithm, kind, communicator);
  if (wished !== null) return wished;
  const request = selectionRequest(setup, task);
  const { facts } = request;
  const choice = chooseWith(profile, request, wish);
  const problem =
    scheduleProblem(choice.algorithm, kind, communicator) ?? protocolProblem(choice.algorithm, choice.protocol);
  if (problem !== null) return problem;
  const wanted = {
    kind,
    sizeBytes,
    root,
    groupKind: setup.groupKind,
    ...(kind === 'sendrecv' ? { pairs: shift(communicator.rankCount, sizeBytes) } : {}),
  };
  return { task, facts, choice, request: wanted, schedule: buildSchedule(wanted, choice, communicator) };
}

/** What a profile is asked about a task. */
export function selectionRequest(setup: CollectiveSetup, { kind, sizeBytes }: CollectiveTask): SelectionRequest {
  const { communicator, groupKind, nvls, pxn, collnet, channels, environment } = setup;
  return {
    kind,
    groupKind,
    sizeBytes,
    facts: groupFacts(communicator),
    gpuType: communicator.fabric.gpuType,
    hasNvswitches: canNvls(communicator),
    nvls,
    pxn,
    collnet,
    channels,
    ...(environment === undefined ? {} : { environment }),
  };
}

/** The algorithms, by their fastest protocols, that NCCL could have chosen instead; none where it does not choose. */
export function otherChoices(
  setup: CollectiveSetup,
  { task, choice }: PlannedCollective,
): readonly PlannedCollective[] {
  const { profile, wish } = setup;
  if (!isNccl(profile) || wish.algorithm !== 'auto') return [];
  return alternativesOf(profile, selectionRequest(setup, task)).flatMap(({ algorithm, protocol }) => {
    const planned =
      algorithm === choice.algorithm ? null : planAsWished({ ...setup, wish: { algorithm, protocol } }, task);
    return planned === null || typeof planned === 'string' ? [] : [planned];
  });
}

/** Two ranks that a collective joins and no path does. */
export interface UnconnectedRanks {
  readonly source: number;
  readonly destination: number;
  /** the one of them that has no NIC; null if both have one */
  readonly withoutNic: number | null;
}

/** On a fabric where not every host reaches every other: the first ranks that would send to each other and cannot. */
export function unconnectedRanks(
  communicator: Communicator,
  collectives: readonly PlannedCollective[],
): UnconnectedRanks | null {
  const { fabric, ranks, nicOwners } = communicator;
  if (unreachablePair(fabric) === null && unlinkedHosts(fabric).length === 0) return null;
  const connected = hostPairs(fabric);
  for (const { schedule } of collectives) {
    const move = unconnectedMove(schedule, communicator, connected);
    if (move === null) continue;
    const { source, destination } = move;
    const without = [source, destination].find((place) => !nicOwners.some((places) => places.includes(place)));
    return {
      source: ranks[source]!,
      destination: ranks[destination]!,
      withoutNic: without === undefined ? null : ranks[without]!,
    };
  }
  return null;
}

/** Every rank sends to the next one, as sendrecv of nccl-tests does. */
function shift(ranks: number, sizeBytes: number): { source: number; destination: number; sizeBytes: number }[] {
  return Array.from({ length: ranks }, (_, source) => ({ source, destination: (source + 1) % ranks, sizeBytes }));
}

/**
 * Simulates a planned collective; on the analytical backend its closed form says how long it takes, as in jobs.
 * @param plan whose fabric the communicator is of; its own work is replaced
 * @param simulate the composition (simulate.ts)
 */
export async function simulateCollective(
  plan: Plan,
  setup: CollectiveSetup,
  planned: PlannedCollective,
  simulate: (plan: Plan, options: SimulateOptions) => Promise<RunSummary>,
  options: SimulateOptions,
): Promise<MeasuredCollective> {
  // what a closed form says needs no transfers, unless somebody asks what they load
  const isSent = costsOn(plan) === null || options.linkLoads !== undefined;
  const own = isSent ? planOfCollective(plan, setup, planned) : { ...plan, source: new CollectiveWork([]) };
  return timedCollective(plan, setup, planned, await simulate(own, options));
}

/** A plan that sends a planned collective and nothing else, with a table for its moves (`writeMoves`). @param plan whose fabric the communicator is of */
export function planOfCollective(
  plan: Plan,
  { communicator, environment }: CollectiveSetup,
  { choice, schedule }: PlannedCollective,
): Plan {
  const { startDelayPs, intraServerDelayPs, networkDelayPs, postPs, postHidingBytes, keepsPorts } = choice;
  const source = new CollectiveWork([
    {
      communicator,
      schedule,
      startPs: startDelayPs,
      options: { wire: choice, intraServerDelayPs, networkDelayPs, postPs, postHidingBytes },
      keepsPorts,
    },
  ]);
  const collectives = environment === undefined ? plan.collectives : { ...plan.collectives, environment };
  return { ...plan, source, collectives, tables: [...plan.tables, moveTable] };
}

/** What a simulated collective took, and its bandwidths. */
export function timedCollective(
  plan: Plan,
  { communicator }: CollectiveSetup,
  planned: PlannedCollective,
  summary: RunSummary,
): MeasuredCollective {
  const { choice, task, request } = planned;
  const costs = costsOn(plan);
  const timePs =
    costs === null ? Math.max(choice.startDelayPs, summary.simulatedPs) : costs.costPs(request, choice, communicator);
  return { ...planned, timePs, summary, ...bandwidths(task.kind, communicator.rankCount, task.sizeBytes, timePs) };
}

/** Closed forms of a plan's backend; null: it sends collectives. */
function costsOn(plan: Plan): ReturnType<typeof collectiveCosts> {
  return collectiveCosts(plan, new PathTracer(routesByRules(plan.fabric, plan.routing)));
}

/** Writes the rows of `moves` of a simulated collective, by number; of no job. @throws what the sink throws */
export async function writeMoves({ schedule }: PlannedCollective, sink: RecordSink): Promise<void> {
  const writer = new TableWriter(moveTable, sink);
  const move = emptyMove();
  for (let number = 0; number < schedule.moveCount; number++) {
    schedule.describe(number, move);
    const { columns, rows } = writer;
    columns[MoveColumn.flow]![rows] = number;
    columns[MoveColumn.job]![rows] = untold;
    columns[MoveColumn.firstFlow]![rows] = 0;
    columns[MoveColumn.step]![rows] = move.step;
    columns[MoveColumn.channel]![rows] = move.channel;
    columns[MoveColumn.chunk]![rows] = move.chunk;
    columns[MoveColumn.isReduction]![rows] = move.isReduction ? 1 : 0;
    writer.commit();
    if (sink.full) await sink.drain();
  }
  writer.flush();
}
