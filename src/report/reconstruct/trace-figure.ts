// How a search came to its traffic, over CPU time: error where the truth is known, and how far counters are from met.
// The form of Figures 4.11 and 4.12 of Taffet's dissertation (docs/SOURCES.md), on a logarithmic axis, with the residual
// added; a dot is where the search ended.
// Invariant: what is below `least` is drawn there.

import { fabricLine } from '../routes/route-text.js';
import { axisLabel, axisName, chartHeading, chartText, type WholeChart } from '../page/chart-frame.js';
import { lightLook } from '../page/look.js';
import type { ReconstructedTraffic, ReconstructionTrace } from './reconstruction-text.js';

const [width, height] = [960, 420];
/** shares: no search settles on less */
const least = 1e-12;
const axisLine = { lineStyle: { color: lightLook.line } };
const splitLine = { show: true, lineStyle: { color: lightLook.grid } };

/** The chart. */
export function reconstructionTraceFigure(
  {
    source,
    truth,
    dictionary,
    lanes,
    end,
  }: Pick<ReconstructedTraffic, 'source' | 'truth' | 'dictionary' | 'lanes' | 'end'>,
  { cpuSeconds, steps, residual, relativeError }: ReconstructionTrace,
): WholeChart {
  const curves = [
    ...(relativeError === null ? [] : [{ name: 'error by pairs of hosts', values: relativeError, isDashed: false }]),
    { name: 'counters not met', values: residual, isDashed: relativeError !== null },
  ];
  const facts = [
    fabricLine(source),
    `${dictionary.join(' + ')}, ${lanes} ${lanes === 1 ? 'lane' : 'lanes'}; ${steps.at(-1)!} steps, ${end}: ${curves
      .map(({ name, values }) => `${name} ${percent(values.at(-1)!)}`)
      .join(', ')}`,
  ];
  const heading = chartHeading(`Reconstruction${truth === null ? '' : ` of ${truth.name}`}`, facts, width);
  const lowest = Math.min(...curves.flatMap(({ values }) => values.map((own) => Math.max(own, least))));
  return {
    width,
    height,
    option: {
      ...chartText(),
      title: heading.titles,
      legend: { top: heading.height - 6, left: 60, itemWidth: 24, itemGap: 26, textStyle: { color: lightLook.text } },
      grid: { left: 84, right: 30, top: heading.height + 30, bottom: 48 },
      xAxis: {
        type: 'value',
        min: 0,
        axisLine,
        splitLine,
        axisLabel: axisLabel(lightLook),
        ...axisName('CPU seconds', lightLook),
      },
      yAxis: {
        type: 'log',
        min: decadeBelow(lowest),
        axisLine,
        splitLine,
        axisLabel: { ...axisLabel(lightLook), formatter: percent },
      },
      series: curves.map(({ name, values, isDashed }, i) =>
        curveOf(name, lightLook.hues[i]!, isDashed, cpuSeconds, values),
      ),
    },
  };
}

/** A curve, with a dot where it ends. */
function curveOf(
  name: string,
  color: string,
  isDashed: boolean,
  cpuSeconds: readonly number[],
  values: readonly number[],
): object {
  const points = values.map((own, row) => [Number(cpuSeconds[row]!.toFixed(3)), Math.max(own, least)]);
  return {
    type: 'line',
    name,
    silent: true,
    symbol: 'none',
    itemStyle: { color },
    lineStyle: { color, width: 2, type: isDashed ? 'dashed' : 'solid' },
    data: [...points.slice(0, -1), { value: points.at(-1), symbol: 'circle', symbolSize: 9 }],
  };
}

/** The largest power of ten that is not above a share. */
function decadeBelow(share: number): number {
  let decade = 1;
  while (decade > share) decade = Number((decade / 10).toPrecision(1));
  return decade;
}

function percent(share: number): string {
  return `${Number((100 * share).toPrecision(2))} %`;
}
