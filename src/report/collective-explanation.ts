// What `weft collective --explain` tells: the group on its servers, the choice and its reason, rings or trees of the
// channels, the moves of every step, what each kind of link carried, and the simulated time beside what it can be
// compared with.
// Invariant: all of it is read from the schedule that was simulated and from what its links carried.

import { channelLayout, type CollectiveRequest } from '../collectives/build-schedule.js';
import { type Communicator, ranksPerServer } from '../collectives/communicator.js';
import type { GroupFacts } from '../collectives/group-facts.js';
import { estimatePs, tunedGroup } from '../collectives/nccl-cost.js';
import { ncclFigures, ncclProfile } from '../collectives/nccl-figures.js';
import { groupUnder } from '../collectives/taken-figures.js';
import type { NcclEnvironment } from '../collectives/nccl-environment.js';
import { type Protocol, type TunedAlgorithm, tunedAlgorithms } from '../collectives/protocols.js';
import { type AlgorithmName, emptyMove, type Schedule } from '../collectives/schedule.js';
import { type Choice, isNccl, type Profile } from '../collectives/selection.js';
import type { TierLoad } from '../measurement/link-loads.js';

/** Moves of one step, or of several steps in a row that are alike. */
export interface StepFigures {
  readonly firstStep: number;
  readonly lastStep: number;
  /** of one step: moves, those of no bytes included, and bytes */
  readonly moves: number;
  readonly bytes: number;
  readonly leastBytes: number;
  readonly mostBytes: number;
  /** of one step: moves whose receiver adds */
  readonly reductions: number;
  /** ends of the step's first move, as nodes */
  readonly source: number;
  readonly destination: number;
}

/** One move, ends as nodes. */
interface ExplainedMove {
  readonly number: number;
  readonly source: number;
  readonly destination: number;
  readonly sizeBytes: number;
  readonly isReduction: boolean;
  readonly step: number;
  readonly channel: number;
  readonly chunk: number;
  readonly waitsFor: number;
}

/** A channel's ring (nodes in order), or its tree (parent of each node below the root). */
export interface ExplainedChannel {
  readonly channel: number;
  readonly ring: readonly number[] | null;
  readonly tree: {
    readonly root: number;
    readonly height: number;
    readonly edges: readonly { readonly parent: number; readonly children: readonly number[] }[];
  } | null;
}

/** A collective that has been simulated. */
export interface ExplainedRun {
  readonly communicator: Communicator;
  readonly request: CollectiveRequest;
  readonly facts: GroupFacts;
  readonly choice: Choice;
  readonly schedule: Schedule;
  readonly timePs: number;
  readonly profile: Profile;
  readonly environment?: NcclEnvironment | undefined;
  /** what else NCCL could have chosen */
  readonly others: readonly OtherTime[];
}

export interface CollectiveExplanation extends ExplainedRun {
  readonly ranksPerServer: { readonly most: number; readonly fewest: number };
  readonly nicsPerServer: number;
  readonly channels: readonly ExplainedChannel[];
  readonly steps: readonly StepFigures[];
  /** moves that `steps` counts: all, unless there are too many to look at */
  readonly movesCounted: number;
  readonly moves: readonly ExplainedMove[];
  readonly tiers: readonly TierLoad[];
  /** of NCCL's model; null if it has none for the algorithm */
  readonly modelPs: number | null;
}

/** An algorithm that was not chosen, by its fastest protocol; null: its simulation would take long. */
export interface OtherTime {
  readonly algorithm: AlgorithmName;
  readonly protocol: Protocol;
  readonly timePs: number | null;
}

/** moves that are looked at one by one: a second or two */
const mostMovesCounted = 4_000_000;

/** Reads a collective that has been simulated. @param mostMoves moves to list one by one */
export function explainCollective(
  run: ExplainedRun,
  tiers: readonly TierLoad[],
  mostMoves: number,
): CollectiveExplanation {
  const { communicator, request, choice, schedule } = run;
  const movesCounted = Math.min(schedule.moveCount, mostMovesCounted);
  return {
    ...run,
    ranksPerServer: ranksPerServer(communicator),
    nicsPerServer: communicator.nicOwners.reduce((least, owners) => Math.min(least, owners.length), Infinity),
    channels: channelsOf(request, choice, communicator),
    steps: stepsOf(schedule, communicator, movesCounted),
    movesCounted,
    moves: movesOf(schedule, communicator, Math.min(movesCounted, mostMoves)),
    tiers: tiers.filter(({ flows }) => flows > 0),
    modelPs: modelledPs(run),
  };
}

