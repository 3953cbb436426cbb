// The incast as a picture: a row for each congestion control, the queue on the left, the senders' rates on the right,
// time in common.

import * as echarts from 'echarts';
import type { IncastRun, Series } from './incast-run.js';

const width = 960;
const rowHeight = 150;
const top = 70;

/** An SVG of all runs, one below the other. @param fairBps the rate of each sender if all share the link */
export function incastChart(runs: readonly IncastRun[], title: string, fairBps: number): string {
  const chart = echarts.init(null, null, {
    renderer: 'svg',
    ssr: true,
    width,
    height: top + runs.length * rowHeight + 20,
  });
  const endMs = Math.max(...runs.map(({ summary }) => summary.simulatedPs / 1e9));
  const mostMb = Math.max(...runs.map(({ peakQueueBytes }) => peakQueueBytes)) / 1e6;
  const grid: object[] = [];
  const xAxis: object[] = [];
  const yAxis: object[] = [];
  const series: object[] = [];
  const titles: object[] = [
    { text: title, left: 10, top: 6, textStyle: { fontSize: 16 } },
    { text: "queue at the receiver's link, MB", left: 60, top: 36, textStyle: { fontSize: 12, fontWeight: 'normal' } },
    {
      text: "senders' rates, Gb/s: median, first and last tenth; dashes: fair share",
      left: 505,
      top: 36,
      textStyle: { fontSize: 12, fontWeight: 'normal' },
    },
  ];
  runs.forEach((run, row) => {
    const y = top + row * rowHeight;
    const isLast = row === runs.length - 1;
    for (const side of [0, 1]) {
      const index = grid.length;
      grid.push({ left: side === 0 ? 60 : 510, top: y + 10, width: side === 0 ? 360 : 430, height: rowHeight - 40 });
      xAxis.push({
        gridIndex: index,
        type: 'value',
        min: 0,
        max: Math.ceil(endMs),
        axisLabel: { formatter: isLast ? '{value} ms' : '{value}', fontSize: 10 },
      });
      yAxis.push(
        side === 0
          ? { gridIndex: index, type: 'value', min: 0, max: Math.ceil(mostMb), axisLabel: { fontSize: 10 } }
          : { gridIndex: index, type: 'log', min: 0.01, max: 100, axisLabel: { fontSize: 10 } },
      );
    }
    titles.push({ text: run.algorithm, left: 300, top: y + 14, textStyle: { fontSize: 13 } });
    series.push(line(2 * row, run.queue, 1e6, '#b5442f', true));
    const { low, median, high } = run.rates;
    series.push(
      line(2 * row + 1, low, 1e9, '#9db8d2'),
      line(2 * row + 1, high, 1e9, '#9db8d2'),
      line(2 * row + 1, median, 1e9, '#1f5a94'),
    );
    series.push({
      type: 'line',
      xAxisIndex: 2 * row + 1,
      yAxisIndex: 2 * row + 1,
      silent: true,
      showSymbol: false,
      lineStyle: { color: '#666', width: 1, type: 'dashed' },
      data: [
        [0, fairBps / 1e9],
        [Math.ceil(endMs), fairBps / 1e9],
      ],
    });
  });
  chart.setOption({ animation: false, backgroundColor: '#ffffff', title: titles, grid, xAxis, yAxis, series });
  const svg = chart.renderToSVGString();
  chart.dispose();
  return `${svg}\n`;
}

function line(axis: number, { timesPs, values }: Series, unit: number, color: string, isArea = false): object {
  return {
    type: 'line',
    xAxisIndex: axis,
    yAxisIndex: axis,
    showSymbol: false,
    step: 'end',
    lineStyle: { color, width: 1 },
    ...(isArea ? { areaStyle: { color, opacity: 0.25 } } : {}),
    data: timesPs.map((timePs, i) => [Number((timePs / 1e9).toFixed(4)), Number((values[i]! / unit).toPrecision(4))]),
  };
}
