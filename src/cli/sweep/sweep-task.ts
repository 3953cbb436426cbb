// A run of a sweep, in this process or as a task of a worker (campaign/run-pool.ts): the plan is made from what it is made
// of, run, and becomes a row.
// Invariants: the row depends on the task alone; what is wrong with a combination, and what goes wrong in its run, is its
// row; a file that is no longer what it was when the sweep began ends the sweep.

import { simulate } from '../../app/simulate.js';
import { InputError, wholeFile } from '../../base/diagnostics.js';
import { InvariantError } from '../../base/fail.js';
import { HostFileError } from '../../base/host.js';
import type { TaskTools } from '../../campaign/worker-messages.js';
import { rowWithoutRun, runRow, type RunRow } from '../../report/sweep/run-row.js';
import { makePlan } from '../../scenario/make-plan.js';
import type { Plan } from '../../scenario/plan.js';
import type { SweptRun } from '../../scenario/sweep/combinations.js';
import { InputDigests } from '../../storage/input-digests.js';
import { nodeHost } from '../../storage/node-host.js';
import { inputKey } from '../../storage/sweep/sweep-description.js';
import type { RunTiming } from '../../storage/sweep/sweep-journal.js';
import { inputsOf } from '../run/run-plan.js';

/** What all runs of a sweep share: plain data. */
export interface SweepShared {
  /** path */
  readonly scenario: string;
  /** SHA-256 of the files that were read when the sweep began, by `inputKey` */
  readonly inputs: ReadonlyMap<string, string>;
}

/** What came of a run: plain data. */
export interface SweptResult {
  readonly row: RunRow;
  readonly timing: RunTiming | null;
}

/**
 * Carries out a run.
 * @returns null if it was stopped
 * @throws InputError, HostFileError if a file is not what it was
 */
export default async function performRun(
  shared: SweepShared,
  { overrides, seed }: SweptRun,
  { report, stopRequested }: TaskTools,
): Promise<SweptResult | null> {
  const inputs = new InputDigests();
  const host = nodeHost(inputs);
  let plan: Plan;
  try {
    plan = await makePlan(shared.scenario, { overrides, host, ...(seed === null ? {} : { seed }) });
  } catch (error) {
    if (error instanceof InputError && !error.diagnostics.some(({ code }) => code.startsWith('file-')))
      return { row: rowWithoutRun('failed', error.message, seed), timing: null };
    throw error;
  }
  try {
    requireUnchanged(plan, inputs, shared);
    const summary = await simulate(plan, { host, onProgress: report, stopRequested });
    if (summary.outcome === 'stopped') return null;
    const { cpuSeconds, wallSeconds } = summary;
    return {
      row: runRow({ weftVersion: '', name: plan.name, seed: plan.seed, warnings: [] }, summary),
      timing: { cpuSeconds, wallSeconds },
    };
  } catch (error) {
    if (error instanceof InputError || error instanceof HostFileError) throw error;
    return { row: rowWithoutRun('failed', internalError(error), plan.seed), timing: null };
  } finally {
    await plan.source.close();
  }
}

/** @throws InputError if a file has other content than when the sweep began */
function requireUnchanged(plan: Plan, inputs: InputDigests, shared: SweepShared): void {
  for (const input of inputsOf(plan, { inputs })) {
    const before = shared.inputs.get(inputKey(input));
    if (before !== undefined && input.sha256 !== before)
      throw InputError.at('sweep-input', input.path, wholeFile, 'this file has changed since the sweep began', {
        wanted: 'the same content for every run',
        hint: 'put it back and give the same command again, or sweep into another folder with --out',
      });
  }
}

/** An error that is no bad input: memory that is not there, or a bug. */
function internalError(error: unknown): string {
  const message = error instanceof Error ? error.message : String(error);
  return error instanceof InvariantError || !(error instanceof RangeError)
    ? `internal error: ${message}`
    : `not enough memory, or a bug: ${message}`;
}
