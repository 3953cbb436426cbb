// What jobs came to, for people, within 80 columns: where the time of rank 0 and of each pipeline stage went, and what
// the layers cost.
// Invariant: the parts of a time add up to it (compute, waits, bubble); nothing is left out without a line that says
// so.

import {
  communicationKinds,
  type CommunicationKind,
  type JobReport,
  type LayerFigures,
  type RankFigures,
} from '../jobs/job-report.js';
import { formatSizeBytes, formatTimePs } from '../base/units.js';
import { passNames } from '../workload/policies.js';
import { layerTable } from './layer-table.js';
import { memoryParts, memoryText, type JobMemory } from '../jobs/memory-figures.js';
import { cellsText } from './aligned-table.js';
import { coloured, counted, indented, percentText, reportColumns, shortened, type TextStyle } from './text-style.js';

/** Stages that the table shows at most; of more, the first and the last. */
const mostStages = 8;
/** Collectives that are named as sent step by step beside others that are not. */
const mostStepped = 4;
/** Jobs that the table of several jobs shows at most. */
const mostJobs = 16;

const nameColumns = 14;
const timeColumns = 9;
const shareColumns = 8;
const timeWidths = [-(nameColumns + 6), timeColumns, shareColumns, timeColumns + 3, 0];
/** computes, waits, bubble: shares of a rank's time */
const shareWidths = [9, shareColumns, shareColumns];
const stageWidths = [7, 7, timeColumns, ...shareWidths];
const jobWidths = [-(nameColumns + 7), 6, timeColumns, timeColumns, ...shareWidths];
const shareHeads = ['compute', 'waits', 'bubble'];

/** The letter of each kind in a bar. */
const letters: Readonly<Record<CommunicationKind, string>> = {
  TP: 'T',
  DP: 'D',
  EP: 'E',
  DP_EP: 'd',
  PP: 'P',
  all: 'A',
  CP: 'C',
};
const kindNames: Readonly<Record<CommunicationKind, string>> = {
  TP: 'TP',
  DP: 'DP',
  EP: 'EP',
  DP_EP: 'DP_EP',
  PP: 'PP',
  all: 'others',
  CP: 'CP',
};

/** The lines on jobs in the report of a run; none without jobs. */
export function jobLines(jobs: readonly JobReport[], style: TextStyle): string[] {
  if (jobs.length === 0) return [];
  return jobs.length === 1 ? oneJob(jobs[0]!, style) : severalJobs(jobs, style);
}

function oneJob(job: JobReport, style: TextStyle): string[] {
  const first = job.stages[0]!;
  const lines = wide(`${titleOf(job)}: ${formatTimePs(first.totalPs)} on rank ${first.rank}${spread(job)}`);
  if (!job.isFinished) lines.push(coloured(style, 'red', '  It did not finish: what follows is what was done.'));
  lines.push('', ...timesOf(first, style));
  if (job.stages.length > 1) lines.push('', ...stageTable(job.stages, style));
  if (job.memory !== null) lines.push('', ...memoryLine(job.memory));
  const layers = layerTable(job.layers, style);
  if (layers.length > 0) lines.push('', ...layers);
  lines.push(...streamLine(job.layers), '');
  return lines;
}

/** Which collectives were sent as streams, if any were. */
function streamLine(layers: readonly LayerFigures[]): string[] {
  const [streamed, stepped] = [new Set<string>(), new Set<string>()];
  for (const layer of layers)
    for (const pass of passNames) {
      const { collective } = layer[pass];
      if (collective === null) continue;
      const { kind, group, sizeBytes, algorithm, asStreams } = collective;
      (asStreams === true ? streamed : stepped).add(`${kind} ${group} ${formatSizeBytes(sizeBytes)} (${algorithm})`);
    }
  if (streamed.size === 0) return [];
  const text =
    stepped.size === 0
      ? 'All collectives were sent as streams, not step by step (fluid.streams).'
      : `${streamed.size} of ${streamed.size + stepped.size} collectives were sent as streams (fluid.streams); ` +
        'step by step: ' +
        `${[...stepped].slice(0, mostStepped).join(', ')}${stepped.size > mostStepped ? ', ...' : ''}.`;
  return ['', ...wide(text)];
}

/** Memory of the fullest GPU. */
function memoryLine({ stages, limitBytes, fullestStage }: JobMemory): string[] {
  const most = stages[fullestStage]!;
  const parts = memoryParts(most).map(([name, bytes]) => `${name} ${memoryText(bytes)}`);
  const of = limitBytes === null ? '' : ` of ${memoryText(limitBytes)}`;
  const where = stages.length > 1 ? ` in stage ${fullestStage}` : '';
  return wide(`Memory of a GPU${where}: ${memoryText(most.totalBytes)}${of}: ${parts.join(', ')}.`);
}

/** Lines of the whole width. */
function wide(text: string): string[] {
  return indented(text, 2, reportColumns);
}

function titleOf({ name, ranks, iterations }: JobReport): string {
  return `${name}, ${counted(ranks, 'rank')}, ${counted(iterations, 'iteration')}`;
}

function spread({ ranks, totalPs: { minimum, maximum, slowestRank } }: JobReport): string {
  if (ranks === 1) return '';
  const [shortest, longest] = [formatTimePs(minimum), formatTimePs(maximum)];
  return shortest === longest
    ? ', and so on all ranks'
    : `, ${shortest} to ${longest} over all ranks; rank ${slowestRank} was the last`;
}

function timeRow(...cells: readonly string[]): string {
  return `  ${cellsText(cells, timeWidths)}`;
}

