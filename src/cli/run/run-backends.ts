// `weft run --backend a,b,c`: one scenario on several backends, one after the other; one table, percentages relative to
// the last.
// Invariants: the scenario is checked for every backend, and every folder looked at, before the first run begins; the
// table is what was asked for, --quiet or not.

import { formatDiagnostic } from '../../base/diagnostics.js';
import { backendComparisonObject, backendComparisonText } from '../../report/backend-comparison.js';
import { runSucceeded } from '../../report/run-figures.js';
import type { Plan } from '../../scenario/plan.js';
import type { StoredRun } from '../../storage/run-directory.js';
import type { ComparisonFolders, EarlierRun } from '../../storage/run-folder.js';
import type { CommandContext } from '../context.js';
import { ExitCode } from '../exit-codes.js';
import { announcer, Interrupt } from '../interrupt.js';
import { withFailureWarning } from './failure-warning.js';
import { ProgressDisplay } from '../progress.js';
import { foldersForBackends, type PlanRun, runPlan, type RunRequest, stoppedResults } from './run-plan.js';
import { terminalStyle } from '../terminal.js';

type ComparisonRequest = RunRequest & { readonly backends: readonly string[] };

/**
 * Runs a scenario on each backend and prints what came of them.
 * @returns the exit code
 * @throws InputError, HostFileError, OutputError, InvariantError
 */
export async function runBackends(request: ComparisonRequest, context: CommandContext): Promise<number> {
  const { host, stderr, stdout } = context;
  const { scenario, backends, out, quiet } = request;
  let progress: ProgressDisplay | null = null;
  const interrupt = new Interrupt(announcer(stderr, () => progress));
  const runs: PlanRun[] = [];
  const plans: Plan[] = [];
  let stopped: StoredRun | null = null;
  let older: readonly string[] = [];
  try {
    const kept = await foldersForBackends(out, backends);
    for (const name of backends)
      plans.push(
        await withFailureWarning(
          await context.makePlan(scenario, {
            overrides: [...request.set, `backend=${name}`],
            host,
            ...(request.seed === undefined ? {} : { seed: request.seed }),
          }),
        ),
      );
    if (!quiet) tellWarnings(plans, context);
    for (const [i, plan] of plans.entries()) {
      if (!quiet) progress = new ProgressDisplay(stderr, () => host.wallMs());
      const run = await runPlan(plan, kept?.folders[i] ?? null, { interrupt, progress }, context);
      progress?.stop();
      for (const folder of run.stored?.keptAside ?? [])
        stderr.write(`note: the earlier run was replaced; files in it that are not Weft's were kept in ${folder}\n`);
      if (run.summary.outcome === 'stopped') {
        stopped = run.stored;
        break;
      }
      runs.push(run);
    }
    if (kept !== null) {
      if (runs.length === backends.length) await clearEarlier(kept, request, context);
      else older = notReplaced(kept, request, runs.length);
    }
  } finally {
    // those that did not come to their turn
    for (const plan of plans.slice(runs.length)) await plan.source.close();
    progress?.stop();
    interrupt.close();
  }
  if (runs.length < backends.length) stderr.write(`stopped after ${runs.length} of ${backends.length} backends\n`);
  if (stopped !== null) stderr.write(`results of the last: ${stoppedResults(stopped.path, out!)}\n`);
  if (older.length > 0) stderr.write(`still of an earlier comparison: ${older.join(', ')}\n`);
  const figures = runs.map(({ summary }) => summary);
  if (runs.length > 0) {
    if (request.json)
      stdout.write(
        `${JSON.stringify(
          backendComparisonObject(
            runs[0]!.label,
            figures,
            runs.map(({ json }) => json),
          ),
        )}\n`,
      );
    else
      stdout.write(
        backendComparisonText(
          runs[0]!.label.name,
          figures,
          runs.flatMap(({ stored }) => (stored === null ? [] : [stored.path])),
          terminalStyle(stdout, context.environment),
        ),
      );
  }
  // quiet or not, a failure does not pass without a word
  if (quiet)
    for (const { backend, verdicts } of figures)
      for (const { name, ok, detail } of verdicts) if (!ok) stderr.write(`failed on ${backend}: ${name}: ${detail}\n`);
  if (runs.length < backends.length) return interrupt.exitCode;
  return figures.every(runSucceeded) ? ExitCode.ok : ExitCode.failed;
}

/** The comparison is whole: what an earlier one left of other backends goes, and the user is told. */
async function clearEarlier(
  { earlier }: ComparisonFolders,
  { backends, quiet }: ComparisonRequest,
  { stderr }: CommandContext,
): Promise<void> {
  const others = earlier.filter(({ backend }) => !backends.includes(backend));
  if (others.length === 0) return;
  const { removed, keptAside } = await (await import('../../storage/run-folder.js')).removeEarlier(others);
  if (!quiet && removed.length > 0) stderr.write(`note: removed, of an earlier comparison: ${removed.join(', ')}\n`);
  for (const folder of keptAside) stderr.write(`note: files in it that are not Weft's were kept in ${folder}\n`);
}

/** What of an earlier comparison still stands beside one that was stopped in its run number `stoppedAt`. */
function notReplaced({ earlier }: ComparisonFolders, { backends }: ComparisonRequest, stoppedAt: number): string[] {
  const isReplaced = ({ backend, isPartial }: EarlierRun): boolean => {
    const i = backends.indexOf(backend);
    return i >= 0 && (isPartial ? i <= stoppedAt : i < stoppedAt);
  };
  return earlier.filter((run) => !isReplaced(run)).map(({ shown }) => shown);
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
