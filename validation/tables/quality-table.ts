// What an error of reconstruction costs in routes, and what lanes cost in time: 6.2 of Taffet's dissertation
// (docs/SOURCES.md) as two tables of docs/models/adapt.md. Commands run as a reader would.

import { execFileSync } from 'node:child_process';
import path from 'node:path';
import { lightLook } from '#weft/report/page/look.js';
import { pathOf, writeFile } from '../figures/pages.js';
import { chart } from '../figures/sfc-charts.js';
import { tableText } from './gap-tables.js';

const shape =
  'fat-tree --pods 4 --edges-per-pod 4 --hosts-per-edge 8 --aggregation-per-pod 4 --cores 8 --core-groups 2';
const traffic = 'bs-random-shuffle';
const seeds = ['1', '2', '3'];
/** Counters from exact to poor: lanes, and how they are disturbed. */
const measurements: readonly (readonly [lanes: string, disturbed: readonly string[]])[] = [
  ['5', []],
  ['5', ['--noise', '2%']],
  ['5', ['--noise', '10%']],
  ['5', ['--missing', '20%']],
  ['5', ['--missing', '50%']],
  ['2', []],
  ['5', ['--missing', '65%']],
  ['2', ['--missing', '20%']],
  ['2', ['--missing', '50%']],
  ['1', []],
  ['1', ['--missing', '50%']],
];

/** A command with its JSON. */
function weft<T>(folder: string, words: readonly string[]): T {
  const text = execFileSync(process.execPath, [pathOf('dist/cli/main.js'), ...words, '--json'], {
    cwd: folder,
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'ignore'],
    maxBuffer: 2 ** 26,
  });
  return JSON.parse(text) as T;
}

const percent = (share: number): string => `${(100 * share).toFixed(1)} %`;

/** What was measured of the seeds: sums, and the largest gap. */
interface Quality {
  error: number;
  leafError: number;
  arGap: number;
  worstGap: number;
  /** of each seed: error by leaf and host, and gap, as shares */
  readonly draws: [leafError: number, arGap: number][];
}

/** Errors of reconstruction, and gaps of the routes that are made from what was found, by error. */
export function qualityMarkdown(folder: string, say: (text: string) => void): string {
  const fabric = ['--fabric', 'quality.topo'];
  execFileSync(process.execPath, [
    pathOf('dist/cli/main.js'),
    ...`topology generate ${shape} --out`.split(' '),
    path.join(folder, 'quality.topo'),
  ]);
  const evaluate = (tables: string, seed: string): number =>
    weft<{ arGap: number }>(folder, [
      'route',
      'evaluate',
      ...fabric,
      '--tables',
      tables,
      '--traffic',
      traffic,
      '--seed',
      seed,
    ]).arGap;
  const points = measurements.map((): Quality => ({
    error: 0,
    leafError: 0,
    arGap: 0,
    worstGap: 0,
    draws: [],
  }));
  let ftree = 0;
  for (const seed of seeds) {
    const drawn = ['--traffic', traffic, '--seed', seed];
    weft(folder, ['route', 'compute', ...fabric, '--algorithm', 'ftree', '--out', 'ftree.lfts', '--force']);
    ftree += evaluate('ftree.lfts', seed) / seeds.length;
    for (const [place, [lanes, disturbed]] of measurements.entries()) {
      say(`routes by what ${lanes} lanes tell ${disturbed.join(' ')} …`);
      const limits = ['--work', '20000', '--out', 'found.csv', '--force'];
      const told = ['--tables', 'ftree', '--allocation', 'contiguous', '--lanes', lanes, ...disturbed];
      const found = weft<{ relativeError: number; leafError: number }>(folder, [
        'reconstruct',
        ...fabric,
        ...drawn,
        ...told,
        ...limits,
      ]);
      const search = ['--algorithm', 'weft', '--work', '20000000', '--out', 'found.lfts', '--force'];
      weft(folder, ['route', 'compute', ...fabric, '--traffic', 'found.csv', ...search]);
      const point = points[place]!;
      const arGap = evaluate('found.lfts', seed);
      point.error += found.relativeError / seeds.length;
      point.leafError += found.leafError / seeds.length;
      point.arGap += arGap / seeds.length;
      point.worstGap = Math.max(point.worstGap, arGap);
      point.draws.push([found.leafError, arGap]);
    }
  }
  const rows = measurements.map(([lanes, disturbed], place) => ({
    lanes,
    disturbed: disturbed.join(' '),
    point: points[place]!,
  }));
  rows.sort(({ point: a }, { point: b }) => a.leafError - b.leafError || a.error - b.error);
  writeFile(
    'docs/models/adapt-quality.svg',
    qualityChart(
      rows.map(({ point }) => point),
      ftree,
    ),
  );
  return tableText(
    ['lanes', 'counters', 'error', 'by leaf and host', 'AR gap, mean', 'worst'],
    [
      ...rows.map(({ lanes, disturbed, point: { error, leafError, arGap, worstGap } }) => [
        lanes,
        disturbed === '' ? 'exact' : `\`${disturbed}\``,
        percent(error),
        percent(leafError),
        percent(arGap),
        percent(worstGap),
      ]),
      ['', '`ftree`, which knows nothing', '', '', percent(ftree), ''],
    ],
  );
}

