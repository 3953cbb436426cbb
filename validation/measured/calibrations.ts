// `npm run calibrations`: every published table of eight sizes and more, calibrated on every second of its sizes, and how
// far the others lie from that profile; then with the halves exchanged; writes the table of docs/models/calibration.md
// and calibration.csv.
// Beside it stands what the table itself tells of its rows: how far each lies from the straight line, in logarithms,
// between its neighbours, which are both measured. Nothing is left out because it fits badly.
// Invariant: as `weft calibrate` does it by default: one profile per table, fluid up to 64 ranks, closed forms beyond.

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { calibrate } from '#weft/app/calibrate/calibrate.js';
import { oneByOne } from '#weft/app/calibrate/simulate-all.js';
import { type CollectiveCase, isHeldOut, rowErrors } from '#weft/app/calibrate/calibration-cases.js';
import { simulate } from '#weft/app/simulate.js';
import { StageProgress } from '#weft/cli/stage-progress.js';
import type { RowErrors } from '#weft/collectives/calibrated-profile.js';
import { Communicator } from '#weft/collectives/communicator.js';
import { ncclEnvironment } from '#weft/collectives/nccl-environment.js';
import { profileOn } from '#weft/collectives/taken-figures.js';
import { generateFabric } from '#weft/library/fabrics.js';
import { planOnFabric } from '#weft/scenario/plan-on-fabric.js';
import { nodeHost } from '#weft/storage/node-host.js';
import { csvText, writeWhole } from '../data-file.js';
import { programCommand } from '../program-command.js';
import { repositoryFolder } from '../repository.js';
import {
  type Cluster,
  type CollectiveMeasurement,
  disturbanceOf,
  measuredUs,
  profileOfCluster,
  readClusters,
  readRuns,
} from './runs.js';

programCommand('calibrations', import.meta.url).parse();

const leastSizes = 8;
const mostSimulatedRanks = 64;
const page = join(repositoryFolder, 'docs/models/calibration.md');
const table = join(repositoryFolder, 'docs/models/calibration.csv');
const [begin, end] = ['<!-- calibrations: begin (written by `npm run calibrations`) -->', '<!-- calibrations: end -->'];

/** What comes of a profile at rows that it was not fitted to. */
interface HeldOutHalf {
  readonly before: RowErrors;
  readonly after: RowErrors;
  /** of every row that was held out, absolute */
  readonly errors: readonly number[];
}

interface CalibratedTable {
  readonly run: CollectiveMeasurement;
  readonly isDisturbed: boolean;
  /** as `weft calibrate` takes them, the second size, the fourth and so on held out; and the first, the third */
  readonly halves: readonly [HeldOutHalf, HeldOutHalf];
  /** median distance of its rows from the line between their neighbours */
  readonly lineMedian: number;
}

/** Calibrates on half of a table. @param isHeldOutAt by number of the size, ascending */
async function calibrated(
  run: CollectiveMeasurement,
  cluster: Cluster,
  isHeldOutAt: (index: number) => boolean,
): Promise<HeldOutHalf> {
  const { generate, ...parameters } = cluster.fabric;
  const { gpusPerServer } = cluster.fabric;
  const host = nodeHost();
  const ranks = run.servers * run.ranksPerServer;
  const plan = await planOnFabric(generateFabric(generate, { ...parameters, gpus: run.servers * gpusPerServer }), {
    name: run.id,
    settings: [{ path: 'backend', value: ranks <= mostSimulatedRanks ? 'fluid' : 'analytical', option: 'backend' }],
    overrides: [],
    host,
  });
  const base = profileOn(run.id, profileOfCluster(cluster), plan.fabric.gpuType);
  const places = Int32Array.from(
    { length: ranks },
    (_, rank) => Math.floor(rank / run.ranksPerServer) * gpusPerServer + (rank % run.ranksPerServer),
  );
  const setup = {
    communicator: new Communicator(plan.fabric, places),
    groupKind: 'dp',
    profile: base,
    wish: { algorithm: run.algorithm ?? 'auto', protocol: run.protocol ?? 'auto' },
    nvls: run.nvls ?? cluster.nvls ?? true,
    pxn: cluster.fabric['nicsPerServer'] !== undefined,
    collnet: false,
    channels: 0,
    ...(cluster.environment === undefined ? {} : { environment: ncclEnvironment(cluster.environment) }),
  } as const;
  const collectives: CollectiveCase[] = ascending(run).map((row, i) => ({
    setup,
    task: { kind: run.kind, sizeBytes: run.sizeBytes[row]!, root: 0 },
    measuredUs: measuredUs(run, row),
    isHeldOut: isHeldOutAt(i),
  }));
  const calibration = await calibrate({
    plan,
    base,
    collectives,
    transfers: [],
    simulateAll: oneByOne(plan, simulate, { host }),
    options: { host },
    onProgress: () => {},
  });
  const rows = calibration!.rows.filter((row) => row.isHeldOut);
  return {
    before: calibration!.before.heldOut!,
    after: calibration!.heldOut!,
    errors: rows.map((row) => Math.abs(row.afterUs / row.measuredUs - 1)),
  };
}

function percent(share: number): string {
  return `${(100 * share).toFixed(1)} %`;
}

