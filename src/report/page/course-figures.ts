// What happened over time, as charts: queues, use of ports and rates where probes ran, collectives where there were
// jobs.
// Invariant: of many ports those with the highest peaks are drawn, of several runs each run's highest, and the note
// says so.

import { formatSizeBytes, formatTimePs } from '../../base/units.js';
import { NodeNames } from '../../fabric/node-names.js';
import { coloursOfKinds, short, sizeUnit, timeUnit, type Axis, type Figure, type LineSeries } from './figures.js';
import type { PortCourses } from './probe-series.js';
import { ownNodeName, type ReportRun } from './report-run.js';

const mostPorts = 6;

/** The charts over time that the runs have something for. */
export function courseFigures(runs: readonly ReportRun[]): Figure[] {
  return [
    ...portFigure(runs, ({ records }) => records.queues, {
      id: 'queues',
      title: 'Queues over time',
      what: 'Bytes that wait at a port, the most in each part of the time.',
      axis: 'waiting',
      chosen: 'with the highest peak',
    }),
    ...rateFigures(runs),
    ...portFigure(runs, ({ records }) => records.use, {
      id: 'port-use',
      title: 'Use of ports over time',
      what: 'Share of the time in which a port sends, the most in each part of the time.',
      axis: 'sending',
      chosen: 'that sent for the longest time',
    }),
    ...runs.flatMap((run) => collectiveFigure(run, runs.length)),
  ];
}

interface PortTexts {
  readonly id: string;
  readonly title: string;
  readonly what: string;
  readonly axis: string;
  /** which ports are drawn */
  readonly chosen: string;
}

function portFigure(
  runs: readonly ReportRun[],
  coursesOf: (run: ReportRun) => PortCourses,
  { id, title, what, axis, chosen: how }: PortTexts,
): Figure[] {
  const drawn = runs.flatMap((run, colour) => {
    const courses = coursesOf(run);
    const names = run.records.fabric === null ? null : new NodeNames(run.records.fabric);
    const ports = courses.highest(runs.length === 1 ? mostPorts : 1).filter(({ series }) => series.peak > 0);
    return ports.map(({ node, interface: number, series }, i) => {
      const port = `${ownNodeName(run, node) ?? names?.nameOf(node) ?? `node ${node}`}:${number}`;
      const { lastFinishPs: endPs, originPs } = run.records.flows;
      return runs.length === 1
        ? { name: port, colour: i, endPs, originPs, series }
        : { name: `${run.label} (${port})`, colour, endPs, originPs, series };
    });
  });
  if (drawn.length === 0) return [];
  const time = timeUnit(Math.max(...drawn.map(({ endPs, originPs }) => endPs - originPs)));
  const isShare = id === 'port-use';
  const size = sizeUnit(Math.max(...drawn.map(({ series }) => series.peak)));
  const per = isShare ? 1 : size.bytes;
  const all = Math.max(...runs.map((run) => coursesOf(run).count));
  const chosen =
    all <= drawn.length ? '' : ` Of ${all} ports ${runs.length === 1 ? 'those' : 'the one of each run'} ${how}.`;
  return [
    {
      kind: 'lines',
      id,
      title,
      note: what + chosen + originNote(runs),
      x: { name: 'time', unit: time.unit, least: 0, ...alongOne(runs, time.ps) },
      y: { name: axis, unit: isShare ? '%' : size.unit, least: 0, ...(isShare ? { most: 100 } : {}) },
      series: drawn.map(({ name, colour, endPs, originPs, series }): LineSeries => {
        const { timesPs, values } = series.points(endPs, 0);
        const laterPs = series.fromPs - originPs;
        return {
          name,
          colour,
          isStepped: true,
          isFilled: drawn.length === 1,
          x: timesPs.map((timePs) => short((laterPs + timePs) / time.ps)),
          y: values.map((value) => short(value / per, 4)),
        };
      }),
    },
  ];
}

