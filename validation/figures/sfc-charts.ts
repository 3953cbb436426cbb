// What a victim of an incast gets over time under PFC, DCQCN and source flow control, and how long the tasks of the
// verification environment take: the pictures of examples/source-flow-control, and the table of the victim.

import * as echarts from 'echarts';
import { interfaceIndex } from '#weft/fabric/fabric.js';
import type { Fabric } from '#weft/fabric/fabric.js';
import { BandwidthColumn, bandwidthTable } from '#weft/records/probe-records.js';
import type { MemorySink } from '#weft/records/memory-sink.js';
import { writeBlock, writeFile } from './pages.js';
import { sfcExample, sfcRun } from './sfc-comparison.js';

const lineBps = 100e9;
const intervalPs = 20e6;
/** 200 us: over how many intervals the lowest mean is looked for */
const windowLength = 10;
/** 0.5 to 11 ms: PFC has spread, and all senders still send. */
const steady = [25, 550] as const;
const victimSchemes = [
  { name: 'PFC', color: '#b5442f', set: [] },
  {
    name: 'DCQCN, CNPs 50 us apart',
    color: '#8a6d1f',
    set: ['congestion.algorithm=dcqcn', 'queuePair.notificationInterval=50us'],
  },
  { name: 'DCQCN, a CNP for every mark', color: '#6b9e5e', set: ['congestion.algorithm=dcqcn'] },
  { name: 'SFC at end stations', color: '#1f5a94', set: ['flowControl=[pfc, sfc]'] },
];
const cases = [
  { name: '1, apart', file: 'apart.yaml', set: [] },
  { name: '2, PFC', file: 'cases.yaml', set: [] },
  { name: '3, DCQCN', file: 'cases.yaml', set: ['congestion.algorithm=dcqcn'] },
  { name: '4, SFC by proxy', file: 'cases.yaml', set: ['flowControl=[pfc, sfc]', 'sfc.reaction=proxy'] },
];

/** A scheme's line of the table, and its curve: the victim of incast.yaml with 170 MB, so that it outlasts the incast. */
export async function victimRow(scheme: string): Promise<{ readonly row: string; readonly series: object }> {
  const { name, color, set } = victimSchemes.find((one) => one.name === scheme)!;
  const size = ['traffic.transfers[8].size=170MB', `probes.bandwidthInterval=${intervalPs / 1e6}us`];
  const { fabric, summary, sink } = await sfcRun('incast.yaml', [...size, ...set]);
  const gbps = receivedGbps(sink, fabric, 10);
  const incastPs = summary.transferJobs[0]!.totalPs;
  // the first interval has the first round trip of 10 us
  const during = gbps.slice(1, Math.floor(incastPs / intervalPs));
  return {
    row: `| ${name} | ${(incastPs / 1e9).toFixed(2)} ms | ${percent(mean(during))} | ${percent(mean(gbps.slice(...steady)))} | ${percent(lowest(during))} | ${summary.counters.pauseFrames!.toLocaleString('en')} |\n`,
    series: {
      name,
      type: 'line',
      showSymbol: false,
      itemStyle: { color },
      lineStyle: { color, width: 1.5 },
      data: smoothed(gbps).map((value, i) => [Number((((i + 0.5) * intervalPs) / 1e9).toFixed(3)), value]),
    },
  };
}

