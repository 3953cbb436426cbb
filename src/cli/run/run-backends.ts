// `weft run --backend a,b,c`: one scenario on several backends, at the same time where that is worth it; one table,
// percentages relative to the last.
// Invariants: the scenario is checked for every backend, and every folder looked at, before the first run begins; the
// table is what was asked for, --quiet or not; it is the same whatever the number of processes.

import { expectedCost } from '../../app/forecast/expected-cost.js';
import { machineSlowness } from '../../app/forecast/machine-speed.js';
import { formatDiagnostic } from '../../base/diagnostics.js';
import { Stopped } from '../../base/host.js';
import { backendComparisonObject, backendComparisonText } from '../../report/backend-comparison.js';
import { summaryObject } from '../../report/figures/run.js';
import { runSucceeded } from '../../report/run-figures.js';
import type { Plan } from '../../scenario/plan.js';
import type { ComparisonFolders } from '../../storage/run-folder.js';
import type { CommandContext } from '../context.js';
import { ExitCode } from '../exit-codes.js';
import type { NamedRun } from '../runs-progress.js';
import { printResult } from '../terminal.js';
import { withRuns } from '../simultaneous-runs.js';
import { withFailureWarning, noteOf } from './failure-warning.js';
import {
  planOf,
  foldersForBackends,
  isFinished,
  labelOf,
  type PlanRun,
  type RunRequest,
  sourceOf,
  stoppedResults,
} from './run-plan.js';
import { planTask } from './plan-task.js';

type ComparisonRequest = RunRequest & { readonly backends: readonly string[] };

/**
 * Runs a scenario on each backend and prints what came of them.
 * @returns the exit code
 * @throws InputError, HostFileError, OutputError, InvariantError, LostWorkerError
 */
export async function runBackends(request: ComparisonRequest, context: CommandContext): Promise<number> {
  const { stderr } = context;
  const { backends, out, quiet } = request;
  const plans: Plan[] = [];
  let runs: readonly (PlanRun | null)[] = [];
  let older: readonly string[] = [];
  const stoppedWith = await withRuns(
    { kind: 'plan', count: backends.length, ...request },
    context,
    async (together) => {
      try {
        const kept = await foldersForBackends(out, backends);
        const sources = backends.map((name) => sourceOf(request, name));
        for (const source of sources)
          plans.push(await withFailureWarning(await planOf(source, context, () => together.interrupt.requested)));
        if (!quiet) tellWarnings(plans, context);
        runs = await together.run(
          plans.map((plan, i) => {
            const task = { ...sources[i]!, folders: kept?.folders[i] ?? null };
            return planTask(plan.backend.name, task, plan, context);
          }),
          quiet ? [] : weighed(plans, context),
          (_place, { stored }) => together.tellKeptAside(stored?.keptAside ?? []),
        );
        if (kept !== null && runs.every(isFinished)) await clearEarlier(kept, request, context);
        else if (kept !== null)
          older = (await import('../../storage/run-folder.js')).stillStanding(
            kept,
            backends,
            runs.map((run) => (run === null ? null : isFinished(run) ? 'finished' : 'stopped')),
          );
      } catch (error) {
        if (!(error instanceof Stopped)) throw error;
        runs = backends.map(() => null);
      }
      return together.interrupt.exitCode;
    },
  ).finally(async () => {
    // those that ran elsewhere or not at all
    for (const plan of plans) await plan.source.close();
  });
  const finished = runs.flatMap((run, i) => (isFinished(run) ? [{ ...run, plan: plans[i]! }] : []));
  if (finished.length < runs.length) {
    stderr.write(`stopped after ${finished.length} of ${backends.length} backends\n`);
    for (const [i, run] of runs.entries())
      if (run?.summary.outcome === 'stopped' && run.stored !== null && request.isTemporary !== true)
        stderr.write(`results of ${backends[i]!}: ${stoppedResults(run.stored.path, out!)}\n`);
  }
  if (older.length > 0) stderr.write(`still of an earlier comparison: ${older.join(', ')}\n`);
  tell(request, finished, context);
  if (finished.length < runs.length) return stoppedWith;
  return finished.every(({ summary }) => runSucceeded(summary)) ? ExitCode.ok : ExitCode.failed;
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
  const figures = finished.map(({ summary }) => summary);
  if (finished.length > 0) {
    const labels = finished.map(({ plan }) => labelOf(plan, context));
    const summaries = finished.map(({ summary }, i) => summaryObject(labels[i]!, summary));
    const folders = finished.flatMap(({ stored }) => (stored === null || isTemporary ? [] : [stored.path]));
    printResult(context, json, backendComparisonObject(labels[0]!, figures, summaries), (style) =>
      backendComparisonText(labels[0]!.name, figures, folders, style),
    );
  }
  // quiet or not, a failure does not pass without a word
  if (quiet)
    for (const { backend, verdicts } of figures)
      for (const { name, ok, detail } of verdicts)
        if (!ok) context.stderr.write(`failed on ${backend}: ${name}: ${detail}\n`);
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
