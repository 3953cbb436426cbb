// `weft run --backend a,b,c`: one scenario on several backends, one after the other; one table, percentages relative to
// the last.
// Invariants: the scenario is checked for every backend, and every folder looked at, before the first run begins; the
// table is what was asked for, --quiet or not.

import { join } from 'node:path';
import { formatDiagnostic } from '../../base/diagnostics.js';
import { backendComparisonObject, backendComparisonText } from '../../report/backend-comparison.js';
import { runSucceeded } from '../../report/run-figures.js';
import type { Plan } from '../../scenario/plan.js';
import type { CommandContext } from '../context.js';
import { ExitCode } from '../exit-codes.js';
import { announcer, Interrupt } from '../interrupt.js';
import { withFailureWarning } from './failure-warning.js';
import { ProgressDisplay } from '../progress.js';
import { foldersFor, type PlanRun, runPlan, type RunRequest } from './run-plan.js';
import { terminalStyle } from '../terminal.js';

/**
 * Runs a scenario on each backend and prints what came of them.
 * @returns the exit code
 * @throws InputError, HostFileError, OutputError, InvariantError
 */
export async function runBackends(
  request: RunRequest & { readonly backends: readonly string[] },
  context: CommandContext,
): Promise<number> {
  const { host, stderr, stdout } = context;
  const { scenario, backends, out, quiet } = request;
  let progress: ProgressDisplay | null = null;
  const interrupt = new Interrupt(announcer(stderr, () => progress));
  const runs: PlanRun[] = [];
  const plans: Plan[] = [];
  try {
    const folders = [];
    for (const name of backends) folders.push(await foldersFor(out === undefined ? undefined : join(out, name)));
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
      const run = await runPlan(plan, folders[i]!, { interrupt, progress }, context);
      progress?.stop();
      for (const folder of run.stored?.keptAside ?? [])
        stderr.write(`note: the earlier run was replaced; files in it that are not Weft's were kept in ${folder}\n`);
      if (run.summary.outcome === 'stopped') break;
      runs.push(run);
    }
  } finally {
    // those that did not come to their turn
    for (const plan of plans.slice(runs.length)) await plan.source.close();
    progress?.stop();
    interrupt.close();
  }
  if (runs.length < backends.length) stderr.write(`stopped after ${runs.length} of ${backends.length} backends\n`);
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
