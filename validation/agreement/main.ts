// `npm run agreement`: the analytical and the fluid backend beside packets, for every collective; writes
// docs/models/backends-agree.md and the table of all cells, backends-agree.csv. Ends with 1 if a difference of more than
// 5 % has no reason.

import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { RunPool } from '#weft/campaign/run-pool.js';
import { resultsInOrder } from '#weft/campaign/task-queue.js';
import { StageProgress } from '#weft/cli/stage-progress.js';
import { writeWhole } from '../data-file.js';
import { programCommand } from '../program-command.js';
import { repositoryFolder } from '../repository.js';
import performCase from './case-task.js';
import { agreementCases, agreementFabrics } from './cases.js';
import { agreementCsv, agreementPage, type AgreementResult, cellName, cellsOf } from './page.js';
import { reasonOf } from './reasons.js';

const page = join(repositoryFolder, 'docs/models/backends-agree.md');
const table = join(repositoryFolder, 'docs/models/backends-agree.csv');

const { only, json } = programCommand('agreement', import.meta.url)
  .option('--only <text>', 'the cases whose name holds this text; prints their differences and writes nothing')
  .option('--json', 'one JSON object on stdout')
  .addHelpText(
    'after',
    '\nExamples:\n  npm run agreement\n  npm run agreement -- --only "16 GPUs, allreduce"\n  npm run -s agreement -- --json',
  )
  .parse()
  .opts<{ only?: string; json?: true }>();

const fabrics = agreementFabrics();
const cases = fabrics
  .flatMap(agreementCases)
  .map((of, place) => ({ of, place, name: `${of.on.name}, ${of.kind}, ${of.profile}, ${of.algorithm} ${of.protocol}` }))
  .filter(({ name }) => only === undefined || name.includes(only));
if (cases.length === 0) {
  process.stderr.write(`no case has a name with ${only}, such as "16 GPUs, allreduce, nccl, ring ll128"\n`);
  process.exit(2);
}
const progress = new StageProgress(process.stderr, () => performance.now());
const results: AgreementResult[] = [];
let ended = 0;
const pool = new RunPool({ processes: availableParallelism(), module: new URL('./case-task.js', import.meta.url) });
await resultsInOrder(
  pool,
  cases.map(({ name, place }) => ({ name, here: () => performCase(null, place), input: () => place })),
  {
    onEnd: (i) => progress.update(`${++ended} of ${cases.length}: ${cases[i]!.name}`),
    onResult: (i, rows) => results.push({ of: cases[i]!.of, rows }),
  },
);
await pool.close();
progress.stop();
if (json === true)
  process.stdout.write(
    `${JSON.stringify({ rows: results.flatMap(({ of: { on, ...of }, rows }) => rows.map((row) => ({ fabric: on.name, ...of, ...row }))) })}\n`,
  );
else if (only !== undefined) for (const cell of results.flatMap(cellsOf)) process.stdout.write(`${cellName(cell)}\n`);
if (only === undefined) {
  writeWhole(page, agreementPage(fabrics, results));
  writeWhole(table, agreementCsv(results));
  process.stderr.write('written: docs/models/backends-agree.md, backends-agree.csv\n');
}
const unexplained = results.flatMap(cellsOf).filter((cell) => reasonOf(cell) === undefined);
for (const cell of unexplained) process.stderr.write(`no reason for ${cellName(cell)}\n`);
process.exit(unexplained.length === 0 ? 0 : 1);
