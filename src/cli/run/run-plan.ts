// One plan run by `weft run`: simulated, its results written meanwhile into a folder of its own if one is wanted.
// Invariant: a folder that was begun is finished, left as a stopped run, or taken away again. What writes folders and
// Parquet is loaded only if results are kept.

import { basename } from 'node:path';
import type { RunSummary } from '../../app/run-summary.js';
import { backendNames } from '../../backends/catalogue.js';
import { summaryObject, type RunLabel } from '../../report/json.js';
import { jobBand } from '../../report/error-band.js';
import { timelineJob } from '../../report/timeline-jobs.js';
import type { Plan } from '../../scenario/plan.js';
import type { SimaiInputs } from '../../scenario/simai/inputs.js';
import type { InputFile } from '../../storage/input-digests.js';
import type { RunIdentity } from '../../storage/manifest.js';
import type { RunDirectory, StoredRun } from '../../storage/run-directory.js';
import type { ComparisonFolders, RunFolders } from '../../storage/run-folder.js';
import type { CommandContext } from '../context.js';
import type { Interrupt } from '../interrupt.js';
import type { ProgressDisplay } from '../progress.js';
import { weftVersion } from '../version.js';

/** What `weft run` was asked. */
export interface RunRequest {
  /** path of a scenario, or SimAI's inputs */
  readonly scenario: string | SimaiInputs;
  readonly out?: string;
  /** `path=value` */
  readonly set: readonly string[];
  readonly seed?: number;
  /** instead of the scenario's own; several run one after the other, side by side */
  readonly backends?: readonly string[];
  readonly json: boolean;
  readonly quiet: boolean;
}

/** What came of a plan's run. */
export interface PlanRun {
  readonly label: RunLabel;
  readonly summary: RunSummary;
  /** as --json prints it */
  readonly json: Record<string, unknown>;
  /** where the results are; null if they were not kept */
  readonly stored: StoredRun | null;
}

/** Whoever may end a run, and who shows how far it is. */
export interface RunWatch {
  readonly interrupt: Interrupt;
  readonly progress: ProgressDisplay | null;
}

/** Looks at the folder that results shall go to. @returns null if they are not kept @throws InputError */
export async function foldersFor(out: string | undefined): Promise<RunFolders | null> {
  return out === undefined ? null : (await import('../../storage/run-folder.js')).runFolders(out);
}

/** Looks at the folder that a comparison goes to. @returns null if it is not kept @throws InputError */
export async function foldersForBackends(
  out: string | undefined,
  backends: readonly string[],
): Promise<ComparisonFolders | null> {
  if (out === undefined) return null;
  return (await import('../../storage/run-folder.js')).comparisonFolders(out, backends, backendNames);
}

/** Where a stopped run left its results, and how long they stay. @param out as it was given */
export function stoppedResults(path: string, out: string): string {
  return `${path}, which the next run with --out ${out} replaces`;
}

/**
 * Runs a plan. @param folders where its results go; null: nowhere
 * @throws OutputError, InvariantError, InputError if a file changed meanwhile; no results are left behind then
 */
export async function runPlan(
  plan: Plan,
  folders: RunFolders | null,
  watch: RunWatch,
  context: CommandContext,
): Promise<PlanRun> {
  const label = {
    weftVersion: weftVersion(),
    name: plan.name,
    seed: plan.seed,
    resolved: plan.resolved,
    warnings: plan.warnings,
    inputs: inputsOf(plan, context),
    tables: plan.tables,
    jobs: plan.jobs.map(timelineJob),
    planned: plannedFlows(plan),
    ...(plan.jobs.length === 0 ? {} : { errorBand: jobBand(plan.collectives.profile) }),
  };
  if (watch.progress !== null) await noteIfLong(plan, context);
  const directory = folders === null ? null : await createDirectory(folders, label, plan);
  try {
    const summary = await driven(plan, directory, watch, context);
    const json = summaryObject(label, summary);
    return { label, summary, json, stored: directory === null ? null : await directory.finish(summary, json) };
  } catch (error) {
    await directory?.discard();
    throw error;
  }
}

/** Says before a run that it will be long or large. */
async function noteIfLong(plan: Plan, { host, stderr }: CommandContext): Promise<void> {
  const note = (await import('./long-run-note.js')).longRunNote(plan, host);
  if (note !== null) stderr.write(note);
}

/** The files that the plan was made from, with what was read of each. */
function inputsOf(plan: Plan, { inputs }: CommandContext): InputFile[] {
  return plan.inputs.flatMap(({ role, path, readPath }) => {
    const digest = inputs.digestOf(readPath);
    // the scenario by its name alone: its folder depends on where the user stands
    const named = role === 'scenario' || role === 'conf' ? basename(path) : path;
    return digest === null ? [] : [{ role, path: named, ...digest }];
  });
}

/** How many flows there would be, if the run is not stopped; null if the source does not know. */
function plannedFlows({ source, jobs, inference, inputs }: Plan): Exclude<RunLabel['planned'], undefined> {
  if (jobs.length > 0 || inference !== null || !Number.isFinite(source.total)) return null;
  return { flows: source.total, where: inputs.some(({ role }) => role === 'trace') ? 'trace' : 'scenario' };
}

async function createDirectory(folders: RunFolders, run: RunIdentity, plan: Plan): Promise<RunDirectory> {
  try {
    return await (await import('../../storage/run-directory.js')).RunDirectory.create(folders, run);
  } catch (error) {
    await plan.source.close();
    throw error;
  }
}

async function driven(
  plan: Plan,
  directory: RunDirectory | null,
  { interrupt, progress }: RunWatch,
  context: CommandContext,
): Promise<RunSummary> {
  try {
    return await context.simulate(plan, {
      host: context.host,
      ...(directory === null ? {} : { sink: directory }),
      onProgress: (state) => progress?.update(state),
      stopRequested: () => interrupt.requested,
    });
  } finally {
    progress?.hide();
  }
}
