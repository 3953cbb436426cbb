// What a run comes to: the figures behind `--json`, summary.json and the report's first table.

import type { HostPause } from '../backends/packet/host-pauses.js';
import type { WatchdogFigures } from '../backends/packet/switch/pause-watchdog.js';
import type { Unmarked } from '../backends/packet/packet-network.js';
import type { ProbeSummary } from '../backends/packet/probes/probe-summary.js';
import type { FastForwardFigures } from '../jobs/fast-forward/fast-forward-figures.js';
import type { TransferJobFigures } from '../jobs/transfer-jobs.js';
import type { JobReport } from '../jobs/job-report.js';
import type { ProgramReport } from '../programs/program-report.js';
import type { InferenceReport } from '../inference/inference-report.js';
import type { NetworkCounters, RunState, Verdict } from '../execution/network.js';
import type { CompletionStatistics } from '../measurement/completion.js';
import type { CollisionCount } from '../measurement/collisions.js';
import type { SlowdownStatistics } from '../measurement/slowdowns.js';
import type { UnfinishedFigures } from '../measurement/unfinished-figures.js';
import type { ControllerFigures } from '../measurement/controller-figures.js';

export interface RunSummary {
  /** the level of detail at which the run was simulated */
  readonly backend: string;
  /** what stands in place of packets, in words; null: there are packets */
  readonly insteadOfPackets: string | null;
  /** false: collectives take what closed forms say, and send nothing */
  readonly sendsCollectives: boolean;
  readonly outcome: Exclude<RunState, 'running' | 'starved'>;
  /** flows that entered the network, and those of them that finished */
  readonly flows: number;
  readonly finished: number;
  /** what the flows brought to their ends that the run ended without; null: all finished */
  readonly unfinished: UnfinishedFigures | null;
  readonly fct: CompletionStatistics;
  readonly slowdown: SlowdownStatistics;
  readonly collisions: CollisionCount;
  /** in order of the scenario; none without workloads */
  readonly jobs: readonly JobReport[];
  /** programs of ranks, in order of the scenario */
  readonly programs: readonly ProgramReport[];
  /** jobs that are transfers of one name, in the order in which they were named first */
  readonly transferJobs: readonly TransferJobFigures[];
  /** what of the jobs was replayed; null: nothing may be */
  readonly fastForward: FastForwardFigures | null;
  /** the last completion; the time reached, of a run that did not finish */
  readonly simulatedPs: number;
  /**
   * source ports that the controller chose, and those for which it found no path with room, one per queue pair; null
   * without a controller
   */
  readonly controller: ControllerFigures | null;
  /**
   * queue pairs that were put on the plane or NIC they are pinned to, and those for which failures left no such path;
   * null without pins
   */
  readonly pins: { readonly pinned: number; readonly unpinned: number } | null;
  /** changes of links that happened, and how often routing took new routes; null if the plan has no failures */
  readonly failures: { readonly changes: number; readonly reroutes: number } | null;
  /** what serving came to; null without inference */
  readonly inference: InferenceReport | null;
  readonly counters: Readonly<NetworkCounters>;
  /** why no packet was marked; null if some were, or none could be */
  readonly unmarked: Unmarked | null;
  /** hosts whose sending was held back; null on a backend on which nobody is */
  readonly pauses: readonly HostPause[] | null;
  /** what the watchdog over paused ports did; null: nobody watches */
  readonly watchdog: WatchdogFigures | null;
  /** what the probes recorded; null without probes */
  readonly probes: ProbeSummary | null;
  readonly verdicts: readonly Verdict[];
  /** SHA-256 of the canonical records, hexadecimal */
  readonly digest: string;
  readonly cpuSeconds: number;
  readonly wallSeconds: number;
  readonly peakMemoryBytes: number;
}

/** Where a run stands, between two slices. */
export interface Progress {
  readonly nowPs: number;
  readonly flowsStarted: number;
  readonly flowsFinished: number;
  /** NaN if the source does not know */
  readonly flowsTotal: number;
  /** null on a backend without packets */
  readonly packetHops: number | null;
  readonly cpuSeconds: number;
  readonly wallSeconds: number;
  /** share of the run's work that is done, 0 to 1; null if nobody knows how much there is */
  readonly share: number | null;
}