/** What an axis of time means where it is that of one run. */
function alongOne(runs: readonly ReportRun[], unitPs: number): Pick<Axis, 'time'> {
  return runs.length === 1 ? { time: { fromPs: runs[0]!.records.flows.originPs, unitPs } } : {};
}

/** From when time counts, where that is not the beginning of the run. */
function originNote(runs: readonly ReportRun[]): string {
  const origins = [...new Set(runs.map(({ records }) => records.flows.originPs).filter((originPs) => originPs > 0))];
  if (origins.length === 0) return '';
  return ` Time counts from the first flow${origins.length === 1 ? `, ${formatTimePs(origins[0]!)} after the beginning` : ' of each run'}.`;
}

function rateFigures(runs: readonly ReportRun[]): Figure[] {
  const rated = runs
    .map(({ label, records: { rates, flows } }, colour) => {
      const { lastFinishPs: endPs, originPs } = flows;
      return { label, colour, rates, originPs, endPs };
    })
    .filter(({ rates }) => rates !== null && rates.median.length > 0);
  if (rated.length === 0) return [];
  const time = timeUnit(Math.max(...rated.map(({ endPs, originPs }) => endPs - originPs)));
  return [
    {
      kind: 'lines',
      id: 'rates',
      title: 'Rates of senders over time',
      note:
        'What congestion control allows the queue pairs that still send: the median, and a band from the slowest tenth to the fastest.' +
        originNote(runs),
      x: { name: 'time', unit: time.unit, least: 0, ...alongOne(runs, time.ps) },
      y: { name: 'rate', unit: 'Gbit/s', least: 0 },
      series: rated.flatMap(({ label, colour, rates, originPs }): LineSeries[] => {
        const { timesPs, low, median, high } = rates!;
        const x = Array.from(timesPs.toArray(), (timePs) => short(Math.max(0, timePs - originPs) / time.ps));
        const [lows, medians, highs] = [low, median, high].map((list) =>
          Array.from(list.toArray(), (rate) => short(rate / 1e9, 4)),
        ) as [number[], number[], number[]];
        return [
          { name: `${label}: tenth to nine tenths`, colour, x, y: lows, upTo: highs, isStepped: true },
          { name: runs.length === 1 ? 'median' : label, colour, x, y: medians, isStepped: true },
        ];
      }),
    },
  ];
}

function collectiveFigure({ label, records }: ReportRun, runs: number): Figure[] {
  const isOneOfMany = runs > 1;
  const { rows, spans, beyond } = records.collectives;
  if (spans.length === 0) return [];
  const { unit, ps } = timeUnit(Math.max(...spans.map(({ finishPs }) => finishPs)));
  const kinds = [...new Set(spans.map(({ collective }) => collective))].sort();
  const left = beyond === 0 ? '' : ` ${beyond} more are not drawn.`;
  return [
    {
      kind: 'spans',
      id: isOneOfMany ? `collectives-${label.replace(/[^a-z0-9]+/gi, '-').toLowerCase()}` : 'collectives',
      title: `Collectives over time${isOneOfMany ? `: ${label}` : ''}`,
      note: `A row per group of ranks, a bar from the first rank's start to the last rank's end.${left}`,
      x: { name: 'time', unit, ...(isOneOfMany ? {} : { time: { fromPs: 0, unitPs: ps } }) },
      rows,
      kinds,
      colours: coloursOfKinds(kinds.length, runs),
      row: spans.map(({ row }) => row),
      kindOf: spans.map(({ collective }) => kinds.indexOf(collective)),
      from: spans.map(({ startPs }) => short(startPs / ps, 7)),
      to: spans.map(({ finishPs }) => short(finishPs / ps, 7)),
      text: spans.map(
        ({ collective, algorithm, ranks, sizeBytes, layer }) =>
          `${collective} (${algorithm}) of ${formatSizeBytes(sizeBytes)}, ${ranks} ranks${layer < 0 ? '' : `, layer ${layer}`}`,
      ),
    },
  ];
}
