// What a sweep keeps of a run: every single value of its summary (report/figures/run.ts) under its keys joined with
// dots, its self-checks as words.
// Invariants: equal runs have equal rows, so nothing here is a clock's or a machine's; lists are left out, but for
// jobs, since the places in them mean something else in another run.

import { failedChecks, runSucceeded, type RunFigures, type RunLabel } from '../run-figures.js';
import { runFigures, summaryObject } from '../figures/run.js';

/** A value in a row; null: the run has none. */
export type RowValue = number | boolean | string | null;

/** How a run of a sweep ended: by itself, at its `stopTime`, blocked, or not at all; infeasible: it cannot begin. */
export const runOutcomes = ['finished', 'ended', 'blocked', 'failed', 'lost', 'infeasible'] as const;
export type RunOutcome = (typeof runOutcomes)[number];

export type CheckWord = 'passed' | 'failed';

/** A run as a row: plain data. */
export interface RunRow {
  /** null: that of a run that never had a plan */
  readonly seed: number | null;
  readonly outcome: RunOutcome;
  /** why there are no figures; null: there are */
  readonly error: string | null;
  /** by column; none of a run that failed or was lost */
  readonly figures: ReadonlyMap<string, RowValue>;
  /** by name of the check */
  readonly checks: ReadonlyMap<string, CheckWord>;
  /** whether it did all it was asked to */
  readonly verdict: CheckWord;
  /** `name: detail; …`; null: none failed */
  readonly failedChecks: string | null;
  readonly digest: string | null;
  /** swept settings that change nothing in it; left out: none */
  readonly noEffect?: readonly string[];
}

/** Jobs of a run that have columns. */
const mostJobs = 16;

/** A run that came to an end, as a row. @param noEffect swept settings that change nothing in it */
export function runRow(label: RunLabel, run: RunFigures, noEffect: readonly string[] = []): RunRow {
  const summary = summaryObject(label, run);
  const figures = new Map<string, RowValue>();
  for (const { key, look } of runFigures)
    if (key !== 'jobs' && (look.role ?? 'figure') === 'figure') addFigures(key, summary[key], figures);
  const { jobs } = summary;
  // the first is `workload`
  if (Array.isArray(jobs))
    for (let i = 1; i < Math.min(jobs.length, mostJobs); i++) addFigures(`jobs[${i}]`, jobs[i], figures);
  const failed = failedChecks(run);
  return {
    seed: label.seed,
    outcome: run.outcome === 'finished' || run.outcome === 'ended' ? run.outcome : 'blocked',
    error: null,
    figures,
    checks: new Map(run.verdicts.map(({ name, ok }) => [name, ok ? 'passed' : 'failed'])),
    verdict: runSucceeded(run) ? 'passed' : 'failed',
    failedChecks: failed.length === 0 ? null : failed.join('; '),
    digest: run.digest,
    ...(noEffect.length === 0 ? {} : { noEffect }),
  };
}

/** Why a run did not do all that it was asked to, in a line. */
export function whyFailed({ error, failedChecks: checks }: RunRow): string {
  return (error ?? checks ?? 'flows did not finish').split('\n')[0]!;
}

/** A run that came to nothing, as a row. */
export function rowWithoutRun(outcome: 'failed' | 'lost' | 'infeasible', error: string, seed: number | null): RunRow {
  return {
    seed,
    outcome,
    error,
    figures: new Map(),
    checks: new Map(),
    verdict: 'failed',
    failedChecks: null,
    digest: null,
  };
}

function addFigures(path: string, value: unknown, into: Map<string, RowValue>): void {
  if (Array.isArray(value) || value === null || value === undefined) return;
  if (typeof value === 'object')
    for (const [key, inner] of Object.entries(value)) addFigures(`${path}.${key}`, inner, into);
  else if (typeof value === 'number' || typeof value === 'boolean' || typeof value === 'string') into.set(path, value);
}
