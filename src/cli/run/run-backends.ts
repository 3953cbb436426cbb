// `weft run --backend a,b,c`: one scenario on several backends, at the same time where that is worth it; one table,
// percentages relative to the last.
// Invariants: the scenario is checked for every backend, and every folder looked at, before the first run begins; the
// table is what was asked for, --quiet or not; it is the same whatever the number of processes.

import { expectedCost } from '../../app/forecast/expected-cost.js';
import { machineSlowness } from '../../app/forecast/machine-speed.js';
import { formatDiagnostic } from '../../base/diagnostics.js';
import { readingUntil, Stopped } from '../../base/host.js';
import type { PooledTask } from '../../campaign/task-source.js';
import { backendComparisonObject, backendComparisonText } from '../../report/backend-comparison.js';
import { summaryObject } from '../../report/figures/run.js';
import { runSucceeded } from '../../report/run-figures.js';
import type { Plan } from '../../scenario/plan.js';
import type { ComparisonFolders } from '../../storage/run-folder.js';
import type { CommandContext } from '../context.js';
import { ExitCode } from '../exit-codes.js';
import type { NamedRun } from '../runs-progress.js';
import { SimultaneousRuns } from '../simultaneous-runs.js';
import { terminalStyle } from '../terminal.js';
import type { BackendTask } from './backend-task.js';
import { withFailureWarning } from './failure-warning.js';
import { noteOf } from './long-run-note.js';
import { foldersForBackends, labelOf, type PlanRun, runPlan, type RunRequest, stoppedResults } from './run-plan.js';

type ComparisonRequest = RunRequest & { readonly backends: readonly string[] };

/**
 * Runs a scenario on each backend and prints what came of them.
 * @returns the exit code
 * @throws InputError, HostFileError, OutputError, InvariantError, LostWorkerError
 */
export async function runBackends(request: ComparisonRequest, context: CommandContext): Promise<number> {
  const { host, stderr } = context;
  const { backends, out, quiet, workers } = request;
  const module = new URL('./backend-task.js', import.meta.url);
  const together = new SimultaneousRuns({ module, workers, count: backends.length, quiet }, context);
  const plans: Plan[] = [];
  let runs: readonly (PlanRun | null)[] = [];
  let older: readonly string[] = [];
  try {
    const kept = await foldersForBackends(out, backends);
    for (const name of backends)
      plans.push(
        await withFailureWarning(
          await readingUntil(
            host,
            () => together.interrupt.requested,
            (reading) =>
              context.makePlan(request.scenario, {
                overrides: overridesOf(request, name),
                host: reading,
                ...(request.seed === undefined ? {} : { seed: request.seed }),
              }),
          ),
        ),
      );
    if (!quiet) tellWarnings(plans, context);
    runs = await together.run(
      plans.map((plan, i) => backendTask(request, plan, kept?.folders[i] ?? null, context)),
      quiet ? [] : weighed(plans, context),
      (_place, { stored }) => together.tellKeptAside(stored?.keptAside ?? []),
    );
    if (kept !== null) {
      if (runs.every(isFinished)) await clearEarlier(kept, request, context);
      else
        older = (await import('../../storage/run-folder.js')).stillStanding(
          kept,
          backends,
          runs.map((run) => (run === null ? null : isFinished(run) ? 'finished' : 'stopped')),
        );
    }
  } catch (error) {
    if (!(error instanceof Stopped)) throw error;
    runs = backends.map(() => null);
  } finally {
    await together.close();
    // those that ran elsewhere or not at all
    for (const plan of plans) await plan.source.close();
  }
  const finished = runs.flatMap((run, i) => (isFinished(run) ? [{ ...run!, plan: plans[i]! }] : []));
  if (finished.length < runs.length) {
    stderr.write(`stopped after ${finished.length} of ${backends.length} backends\n`);
    for (const [i, run] of runs.entries())
      if (run !== null && !isFinished(run) && run.stored !== null && request.isTemporary !== true)
        stderr.write(`results of ${backends[i]!}: ${stoppedResults(run.stored.path, out!)}\n`);
  }
  if (older.length > 0) stderr.write(`still of an earlier comparison: ${older.join(', ')}\n`);
  tell(request, finished, context);
  if (finished.length < runs.length) return together.interrupt.exitCode;
  return finished.every(({ summary }) => runSucceeded(summary)) ? ExitCode.ok : ExitCode.failed;
}

