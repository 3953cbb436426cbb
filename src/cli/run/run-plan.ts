// One plan run by `weft run`, in this process or in a worker: simulated, its results written meanwhile into a folder of
// its own if one is wanted.
// Invariant: a folder that was begun is finished, left as a stopped run, or taken away again. What writes folders and
// Parquet is loaded only if results are kept.

import { basename, resolve } from 'node:path';
import { findingsOfRun, KeepingSink } from '../../app/diagnose/judge-run.js';
import type { RunSummary } from '../../app/run-progress.js';
import { runLabel } from '../../app/run-label.js';
import { simulate } from '../../app/simulate.js';
import { backendNames } from '../../backends/catalogue.js';
import { readingUntil } from '../../base/host.js';
import type { TaskTools } from '../../campaign/worker-messages.js';
import type { RecordSink } from '../../records/schema.js';
import type { LinkLoads, TierLoad } from '../../measurement/link-loads.js';
import { nicImbalance } from '../../report/fabric-comparison.js';
import { summaryObject } from '../../report/figures/run.js';
import type { RunLabel } from '../../report/run-figures.js';
import { timelineJob } from '../../report/timeline-jobs.js';
import type { SimaiInputs } from '../../scenario/foreign/simai/inputs.js';
import { makePlan } from '../../scenario/make-plan.js';
import type { Plan } from '../../scenario/plan.js';
import { type InputFile, InputDigests } from '../../storage/input-digests.js';
import type { RunIdentity } from '../../storage/manifest.js';
import type { RunDirectory, StoredRun } from '../../storage/run-directory.js';
import type { ComparisonFolders, RunFolders } from '../../storage/run-folder.js';
import type { CommandContext } from '../context.js';
import { weftVersion } from '../version.js';
import type { PathLog } from './path-log.js';

/** What `weft run` was asked. */
export interface RunRequest {
  /** path of a scenario, or SimAI's inputs */
  readonly scenario: string | SimaiInputs;
  readonly out?: string | undefined;
  /** true: the folder is a temporary one for a report, and nobody is told of it */
  readonly isTemporary?: boolean;
  /** `path=value` */
  readonly set: readonly string[];
  readonly seed?: number | undefined;
  /** instead of the scenario's own; of several the runs are compared */
  readonly backends?: readonly string[];
  readonly json: boolean;
  readonly quiet: boolean;
  /** of several backends, at the same time; left out: as many as there are processors */
  readonly workers?: number | undefined;
  /** where the paths of all flows are written besides (CC_LOG_FILE) */
  readonly pathLog?: string | undefined;
  /** how long each job takes by itself (--alone), in nanoseconds */
  readonly aloneNs?: readonly (number | null)[];
}

/** What the plan of a request is made of. @param backend instead of the scenario's own */
export function sourceOf({ scenario, set, seed, backends = [] }: RunRequest, backend = backends[0]): PlanSource {
  return { scenario, overrides: backend === undefined ? set : [...set, `backend=${backend}`], seed };
}

/** What came of a plan's run: plain data. */
export interface PlanRun {
  readonly summary: RunSummary;
  /** where the results are; null if they were not kept */
  readonly stored: StoredRun | null;
  /** what links carried, if they were counted */
  readonly links?: { readonly tiers: readonly TierLoad[]; readonly nicImbalance: number };
}

/** What a command that brings work of its own adds to a run. */
export interface RunAddition {
  /** writes rows of tables that the simulation does not fill */
  write(sink: RecordSink): Promise<void>;
  /** figures in place of a diagnosis */
  figures(summary: RunSummary): Partial<RunSummary>;
}

