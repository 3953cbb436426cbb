// `npm run tables`: Tables 3.2 and 3.3 of the dissertation side by side with ours, on quartz1, Partitioned Binary on a
// small fabric, and quartz1 with failed links; writes the tables of docs/models/static-routes.md. Tables 5.2 to 5.4 from
// runs; writes those of docs/models/credit.md. Tables 4.1 to 4.3 from reconstructions; writes those of
// docs/models/reconstruction-tables.md. Loops of measuring and routing; writes those of docs/models/adapt.md.

import { readFileSync } from 'node:fs';
import path from 'node:path';
import { Option } from 'commander';
import type { RoutedFabric } from '#weft/fabric/routed-fabric.js';
import { StageProgress } from '#weft/cli/stage-progress.js';
import { writeWhole } from '../data-file.js';
import { blockOf } from '../figures/pages.js';
import { programCommand } from '../program-command.js';
import { repositoryFolder } from '../repository.js';
import { adaptMarkdown, adaptParts } from './adapt-table.js';
import { bullySizes } from './bully-jobs.js';
import { bullyMarkdown, bullyRows, bullyTitles, type BullyRow } from './bully-table.js';
import { failedMarkdown, failedRows } from './failed-links.js';
import {
  boundsMarkdown,
  costsMarkdown,
  furtherMarkdown,
  gapsMarkdown,
  pageWithTable,
  smallMarkdown,
  type FurtherRow,
  type PatternRow,
  type SmallRow,
} from './gap-tables.js';
import { fatTreeOf, measure, measurePartitioned, trafficOf } from './measure-routes.js';
import { bullyErrorsMarkdown } from '../reconstruction/bully-errors.js';
import { blockSidesMarkdown } from '../reconstruction/block-sides.js';
import { fromTruthMarkdown } from '../reconstruction/from-truth.js';
import { splitErrorsMarkdown } from '../reconstruction/split-errors.js';
import { laneMapsMarkdown } from '../reconstruction/lane-maps.js';
import { reconstructionTables } from '../reconstruction/page-tables.js';
import { printedGaps } from './printed-gaps.js';
import { stencilMarkdown } from './stencil-table.js';

const routesPage = 'docs/models/static-routes.md';
const runsPage = 'docs/models/credit.md';
const reconstructionPage = 'docs/models/reconstruction-tables.md';
const adaptPage = 'docs/models/adapt.md';
/** quartz1 in small: leaves with as many links up as half their hosts, two core groups; 64 hosts */
const smallShape = { pods: 4, edgesPerPod: 2, hostsPerEdge: 8, aggregationPerPod: 4, cores: 8, coreGroups: 2 };
const noiseSeeds = 20;

const {
  only,
  size,
  applications,
  rows: wantedRows,
  columns,
  cpuSeconds,
} = programCommand('tables', import.meta.url)
  .description(
    "routes the traffic of the dissertation's Tables 3.2 and 3.3 by ftree, random, AFAR and weft, and writes the tables of docs/models/static-routes.md; runs its cyclic stencil (Table 5.2) and its barrier beside a bully (Tables 5.3 and 5.4), and writes those of docs/models/credit.md",
  )
  .addOption(
    new Option(
      '--only <name>',
      'print the rows of one pattern, or those of failed links, and write nothing; or make the tables of cyclic-stencil, barrier-and-bully, reconstruction (Tables 4.1 to 4.3), reconstruction-bully (5.4.2), from-truth (why errors are larger), block-sides (of LULESH), lane-maps, split-errors (6.1.2) or adapt (5.1 to 5.5, also one by one) alone',
    ).choices([
      ...printedGaps.map(({ pattern }) => pattern),
      'failed-links',
      'cyclic-stencil',
      'barrier-and-bully',
      'reconstruction',
      'lane-maps',
      'from-truth',
      'block-sides',
      'split-errors',
      'reconstruction-bully',
      'adapt',
      ...Object.keys(adaptParts),
    ]),
  )
  .addOption(
    new Option(
      '--size <size>',
      'of barrier-and-bully and reconstruction-bully: half of quartz1 in every dimension, or the whole, which takes about an hour',
    )
      .choices(bullySizes.map(({ name }) => name))
      .default('half'),
  )
  .option(
    '--applications <names>',
    'of reconstruction, lane-maps and split-errors: those whose errors are measured anew, joined by commas',
  )
  .option('--rows <titles>', 'of barrier-and-bully: those that are run, such as 5.3 special, joined by semicolons')
  .option('--columns <titles>', 'of reconstruction: levels and lanes that are measured anew, joined by semicolons')
  .option(
    '--cpu-seconds <count>',
    'of reconstruction, reconstruction-bully, from-truth, lane-maps and split-errors: CPU time of a search',
    '60',
  )
  .addHelpText(
    'after',
    '\nExamples:\n  npm run tables\n  npm run tables -- --only lulesh-star\n  npm run tables -- --only reconstruction --applications partisn,lulesh\n  npm run tables -- --only barrier-and-bully --size whole',
  )
  .parse()
  .opts<{ only?: string; size: string; applications?: string; rows?: string; columns?: string; cpuSeconds: string }>();

