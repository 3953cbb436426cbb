// `npm run measured`: what clusters measured beside what Weft predicts; writes docs/models/measured.md, and the tables of
// all sizes and runs, measured.csv and measured-runs.csv.

import { join } from 'node:path';
import { StageProgress } from '#weft/cli/stage-progress.js';
import { comparisonFooter } from '#weft/report/measured-comparison.js';
import { writeWhole } from '../data-file.js';
import { programCommand } from '../program-command.js';
import { repositoryFolder } from '../repository.js';
import { measuredBandsOf, measuredBandsText, measuredRangeOf, writeBandFile } from '../error-bands.js';
import { bandedRows, measuredCsv, measuredRunsCsv, measuredPage } from './page.js';
import { leftOutFigures } from './left-out.js';
import { predict, type PredictedRun } from './predict.js';
import { clusterOf, readClusters, readRuns, type UnpredictedRun } from './runs.js';

const page = join(repositoryFolder, 'docs/models/measured.md');
const table = join(repositoryFolder, 'docs/models/measured.csv');
const runTable = join(repositoryFolder, 'docs/models/measured-runs.csv');

const { only, json } = programCommand('measured', import.meta.url)
  .option('--only <text>', 'the runs whose name holds this text; prints their errors and writes nothing')
  .option('--json', 'one JSON object on stdout')
  .addHelpText(
    'after',
    '\nExamples:\n  npm run measured\n  npm run measured -- --only B-05\n  npm run -s measured -- --json',
  )
  .parse()
  .opts<{ only?: string; json?: true }>();

const clusters = readClusters();
const allRuns = readRuns(clusters);
const runs = allRuns.filter(({ id }) => only === undefined || id.includes(only));
if (runs.length === 0) {
  process.stderr.write(`no run has a name with ${only}; they stand in validation/measured/runs.yaml\n`);
  process.exit(2);
}
const progress = new StageProgress(process.stderr, () => performance.now());
progress.update('figures without each cluster');
const leftOut = await leftOutFigures(
  clusters,
  allRuns.filter((run) => run.notPredicted === undefined),
);
const predicted: PredictedRun[] = [];
const unpredicted: UnpredictedRun[] = [];
for (const [i, run] of runs.entries()) {
  progress.update(`${i} of ${runs.length}: ${run.id}`);
  if (run.notPredicted !== undefined) unpredicted.push(run);
  else predicted.push(await predict(run, clusters.get(run.cluster)!, leftOut.get(clusterOf(run)) ?? null));
}
progress.stop();
if (json === true) process.stdout.write(`${JSON.stringify({ predicted, unpredicted })}\n`);
else {
  if (only !== undefined)
    for (const { run, rows } of predicted) process.stdout.write(`# ${run.id}\n${comparisonFooter(rows)}`);
  const calm = predicted.flatMap(({ rows }) => rows.filter(({ disturbed }) => disturbed === null));
  process.stdout.write(`# ${predicted.length} runs without stated disturbances\n${comparisonFooter(calm)}`);
}
if (only === undefined) {
  writeWhole(page, measuredPage(clusters, predicted, unpredicted));
  writeWhole(table, measuredCsv(predicted));
  writeWhole(runTable, measuredRunsCsv(predicted, unpredicted));
  const rows = bandedRows(clusters, predicted);
  const isNew = writeBandFile('measured-bands.ts', measuredBandsText(measuredBandsOf(rows), measuredRangeOf(rows)));
  process.stderr.write(
    `written: docs/models/measured.md, measured.csv, measured-runs.csv${isNew ? ', src/report/measured-bands.ts' : ''}\n`,
  );
}
