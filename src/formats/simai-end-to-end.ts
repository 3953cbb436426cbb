// SimAI's ncclFlowModel_EndToEnd.csv: what a training iteration came to on rank 0, by kind of communication and by
// layer.
//   two lines of totals in whole microseconds with their share of the total time; a line per layer and a line SUM in
//   microseconds with six
//   decimals, bandwidths in GiB/s; a last line of totals.
// Invariant: what is written is read back as the same rows (to six decimals). Every number is a number: where SimAI
// writes -nan, here stands 0.
// Source: the files of SimAI 1.6. Not in the file: groups of other policies, overlap, other ranks
// (docs/formats/simai-end-to-end.md).

import { FileProblems, wholeFile, type Diagnostics } from '../base/diagnostics.js';
import { communicationKinds, type JobReport, type PassFigures } from '../jobs/job-report.js';
import type { PassName } from '../workload/policies.js';

/** One pass of a layer. */
export interface EndToEndPass {
  readonly computeUs: number;
  readonly exposedUs: number;
  readonly communicationUs: number;
  /** GiB/s, as SimAI counts what it calls GB/s */
  readonly algorithmBandwidth: number;
  readonly busBandwidth: number;
}

export interface EndToEndLayer extends Readonly<Record<PassName, EndToEndPass>> {
  readonly name: string;
  readonly finishedUs: number;
}

/** What one file says. Times of the first two lines are whole microseconds, the others exact to the picosecond. */
export interface EndToEnd {
  readonly run: string;
  /** DP, DP_EP, TP, EP, PP */
  readonly exposedUs: Readonly<Record<EndToEndKind, number>>;
  readonly bubbleUs: number;
  readonly layers: readonly EndToEndLayer[];
  readonly totalExposedUs: number;
  readonly totalComputeUs: number;
  readonly totalUs: number;
}

/** The name of the file, which is SimAI's; of several jobs each has a number from 0. */
export function endToEndFile(job: number, jobCount: number): string {
  return jobCount === 1 ? 'ncclFlowModel_EndToEnd.csv' : `ncclFlowModel_job${job}_EndToEnd.csv`;
}

/** The kinds of communication that the file tells apart, in its order. */
const endToEndKinds = ['DP', 'DP_EP', 'TP', 'EP', 'PP'] as const;
export type EndToEndKind = (typeof endToEndKinds)[number];

/** The order of passes in a layer's line. */
const passOrder = ['forward', 'weightGradient', 'inputGradient'] as const satisfies readonly PassName[];

const totalsHeader =
  'File name, Expose DP comm, Expose DP_EP comm, Expose TP comm, Expose_EP_comm, Expose_PP_comm, bubble time, total comp, total exposed comm, Total time';
const layerHeader =
  'layer_name,test1,fwd compute,wg compute,ig compute,fwd exposed comm,wg exposed comm,ig exposed comm,fwd ' +
  'total comm,algbw,busbw,wg total comm,algbw,busbw,ig total comm,algbw,busbw,workload finished at';
const layerFields = 18;
const gibibyte = 2 ** 30;

/** The figures of a job as SimAI gives them: those of rank 0, and of the layers that it runs. */
export function endToEndOf(job: JobReport): EndToEnd {
  const rank = job.stages[0]!;
  const exposed = (kind: EndToEndKind): number => rank.exposedPs[kind] / 1e6;
  return {
    run: wordOf(job.name),
    exposedUs: { DP: exposed('DP'), DP_EP: exposed('DP_EP'), TP: exposed('TP'), EP: exposed('EP'), PP: exposed('PP') },
    bubbleUs: rank.bubblePs / 1e6,
    layers: job.layers
      .filter(({ stage }) => stage === rank.stage)
      .map((layer) => ({
        name: wordOf(layer.name),
        forward: passOf(layer.forward),
        weightGradient: passOf(layer.weightGradient),
        inputGradient: passOf(layer.inputGradient),
        finishedUs: layer.finishedPs / 1e6,
      })),
    totalExposedUs: communicationKinds.reduce((sum, kind) => sum + rank.exposedPs[kind], 0) / 1e6,
    totalComputeUs: rank.computePs / 1e6,
    totalUs: rank.totalPs / 1e6,
  };
}

function passOf({ computePs, exposedPs, communicationPs, collective }: PassFigures): EndToEndPass {
  return {
    computeUs: computePs / 1e6,
    exposedUs: exposedPs / 1e6,
    communicationUs: communicationPs / 1e6,
    algorithmBandwidth: (collective?.algorithmBandwidth ?? 0) / gibibyte,
    busBandwidth: (collective?.busBandwidth ?? 0) / gibibyte,
  };
}

/** A name as a field: it may hold neither commas nor line ends nor blanks at its ends. */
function wordOf(name: string): string {
  return name.replace(/[,\s]+/g, '_');
}

