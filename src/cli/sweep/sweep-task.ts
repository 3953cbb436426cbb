// A run of a sweep, in this process or in another, on whatever machine (campaign/task-engine.ts): the plan is made from what it is
// made of, run, and becomes a row.
// Invariants: the row depends on the task alone; what is wrong with a combination, and what goes wrong in its run, is
// its row; a file that is no longer what it was when the sweep began ends the sweep.

import { createHash } from 'node:crypto';
import { simulate } from '../../app/simulate.js';
import { InputError } from '../../base/diagnostics.js';
import { type Host, HostFileError, readingUntil, Stopped } from '../../base/host.js';
import type { TaskTools } from '../../campaign/worker-messages.js';
import { rowWithoutRun, runRow, type RunRow } from '../../report/sweep/run-row.js';
import type { RunPlace } from '../../report/run-place.js';
import { makePlan } from '../../scenario/make-plan.js';
import { PlanMemory } from '../../scenario/plan-memory.js';
import type { Plan } from '../../scenario/plan.js';
import type { SweptRun } from '../../scenario/sweep/combinations.js';
import { isInfeasible } from '../../scenario/sweep/infeasible.js';
import { InputDigests } from '../../storage/input-digests.js';
import type { RunTiming } from '../../storage/sweep/sweep-journal.js';
import { keptFolders } from '../../storage/sweep/kept-runs.js';
import { OutputError } from '../../storage/output-error.js';
import { PlaceNow } from '../place-now.js';
import type { RunWorld } from '../run/run-plan.js';
import type { RunFolders } from '../../storage/run-folder.js';
import type { RunSummary } from '../../app/run-progress.js';

/** What all runs of a sweep share: plain data. */
export interface SweepShared {
  /** path */
  readonly scenario: string;
  /** SHA-256 of the files that were read when the sweep began, by their paths */
  readonly files: ReadonlyMap<string, string>;
  /** absolute: where each run puts a folder; null: none does */
  readonly runsFolder: string | null;
}

/** A run of a sweep: plain data. */
export interface SweepTask extends SweptRun {
  /** its number */
  readonly run: number;
}

/** Wall-clock milliseconds between two reports of a run: a short one makes none. */
const progressEveryMs = 100;

/** What came of a run: plain data. */
export interface SweptResult {
  readonly row: RunRow;
  readonly timing: RunTiming | null;
  /** left out: no process tells */
  readonly place?: RunPlace;
}

/**
 * Carries out a run.
 * @returns null if it was stopped
 * @throws InputError, HostFileError if a file is not what it was
 */
export default async function performRun(
  shared: SweepShared,
  run: SweepTask,
  tools: TaskTools,
): Promise<SweptResult | null> {
  const { place } = tools.keep(PlaceNow);
  const result = await resultOf(shared, run, tools);
  return result === null ? null : { ...result, place };
}

async function resultOf(
  shared: SweepShared,
  { run, overrides, seed, infeasible }: SweepTask,
  tools: TaskTools,
): Promise<SweptResult | null> {
  const { stopRequested, host: hostWith } = tools;
  if (infeasible !== undefined) return { row: rowWithoutRun('infeasible', infeasible, seed), timing: null };
  const inputs = new InputDigests();
  const host = hostWith(inputs);
  let plan: Plan;
  try {
    plan = await readingUntil(host, stopRequested, (reading) =>
      makePlan(shared.scenario, { overrides, host: reading, seed, memory: tools.keep(PlanMemory) }),
    );
  } catch (error) {
    if (error instanceof HostFileError || error instanceof Stopped) throw error;
    // a file that is being written may say anything
    for (const path of shared.files.keys()) requireUnchanged(path, await digestOf(path, hostWith()), shared);
    return error instanceof InputError
      ? { row: rowWithoutRun(isInfeasible(error) ? 'infeasible' : 'failed', error.message, seed), timing: null }
      : withoutRun(error, seed);
  }
  try {
    for (const { readPath } of plan.inputs) requireUnchanged(readPath, inputs.digestOf(readPath)?.sha256, shared);
    const summary =
      shared.runsFolder === null
        ? await simulate(plan, { host, onProgress: tools.report, progressEveryMs, stopRequested })
        : await keptRun(plan, await tools.folders(keptFolders(shared.runsFolder, run)), tools, { host, inputs });
    if (summary.outcome === 'stopped') return null;
    const { cpuSeconds, wallSeconds } = summary;
    return {
      row: runRow(
        { weftVersion: '', name: plan.name, seed: plan.seed, warnings: [] },
        summary,
        overrides.map((text) => text.slice(0, text.indexOf('='))).filter((path) => plan.withoutEffect.has(path)),
      ),
      timing: { cpuSeconds, wallSeconds },
    };
  } catch (error) {
    if (error instanceof InputError || error instanceof HostFileError || error instanceof OutputError) throw error;
    return withoutRun(error, plan.seed);
  } finally {
    await plan.source.close();
  }
}

/** Runs a plan, and keeps its folder. What writes folders is loaded then alone. @throws OutputError */
async function keptRun(
  plan: Plan,
  folders: RunFolders,
  tools: TaskTools,
  world: Pick<RunWorld, 'host' | 'inputs'>,
): Promise<RunSummary> {
  const { withFailureWarning } = await import('../run/failure-warning.js');
  const { runPlan } = await import('../run/run-plan.js');
  return (await runPlan(await withFailureWarning(plan), folders, tools, { ...world, simulate })).summary;
}

/**
 * @param now SHA-256 of what it has; undefined: it was not read to its end @throws InputError if it is not what it was
 */
function requireUnchanged(path: string, now: string | undefined, { files }: SweepShared): void {
  const before = files.get(path);
  if (before === undefined || now === undefined || now === before) return;
  throw InputError.about('sweep-input', path, 'this file has changed since the sweep began', {
    wanted: 'the same content for every run',
    hint: 'put it back and give the same command again, or sweep into another folder with --out',
  });
}

/** SHA-256 of a file. @throws HostFileError */
async function digestOf(path: string, host: Host): Promise<string> {
  const hash = createHash('sha256');
  for await (const piece of host.readBytes(path)) hash.update(piece);
  return hash.digest('hex');
}

/** What an error that is no bad input makes of a run: memory that is not there now may be there another time. */
function withoutRun(error: unknown, seed: number | null): SweptResult {
  const message = error instanceof Error ? error.message : String(error);
  const row =
    error instanceof RangeError && /alloc/i.test(message)
      ? rowWithoutRun('lost', `not enough memory: ${message}`, seed)
      : rowWithoutRun('failed', `internal error: ${message}`, seed);
  return { row, timing: null };
}