function overridesOf({ set }: ComparisonRequest, backend: string): readonly string[] {
  return [...set, `backend=${backend}`];
}

/** A run as a task. @param folders where its results go; null: nowhere */
function backendTask(
  request: ComparisonRequest,
  plan: Plan,
  folders: BackendTask['folders'],
  context: CommandContext,
): PooledTask<PlanRun> {
  const { scenario, seed = null } = request;
  return {
    name: plan.backend.name,
    here: ({ report, stopRequested }) => runPlan(plan, folders, { stopRequested, onProgress: report }, context),
    input: (): BackendTask => ({
      scenario: typeof scenario === 'string' ? scenario : { ...scenario, environment: { ...scenario.environment } },
      overrides: overridesOf(request, plan.backend.name),
      seed,
      folders,
    }),
  };
}

function isFinished(run: PlanRun | null): boolean {
  return run !== null && run.summary.outcome !== 'stopped';
}

/** Backends with the time that each is expected to take; those that will be long are said. */
function weighed(plans: readonly Plan[], { host, stderr }: CommandContext): NamedRun[] {
  const slowness = machineSlowness(host);
  const costs = plans.map((plan) => expectedCost(plan, host, slowness));
  for (const cost of costs) {
    const note = noteOf(cost);
    if (note !== null) stderr.write(note);
  }
  const closedFormSeconds = 0.1;
  const seconds = plans.map(({ backend }, i) =>
    backend.collectives.kind === 'closed-form' ? closedFormSeconds : (costs[i]?.cpuSeconds ?? null),
  );
  const isKnown = !seconds.includes(null);
  return plans.map(({ backend: { name } }, i) => ({ name, weight: isKnown ? seconds[i]! : 1 }));
}

/** Prints the table, or the JSON object. */
function tell(
  { json, quiet, isTemporary = false }: ComparisonRequest,
  finished: readonly (PlanRun & { readonly plan: Plan })[],
  context: CommandContext,
): void {
  const { stderr, stdout, environment } = context;
  const figures = finished.map(({ summary }) => summary);
  if (finished.length > 0) {
    const labels = finished.map(({ plan }) => labelOf(plan, context));
    if (json)
      stdout.write(
        `${JSON.stringify(
          backendComparisonObject(
            labels[0]!,
            figures,
            finished.map(({ summary }, i) => summaryObject(labels[i]!, summary)),
          ),
        )}\n`,
      );
    else
      stdout.write(
        backendComparisonText(
          labels[0]!.name,
          figures,
          finished.flatMap(({ stored }) => (stored === null || isTemporary ? [] : [stored.path])),
          terminalStyle(stdout, environment),
        ),
      );
  }
  // quiet or not, a failure does not pass without a word
  if (quiet)
    for (const { backend, verdicts } of figures)
      for (const { name, ok, detail } of verdicts) if (!ok) stderr.write(`failed on ${backend}: ${name}: ${detail}\n`);
}

/** The comparison is whole: what an earlier one left of other backends goes, and the user is told. */
async function clearEarlier(
  { earlier }: ComparisonFolders,
  { backends, quiet }: ComparisonRequest,
  { stderr }: CommandContext,
): Promise<void> {
  const others = earlier.filter(({ name }) => !backends.includes(name));
  if (others.length === 0) return;
  const { removed, keptAside } = await (await import('../../storage/run-folder.js')).removeEarlier(others);
  if (!quiet && removed.length > 0) stderr.write(`note: removed, of an earlier comparison: ${removed.join(', ')}\n`);
  for (const folder of keptAside) stderr.write(`note: files in it that are not Weft's were kept in ${folder}\n`);
}

/** Every warning once, with the backends that it is of, if not of all. */
function tellWarnings(plans: readonly Plan[], { stderr }: CommandContext): void {
  const backendsOf = new Map<string, string[]>();
  for (const { backend, warnings } of plans) {
    for (const text of new Set(warnings.map(formatDiagnostic)))
      backendsOf.set(text, [...(backendsOf.get(text) ?? []), backend.name]);
  }
  for (const [text, backends] of backendsOf)
    stderr.write(`${backends.length === plans.length ? '' : `${backends.join(', ')}: `}${text}\n`);
}