function ascending({ sizeBytes }: CollectiveMeasurement): number[] {
  return sizeBytes.map((_, i) => i).sort((a, b) => sizeBytes[a]! - sizeBytes[b]!);
}

/** Median distance of rows that have neighbours from the line between those, in logarithms of sizes and times. */
function lineMedian(run: CollectiveMeasurement): number {
  const points = ascending(run).map((row) => [Math.log(run.sizeBytes[row]!), Math.log(measuredUs(run, row))] as const);
  const errors = points.slice(1, -1).map(([size, time], i) => {
    const [from, to] = [points[i]!, points[i + 2]!];
    return Math.exp(from[1] + ((to[1] - from[1]) * (size - from[0])) / (to[0] - from[0]) - time) - 1;
  });
  return rowErrors(errors)!.median;
}

function isWithin({ after }: HeldOutHalf): boolean {
  return after.median <= 0.05;
}

function sentences(what: string, tables: readonly CalibratedTable[]): string[] {
  const halves = [0, 1].map((half) => {
    const errors = rowErrors(tables.flatMap((table) => table.halves[half]!.errors))!;
    const within = tables.filter((table) => isWithin(table.halves[half]!)).length;
    return `${errors.rows} rows held out: median error ${percent(errors.median)}, nine of ten at most ${percent(errors.p90)}, worst ${percent(errors.worst)}; in ${within} of the tables the median is at most 5 %`;
  });
  const missed = tables.filter((table) => !table.halves.every(isWithin));
  const rough = missed.filter((table) => table.lineMedian > 0.05);
  return [
    `- ${what}: ${tables.length} tables, ${halves[0]}.`,
    `  - The halves exchanged: ${halves[1]}.`,
    `  - ${tables.length - missed.length} tables are within 5 % both ways. Of the other ${missed.length}, ${rough.length} are tables whose rows lie more than 5 % from the line between their own neighbours, in the median.`,
  ];
}

/** The tables of a kind: in how many the median of the rows held out is at most 5 %, and the farthest. */
function kindRow(kind: string): string {
  const own = tables.filter(({ run }) => run.kind === kind);
  const count = (isNear: (table: CalibratedTable) => boolean): number => own.filter(isNear).length;
  const farthest = own.reduce((most, one) => (one.halves[0].after.median > most.halves[0].after.median ? one : most));
  return `| ${[
    kind,
    own.length,
    count(({ halves: [{ before }] }) => before.median <= 0.05),
    count(({ halves: [first] }) => isWithin(first)),
    count(({ halves }) => halves.every(isWithin)),
    `${farthest.run.id}, ${percent(farthest.halves[0].after.median)}`,
  ].join(' | ')} |`;
}

/** Every table: medians of its held-out rows before and after, and how smooth it is. */
function tablesCsv(): string {
  return csvText(
    [
      'run',
      'kind',
      'servers',
      'gpusPerServer',
      'cluster',
      'disturbed',
      'rowsHeldOut',
      'baseMedian',
      'calibratedMedian',
      'nineOfTen',
      'worst',
      'exchangedMedian',
      'lineMedian',
    ],
    tables.map(({ run, isDisturbed, halves: [{ before, after }, other], lineMedian: line }) => [
      run.id,
      run.kind,
      run.servers,
      run.ranksPerServer,
      run.cluster,
      isDisturbed ? 'yes' : 'no',
      after.rows,
      ...[before.median, after.median, after.p90, after.worst, other.after.median, line].map(percent),
    ]),
  );
}

const clusters = readClusters();
const runs = readRuns(clusters).filter(
  (run): run is CollectiveMeasurement => run.notPredicted === undefined && run.sizeBytes.length >= leastSizes,
);
const progress = new StageProgress(process.stderr, () => performance.now());
const tables: CalibratedTable[] = [];
for (const [i, run] of runs.entries()) {
  progress.update(`${i} of ${runs.length}: ${run.id}`);
  const cluster = clusters.get(run.cluster)!;
  tables.push({
    run,
    isDisturbed: run.sizeBytes.some((size) => disturbanceOf(run, size) !== null),
    halves: [
      await calibrated(run, cluster, (row) => isHeldOut(row, 0.5)),
      await calibrated(run, cluster, (row) => !isHeldOut(row, 0.5)),
    ],
    lineMedian: lineMedian(run),
  });
}
progress.stop();
const lines = [
  ...sentences('all', tables),
  ...sentences(
    'without a stated fault, noise or background traffic',
    tables.filter(({ isDisturbed }) => !isDisturbed),
  ),
  '',
  '| kind | tables | base: within 5 % | calibrated: within 5 % | both ways | farthest |',
  '|---|---|---|---|---|---|',
  ...[...new Set(runs.map(({ kind }) => kind))].map(kindRow),
];
process.stdout.write(`${lines.join('\n')}\n`);
const text = readFileSync(page, 'utf8');
writeWhole(
  page,
  `${text.slice(0, text.indexOf(begin) + begin.length)}\n\n${lines.join('\n')}\n\n${text.slice(text.indexOf(end))}`,
);
writeWhole(table, tablesCsv());
process.stderr.write('written: docs/models/calibration.md, calibration.csv\n');
