// `npm run iterations`: published iteration times beside ours, row by row; writes the sums of
// docs/models/iteration-times.md, and every row to iteration-times.csv. Rows of which a source says too little are named
// with the reason.
// Invariant: one fabric for each GPU and one kernel model for each GPU; no row has a parameter of its own.

import { readFileSync } from 'node:fs';
import path from 'node:path';
import { simulate } from '#weft/app/simulate.js';
import { makePlan } from '#weft/scenario/make-plan.js';
import { nodeHost } from '#weft/storage/node-host.js';
import { gpus } from '#weft/workload/gpus.js';
import { knownModels } from '#weft/workload/known-models.js';
import { csvText, writeWhole } from '../data-file.js';
import { programCommand } from '../program-command.js';
import { repositoryFolder } from '../repository.js';
import { type ClusterRow, iterationBandText, percentages, writeBandFile } from '../error-bands.js';
import { mptRows } from './mpt-rows.js';
import { batchOf, publishedFabrics, publishedRows, type PublishedRow } from './published-rows.js';

programCommand('iterations', import.meta.url).parse();

const page = path.join(repositoryFolder, 'docs/models/iteration-times.md');
const table = path.join(repositoryFolder, 'docs/models/iteration-times.csv');
const [begin, end] = ['<!-- iterations: begin (written by `npm run iterations`) -->', '<!-- iterations: end -->'];

const lines: string[][] = [];
const notComputed: string[] = [];
const errors: ClusterRow[] = [];
const bySource = new Map<string, number[]>();
const bySourceWorst = new Map<string, NamedError>();
for (const row of [...publishedRows, ...mptRows]) {
  if (row.notComputed !== undefined) {
    lines.push([row.name, row.source, '', '', '', `not computed: ${row.notComputed}`]);
    notComputed.push(`- ${row.name} (${row.source}): ${row.notComputed}`);
    continue;
  }
  process.stderr.write(`\r${row.name.padEnd(60)}`);
  const published = publishedSeconds(row);
  const ours = await oursSeconds(row);
  const error = ours / published - 1;
  const source = row.system ?? row.source;
  errors.push({ cluster: source, error });
  bySource.set(source, [...(bySource.get(source) ?? []), error]);
  lines.push([row.name, row.source, figure(published), figure(ours), signed(error), row.assumed]);
  bySourceWorst.set(source, worse(bySourceWorst.get(source), { name: row.name, error }));
}
const { medianPercent, worstPercent } = percentages(errors.map(({ error }) => error));
const summary = `${errors.length} rows computed: median absolute error ${medianPercent.toFixed(1)} %, worst ${worstPercent.toFixed(1)} %.`;
writeBandFile('iteration-band.ts', iterationBandText(errors));
const sources = ['| source | rows | median of the absolute error | median | worst |', '|---|---|---|---|---|'];
for (const [source, of] of bySource) {
  const sizes = of.map(Math.abs);
  sources.push(
    `| ${source} | ${of.length} | ${percent(median(sizes))} | ${signed(median(of))} | ${worstText(bySourceWorst.get(source)!)} |`,
  );
}
process.stderr.write('\r');
const csv = csvText(['row', 'source', 'publishedSeconds', 'weftSeconds', 'error', 'assumed'], lines);
process.stdout.write(`${csv}\n${sources.join('\n')}\n\n${summary}\n`);
const text = readFileSync(page, 'utf8');
const from = text.indexOf(begin) + begin.length;
const to = text.indexOf(end);
const parts = [summary, sources.join('\n'), 'Not computed:', notComputed.join('\n')];
writeWhole(page, `${text.slice(0, from)}\n\n${parts.join('\n\n')}\n\n${text.slice(to)}`);
writeWhole(table, csv);

/** An error with the row that has it. */
interface NamedError {
  readonly name: string;
  readonly error: number;
}

function worse(before: NamedError | undefined, other: NamedError): NamedError {
  return before === undefined || Math.abs(other.error) > Math.abs(before.error) ? other : before;
}

function worstText({ name, error }: NamedError): string {
  return `${signed(error)}: ${name}`;
}

/** Seconds of an iteration by the closed forms of the analytical backend. */
async function oursSeconds(row: PublishedRow): Promise<number> {
  const workload = Object.entries({ generate: 'transformer', ...row.workload })
    .map(([name, value]) => `${name}: ${value}`)
    .join(', ');
  const text = `backend: analytical\nfabric: { ${publishedFabrics[row.gpu]}, gpus: ${row.gpus} }\ntimeline: { ranks: none }\nworkload: { ${workload} }\n`;
  const host = { ...nodeHost(), readText: () => Promise.resolve(text) };
  const summary = await simulate(await makePlan('row.yaml', { host, overrides: [] }), { host });
  return summary.jobs[0]!.totalPs.maximum / 1e12;
}

/** The source's figure as seconds of an iteration, by the formula that the source states for its unit. */
function publishedSeconds(row: PublishedRow): number {
  const { figure: given, unit, gpu, gpus: count, workload } = row;
  const value = (name: string, otherwise: number): number => Number(workload[name] ?? otherwise);
  const model = knownModels[workload['model'] as keyof typeof knownModels];
  const s = value('sequenceLength', model.sequenceLength);
  const batch = batchOf(row);
  if (unit === 'seconds') return given;
  if (unit === 'tokensPerSecondAndGpu') return (batch * s) / (given * count);
  const h = value('hiddenSize', model.hiddenSize);
  const l = value('layerCount', model.layerCount);
  const f = value('feedForwardSize', model.feedForwardSize);
  const keys = (model.keyValueHeads / model.attentionHeads) * h;
  const V = value('vocabularySize', model.vocabularySize);
  // Narayanan et al. 2021, appendix, with the widths of grouped queries and gated parts in their place
  const layer =
    2 * h * (2 * h + (workload['keyValueHeads'] === undefined ? 2 * keys : 2 * h)) +
    2 * (model.gatedFeedForward ? 3 : 2) * h * f +
    4 * s * h;
  const passes = unit === 'teraflopsWithRecomputation' ? 4 : 3;
  const flops = batch * s * (passes * l * layer + 3 * 2 * h * V);
  return unit === 'flopsUtilization'
    ? flops / (given * gpus[gpu].flopsPerSecond * count)
    : flops / (given * 1e12 * count);
}

function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  return (sorted[Math.floor((sorted.length - 1) / 2)]! + sorted[Math.ceil((sorted.length - 1) / 2)]!) / 2;
}

function percent(share: number): string {
  return `${(100 * share).toFixed(1)} %`;
}

function signed(error: number): string {
  return `${error < 0 ? '-' : '+'}${percent(Math.abs(error))}`;
}

function figure(seconds: number): string {
  return seconds.toPrecision(3).replace(/e\+.*/, '');
}