/** Where the time of a rank went, line by line. */
function timesOf(figures: RankFigures, style: TextStyle): string[] {
  const { totalPs, computePs, exposedPs, communicationPs, bubblePs, skewPs } = figures;
  const line = (name: string, timePs: number, ...more: string[]): string =>
    timeRow(name, timeText(timePs), percent(timePs, totalPs), ...more);
  const head = timeRow(`rank ${figures.rank}`, 'time', 'share', 'under way', '  beside other work');
  const lines = [coloured(style, 'dim', head), line('computes', computePs)];
  for (const kind of communicationKinds) {
    const underWay = communicationPs[kind];
    if (underWay === 0 && exposedPs[kind] === 0) continue;
    const beside = Math.max(0, underWay - exposedPs[kind]);
    const ofAll = beside > 0 ? ` (${percent(beside, underWay)})` : '';
    const besideText = `${timeText(beside).padStart(timeColumns + 2)}${ofAll}`;
    lines.push(line(`waits for ${kindNames[kind]}`, exposedPs[kind], timeText(underWay), besideText));
  }
  if (bubblePs > 0) lines.push(line('pipeline bubble', bubblePs));
  lines.push(`  ${shareBar(figures, style, reportColumns - 4)}`, `  ${coloured(style, 'dim', legend([figures]))}`);
  if (skewPs > 0)
    lines.push(...wide(`Of the waits, ${formatTimePs(skewPs)} were for ranks that came to a collective later.`));
  return lines;
}

function timeText(timePs: number): string {
  return timePs === 0 ? '-' : formatTimePs(timePs);
}

function percent(part: number, whole: number): string {
  return percentText(whole > 0 ? part / whole : 0);
}

function exposedOf({ exposedPs }: RankFigures): number {
  return communicationKinds.reduce((sum, kind) => sum + exposedPs[kind], 0);
}

/** What a rank computes, waits and idles, as shares of its time. */
function shares(figures: RankFigures): string[] {
  return [figures.computePs, exposedOf(figures), figures.bubblePs].map((ps) => percent(ps, figures.totalPs));
}

/** The parts of a rank's time as one bar: computation, waits by kind, bubble; what is left is blank. */
function shareBar(figures: RankFigures, style: TextStyle, columns: number): string {
  const parts: (readonly [letter: string, timePs: number, colour: 'green' | 'red' | 'dim'])[] = [
    ['#', figures.computePs, 'green'],
    ...communicationKinds.map((kind) => [letters[kind], figures.exposedPs[kind], 'red'] as const),
    ['.', figures.bubblePs, 'dim'],
  ];
  let donePs = 0;
  let done = 0;
  let text = '';
  for (const [letter, timePs, colour] of parts) {
    donePs += timePs;
    // ends are rounded, not lengths, so that the bar is as long as the whole
    const end = figures.totalPs > 0 ? Math.min(columns, Math.round((donePs / figures.totalPs) * columns)) : 0;
    text += coloured(style, colour, letter.repeat(Math.max(0, end - done)));
    done = Math.max(done, end);
  }
  return text;
}

function legend(ranks: readonly RankFigures[]): string {
  const waits = communicationKinds
    .filter((kind) => ranks.some(({ exposedPs }) => exposedPs[kind] > 0))
    .map((kind) => `${letters[kind]} ${kindNames[kind]}`);
  const parts = [
    '# computes',
    ...(waits.length === 0 ? [] : [`waits for ${waits.join(', ')}`]),
    ...(ranks.some(({ bubblePs }) => bubblePs > 0) ? ['. bubble'] : []),
  ];
  const line = parts.join('   ');
  // with every kind of wait there is no room for the wider gaps
  return line.length <= reportColumns - 2 ? line : parts.join(' ').replaceAll(', ', ' ');
}

function stageTable(stages: readonly RankFigures[], style: TextStyle): string[] {
  const shown =
    stages.length <= mostStages ? stages : [...stages.slice(0, mostStages / 2), ...stages.slice(-mostStages / 2)];
  const head = cellsText(['stage', 'rank', 'total', ...shareHeads], stageWidths);
  const barColumns = reportColumns - head.length - 2;
  const lines = [coloured(style, 'dim', head)];
  for (const [i, figures] of shown.entries()) {
    if (shown.length < stages.length && i === mostStages / 2)
      lines.push(`    ... ${counted(stages.length - shown.length, 'stage')} more ...`);
    const cells = [String(figures.stage), String(figures.rank), formatTimePs(figures.totalPs), ...shares(figures)];
    lines.push(`${cellsText(cells, stageWidths)}  ${shareBar(figures, style, barColumns)}`);
  }
  const known = legend(stages);
  if (known !== legend(stages.slice(0, 1))) lines.push(`  ${coloured(style, 'dim', known)}`);
  return lines;
}

/** A line per job: the first rank of each. */
function severalJobs(jobs: readonly JobReport[], style: TextStyle): string[] {
  const head = `  ${cellsText(['job, rank 0 of each', 'ranks', 'start', 'time', ...shareHeads], jobWidths)}`;
  const lines = [coloured(style, 'dim', head)];
  for (const { name, ranks, startPs, stages, isFinished } of jobs.slice(0, mostJobs)) {
    const first = stages[0]!;
    const times = [startPs, first.totalPs].map(formatTimePs);
    const cells = [shortened(name, nameColumns + 6, '~'), String(ranks), ...times, ...shares(first)];
    lines.push(`  ${cellsText(cells, jobWidths)}`);
    lines.push(`  ${shareBar(first, style, reportColumns - 4)}`);
    if (!isFinished) lines.push(coloured(style, 'red', '  did not finish'));
  }
  if (jobs.length > mostJobs) lines.push(`  ... and ${counted(jobs.length - mostJobs, 'job')} more`);
  lines.push(`  ${coloured(style, 'dim', legend(jobs.map(({ stages }) => stages[0]!)))}`, '');
  return lines;
}
