// A job: a workload that runs on ranks of a fabric, how its collectives are done, and what holds it up. Scenarios make
// jobs; the scheduler runs them.
// Invariant: the ranks are as many as the workload's groups say, each once, and no two jobs share one.

import type { Dimension } from '../collectives/parallel-groups.js';
import type { NcclEnvironment } from '../collectives/nccl-environment.js';
import type { Protocol } from '../collectives/protocols.js';
import type { Profile } from '../collectives/selection.js';
import type { AlgorithmName } from '../collectives/schedule.js';
import type { JobMemory } from './memory-figures.js';
import type { Workload } from '../workload/workload.js';

/** How the collectives of all jobs are done (collectives/selection.ts). */
export interface CollectiveSettings {
  readonly profile: Profile;
  /** for every collective that can be done so; `auto`: as the profile chooses */
  readonly algorithm: AlgorithmName | 'auto';
  /** for every collective whose algorithm has it; `auto`: as the profile chooses */
  readonly protocol: Protocol | 'auto';
  readonly nvls: boolean;
  readonly pxn: boolean;
  readonly collnet: boolean;
  /** of NCCL; left out: none is set */
  readonly environment?: NcclEnvironment;
  /** 0: as many as the profile chooses */
  readonly channels: number;
}

/** In which order a stage of the pipeline takes its micro-batches. */
export const pipelineSchedules = ['1f1b', 'all-forward-all-backward'] as const;
export type PipelineSchedule = (typeof pipelineSchedules)[number];

/** Kinds of groups that may be given as lists of ranks. */
export const explicitKinds = ['tp', 'dp', 'ep', 'dp_ep'] as const;
export type ExplicitKind = (typeof explicitKinds)[number];
/** Groups of ranks of a job, ascending within each group; every rank is in one group of a kind. */
export type ExplicitGroups = Readonly<Partial<Record<ExplicitKind, readonly Int32Array[]>>>;

export interface Job {
  readonly name: string;
  /** its number of GPUs is given */
  readonly workload: Workload;
  /** by rank of the job: rank of the fabric (its hosts in order of their ids) */
  readonly ranks: Int32Array;
  readonly startPs: number;
  /** how often the iteration runs, one after the other */
  readonly iterations: number;
  readonly pipelineSchedule: PipelineSchedule;
  /** by rank of the job: speed of its computation, 1 as the workload says, 0.5 half of it; null: all at 1 */
  readonly computeSpeed: Float64Array | null;
  /** how much longer computation takes while collectives run beside it, 0.189 for 18.9 %; left out: no longer */
  readonly overlapSlowdown?: number;
  /** order of the dimensions in which its ranks are numbered; left out: tp, ep, dp_ep, pp */
  readonly layout?: readonly Dimension[];
  /** groups in place of those that the layout gives; left out: none */
  readonly groups?: ExplicitGroups;
  /** what it keeps on its GPUs; left out: not known, as of a workload from a file */
  readonly memory?: JobMemory;
  /** traffic class of what it sends to other servers; left out: none */
  readonly trafficClass?: number;
}
