// `npm run calibrations`: every published table of eight sizes and more, calibrated on every second of its sizes, and how
// far the others lie from that profile; writes the table of docs/models/calibration.md. Nothing is left out because it
// fits badly.
// Invariant: as `weft calibrate` does it by default: one profile per table, fluid up to 64 ranks, closed forms beyond.

import { readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { calibrate } from '#weft/app/calibrate/calibrate.js';
import { type CollectiveCase, isHeldOut, rowErrors } from '#weft/app/calibrate/calibration-cases.js';
import { simulate } from '#weft/app/simulate.js';
import { StageProgress } from '#weft/cli/stage-progress.js';
import type { RowErrors } from '#weft/collectives/calibrated-profile.js';
import { Communicator } from '#weft/collectives/communicator.js';
import { profileOn } from '#weft/collectives/taken-figures.js';
import { generateFabric } from '#weft/library/fabrics.js';
import { planOnFabric } from '#weft/scenario/plan-on-fabric.js';
import { nodeHost } from '#weft/storage/node-host.js';
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

const leastSizes = 8;
const mostSimulatedRanks = 64;
const page = join(repositoryFolder, 'docs/models/calibration.md');
const [begin, end] = ['<!-- calibrations: begin (written by `npm run calibrations`) -->', '<!-- calibrations: end -->'];

interface CalibratedTable {
  readonly run: CollectiveMeasurement;
  readonly isDisturbed: boolean;
  readonly before: RowErrors;
  readonly after: RowErrors;
  /** of every row that was held out, absolute */
  readonly errors: readonly number[];
}

/** Calibrates on half of a table. */
async function calibrated(run: CollectiveMeasurement, cluster: Cluster): Promise<CalibratedTable> {
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
  } as const;
  const order = run.sizeBytes.map((_, i) => i).sort((a, b) => run.sizeBytes[a]! - run.sizeBytes[b]!);
  const collectives: CollectiveCase[] = order.map((row, i) => ({
    setup,
    task: { kind: run.kind, sizeBytes: run.sizeBytes[row]!, root: 0 },
    measuredUs: measuredUs(run, row),
    isHeldOut: isHeldOut(i, 0.5),
  }));
  const calibration = await calibrate({
    plan,
    base,
    collectives,
    transfers: [],
    simulate,
    options: { host },
    onProgress: () => {},
  });
  const rows = calibration!.rows.filter((row) => row.isHeldOut);
  return {
    run,
    isDisturbed: run.sizeBytes.some((size) => disturbanceOf(run, size) !== null),
    before: calibration!.before.heldOut!,
    after: calibration!.heldOut!,
    errors: rows.map((row) => Math.abs(row.afterUs / row.measuredUs - 1)),
  };
}

function percent(share: number): string {
  return `${(100 * share).toFixed(1)} %`;
}

function sentence(what: string, tables: readonly CalibratedTable[]): string {
  const errors = rowErrors(tables.flatMap((table) => table.errors))!;
  const within = tables.filter(({ after }) => after.median <= 0.05).length;
  return `- ${what}: ${tables.length} tables, ${errors.rows} rows held out: median error ${percent(errors.median)}, nine of ten at most ${percent(errors.p90)}, worst ${percent(errors.worst)}; in ${within} of the tables the median is at most 5 %.`;
}

const clusters = readClusters();
const runs = readRuns(clusters).filter(
  (run): run is CollectiveMeasurement => run.notPredicted === undefined && run.sizeBytes.length >= leastSizes,
);
const progress = new StageProgress(process.stderr, () => performance.now());
const tables: CalibratedTable[] = [];
for (const [i, run] of runs.entries()) {
  progress.update(`${i} of ${runs.length}: ${run.id}`);
  tables.push(await calibrated(run, clusters.get(run.cluster)!));
}
progress.stop();
const lines = [
  sentence('all', tables),
  sentence(
    'without a stated fault, noise or background traffic',
    tables.filter(({ isDisturbed }) => !isDisturbed),
  ),
  '',
  '| run | of | rows held out | base: median | calibrated: median | nine of ten | worst |',
  '|---|---|---|---|---|---|---|',
  ...tables.map(
    ({ run, isDisturbed, before, after }) =>
      `| ${run.id}${isDisturbed ? ' *' : ''} | ${run.kind}, ${run.servers} x ${run.ranksPerServer} ${run.cluster} | ${after.rows} | ${percent(before.median)} | ${percent(after.median)} | ${percent(after.p90)} | ${percent(after.worst)} |`,
  ),
];
process.stdout.write(`${lines.join('\n')}\n`);
const text = readFileSync(page, 'utf8');
writeFileSync(
  `${page}.new`,
  `${text.slice(0, text.indexOf(begin) + begin.length)}\n\n${lines.join('\n')}\n\n${text.slice(text.indexOf(end))}`,
);
renameSync(`${page}.new`, page);
process.stderr.write('written: docs/models/calibration.md\n');
