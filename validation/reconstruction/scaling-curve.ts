// What is found of a barrier beside a bully where all counters are multiplied by one factor: Figure 5.14 of Taffet's
// dissertation (docs/SOURCES.md, 5.4.2), whose solver ends too early on small numbers. Curves of
// docs/models/reconstruction-tables.md.

import { TrafficColumn, type TrafficMatrix } from '#weft/flows/traffic/matrix.js';
import { lightLook } from '#weft/report/page/look.js';
import { writeBlock, writeFile } from '../figures/pages.js';
import { chart } from '../figures/sfc-charts.js';
import { bullySizes, bullyTraffic, weights } from '../tables/bully-jobs.js';
import { tableText } from '../tables/gap-tables.js';
import { bullyErrorsOf, bullyProblem, type BullyErrors } from './bully-errors.js';
import { countersOf } from '#weft/app/reconstruct/made-counters.js';

/** Largest counters, as powers of ten. */
const largest = ['1e-6', '1e-3', '1', '1e3', '1e5', '1e7', '1e9', '1e12'];
const mostSeconds = 15;
/** What the source prints of the barrier, in percent: unscaled, and with its largest entry at 1e7. */
const printed = { unscaled: 173, scaled: 8.2, largest: 1e7 };

/** Measures, and writes the table and the picture. @param say told what is being done */
export async function drawScaling(say: (text: string) => void): Promise<void> {
  const size = bullySizes.find(({ name }) => name === 'half')!;
  const problem = bullyProblem(size);
  const { matrix } = bullyTraffic(size, problem.allocation, weights.mixed).phases[0]!;
  const most = countersOf(matrix, problem.source, problem.rows).counters.reduce((a, b) => Math.max(a, b), 0);
  const found: BullyErrors[] = [];
  for (const wanted of largest) {
    say(`barrier and bully, the largest counter ${wanted}`);
    found.push(await bullyErrorsOf(problem, scaled(matrix, Number(wanted) / most), false, mostSeconds));
  }
  writeBlock(
    'docs/models/reconstruction-tables.md',
    'scaling',
    `\n${tableText(
      ['largest counter', 'error, %', 'of the barrier', 'CPU seconds'],
      found.map((own, i) => [largest[i]!, percent(own.all), percent(own.barrier), own.cpuSeconds.toFixed(1)]),
    )}\n`,
  );
  writeFile('docs/models/reconstruction-scaling.svg', scalingChart(found));
}

/** A matrix with all amounts multiplied. */
function scaled(matrix: TrafficMatrix, factor: number): TrafficMatrix {
  return {
    hostCount: matrix.hostCount,
    unit: matrix.unit,
    pairCount: matrix.pairCount,
    toDestination: (to: number, into: TrafficColumn) => {
      matrix.toDestination(to, into);
      for (let i = 0; i < into.length; i++) into.weights[i]! *= factor;
    },
  };
}

function scalingChart(found: readonly BullyErrors[]): string {
  const [own, source] = [lightLook.hues[0]!, lightLook.hues[1]!];
  const at = largest.map(Number);
  const [first, last] = [at[0]!, at.at(-1)!];
  return chart(480, 400, {
    title: {
      text: 'Error of the barrier by scaling',
      top: 8,
      left: 8,
      textStyle: { fontSize: 16, color: lightLook.text },
    },
    legend: { top: 36, left: 8, orient: 'vertical', textStyle: { fontSize: 13 } },
    grid: { left: 84, right: 24, top: 116, bottom: 56 },
    xAxis: {
      type: 'log',
      min: first,
      max: last,
      interval: 3,
      name: 'largest counter',
      nameLocation: 'middle',
      nameGap: 34,
      nameTextStyle: { fontSize: 13 },
      axisLabel: { fontSize: 12, formatter: power },
    },
    yAxis: {
      type: 'log',
      min: 1e-10,
      max: 1e4,
      interval: 2,
      axisLabel: { fontSize: 12, formatter: (value: number) => `${power(value)} %` },
    },
    series: [
      curve(
        'ours',
        found.map(({ barrier }, i) => [at[i]!, 100 * barrier] as const),
        { itemStyle: { color: own } },
      ),
      curve(
        `source, unscaled: ${printed.unscaled} %`,
        [
          [first, printed.unscaled],
          [last, printed.unscaled],
        ],
        {
          symbol: 'none',
          itemStyle: { color: source },
          lineStyle: { width: 2, type: 'dashed' },
        },
      ),
      curve(`source, scaled to 1e7: ${printed.scaled} %`, [[printed.largest, printed.scaled]], {
        symbol: 'diamond',
        symbolSize: 14,
        itemStyle: { color: source },
      }),
    ],
  });
}

function curve(name: string, data: readonly (readonly [number, number])[], more: object): object {
  return { type: 'line', name, data, symbol: 'circle', symbolSize: 8, lineStyle: { width: 2 }, ...more };
}

function power(value: number): string {
  return value >= 0.01 && value <= 1000 ? `${Number(value.toPrecision(1))}` : value.toExponential(0).replace('+', '');
}

function percent(share: number): string {
  return (100 * share).toPrecision(2);
}