/** What NCCL's model says of the choice; null: it knows no such algorithm. */
function modelledPs({ communicator, request, facts, choice, profile, environment }: ExplainedRun): number | null {
  const { algorithm, protocol } = choice;
  const { gpuType } = communicator.fabric;
  const overheadUs = environment?.postOverheadUs;
  if (!isTuned(algorithm)) return null;
  const group = isNccl(profile)
    ? groupUnder(profile, { facts, gpuType }, overheadUs)
    : tunedGroup(ncclFigures(ncclProfile), facts, gpuType, overheadUs);
  return estimatePs(algorithm, protocol, request.kind, request.sizeBytes, group);
}

function isTuned(algorithm: string): algorithm is TunedAlgorithm {
  return (tunedAlgorithms as readonly string[]).includes(algorithm);
}

function channelsOf(request: CollectiveRequest, choice: Choice, communicator: Communicator): ExplainedChannel[] {
  const { rings, trees, treesPerChannel } = channelLayout(request, choice, communicator);
  const { nodes } = communicator;
  if (trees !== null) {
    return Array.from({ length: trees.treeCount }, (_, tree) => {
      const below = new Map<number, number[]>();
      let height = 0;
      for (let edge = trees.firstEdge[tree]!; edge < trees.firstEdge[tree + 1]!; edge++) {
        const parent = nodes[trees.parent[edge]!]!;
        below.set(parent, [...(below.get(parent) ?? []), nodes[trees.child[edge]!]!]);
        height = Math.max(height, trees.depth[edge]! + 1);
      }
      return {
        channel: Math.floor(tree / treesPerChannel),
        ring: null,
        tree: {
          root: nodes[trees.root[tree]!]!,
          height,
          edges: Array.from(below, ([parent, children]) => ({ parent, children })),
        },
      };
    });
  }
  if (rings === null) return [];
  return Array.from({ length: rings.channelCount }, (_, channel) => ({
    channel,
    tree: null,
    ring: Array.from(
      rings.order.subarray(channel * rings.rankCount, (channel + 1) * rings.rankCount),
      (place) => nodes[place]!,
    ),
  }));
}

function stepsOf(schedule: Schedule, { nodes }: Communicator, count: number): StepFigures[] {
  const steps = new Map<number, { -readonly [K in keyof StepFigures]: StepFigures[K] }>();
  const move = emptyMove();
  for (let number = 0; number < count; number++) {
    schedule.describe(number, move);
    const { step, sizeBytes } = move;
    let figures = steps.get(step);
    if (figures === undefined) {
      figures = {
        firstStep: step,
        lastStep: step,
        moves: 0,
        bytes: 0,
        leastBytes: Infinity,
        mostBytes: 0,
        reductions: 0,
        source: nodes[move.source]!,
        destination: nodes[move.destination]!,
      };
      steps.set(step, figures);
    }
    figures.moves++;
    figures.bytes += sizeBytes;
    figures.leastBytes = Math.min(figures.leastBytes, sizeBytes);
    figures.mostBytes = Math.max(figures.mostBytes, sizeBytes);
    if (move.isReduction) figures.reductions++;
  }
  const ordered = [...steps.values()];
  ordered.sort((a, b) => a.firstStep - b.firstStep);
  return ordered.reduce<StepFigures[]>((merged, figures) => {
    const last = merged.at(-1);
    if (last !== undefined && areAlike(last, figures))
      merged[merged.length - 1] = { ...last, lastStep: figures.lastStep };
    else merged.push(figures);
    return merged;
  }, []);
}

const alikeIn = ['moves', 'bytes', 'leastBytes', 'mostBytes', 'reductions', 'source', 'destination'] as const;

function areAlike(a: StepFigures, b: StepFigures): boolean {
  return a.lastStep + 1 === b.firstStep && alikeIn.every((key) => a[key] === b[key]);
}

function movesOf(schedule: Schedule, { nodes }: Communicator, count: number): ExplainedMove[] {
  const move = emptyMove();
  return Array.from({ length: count }, (_, number) => {
    schedule.describe(number, move);
    return {
      number,
      ...move,
      source: nodes[move.source]!,
      destination: nodes[move.destination]!,
      waitsFor: schedule.prerequisites(number),
    };
  });
}
