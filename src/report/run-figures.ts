// What a run comes to: plain figures in the units of the simulation. The catalogue in figures/run.ts says what each is
// called and how it is said.

import type { Diagnostic } from '../base/diagnostics.js';
import type { NetworkCounters, RunState, Verdict } from '../execution/network.js';
import type { HostPause, ProbeSummary, Unmarked, WatchdogFigures } from '../execution/network-figures.js';
import type { InferenceReport } from '../inference/inference-report.js';
import type { FastForwardFigures } from '../jobs/fast-forward/fast-forward-figures.js';
import type { JobReport } from '../jobs/job-report.js';
import type { TransferJobFigures } from '../jobs/transfer-jobs.js';
import type { CollisionCount } from '../measurement/collisions.js';
import type { CompletionStatistics } from '../measurement/completion.js';
import type { ControllerFigures } from '../measurement/controller-figures.js';
import type { LostTimeReport } from '../measurement/lost-causes.js';
import type { SlowdownStatistics } from '../measurement/slowdowns.js';
import type { UnfinishedFigures } from '../measurement/unfinished-figures.js';
import type { ProgramReport } from '../programs/program-report.js';
import type { ErrorBand } from './band-classes.js';
import type { StoredCollective } from './figures/collectives.js';
import type { SaidFinding } from './diagnosis/diagnosis-object.js';

/** What was run. */
export interface RunLabel {
  readonly weftVersion: string;
  readonly name: string;
  readonly seed: number;
  readonly warnings: readonly Diagnostic[];
  /** of the times of its jobs, if it has some and it is known; else why not, in words */
  readonly errorBand?: ErrorBand | string;
  /** how long each job takes by itself, in nanoseconds; null: it did not finish. Left out: nobody asked */
  readonly aloneNs?: readonly (number | null)[];
  /**
   * the flows that there would be if the run is not stopped, and where they stand; null or absent if that is not known
   */
  readonly planned?: { readonly flows: number; readonly where: 'trace' | 'scenario' } | null;
}

/** What a run came to: many fields, since each part that measures fills one, and the catalogue reads them all. */
export interface RunFigures {
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
  readonly lostTime: LostTimeReport;
  /** what held it up, as `weft diagnose` finds it; null or left out: nobody looked */
  readonly findings?: readonly SaidFinding[] | null;
  /** left out: the run is not of `weft collective` */
  readonly collective?: StoredCollective;
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
  /** what its fabric costs, in the currency of the scenario's prices; left out: it has none */
  readonly cost?: number;
  /** null without a controller */
  readonly controller: ControllerFigures | null;
  /** null without pins */
  readonly pins: { readonly pinned: number; readonly unpinned: number } | null;
  /** null if the plan has no failures */
  readonly failures: { readonly changes: number; readonly reroutes: number } | null;
  /** what serving came to; null without inference */
  readonly inference: InferenceReport | null;
  readonly counters: Readonly<NetworkCounters>;
  /** why no packet was marked; null if some were, or none could be */
  readonly unmarked: Unmarked | null;
  /** hosts whose sending was held back; null on a backend on which nobody is */
  readonly pauses: readonly HostPause[] | null;
  /** null: nobody watches paused ports */
  readonly watchdog: WatchdogFigures | null;
  /** null without probes */
  readonly probes: ProbeSummary | null;
  readonly verdicts: readonly Verdict[];
  /** SHA-256 of the canonical records, hexadecimal */
  readonly digest: string;
  readonly cpuSeconds: number;
  readonly wallSeconds: number;
  readonly peakMemoryBytes: number;
}

/** True of a run that came to its end, by itself or at its `stopTime`: its figures can be compared with others'. */
export function cameToItsEnd(outcome: string): boolean {
  return outcome === 'finished' || outcome === 'ended';
}

/**
 * Whether a run did all it was asked to: it came to its end, every flow finished if no `stopTime` cut it off, and every
 * self-check passed.
 */
export function runSucceeded({ outcome, finished, flows, verdicts }: RunFigures): boolean {
  return cameToItsEnd(outcome) && (outcome === 'ended' || finished === flows) && verdicts.every(({ ok }) => ok);
}

/** The self-checks of a run that failed, in words. */
export function failedChecks({ verdicts }: Pick<RunFigures, 'verdicts'>): string[] {
  return verdicts.filter(({ ok }) => !ok).map(({ name, detail }) => `${name}: ${detail}`);
}
