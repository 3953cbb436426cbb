// `npm run busbw-sweep`: bus bandwidth of every kind over sizes, groups and fabrics; writes docs/models/busbw-sweep.md,
// its curves as CSV and its figure. Rows that are done stand in a file, so that an interrupted sweep goes on where it was.

import { appendFileSync, existsSync, mkdirSync, readFileSync, rmSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { RunPool } from '#weft/campaign/run-pool.js';
import { resultsInOrder } from '#weft/campaign/task-queue.js';
import { StageProgress } from '#weft/cli/stage-progress.js';
import { writeWhole } from '../data-file.js';
import { programCommand } from '../program-command.js';
import { repositoryFolder } from '../repository.js';
import { sweepChart } from './chart.js';
import { sweepCsv, sweepPage, sweepSums } from './page.js';
import performRow from './row-task.js';
import { type SweepCase, sweepCases, type SweepRow } from './sweep.js';

const page = join(repositoryFolder, 'docs/models/busbw-sweep.md');
const table = join(repositoryFolder, 'docs/models/busbw-sweep.csv');
const figure = join(repositoryFolder, 'docs/figures/busbw-sweep.svg');
const folder = join(repositoryFolder, '.weft');
const kept = join(folder, 'busbw-sweep.jsonl');

const { factor, only, anew, asOf, json } = programCommand('busbw-sweep', import.meta.url)
  .option('--factor <number>', 'from one size to the next', '2')
  .option('--only <text>', 'curves whose name holds this text, such as "spectrum-x 64 allreduce fluid"; writes no page')
  .option('--anew', 'forgets the rows that are done: needed after a change of the model')
  .option('--as-of <text>', 'what state of Weft rows that are done are of, for the page, such as "commit f2c24f1"')
  .option('--json', 'the rows as one JSON object on stdout')
  .addHelpText('after', '\nExamples:\n  npm run busbw-sweep\n  npm run busbw-sweep -- --factor 4 --only "16 allreduce"')
  .parse()
  .opts<{ factor: string; only?: string; anew?: true; asOf?: string; json?: true }>();

const step = Number(factor);
if (!Number.isInteger(step) || step < 2) {
  process.stderr.write(`--factor ${factor} is no whole number from 2 on\n`);
  process.exit(2);
}
const nameOf = ({ family, gpus, kind, backend }: SweepCase): string => `${family} ${gpus} ${kind} ${backend}`;
const keyOf = (one: SweepCase): string => `${nameOf(one)} ${one.sizeBytes}`;
const cases = sweepCases(step).filter((one) => only === undefined || nameOf(one).includes(only));
if (cases.length === 0) {
  process.stderr.write(`no curve has a name with ${only}; such as "${nameOf(sweepCases(step)[0]!)}"\n`);
  process.exit(2);
}
if (anew === true) rmSync(kept, { force: true });
mkdirSync(folder, { recursive: true });
const done = new Map<string, SweepRow>();
if (existsSync(kept))
  for (const line of readFileSync(kept, 'utf8').split('\n')) {
    if (!line.endsWith('}')) continue;
    const row = JSON.parse(line) as SweepRow;
    done.set(keyOf(row), row);
  }
const progress = new StageProgress(process.stderr, () => performance.now());
const missing = cases.filter((one) => !done.has(keyOf(one)));
let ended = cases.length - missing.length;
const pool = new RunPool({ processes: availableParallelism(), module: new URL('./row-task.js', import.meta.url) });
await resultsInOrder(
  pool,
  missing.map((one) => ({ name: keyOf(one), here: () => performRow(null, one), input: () => one })),
  {
    onEnd: (place) => progress.update(`${++ended} of ${cases.length}: ${keyOf(missing[place]!)}`),
    onResult: (place, row) => {
      appendFileSync(kept, `${JSON.stringify(row)}\n`);
      done.set(keyOf(missing[place]!), row);
    },
  },
);
await pool.close();
const rows = cases.map((one) => done.get(keyOf(one))!);
progress.stop();
const { dips, withoutReason, right, rows: count } = sweepSums(rows);
if (json === true) process.stdout.write(`${JSON.stringify({ rows })}\n`);
else
  process.stdout.write(
    `${count} rows, ${dips} dips, ${withoutReason} of them without a reason; within 10 % of the best: ${(100 * right).toFixed(1)} %\n`,
  );
if (only === undefined) {
  writeWhole(page, sweepPage(rows, step, asOf));
  writeWhole(table, sweepCsv(rows));
  writeWhole(figure, sweepChart(rows));
  process.stderr.write('written: docs/models/busbw-sweep.md, busbw-sweep.csv, docs/figures/busbw-sweep.svg\n');
}
