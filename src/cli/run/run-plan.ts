// One plan run by `weft run`: simulated, its results written meanwhile into a folder of its own if one is wanted.
// Invariant: a folder that was begun is finished, left as a stopped run, or taken away again.

import { basename } from 'node:path';
import type { RunSummary } from '../../app/run-summary.js';
import type { BackendName } from '../../backends/backend-names.js';
import { summaryObject, type RunLabel } from '../../report/json.js';
import type { Plan } from '../../scenario/plan.js';
import { inputsBase, type SimaiInputs } from '../../scenario/simai/inputs.js';
import type { InputFile } from '../../storage/input-digests.js';
import type { RunIdentity } from '../../storage/manifest.js';
import { RunDirectory, type StoredRun } from '../../storage/run-directory.js';
import type { RunFolders } from '../../storage/run-folder.js';
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
  readonly backends?: readonly BackendName[];
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

/**
 * Runs a plan. @param folders where its results go; null: nowhere
 * @throws OutputError, InvariantError, InputError if a file changed meanwhile; no results are left behind then
 */
export async function runPlan(
  scenario: string | SimaiInputs,
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
    inputs: inputsOf(scenario, plan, context),
    tables: plan.tables,
    jobCount: plan.jobs.length,
    planned: plannedFlows(plan),
  };
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

/** The files that the plan was made from, as the scenario names them, with what was read of each. */
function inputsOf(scenario: string | SimaiInputs, plan: Plan, { host, inputs }: CommandContext): InputFile[] {
  const {
    fabric,
    traffic,
    workload,
    jobs = [],
    inference,
  } = plan.resolved as {
    fabric?: { file?: string };
    traffic?: { trace?: string };
    workload?: { file?: string };
    jobs?: { file?: string }[];
    inference?: { trace?: string };
  };
  const found: InputFile[] = [];
  const add = (role: InputFile['role'], path: string, read: string): void => {
    const digest = inputs.digestOf(read);
    if (digest !== null) found.push({ role, path, ...digest });
  };
  const [role, file, base] =
    typeof scenario === 'string'
      ? (['scenario', scenario, scenario] as const)
      : (['conf', scenario.conf, inputsBase] as const);
  // by its name alone: its folder depends on where the user stands
  add(role, basename(file), file);
  if (fabric?.file !== undefined) add('topology', fabric.file, host.resolve(base, fabric.file));
  if (traffic?.trace !== undefined) add('trace', traffic.trace, host.resolve(base, traffic.trace));
  const files = [workload?.file, ...jobs.map((job) => job.file)].filter((name) => name !== undefined);
  for (const name of new Set(files)) add('workload', name, host.resolve(base, name));
  if (inference?.trace !== undefined) add('requests', inference.trace, host.resolve(base, inference.trace));
  return found;
}

/** How many flows there would be, if the run is not stopped; null if the source does not know. */
function plannedFlows({ source, jobs, inference, resolved }: Plan): Exclude<RunLabel['planned'], undefined> {
  if (jobs.length > 0 || inference !== null) return null;
  const { traffic } = resolved as { traffic?: { trace?: string } };
  return Number.isFinite(source.total)
    ? { flows: source.total, where: traffic?.trace === undefined ? 'scenario' : 'trace' }
    : null;
}

async function createDirectory(folders: RunFolders, run: RunIdentity, plan: Plan): Promise<RunDirectory> {
  try {
    return await RunDirectory.create(folders, run);
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