const progress = new StageProgress(process.stderr, () => performance.now());
let done = '';
const say = (text: string): void => {
  progress.update(`${done} ${text}`);
};

const wanted = printedGaps.filter(({ pattern }) => only === undefined || pattern === only);
const rows = await patternRows();
const small = await smallRows();
const further = only === undefined ? await furtherRows() : [];
const failed =
  only === undefined || only === 'failed-links'
    ? await failedRows(fatTreeOf('quartz1', 'quartz1'), (text) => {
        progress.update(text);
      })
    : [];
const tables = {
  ...(rows.length > 0 ? { gaps: gapsMarkdown(rows), bounds: boundsMarkdown(rows), costs: costsMarkdown(rows) } : {}),
  ...(small.length > 0 ? { small: smallMarkdown(small) } : {}),
  ...(further.length > 0 ? { further: furtherMarkdown(further) } : {}),
  ...(failed.length > 0 ? { failed: failedMarkdown(failed) } : {}),
};
const bullySize = bullySizes.find(({ name }) => name === size)!;
const ofRuns = {
  ...(only === undefined || only === 'cyclic-stencil' ? { stencil: stencilMarkdown(say) } : {}),
  ...(only === undefined || only === 'barrier-and-bully' ? await bullyTable() : {}),
};
const ofCounters =
  only === undefined || only === 'reconstruction'
    ? await reconstructionTables(
        {
          applications: applications?.split(',') ?? null,
          columns: columns?.split(';') ?? null,
          mostSeconds: Number(cpuSeconds),
        },
        say,
      )
    : {};
const ofMaps =
  only === undefined || only === 'lane-maps'
    ? {
        'lane-maps': await laneMapsMarkdown(
          applications?.split(',') ?? ['partisn', 'lulesh'],
          Number(cpuSeconds),
          say,
          blockOf(reconstructionPage, 'lane-maps') ?? '',
        ),
      }
    : {};
const ofTruth =
  only === undefined || only === 'from-truth' ? { 'from-truth': await fromTruthMarkdown(Number(cpuSeconds), say) } : {};
const ofSides =
  only === undefined || only === 'block-sides'
    ? { 'block-sides': await blockSidesMarkdown(Number(cpuSeconds), say) }
    : {};
const ofSplits =
  only === undefined || only === 'split-errors'
    ? {
        'split-errors': await splitErrorsMarkdown(
          applications?.split(',') ?? ['partisn', 'lulesh', 'boxlib-mg-c'],
          Number(cpuSeconds),
          say,
          blockOf(reconstructionPage, 'split-errors') ?? '',
        ),
      }
    : {};
const ofBully =
  only === undefined || only === 'reconstruction-bully'
    ? { [`bully-errors-${size}`]: await bullyErrorsMarkdown(bullySize, Number(cpuSeconds), say) }
    : {};
const ofLoops: Record<string, string> = {};
for (const name of Object.keys(adaptParts))
  if (only === undefined || only === 'adapt' || only === name) ofLoops[name] = await adaptMarkdown(name, say);
