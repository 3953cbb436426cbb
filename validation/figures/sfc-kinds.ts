// What PFC, DCQCN and source flow control make of short flows, long ones and bursts of standing connections: a table of
// examples/source-flow-control/kinds-of-traffic.md. The scenarios are incast.yaml with other transfers, and
// bursts.yaml; their victim sends all the while.

import { FlowColumn, flowTable } from '#weft/records/flow-records.js';
import type { MemorySink } from '#weft/records/memory-sink.js';
import { writeBlock, writeFile } from './pages.js';
import { chart } from './sfc-charts.js';
import { portPeakBytes, sfcExample, sfcRun } from './sfc-comparison.js';

export const kindsPage = `${sfcExample}/kinds-of-traffic.md`;

const senders = 8;
const receiver = 9;

/** DCQCN with the paper's clock of alpha, and CNPs as the source has them; or as it is by default. */
const kindSchemes = [
  { name: 'PFC', color: '#b5442f', set: [] },
  {
    name: 'DCQCN, CNPs 50 us apart',
    color: '#8a6d1f',
    set: ['congestion.algorithm=dcqcn', 'queuePair.notificationInterval=50us', 'dcqcn.alphaInterval=55us'],
  },
  { name: 'DCQCN, a CNP for every mark', color: '#6b9e5e', set: ['congestion.algorithm=dcqcn'] },
  { name: 'SFC at end stations', color: '#1f5a94', set: ['flowControl=[pfc, sfc]'] },
  { name: 'SFC by a proxy', color: '#7fa6cf', set: ['flowControl=[pfc, sfc]', 'sfc.reaction=proxy'] },
] as const;

export interface KindOfTraffic {
  /** of its place in the page */
  readonly name: string;
  readonly title: string;
  /** of the example's folder */
  readonly file: string;
  readonly set: readonly string[];
}

const incast = (transfers: readonly string[]): Pick<KindOfTraffic, 'file' | 'set'> => ({
  file: 'incast.yaml',
  set: [
    `traffic.transfers=[${transfers.join(', ')}, { source: ${senders}, destination: ${receiver + 1}, size: 40MB, job: victim }]`,
  ],
});
const everySender = (more: string): string[] =>
  Array.from(
    { length: senders },
    (_, source) => `{ source: ${source}, destination: ${receiver}, job: incast, ${more} }`,
  );
const rounds = (size: string, roundUs: number, count: number): string[] =>
  Array.from({ length: count }, (_, round) => everySender(`size: ${size}, start: ${roundUs * round}us`)).flat();
const bursts = (set: readonly (readonly [setting: string, value: string])[]): Pick<KindOfTraffic, 'file' | 'set'> => ({
  file: 'bursts.yaml',
  set: set.flatMap(([setting, value]) =>
    Array.from({ length: senders }, (_, sender) => `traffic.transfers[${sender}].${setting}=${value}`),
  ),
});

/** What every run has: PFC from 200 kB a port on, messages before it. */
const shallow = ['pfc.threshold=static', 'pfc.staticThreshold=200kB', 'sfc.threshold=300kB'];

export const kindsOfTraffic: readonly KindOfTraffic[] = [
  { name: 'short-200kB', title: 'short flows, 200 kB', ...incast(rounds('200kB', 160, 20)) },
  { name: 'short-1MB', title: 'short flows, 1 MB', ...incast(rounds('1MB', 800, 4)) },
  { name: 'long', title: 'long flows, 20 MB', ...incast(everySender('size: 20MB')) },
  {
    name: 'bursts-200kB',
    title: 'bursts of 200 kB',
    ...bursts([
      ['burst', '200kB'],
      ['gap', '144us'],
    ]),
  },
  { name: 'bursts-1MB', title: 'bursts of 1 MB', ...bursts([]) },
];

/** What a scheme makes of a kind of traffic. */
interface KindFigures {
  readonly name: string;
  readonly incastMs: number;
  readonly victimMs: number;
  /** mean and longest time of a flow of the incast */
  readonly flowUs: readonly [mean: number, longest: number];
  readonly queueBytes: number;
  readonly pauseFrames: number;
  readonly isVictimPaused: boolean;
}