/** Draws the victim's rate over time and writes the table. */
export async function drawVictim(): Promise<void> {
  const rows: string[] = [];
  const series: object[] = [];
  for (const { name } of victimSchemes) {
    process.stderr.write(`victim of an incast with ${name} …\n`);
    const drawn = await victimRow(name);
    rows.push(drawn.row);
    series.push(drawn.series);
  }
  writeFile(
    `${sfcExample}/victim.svg`,
    chart(960, 380, {
      title: {
        text: 'What the victim of an incast of 8 gets, Gb/s (means of 100 us)',
        left: 10,
        top: 6,
        textStyle: { fontSize: 15 },
      },
      legend: { top: 34, left: 50, itemGap: 40 },
      grid: { left: 55, right: 25, top: 70, bottom: 40 },
      xAxis: { type: 'value', min: 0, max: 20, axisLabel: { formatter: '{value} ms' } },
      yAxis: { type: 'value', min: 0, max: 100 },
      series,
    }),
  );
  const table = `\n| | incast lasts | victim meanwhile | from 0.5 to 11 ms | lowest 200 us | PFC frames |\n|---|---|---|---|---|---|\n${rows.join('')}\n`;
  writeBlock(`${sfcExample}/README.md`, 'victim', table);
  process.stdout.write(table);
}

/** Completion times of both tasks in the four cases. */
export async function drawCases(): Promise<void> {
  const times: number[][] = [];
  for (const { name, file, set } of cases) {
    process.stderr.write(`case ${name} …\n`);
    const { summary } = await sfcRun(file, set);
    times.push(summary.transferJobs.map(({ totalPs }) => Number((totalPs / 1e9).toFixed(2))));
  }
  process.stdout.write(`${times.map((row, i) => `${cases[i]!.name}: ${row.join(', ')} ms\n`).join('')}`);
  writeFile(
    `${sfcExample}/cases.svg`,
    chart(760, 340, {
      title: { text: 'Completion times of both tasks, ms', left: 10, top: 6, textStyle: { fontSize: 15 } },
      legend: { top: 34, left: 50 },
      grid: { left: 55, right: 25, top: 70, bottom: 40 },
      xAxis: { type: 'category', data: cases.map(({ name }) => name) },
      yAxis: { type: 'value', min: 0 },
      series: ['task 1', 'task 2'].map((name, task) => ({
        name,
        type: 'bar',
        itemStyle: { color: ['#1f5a94', '#d08a3c'][task] },
        label: { show: true, position: 'top', fontSize: 11 },
        data: times.map((row) => row[task]!),
      })),
    }),
  );
}

/** A chart as SVG. */
export function chart(width: number, height: number, option: object): string {
  const drawn = echarts.init(null, null, { renderer: 'svg', ssr: true, width, height });
  drawn.setOption({ animation: false, backgroundColor: '#ffffff', ...option });
  const svg = drawn.renderToSVGString();
  drawn.dispose();
  return `${svg}\n`;
}

/** Gb/s on the link to a host, by interval; an interval without a row had nothing. */
function receivedGbps(sink: MemorySink, fabric: Fabric, rank: number): number[] {
  const port = fabric.portPeer[fabric.portOffset[fabric.hosts[rank]!]!]!;
  const [owner, index] = [fabric.portNode[port]!, interfaceIndex(fabric, port)];
  const column = (which: number): ArrayLike<number> => sink.column(bandwidthTable, which);
  const [time, node, number, rate] = [
    column(BandwidthColumn.time),
    column(BandwidthColumn.node),
    column(BandwidthColumn.interface),
    column(BandwidthColumn.rate),
  ];
  const gbps: number[] = [];
  for (let i = 0; i < time.length; i++)
    if (node[i] === owner && number[i] === index) gbps[Math.round(time[i]! / intervalPs) - 1] = rate[i]! / 1e9;
  return Array.from(gbps, (value) => value ?? 0);
}

const mean = (values: readonly number[]): number => values.reduce((sum, value) => sum + value, 0) / values.length;
const percent = (gbps: number): string => `${((gbps * 1e11) / lineBps).toFixed(1)} %`;

function lowest(values: readonly number[]): number {
  const means = values.slice(windowLength - 1).map((_, i) => mean(values.slice(i, i + windowLength)));
  return Math.min(...means);
}

function smoothed(values: readonly number[]): number[] {
  return values.map((_, i) => Number(mean(values.slice(Math.max(0, i - 2), i + 3)).toFixed(2)));
}
