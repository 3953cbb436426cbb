// The curves of the sweep as a picture: a row for each fabric, a column for each number of GPUs, a line for each kind of
// collective; rings where the choice is more than 10 % from the best.

import * as echarts from 'echarts';
import type { CollectiveKind } from '#weft/collectives/schedule.js';
import { curvesOf, families, groups, isRight, leastBytes, mostBytes, type SweepRow } from './sweep.js';

const width = 1000;
const [left, top, gap, foot] = [62, 74, 14, 30];
const panelWidth = (width - left - 12 - 2 * gap) / 3;
const panelHeight = 225;
const rowHeight = panelHeight + 30;

/** a colour by kind; of two kinds that take about the same time the second is dashed */
const lines: Readonly<Partial<Record<CollectiveKind, readonly [color: string, dash: 'solid' | readonly number[]]>>> = {
  allreduce: ['#1f5a94', 'solid'],
  allgather: ['#b5442f', 'solid'],
  reducescatter: ['#e8a495', [4, 5]],
  broadcast: ['#2f7d4f', 'solid'],
  reduce: ['#9fd0ae', [4, 5]],
  alltoall: ['#7a4fa3', 'solid'],
  sendrecv: ['#8a6d1d', 'solid'],
};
/** GB/s between which every curve lies */
const [leastGBps, mostGBps] = [0.01, 1000];

/** An SVG of the curves on fluid. */
export function sweepChart(rows: readonly SweepRow[]): string {
  const height = top + families.length * rowHeight - gap + foot - 16;
  const chart = echarts.init(null, null, { renderer: 'svg', ssr: true, width, height });
  const grid: object[] = [];
  const xAxis: object[] = [];
  const yAxis: object[] = [];
  const titles: object[] = [
    { text: 'Bus bandwidth by size, GB/s, as profile nccl chooses', left: 10, top: 6, textStyle: { fontSize: 16 } },
  ];
  families.forEach((family, line) =>
    groups.forEach((gpus, column) => {
      const index = grid.length;
      const [x, y] = [left + column * (panelWidth + gap), top + line * rowHeight];
      grid.push({ left: x, top: y, width: panelWidth, height: panelHeight });
      titles.push({
        text: `${family}, ${gpus} GPUs`,
        left: x + 8,
        top: y + 4,
        textStyle: { fontSize: 12, fontWeight: 'normal' },
      });
      xAxis.push({
        gridIndex: index,
        type: 'log',
        logBase: 2,
        min: leastBytes,
        max: mostBytes,
        interval: 5,
        axisLabel: {
          show: line === families.length - 1,
          formatter: sizeText,
          fontSize: 10,
          showMaxLabel: false,
        },
        splitLine: { lineStyle: { color: '#eeeeee' } },
      });
      yAxis.push({
        gridIndex: index,
        type: 'log',
        min: leastGBps,
        max: mostGBps,
        axisLabel: { show: column === 0, fontSize: 10, formatter: (value: number) => String(value) },
        splitLine: { lineStyle: { color: '#dddddd' } },
      });
    }),
  );
  const fluid = curvesOf(rows.filter(({ backend, gpus }) => backend === 'fluid' && groups.some((one) => one === gpus)));
  const series = fluid.flatMap(seriesOf);
  const legend = {
    top: 34,
    left: 52,
    itemWidth: 26,
    itemGap: 16,
    data: [...Object.keys(lines), 'more than 10 % from the best'],
    textStyle: { fontSize: 12 },
  };
  chart.setOption({
    animation: false,
    backgroundColor: '#ffffff',
    title: titles,
    legend,
    grid,
    xAxis,
    yAxis,
    series,
  });
  const svg = chart.renderToSVGString();
  chart.dispose();
  return `${svg}\n`;
}

/** A curve, and the rings on it. */
function seriesOf(curve: readonly SweepRow[]): object[] {
  const { family, gpus, kind } = curve[0]!;
  const index =
    groups.length * (families as readonly string[]).indexOf(family) + groups.findIndex((one) => one === gpus);
  const axes = { xAxisIndex: index, yAxisIndex: index, silent: true };
  const [color, dash] = lines[kind] ?? ['#000000', 'solid'];
  return [
    {
      ...axes,
      type: 'line',
      name: kind,
      symbol: 'none',
      itemStyle: { color },
      lineStyle: { color, width: 1.8, type: dash },
      z: dash === 'solid' ? 2 : 3,
      data: pointsOf(curve),
    },
    {
      ...axes,
      type: 'scatter',
      name: 'more than 10 % from the best',
      symbolSize: 8,
      z: 4,
      itemStyle: { color: 'transparent', borderColor: '#222222', borderWidth: 1.2 },
      data: pointsOf(curve.filter((row) => !isRight(row))),
    },
  ];
}

function pointsOf(rows: readonly SweepRow[]): number[][] {
  return rows.map(({ sizeBytes, busbwGBps }) => [sizeBytes, Number(busbwGBps.toPrecision(4))]);
}

function sizeText(sizeBytes: number): string {
  const power = Math.round(Math.log2(sizeBytes));
  const unit = ['B', 'KiB', 'MiB', 'GiB'][Math.floor(power / 10)] ?? '';
  return `${2 ** (power % 10)} ${unit}`;
}
