// What a job came to: the figures that reports, JSON and SimAI's EndToEnd file are made of. Times are picoseconds.
// Invariants, by rank: every instant from the job's start to the rank's end is computation, exposed communication of
// one kind, or bubble; communication that is not exposed ran beside computation.

import type { AlgorithmName } from '../collectives/schedule.js';
import type { JobMemory } from './memory-figures.js';
import type { PassName } from '../workload/policies.js';

/**
 * Kinds of communication that are told apart. `all` stands for groups that policies of other models make (all ranks, a
 * server, across servers).
 */
export const communicationKinds = ['TP', 'DP', 'EP', 'DP_EP', 'PP', 'all', 'CP'] as const;
export type CommunicationKind = (typeof communicationKinds)[number];

export interface RankFigures {
  /** of the job */
  readonly rank: number;
  readonly stage: number;
  /** from the start of the job to the end of its last operation */
  readonly totalPs: number;
  readonly computePs: number;
  /**
   * time in which at least one of its collectives, sends or receives was under way, by kind; kinds may overlap in time
   */
  readonly communicationPs: Readonly<Record<CommunicationKind, number>>;
  /** time in which it waited for one, by kind; a wait for a stage that has not sent yet is bubble instead */
  readonly exposedPs: Readonly<Record<CommunicationKind, number>>;
  /** of the exposed time: the rank waited for ranks that had not come to the collective yet */
  readonly skewPs: number;
  /** waiting for another pipeline stage that had not sent yet */
  readonly bubblePs: number;
}

/** The collective of a pass, as rank 0 of its stage sees it; sums over micro-batches and iterations. */
export interface PassFigures {
  readonly computePs: number;
  readonly exposedPs: number;
  /** from the rank's start of the collective to its end */
  readonly communicationPs: number;
  /** how often the pass ran */
  readonly times: number;
  /** null: the pass has no collective */
  readonly collective: {
    readonly kind: string;
    readonly group: CommunicationKind;
    readonly ranks: number;
    readonly sizeBytes: number;
    readonly algorithm: AlgorithmName | 'model';
    /** each place sends another the bytes of all steps at once (collectives/streams.ts); left out: step by step */
    readonly asStreams?: true;
    /** bytes of the buffer per second, and times nccl-tests' factor; 0 if it took no time */
    readonly algorithmBandwidth: number;
    readonly busBandwidth: number;
  } | null;
}

export interface LayerFigures extends Readonly<Record<PassName, PassFigures>> {
  readonly name: string;
  /** stage whose first rank the figures are of */
  readonly stage: number;
  /** when the last pass of the layer ended on that rank */
  readonly finishedPs: number;
}

export interface JobReport {
  readonly name: string;
  readonly ranks: number;
  readonly iterations: number;
  readonly startPs: number;
  /** false: the run ended before the job did; figures are of what was done */
  readonly isFinished: boolean;
  readonly totalPs: { readonly minimum: number; readonly maximum: number; readonly slowestRank: number };
  /** of the first rank of each stage, in order of stages; the first is rank 0 of the job */
  readonly stages: readonly RankFigures[];
  /** null: not known */
  readonly memory: JobMemory | null;
  /** in order of the workload */
  readonly layers: readonly LayerFigures[];
}
