// `weft demo`, which `npm start` runs: eight transfers between two servers, without and with the central controller,
// and what the controller does to them. The example is examples/server-pair/; everything printed is computed from the
// records of the two runs.

import { basename, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { MemorySink } from '../../records/memory-sink.js';
import { comparisonText } from '../../report/comparison-text.js';
import { compareRuns, type RecordedRun } from '../../report/comparison.js';
import { summaryObject } from '../../report/figures/run.js';
import { runSucceeded } from '../../report/run-figures.js';
import { coloured, type TextStyle } from '../../report/text-style.js';
import type { CommandContext } from '../context.js';
import { ExitCode } from '../exit-codes.js';
import { announcer, Interrupt } from '../interrupt.js';
import { declaredCommand, toggle, text } from '../options/declared-command.js';
import { reportHelp } from '../options/run-options.js';
import { ProgressDisplay } from '../progress.js';
import { terminalStyle } from '../terminal.js';
import { weftVersion } from '../version.js';

interface DemoRun extends RecordedRun {
  /** the object of `weft run --json` */
  readonly summary: Record<string, unknown>;
}

/** The command for the command line. */
export default declaredCommand({
  name: 'demo',
  summary: 'the server-pair example, without and with the controller',
  description:
    'Simulate eight transfers between two servers, without and with the central controller, and compare: which ' +
    'spine each flow took, how long it took, and why.',
  options: [
    text('--report <file>', reportHelp),
    toggle('--force', 'replace a report that exists'),
    toggle('--json', 'print both summaries and the comparison as one JSON object'),
  ],
  after: `
Examples:
  weft demo
  weft demo --report demo.html
  weft demo --json`,
  run: async ({ options: { json, report, force }, context }) => {
    if (report !== undefined) await (await import('../whole-file.js')).checkOutputs([report], force, false);
    const code = await runDemo(json, context);
    if (report !== undefined && code === ExitCode.ok) await demoReport(report, force, json, context);
    return code;
  },
});

/** Runs both scenarios and prints the comparison. @returns the exit code */
export async function runDemo(json: boolean, context: CommandContext): Promise<number> {
  let progress: ProgressDisplay | null = null;
  const interrupt = new Interrupt(announcer(context.stderr, () => progress));
  const next = (): ProgressDisplay => (progress = new ProgressDisplay(context.stderr, () => context.host.wallMs()));
  try {
    const without = await recorded('no-controller.yaml', interrupt, next(), context);
    const withController = await recorded('controller.yaml', interrupt, next(), context);
    const comparison = compareRuns(without, withController);
    if (json) {
      context.stdout.write(
        `${JSON.stringify({ without: without.summary, with: withController.summary, comparison })}\n`,
      );
    } else {
      const style = terminalStyle(context.stdout, context.environment);
      context.stdout.write(
        `${comparisonText(comparison, style)}\n${verdictLines([without, withController], style)}${nextSteps()}`,
      );
    }
    if (interrupt.requested) return interrupt.exitCode;
    return [without, withController].every((run) => runSucceeded(run.figures)) ? ExitCode.ok : ExitCode.failed;
  } finally {
    interrupt.close();
  }
}

async function recorded(
  file: string,
  interrupt: Interrupt,
  progress: ProgressDisplay,
  context: CommandContext,
): Promise<DemoRun> {
  const { host } = context;
  const plan = await context.makePlan(examplePath(file), { overrides: [], host });
  const records = new MemorySink();
  try {
    const figures = await context.simulate(plan, {
      host,
      sink: records,
      onProgress: (state) => progress.update(state),
      stopRequested: () => interrupt.requested,
    });
    return {
      name: plan.name,
      figures,
      records,
      summary: summaryObject(
        { weftVersion: weftVersion(), name: plan.name, seed: plan.seed, warnings: plan.warnings },
        figures,
      ),
    };
  } finally {
    progress.stop();
  }
}

/**
 * `--report FILE`: both runs once more, into a temporary folder, and the page about them.
 * @throws InputError, OutputError
 */
async function demoReport(report: string, force: boolean, isSilent: boolean, context: CommandContext): Promise<void> {
  const [{ withReport }, { foldersFor, runPlan }] = await Promise.all([
    import('../report/after-run.js'),
    import('../run/run-plan.js'),
  ]);
  const carriedOut = async (folder: string) => {
    const stored = ['no-controller', 'controller'].map((name) => join(folder, name));
    for (const path of stored) {
      const plan = await context.makePlan(examplePath(`${basename(path)}.yaml`), { overrides: [], host: context.host });
      await runPlan(plan, await foldersFor(path), { stopRequested: () => false, report: () => {} }, context);
    }
    return { exitCode: ExitCode.ok, stored, labels: ['without controller', 'with controller'] };
  };
  await withReport({ report, force, isSilent, lead: 'Its report:        ' }, carriedOut, context);
}

/** An example's path as it is shortest from here. */
function examplePath(file: string): string {
  const absolute = fileURLToPath(new URL(`../../../examples/server-pair/${file}`, import.meta.url));
  const short = relative(process.cwd(), absolute);
  return short.length < absolute.length ? short : absolute;
}

function verdictLines(runs: readonly DemoRun[], style: TextStyle): string {
  const failed = runs.flatMap((run) =>
    run.figures.verdicts
      .filter((verdict) => !verdict.ok)
      .map((verdict) => `${run.name}: ${verdict.name}: ${verdict.detail}`),
  );
  const cpuSeconds = runs.reduce((sum, run) => sum + run.figures.cpuSeconds, 0);
  const checks = runs.reduce((sum, run) => sum + run.figures.verdicts.length, 0);
  const verdict =
    failed.length === 0
      ? coloured(style, 'green', `all ${checks} self-checks passed`)
      : coloured(style, 'red', `${failed.length} of ${checks} self-checks FAILED`);
  return `Both runs together: ${cpuSeconds.toFixed(2)} s of CPU, ${verdict}.\n${failed.map((line) => `  - ${line}\n`).join('')}`;
}

function nextSteps(): string {
  return `Run one yourself:  npx weft run ${examplePath('controller.yaml')} --out results\nRead about it:     ${examplePath('README.md')}\n`;
}
