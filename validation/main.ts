// `npm run validate`: every mechanism against its oracles, line by line. A whole run with the table's seed writes its
// part of docs/models/validation.md anew, and validation.csv beside it. Exit code 1 if a line failed, 2 for options that
// cannot be meant.

import { existsSync, readFileSync } from 'node:fs';
import { availableParallelism, hostname } from 'node:os';
import { join } from 'node:path';
import { nodeHost } from '#weft/storage/node-host.js';
import { describeFailure } from '#weft/cli/failures.js';
import { engineOptions, engineOptionsOf, onThisMachine, workersOption } from '#weft/cli/options/run-options.js';
import { StageProgress } from '#weft/cli/stage-progress.js';
import { withRuns } from '#weft/cli/simultaneous-runs.js';
import { carriedOutObject, type CarriedOutRun } from '#weft/report/run-place.js';
import { checks } from './catalogue.js';
import { type Check, tableSeed } from './check.js';
import performCheck, { type CheckedLines, type CheckShare, type CheckTask } from './check-task.js';
import { writeWhole } from './data-file.js';
import type { Line } from './line.js';
import { programCommand, wholeNumber } from './program-command.js';
import { referenceFolder, repositoryFolder } from './repository.js';
import { type Checked, pageWith, tableCsv, tally } from './table.js';

interface Options extends Partial<ReturnType<typeof engineOptionsOf>> {
  readonly workers?: number;
  readonly only?: readonly string[];
  readonly quick?: true;
  readonly seed: number;
  readonly json?: true;
  readonly write: boolean;
}

const page = 'docs/models/validation.md';
const table = 'docs/models/validation.csv';
const columns = 80;

const command = programCommand('validate', import.meta.url)
  .description(
    `every mechanism against its oracle: closed form, paper, independent computation or peer's figure; a whole run writes ${page} and its table`,
  )
  .option('--only <names...>', `some checks: ${checks.map(({ name }) => name).join(', ')}`)
  .option('--quick', 'samples of what takes more than a moment (what the tests run)')
  .option('--seed <number>', 'of everything random', wholeNumber, tableSeed)
  .option('--json', 'one JSON object on stdout')
  .option('--no-write', `leave ${page} and its table as they are`)
  .addHelpText(
    'after',
    `
${page} and validation.csv beside it are written by a run of
all checks without --quick and --seed. Reference data is looked for in WEFT_REFERENCE (default
../shared/reference); without it the lines that need it are skipped.

A machine on which --on carries checks out needs that data, too.

Examples:
  npm run validate
  npm run validate -- --quick
  npm run validate -- --only dcqcn pfc
  npm run validate -- --only lossless --seed 7
  npm run -s validate -- --json | jq '.checks[].lines[] |
    select(.verdict == "failed")'`,
  )
  .action(main);
for (const option of [workersOption('checks'), ...engineOptions]) command.addOption(option);
await command.parseAsync().catch((error: unknown) => {
  const { text, exitCode } = describeFailure(error, process.argv.slice(2));
  process.stderr.write(text);
  process.exitCode = exitCode;
});

async function main(options: Options): Promise<void> {
  const unknown = options.only?.filter((name) => !checks.some((check) => check.name === name)) ?? [];
  if (unknown.length > 0) {
    process.stderr.write(
      `no check named ${unknown.join(', ')}; there are ${checks.map(({ name }) => name).join(', ')}\n`,
    );
    process.exit(2);
  }
  const reference = referenceOrExit();
  const chosen = checks.filter(({ name }) => options.only?.includes(name) ?? true);
  const all: Checked[] = [];
  const carriedOut: CarriedOutRun[] = [];
  const stoppedWith = await run(chosen, reference !== null, options, (check, done) => {
    if (options.json !== true)
      process.stdout.write(`\n${check.title} (${check.name})\n${done.lines.map(lineText).join('')}`);
    all.push({ check, lines: done.lines });
    carriedOut.push(done.carriedOut);
  });
  const failed = all.some(({ lines }) => lines.some(({ verdict }) => verdict === 'failed'));
  if (options.json === true)
    process.stdout.write(
      `${JSON.stringify({ seed: options.seed, isQuick: options.quick === true, failed, checks: all.map(({ check: { name, title }, lines }) => ({ name, title, lines })), carriedOut: carriedOutObject(carriedOut) })}\n`,
    );
  else process.stdout.write(`\n${tally(all)}\n`);
  const isWhole =
    stoppedWith === null && options.only === undefined && options.quick !== true && options.seed === tableSeed;
  if (isWhole && options.write) write(all);
  process.exitCode = stoppedWith ?? (failed ? 1 : 0);
}

