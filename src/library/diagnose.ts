// Why a run was slow, for users of the library: what `weft diagnose` says of a stored run, of one in memory.

import { findingsOfTables, type SaidFinding } from '../app/diagnose/judge-run.js';
import type { MemorySink } from '../records/memory-sink.js';
import type { Plan } from '../scenario/plan.js';

/** Who asks for a diagnosis, and of what. */
export interface DiagnosisOptions {
  /** `operator`: from all flows, their ways and the rates of links; `owner`: from samples of the job's own packets */
  readonly as?: 'operator' | 'owner';
  /** number of the job whose losses are looked at; left out: all */
  readonly job?: number;
}

/**
 * What held a run up: causes with links, ranks, time lost and what to try, those that cost most first; empty: there was
 * nothing to gain. docs/models/diagnosis.md has the model (Taffet 2.3.4, and progress in worlds without one cause more).
 * Times are nanoseconds. @param records of its run: the sink that was given to `simulate`
 * @throws InputError if there is no such job, or as `owner` if the run took no samples (`sampling.variant`)
 */
export function diagnose(
  plan: Plan,
  records: MemorySink,
  { as = 'operator', job }: DiagnosisOptions = {},
): Promise<readonly SaidFinding[]> {
  return findingsOfTables(plan, records, { as, job: job ?? null });
}