/** Whether a run was carried out to its end. */
export function isFinished(run: PlanRun | null): run is PlanRun {
  return run !== null && run.summary.outcome !== 'stopped';
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

/** What a run of a plan is labelled with. */
export function labelOf(
  plan: Plan,
  world: Pick<CommandContext, 'inputs'>,
  { aloneNs }: { readonly aloneNs?: RunRequest['aloneNs'] | undefined } = {},
): RunLabel & RunIdentity {
  return {
    ...(aloneNs === undefined ? {} : { aloneNs }),
    ...runLabel(plan, weftVersion()),
    resolved: plan.resolved,
    inputs: inputsOf(plan, world),
    tables: plan.tables,
    jobs: plan.jobs.map(timelineJob),
    fabric: plan.fabric,
  };
}

/**
 * Runs a plan. @param folders where its results go; null: nowhere @param request what else it was asked
 * @throws OutputError, InvariantError, InputError if a file changed meanwhile; no results are left behind then
 */
export async function runPlan(
  plan: Plan,
  folders: RunFolders | null,
  { report, stopRequested }: Pick<TaskTools, 'report' | 'stopRequested'>,
  world: Pick<RunWorld, 'host' | 'inputs' | 'simulate'>,
  {
    pathLog,
    aloneNs,
    linkLoads,
    addition,
  }: Pick<RunRequest, 'pathLog' | 'aloneNs'> & {
    readonly linkLoads?: LinkLoads;
    readonly addition?: RunAddition;
  } = {},
): Promise<PlanRun> {
  const label = labelOf(plan, world, { aloneNs });
  const directory = folders === null ? null : await createDirectory(folders, label, plan);
  let log: PathLog | null = null;
  try {
    if (pathLog !== undefined) log = await (await import('./path-log.js')).PathLog.create(pathLog, directory);
    const sink = new KeepingSink(log ?? directory);
    const simulated = await world.simulate(plan, {
      host: world.host,
      sink,
      ...(linkLoads === undefined ? {} : { linkLoads }),
      onProgress: report,
      stopRequested,
    });
    await log?.finish();
    if (directory !== null) await addition?.write(directory);
    const own = addition?.figures(simulated) ?? { findings: await findingsOfRun(plan, sink, simulated) };
    const summary = { ...simulated, ...own };
    const stored =
      (await directory?.finish(summary, { ...summaryObject(label, summary), ...scenarioFileOf(plan) })) ?? null;
    if (linkLoads === undefined) return { summary, stored };
    const links = { tiers: linkLoads.byTier(), nicImbalance: nicImbalance(plan.fabric, linkLoads) };
    return { summary, stored, links };
  } catch (error) {
    await log?.discard();
    await directory?.discard();
    throw error;
  }
}

/** The files that the plan was made from, with what was read of each. */
export function inputsOf(plan: Plan, { inputs }: Pick<CommandContext, 'inputs'>): InputFile[] {
  return plan.inputs.flatMap(({ role, path, readPath }) => {
    const digest = inputs.digestOf(readPath);
    // the scenario by its name alone: its folder depends on where the user stands
    const named = role === 'scenario' || role === 'conf' ? basename(path) : path;
    return digest === null ? [] : [{ role, path: named, ...digest }];
  });
}

/** SHA-256 of the files that the plan was made from, by the paths by which they were read. */
export function readFilesOf(plan: Plan, { inputs }: Pick<CommandContext, 'inputs'>): ReadonlyMap<string, string> {
  const files = new Map<string, string>();
  for (const { readPath } of plan.inputs) {
    const digest = inputs.digestOf(readPath);
    if (digest !== null) files.set(readPath, digest.sha256);
  }
  return files;
}

/** Where the scenario lies, for whoever wants to run it again; nothing of one that is no file. */
function scenarioFileOf({ inputs }: Plan): { readonly scenarioFile?: string } {
  const own = inputs.find(({ role }) => role === 'scenario' || role === 'conf');
  return own === undefined ? {} : { scenarioFile: resolve(own.readPath) };
}

async function createDirectory(folders: RunFolders, run: RunIdentity, plan: Plan): Promise<RunDirectory> {
  try {
    return await (await import('../../storage/run-directory.js')).RunDirectory.create(folders, run);
  } catch (error) {
    await plan.source.close();
    throw error;
  }
}

/** A scenario with what is changed of it. */
export interface PlanSource {
  /** path of a scenario, or SimAI's inputs */
  readonly scenario: string | SimaiInputs;
  /** `path=value` */
  readonly overrides: readonly string[];
  readonly seed?: number | null | undefined;
}

/** What plans are made and run with. */
export type RunWorld = Pick<CommandContext, 'host' | 'inputs' | 'makePlan' | 'simulate'>;

/** The plan of a source. @param stopRequested ends the reading of files @throws Stopped, InputError, HostFileError */
export function planOf(
  { scenario, overrides, seed }: PlanSource,
  { host, makePlan: make }: Pick<RunWorld, 'host' | 'makePlan'>,
  stopRequested: () => boolean,
): Promise<Plan> {
  return readingUntil(host, stopRequested, (reading) => make(scenario, { overrides, host: reading, seed }));
}

/** The world of a worker process. */
export function workerWorld({ host }: Pick<TaskTools, 'host'>): RunWorld {
  const inputs = new InputDigests();
  return { inputs, host: host(inputs), makePlan, simulate };
}