/** The file; ends with a newline. */
export function writeEndToEnd(figures: EndToEnd): string {
  const { run, exposedUs, bubbleUs, layers, totalExposedUs, totalComputeUs, totalUs } = figures;
  const share = (timeUs: number): string =>
    `${timeUs.toFixed(0)} (${(totalUs > 0 ? (100 * timeUs) / totalUs : 0).toFixed(2)}%)`;
  const totals = [
    run,
    ...endToEndKinds.map((kind) => share(exposedUs[kind])),
    share(bubbleUs),
    share(totalComputeUs),
    share(totalExposedUs),
    totalUs.toFixed(0),
  ];
  const lines = [
    totalsHeader,
    totals.join(', '),
    layerHeader.replace('test1', run),
    ...layers.map((layer) => layerLine(run, layer)),
    sumLine(run, layers),
  ];
  lines.push(
    `total exposed comm,${number(totalExposedUs)},total comp,${number(totalComputeUs)},total time,${number(totalUs)}`,
  );
  return `${lines.join('\n')}\n`;
}

function number(value: number): string {
  return value.toFixed(6);
}

function layerLine(run: string, layer: EndToEndLayer): string {
  const passes = passOrder.map((pass) => layer[pass]);
  return [
    layer.name,
    run,
    ...passes.map(({ computeUs }) => number(computeUs)),
    ...passes.map(({ exposedUs }) => number(exposedUs)),
    ...passes.flatMap(({ communicationUs, algorithmBandwidth, busBandwidth }) =>
      [communicationUs, algorithmBandwidth, busBandwidth].map(number),
    ),
    number(layer.finishedUs),
  ].join(',');
}

function sumLine(run: string, layers: readonly EndToEndLayer[]): string {
  const sum = (pass: PassName, figure: 'computeUs' | 'exposedUs' | 'communicationUs'): string =>
    number(layers.reduce((total, layer) => total + layer[pass][figure], 0));
  return [
    'SUM',
    run,
    ...passOrder.map((pass) => sum(pass, 'computeUs')),
    ...passOrder.map((pass) => sum(pass, 'exposedUs')),
    ...passOrder.flatMap((pass) => [sum(pass, 'communicationUs'), 'NONE', 'NONE']),
  ].join(',');
}

/**
 * Reads a file, SimAI's or ours.
 * @param file its name, for messages
 * @returns null after an error; numbers that are none (SimAI's -nan) read as 0
 */
export function readEndToEnd(file: string, text: string, diagnostics: Diagnostics): EndToEnd | null {
  const problems = new FileProblems(file, diagnostics);
  const lines = text
    .replace(/\n$/, '')
    .split('\n')
    .map((line) => line.replace(/\r$/, ''));
  const problem = (line: number, message: string, wanted: string): void =>
    problems.error('end-to-end', { line, column: 1 }, message, {
      got: (lines[line - 1] ?? '').slice(0, 80),
      wanted,
    });
  if (lines.length < 5 || lines[0] !== totalsHeader) {
    problems.error(
      'end-to-end',
      lines.length < 5 ? wholeFile : { line: 1, column: 1 },
      'the file is not an EndToEnd file of SimAI',
      { got: lines[0]!.slice(0, 80), wanted: totalsHeader },
    );
    return null;
  }
  const totals = lines[1]!.split(', ');
  if (totals.length !== 10) problem(2, 'the line of totals does not have 10 fields', 'a name and nine times');
  if (lines[2]!.split(',').length !== layerFields) problem(3, 'the header of the layers is not known', layerHeader);
  const last = /^total exposed comm,([^,]*),total comp,([^,]*),total time,([^,]*)$/.exec(lines[lines.length - 1]!);
  if (last === null)
    problem(
      lines.length,
      'the last line does not say the total times',
      'total exposed comm,TIME,total comp,TIME,total time,TIME',
    );
  if (!lines[lines.length - 2]!.startsWith('SUM,'))
    problem(lines.length - 1, 'the line before the last is not SUM', 'SUM and the sums of the layers');
  const layers: EndToEndLayer[] = [];
  for (let i = 3; i < lines.length - 2 && !diagnostics.full; i++) {
    const fields = lines[i]!.split(',');
    if (fields.length === layerFields) layers.push(layerOf(fields));
    else problem(i + 1, `the line of a layer does not have ${layerFields} fields`, layerHeader);
  }
  if (last === null || problems.failed) return null;
  const whole = (at: number): number => valueOf(totals[at]!.split(' ')[0]!);
  return {
    run: totals[0]!,
    exposedUs: { DP: whole(1), DP_EP: whole(2), TP: whole(3), EP: whole(4), PP: whole(5) },
    bubbleUs: whole(6),
    layers,
    totalExposedUs: valueOf(last[1]!),
    totalComputeUs: valueOf(last[2]!),
    totalUs: valueOf(last[3]!),
  };
}

/** A number; 0 for what is none: SimAI divides by zero where a layer has no communication. */
function valueOf(text: string): number {
  const value = Number(text);
  return Number.isFinite(value) ? value : 0;
}

function layerOf(fields: readonly string[]): EndToEndLayer {
  const at = (index: number): number => valueOf(fields[index]!);
  const pass = (i: number): EndToEndPass => ({
    computeUs: at(2 + i),
    exposedUs: at(5 + i),
    communicationUs: at(8 + 3 * i),
    algorithmBandwidth: at(9 + 3 * i),
    busBandwidth: at(10 + 3 * i),
  });
  return { name: fields[0]!, forward: pass(0), weightGradient: pass(1), inputGradient: pass(2), finishedUs: at(17) };
}