progress.stop();
process.stdout.write(
  [tables, ofRuns, ofCounters, ofMaps, ofSplits, ofTruth, ofSides, ofBully, ofLoops]
    .flatMap((made) => Object.values(made))
    .join('\n'),
);
if (only === undefined) writeTables(routesPage, tables);
writeTables(runsPage, ofRuns);
writeTables(reconstructionPage, { ...ofCounters, ...ofMaps, ...ofSplits, ...ofTruth, ...ofSides, ...ofBully });
writeTables(adaptPage, ofLoops);

function writeTables(page: string, made: Readonly<Record<string, string>>): void {
  if (Object.keys(made).length === 0) return;
  const file = path.join(repositoryFolder, page);
  const text = Object.entries(made).reduce(
    (whole, [name, markdown]) => pageWithTable(whole, name, markdown),
    readFileSync(file, 'utf8'),
  );
  writeWhole(file, text);
  process.stderr.write(`written: the tables ${Object.keys(made).join(', ')} of ${page}\n`);
}

/** Runs rows of Tables 5.3 and 5.4; the page has each as soon as it is known. */
async function bullyTable(): Promise<Readonly<Record<string, string>>> {
  const titles = wantedRows?.split(';').map((title) => title.trim()) ?? bullyTitles;
  const unknown = titles.find((title) => !bullyTitles.includes(title));
  if (unknown !== undefined) {
    process.stderr.write(`--rows: ${unknown} is no row; known are ${bullyTitles.join('; ')}\n`);
    process.exit(2);
  }
  const name = `bully-${size}`;
  const made = (rows: readonly BullyRow[]) => ({ [name]: bullyMarkdown(rows, blockOf(runsPage, name) ?? '') });
  const keep = (rows: readonly BullyRow[]): void => {
    writeTables(runsPage, made(rows));
  };
  return made(await bullyRows(bullySize, say, titles, keep));
}

async function patternRows(): Promise<PatternRow[]> {
  const quartz1 = fatTreeOf('quartz1', 'quartz1');
  const made: PatternRow[] = [];
  for (const printed of wanted) {
    done = `${made.length} of ${wanted.length}, ${printed.pattern}:`;
    const traffic = await trafficOf(quartz1, printed.pattern);
    const [ftree, random, afar, weft] = (['ftree', 'random', 'afar', 'weft'] as const).map((algorithm) =>
      measure(algorithm, quartz1, traffic, say),
    );
    made.push({ printed, ftree: ftree!, random: random!, afar: afar!, weft: weft! });
  }
  return made;
}

async function smallRows(): Promise<SmallRow[]> {
  const fabric = fatTreeOf('64 hosts', 'fat-tree', smallShape);
  const made: SmallRow[] = [];
  for (const { pattern } of wanted.filter(({ same }) => same)) {
    done = `64 hosts, ${pattern}:`;
    const traffic = await trafficOf(fabric, pattern);
    made.push({
      pattern,
      partitioned: await measurePartitioned(fabric, traffic, say),
      weft: measure('weft', fabric, traffic, say),
    });
  }
  return made;
}

async function furtherRows(): Promise<FurtherRow[]> {
  const quartz1 = fatTreeOf('quartz1', 'quartz1');
  const large = fatTreeOf('11,664 hosts', 'fat-tree', { k: 36 });
  const cases: [label: string, source: RoutedFabric, name: string, seed?: number][] = [
    ['cyclic-stencil, sum of 6 phases', quartz1, 'cyclic-stencil'],
    ['cyclic-stencil-scrambled, sum of 6 phases', quartz1, 'cyclic-stencil-scrambled'],
    ['11,664 hosts (k = 36): random-permutation', large, 'random-permutation'],
    ['11,664 hosts: 100xstencil:116', large, '100xstencil:116'],
    ...Array.from({ length: noiseSeeds }, (_, i): [string, RoutedFabric, string, number] => [
      `bs-random-shuffle-noise, traffic of seeds 1 to ${noiseSeeds}`,
      quartz1,
      'bs-random-shuffle-noise',
      i + 1,
    ]),
  ];
  const made: FurtherRow[] = [];
  for (const [label, source, name, seed] of cases) {
    done = `${label}:`;
    const traffic = await trafficOf(source, name, seed);
    made.push({
      traffic: label,
      ftree: measure('ftree', source, traffic, say),
      weft: measure('weft', source, traffic, say),
    });
  }
  return made;
}
