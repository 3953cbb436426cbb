// The matrix of the wan-dumbbell example as a picture: a column for each delay, goodput above, packets sent again below.

import * as echarts from 'echarts';
import { type WanCell, wanDelays, wanLosses, wanTransports } from './wan-figure.js';

const [width, height] = [1000, 560];
const [left, top, columnWidth, gap, rowHeight] = [52, 82, 172, 16, 180];

/** An SVG. @param cells by transport, delay and loss */
export function wanChart(cells: readonly WanCell[][][]): string {
  const chart = echarts.init(null, null, { renderer: 'svg', ssr: true, width, height });
  const grid: object[] = [];
  const xAxis: object[] = [];
  const yAxis: object[] = [];
  const series: object[] = [];
  const small = { fontSize: 12, fontWeight: 'normal' };
  const titles: object[] = [
    {
      text: '30 MB over a long link of 100 Gb/s that loses packets (amazon mix)',
      left: 10,
      top: 6,
      textStyle: { fontSize: 16 },
    },
    { text: 'goodput, Gb/s', left: 10, top: 58, textStyle: small },
    { text: 'packets sent again (none: at 1)', left: 10, top: top + rowHeight + 38, textStyle: small },
    { text: 'loss, %', left: width - 70, top: height - 26, textStyle: small },
  ];
  wanDelays.forEach((delay, column) => {
    titles.push({
      text: delay,
      left: left + column * (columnWidth + gap) + columnWidth / 2 - 14,
      top: 58,
      textStyle: { fontSize: 13 },
    });
    for (const row of [0, 1]) {
      const index = grid.length;
      grid.push({
        left: left + column * (columnWidth + gap),
        top: top + row * (rowHeight + 62),
        width: columnWidth,
        height: rowHeight,
      });
      xAxis.push({
        gridIndex: index,
        type: 'category',
        data: wanLosses.map(String),
        boundaryGap: false,
        axisLabel: { fontSize: 10, interval: 0, rotate: 55 },
      });
      yAxis.push({
        gridIndex: index,
        type: 'log',
        ...(row === 0 ? { min: 0.01, max: 100 } : { min: 1, max: 10_000_000 }),
        axisLabel: { fontSize: 10, show: column === 0, formatter: compact },
      });
      wanTransports.forEach(({ name, color }, transport) => {
        series.push({
          name,
          type: 'line',
          xAxisIndex: index,
          yAxisIndex: index,
          lineStyle: { color, width: 1.5 },
          itemStyle: { color },
          data: cells[transport]![column]!.map(({ goodputGbps, sentAgain, isFinished }) => ({
            value: row === 0 ? Number(goodputGbps.toPrecision(4)) : Math.max(1, sentAgain),
            symbol: isFinished ? 'circle' : 'emptyTriangle',
            symbolSize: isFinished ? 5 : 7,
          })),
        });
      });
    }
  });
  chart.setOption({
    animation: false,
    backgroundColor: '#ffffff',
    title: titles,
    legend: { left: 10, top: 32, data: wanTransports.map(({ name }) => name) },
    grid,
    xAxis,
    yAxis,
    series,
  });
  const svg = chart.renderToSVGString();
  chart.dispose();
  return `${svg}\n`;
}

/** 10k, 1M. */
function compact(value: number): string {
  return value < 1 ? String(value) : value.toLocaleString('en', { notation: 'compact' });
}