/** The folder of the reference data, or null; a mistyped name ends the program. */
function referenceOrExit(): string | null {
  try {
    const { path, present } = referenceFolder(process.env['WEFT_REFERENCE']);
    return present ? path : null;
  } catch (error) {
    process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
    process.exit(2);
  }
}

/**
 * Carries checks out, several at a time.
 * @param onDone is told each in their order
 * @returns the exit code if not all were: of a signal, or 0 if they were left to Slurm
 */
function run(
  chosen: readonly Check[],
  hasReference: boolean,
  { quick, seed, workers, ...given }: Options,
  onDone: (check: Check, done: CheckedLines) => void,
): Promise<number | null> {
  const tasks = chosen.map(({ name }): CheckTask => ({ name, isQuick: quick === true, seed, hasReference }));
  const engine = engineOptionsOf({ ...onThisMachine, ...given });
  const identity = JSON.stringify([hostname(), process.cwd(), 'validate', tasks]);
  const progress = new StageProgress(process.stderr, () => Date.now());
  // one that computes hears no signal
  const leavesToWorkers = true;
  const asked = {
    kind: 'check' as const,
    count: tasks.length,
    workers,
    leavesToWorkers,
    identity,
    engine,
    display: progress,
  };
  const host = nodeHost();
  const sideBySide = { processes: availableParallelism() };
  const world = { host, sideBySide, environment: process.env, stderr: process.stderr };
  return withRuns(asked, world, async (together) => {
    const carriedOut: CarriedOutRun[] = [];
    const pooled = tasks.map((task) => ({
      name: `check ${task.name}`,
      here: (tools: Parameters<typeof performCheck>[2]) => performCheck(null, task, tools),
      input: () => task,
    }));
    const results = await together.carryOut(pooled, {
      onProgress: (place, share) => {
        const { done, total } = share as CheckShare;
        progress.update(`${tasks[place]!.name}: ${done} of ${total}`, done / total);
      },
      onResult: (place, done: CheckedLines) => {
        progress.stop();
        carriedOut.push(done.carriedOut);
        onDone(chosen[place]!, done);
      },
    });
    progress.stop();
    together.tellPlaces(carriedOut);
    if (together.engine.isLeft === true) return 0;
    return results.includes(null) ? together.interrupt.exitCode : null;
  });
}

function lineText({ mechanism, expected, ours, difference, tolerance, verdict }: Line): string {
  const mark = verdict === 'failed' ? 'FAILED ' : verdict === 'skipped' ? 'skipped' : 'ok     ';
  if (verdict === 'skipped') return `  ${mark} ${mechanism}: ${tolerance}\n`;
  const figures = `${ours}   expected ${expected}${difference === '' || difference === '0' || difference === 'none' ? '' : `   ${difference}`}${tolerance === '' ? '' : `   (${tolerance})`}`;
  return mechanism.length + figures.length + 13 <= columns
    ? `  ${mark} ${mechanism}   ${figures}\n`
    : `  ${mark} ${mechanism}\n            ${figures}\n`;
}

function write(all: readonly Checked[]): void {
  for (const [name, textFrom] of [
    [page, (before: string) => pageWith(before, all)],
    [table, () => tableCsv(all)],
  ] as const) {
    const path = join(repositoryFolder, name);
    const before = existsSync(path) ? readFileSync(path, 'utf8') : '';
    const after = textFrom(before);
    if (after !== before) writeWhole(path, after);
    process.stderr.write(after === before ? `${name} is up to date\n` : `${name} is written anew\n`);
  }
}