/** Errors below this are drawn here: the axis is logarithmic. */
const leastError = 1e-3;

/** Gaps of routes against the error that they were made from: the mean of each measurement, and every draw. */
function qualityChart(points: readonly Quality[], ftree: number): string {
  const [blue, orange] = [lightLook.hues[0]!, lightLook.hues[1]!];
  const at = (error: number, arGap: number): [number, number] => [
    100 * Math.max(error, leastError),
    Number((100 * arGap).toFixed(2)),
  ];
  const line = { type: 'line', symbol: 'none' };
  const ends = [
    [100 * leastError, 100 * ftree],
    [200, 100 * ftree],
  ];
  return chart(480, 400, {
    title: {
      text: 'AR gap of routes for what was found',
      top: 8,
      left: 8,
      textStyle: { fontSize: 16, color: lightLook.text },
    },
    legend: { top: 36, left: 8, itemGap: 14, textStyle: { fontSize: 13 } },
    grid: { left: 64, right: 24, top: 76, bottom: 56 },
    xAxis: {
      type: 'log',
      min: 100 * leastError,
      max: 200,
      name: 'error by leaf and host',
      nameLocation: 'middle',
      nameGap: 34,
      nameTextStyle: { fontSize: 13 },
      axisLabel: { fontSize: 12, formatter: '{value} %', showMaxLabel: false },
    },
    yAxis: { type: 'value', min: 0, axisLabel: { fontSize: 12, formatter: '{value} %' } },
    series: [
      {
        ...line,
        name: 'mean of seeds',
        itemStyle: { color: blue },
        lineStyle: { color: blue, width: 2 },
        data: points.map(({ leafError, arGap }) => at(leafError, arGap)),
      },
      {
        type: 'scatter',
        name: 'each seed',
        symbolSize: 6,
        itemStyle: { color: blue },
        data: points.flatMap(({ draws }) => draws.map(([error, arGap]) => at(error, arGap))),
      },
      {
        ...line,
        name: 'ftree',
        itemStyle: { color: orange },
        lineStyle: { color: orange, width: 2, type: 'dashed' },
        data: ends,
      },
    ],
  });
}

/** Completion times of a shuffle on `credit` by lanes and how pairs come to them. */
export function laneCostMarkdown(folder: string, say: (text: string) => void): string {
  const rows: string[][] = [];
  let alone = 0;
  for (const lanes of [1, 2, 5])
    for (const strategy of lanes === 1 ? ['identity'] : ['identity', 'random'])
      for (const queues of lanes === 1 ? ['separate'] : ['shared', 'separate']) {
        if (strategy === 'identity' && queues === 'shared') continue;
        say(`${lanes} lanes, ${strategy}, ${queues} …`);
        const set = [`credit.lanes=${lanes}`, `credit.laneQueues=${queues}`, `credit.sl2vl=${strategy}`];
        const { simulatedNs } = weft<{ simulatedNs: number }>(folder, [
          'run',
          pathOf('examples/adapt/shuffle.yaml'),
          ...set.flatMap((one) => ['--set', one]),
        ]);
        if (lanes === 1) alone = simulatedNs;
        const cells = [String(lanes), lanes === 1 ? '' : `\`${strategy}\``, lanes === 1 ? '' : queues];
        rows.push([...cells, (simulatedNs / 1e6).toFixed(4), `${(100 * (simulatedNs / alone - 1)).toFixed(1)} %`]);
      }
  return tableText(['lanes', 'lane of a level', 'queues', 'ms', 'beside one lane'], rows);
}
