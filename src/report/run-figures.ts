// What every report of a run reads: the shape of app's RunSummary, said here because reports stand below the
// composition.
// Invariant: a RunSummary is a RunFigures (the type checker sees to it where one is passed).

import type { CollisionCount } from '../measurement/collisions.js';
import type { ControllerFigures } from '../measurement/controller-figures.js';
import type { CompletionStatistics } from '../measurement/completion.js';
import type { SlowdownStatistics } from '../measurement/slowdowns.js';
import type { UnfinishedFigures } from '../measurement/unfinished-figures.js';
import type { InferenceReport } from '../inference/inference-report.js';
import type { FastForwardFigures } from '../jobs/fast-forward/fast-forward-figures.js';
import type { TransferJobFigures } from '../jobs/transfer-jobs.js';
import type { JobReport } from '../jobs/job-report.js';
import type { ProgramReport } from '../programs/program-report.js';

/** One self-check of a run. */
export interface VerdictFigure {
  readonly name: string;
  readonly ok: boolean;
  readonly detail: string;
  /** why a run is blocked, where it is known */
  readonly cause?: string;
}

/** The totals of a network by name; what it does not count is absent. All of them go to the JSON. */
export interface CounterFigures {
  readonly events: number;
  readonly payloadBytesDelivered: number;
  readonly [name: string]: number;
}

/** Why no packet was marked: the queue that came closest to its threshold, and the largest window (null: no limit). */
export interface UnmarkedFigures {
  readonly rateBps: number;
  readonly thresholdBytes: number;
  readonly longestQueueBytes: number;
  readonly windowBytes: number | null;
}

/** An output queue that pauses go back to. */
export interface CongestionPointFigure {
  readonly node: number;
  readonly interface: number;
  /** such as `leaf[2]:9` */
  readonly name: string;
  readonly priority: number;
  readonly pauses: number;
  readonly roots: number;
  readonly depth: number;
  readonly pausedPs: number;
  readonly hosts: number;
}

/** The pauses of a run by their causes. */
export interface PauseFigures {
  readonly pauses: number;
  readonly beyond: number;
  readonly congestionPoints: number;
  readonly largest: readonly CongestionPointFigure[];
}

/** What one flow control did to one priority of a host. */
export interface HostPauseFigure {
  readonly host: number;
  readonly priority: number;
  readonly frames: number;
  readonly pausedPs: number;
  readonly cause: string;
}

/** What a watchdog over paused ports did: storms of pauses, and the packets that it dropped in them. */
export interface WatchdogSummary {
  readonly action: string;
  readonly storms: number;
  readonly packetsDropped: number;
  /** the first of them, by time */
  readonly first: readonly {
    readonly node: number;
    readonly interface: number;
    readonly name: string;
    readonly priority: number;
    readonly detectedPs: number;
    /** null: it had not ended when the run did */
    readonly restoredPs: number | null;
    readonly packetsDropped: number;
  }[];
}

/** What the probes of a run recorded. */
export interface ProbeFigures {
  readonly tables: readonly { readonly name: string; readonly rows: number }[];
  readonly latency: {
    readonly packets: number;
    readonly meanNs: number;
    readonly p50Ns: number;
    readonly p99Ns: number;
    readonly maxNs: number;
  } | null;
  readonly pauses: PauseFigures | null;
  readonly sampling: {
    readonly variant: string;
    readonly every: number;
    readonly sampledPackets: number;
    /** links that identifiers do not tell apart; null: the hash is not used */
    readonly weakMasks: { readonly zero: number; readonly same: number } | null;
  } | null;
}

export interface RunFigures {
  /** its name */
  readonly backend: string;
  /** what stands in place of packets, in words; null: there are packets */
  readonly insteadOfPackets: string | null;
  /** false: collectives take what closed forms say, and send nothing */
  readonly sendsCollectives: boolean;
  readonly outcome: string;
  readonly flows: number;
  readonly finished: number;
  /** null: all flows finished */
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
  readonly simulatedPs: number;
  readonly controller: ControllerFigures | null;
  readonly pins: { readonly pinned: number; readonly unpinned: number } | null;
  readonly failures: { readonly changes: number; readonly reroutes: number } | null;
  readonly inference: InferenceReport | null;
  readonly counters: CounterFigures;
  /** null if packets were marked, or no queue could have been */
  readonly unmarked: UnmarkedFigures | null;
  /** null on a backend on which nobody is paused */
  readonly pauses: readonly HostPauseFigure[] | null;
  /** null: nobody watches paused ports */
  readonly watchdog: WatchdogSummary | null;
  /** null without probes */
  readonly probes: ProbeFigures | null;
  readonly verdicts: readonly VerdictFigure[];
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
