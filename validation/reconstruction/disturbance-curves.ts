// Errors of reconstruction against how far counters are off: noise, missing ports, readings at other times. Curves of
// docs/models/reconstruction-tables.md, and their points as CSV beside it.
// Invariant: the picture is drawn from the points that were measured with it.

import path from 'node:path';
import { lightLook } from '#weft/report/page/look.js';
import { csvText, writeWhole } from '../data-file.js';
import { writeFile } from '../figures/pages.js';
import { chart } from '../figures/sfc-charts.js';
import { repositoryFolder } from '../repository.js';
import { reconstructedOnce } from './lane-errors.js';

/** What is disturbed, and by how much of it. */
const kinds = [
  { kind: 'noise', title: 'noise of counters', shares: [0, 0.0025, 0.005, 0.01, 0.02, 0.03, 0.04, 0.05] },
  { kind: 'missing', title: 'ports that are not read', shares: [0, 0.01, 0.02, 0.05, 0.1, 0.2, 0.3, 0.4, 0.5] },
  { kind: 'skew', title: 'readings early or late, of the interval', shares: [0, 0.01, 0.02, 0.04, 0.06, 0.08, 0.1] },
] as const;
/** Applications, by the dictionary that suits them, seeds of maps and disturbances, and steps: the same on any machine. */
const applications = [
  { traffic: 'partisn', dictionary: 'od', seeds: [1, 2, 3], mostWork: 4000 },
  { traffic: 'lulesh', dictionary: 'scd', seeds: [1], mostWork: 600 },
] as const;
const [lanes, mostSeconds] = [5, 300];

/** A measured point. */
interface DisturbedPoint {
  readonly traffic: string;
  readonly kind: string;
  readonly share: number;
  readonly seed: number;
  readonly relativeError: number;
  readonly leafError: number;
  readonly steps: number;
  readonly end: string;
}

/** Measures all points, writes them, and draws the curves. @param say told what is being done */
export async function drawDisturbances(say: (text: string) => void): Promise<void> {
  const points: DisturbedPoint[] = [];
  for (const { traffic, dictionary, seeds, mostWork } of applications)
    for (const { kind, shares } of kinds)
      for (const share of shares)
        for (const seed of seeds) {
          say(`${traffic}, ${kind} ${percent(share)}, seed ${seed}`);
          const disturbed = share === 0 ? {} : { [kind]: share };
          const found = await reconstructedOnce(
            { traffic, dictionary, lanes, strategy: 'random', seed, mostWork, ...disturbed },
            mostSeconds,
          );
          const { relativeError, leafError, steps, end } = found;
          points.push({
            traffic,
            kind,
            share,
            seed,
            steps,
            end,
            relativeError: relativeError!,
            leafError: leafError!,
          });
        }
  const head = ['application', 'disturbed', 'share', 'seed', 'relative error', 'by leaf', 'steps', 'end'];
  writeWhole(
    path.join(repositoryFolder, 'docs/models/reconstruction-disturbed.csv'),
    csvText(
      head,
      points.map(({ traffic, kind, share, seed, relativeError, leafError, steps, end }) => [
        traffic,
        kind,
        share,
        seed,
        Number(relativeError.toPrecision(4)),
        Number(leafError.toPrecision(4)),
        steps,
        end,
      ]),
    ),
  );
  writeFile('docs/models/reconstruction-disturbed.svg', disturbanceChart(points));
}

const [width, panelHeight, head] = [480, 300, 84];

/** A panel for each disturbance, one below the other: medians as lines, and every point. */
function disturbanceChart(points: readonly DisturbedPoint[]): string {
  const series = kinds.flatMap(({ kind, shares }, panel) =>
    applications.flatMap(({ traffic }, hue) => {
      const own = points.filter((point) => point.traffic === traffic && point.kind === kind);
      const color = lightLook.hues[hue]!;
      const common = { type: 'line', name: traffic, xAxisIndex: panel, yAxisIndex: panel, itemStyle: { color } };
      const medians = shares.map((share) =>
        median(own.filter((point) => point.share === share).map((point) => point.relativeError)),
      );
      return [
        {
          ...common,
          symbol: 'none',
          lineStyle: { color, width: 2 },
          data: shares.map((x, i) => inPercent(x, medians[i]!)),
        },
        {
          ...common,
          symbol: 'circle',
          symbolSize: 5,
          lineStyle: { width: 0 },
          data: own.map(({ share, relativeError }) => inPercent(share, relativeError)),
        },
      ];
    }),
  );
  return chart(width, head + kinds.length * panelHeight, {
    title: [
      title('Error by pairs of hosts, 5 levels and lanes', 8, 16),
      ...kinds.map((own, panel) => title(own.title, head + panel * panelHeight - 22, 14)),
    ],
    legend: {
      top: 34,
      left: 8,
      itemGap: 24,
      icon: 'circle',
      textStyle: { fontSize: 14 },
      data: applications.map((own) => own.traffic),
    },
    grid: kinds.map((_, panel) => ({
      left: 60,
      right: 24,
      top: head + panel * panelHeight + 10,
      height: panelHeight - 84,
    })),
    xAxis: kinds.map(({ shares }, gridIndex) => ({
      gridIndex,
      type: 'value',
      min: 0,
      max: 100 * shares.at(-1)!,
      axisLabel: { fontSize: 13, formatter: '{value} %' },
    })),
    yAxis: kinds.map((_, gridIndex) => ({
      gridIndex,
      type: 'value',
      min: 0,
      axisLabel: { fontSize: 13, formatter: '{value} %' },
    })),
    series,
  });
}

function title(text: string, top: number, fontSize: number): object {
  return { text, top, left: 8, textStyle: { fontSize, color: lightLook.text, fontWeight: 'bold' } };
}

function inPercent(share: number, error: number): [number, number] {
  return [Number((100 * share).toFixed(3)), Number((100 * error).toPrecision(4))];
}

function median(values: readonly number[]): number {
  const sorted = [...values].sort((one, other) => one - other);
  return sorted[(sorted.length - 1) >> 1]!;
}

function percent(share: number): string {
  return `${Number((100 * share).toFixed(2))} %`;
}