async function figuresOf({ file, set: traffic }: KindOfTraffic): Promise<KindFigures[]> {
  const figures: KindFigures[] = [];
  for (const { name, set } of kindSchemes) {
    const { fabric, summary, sink } = await sfcRun(file, [...traffic, 'probes.queueInterval=1us', ...shallow, ...set]);
    const [incastMs, victimMs] = summary.transferJobs.map(({ totalPs }) => totalPs / 1e9);
    const times = flowTimesUs(sink);
    figures.push({
      name,
      incastMs: incastMs!,
      victimMs: victimMs!,
      flowUs: [mean(times), Math.max(...times)],
      queueBytes: portPeakBytes(fabric, sink, receiver),
      pauseFrames: summary.counters.pauseFrames! + (summary.counters['sfcPauseFrames'] ?? 0),
      isVictimPaused: summary.pauses!.some(({ host }) => host === senders),
    });
  }
  return figures;
}

/** The table of a kind of traffic, in Markdown. */
export async function kindMarkdown(kind: KindOfTraffic): Promise<string> {
  return markdownOf(await figuresOf(kind));
}

function markdownOf(figures: readonly KindFigures[]): string {
  const rows = figures.map(({ name, incastMs, victimMs, flowUs, queueBytes, pauseFrames, isVictimPaused }) => {
    const cells = [
      name,
      `${incastMs.toFixed(2)} ms`,
      `${flowUs.map(count).join(' / ')} us`,
      `${victimMs.toFixed(2)} ms`,
      `${(queueBytes / 1e6).toFixed(2)} MB`,
      count(pauseFrames),
      isVictimPaused ? 'yes' : 'no',
    ];
    return `| ${cells.join(' | ')} |\n`;
  });
  return `| | all done | a flow: mean / longest | victim | longest queue to the receiver | PFC frames | victim paused |\n|---|---|---|---|---|---|---|\n${rows.join('')}`;
}

/** Runs all kinds, writes their tables and the picture of their victims, and prints the tables. */
export async function compareKinds(): Promise<void> {
  const all: KindFigures[][] = [];
  for (const kind of kindsOfTraffic) {
    process.stderr.write(`${kind.name} …\n`);
    const figures = await figuresOf(kind);
    all.push(figures);
    const table = markdownOf(figures);
    writeBlock(kindsPage, kind.name, `\n${table}\n`);
    process.stdout.write(`${kind.name}\n${table}`);
  }
  writeFile(
    `${sfcExample}/kinds-of-traffic.svg`,
    chart(960, 360, {
      title: { text: 'The victim takes, ms (alone: 3.28)', left: 10, top: 6, textStyle: { fontSize: 15 } },
      legend: { top: 34, left: 50, itemGap: 24, textStyle: { fontSize: 11 } },
      grid: { left: 55, right: 25, top: 70, bottom: 40 },
      xAxis: { type: 'category', data: kindsOfTraffic.map(({ title }) => title) },
      yAxis: { type: 'value', min: 0 },
      series: kindSchemes.map(({ name, color }, scheme) => ({
        name,
        type: 'bar',
        itemStyle: { color },
        label: { show: true, position: 'top', fontSize: 9 },
        data: all.map((figures) => Number(figures[scheme]!.victimMs.toFixed(2))),
      })),
    }),
  );
}

/** How long each flow of the incast took. */
function flowTimesUs(sink: MemorySink): number[] {
  const [destination, start, finish] = [FlowColumn.destination, FlowColumn.start, FlowColumn.finish].map((which) =>
    sink.column(flowTable, which),
  ) as [Float64Array, Float64Array, Float64Array];
  return [...destination.keys()]
    .filter((row) => destination[row] === receiver)
    .map((row) => (finish[row]! - start[row]!) / 1e6);
}

const mean = (values: readonly number[]): number => values.reduce((sum, value) => sum + value, 0) / values.length;
const count = (value: number): string => Math.round(value).toLocaleString('en');
