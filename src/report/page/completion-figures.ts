// Completion times of flows as charts: distribution, sorted bars, slow-down by size, source ports. Several runs lie
// over each other, a colour for each.
// Source: the plots of the central controller's document, section 6 (distribution of completion times; bars sorted).
// Invariant: of many flows each point is one flow's time (the distribution) or the mean of flows that follow each other
// (the bars), and the note says of how many.

import { formatSizeBytes } from '../../base/units.js';
import { nearestRank } from '../../measurement/distribution.js';
import { counted } from '../text-style.js';
import { short, timeUnit, type Axis, type BarFigure, type Figure, type LineSeries } from './figures.js';
import { numberAt, type ReportRun } from './report-run.js';

const mostPoints = 400;
const mostBars = 96;
const mostPorts = 12;
const mostSizes = 16;

/** A run that has flows, and its colour. */
interface FinishedRun extends ReportRun {
  readonly colour: number;
}

/** The charts of completion times that the runs have something for. */
export function completionFigures(runs: readonly ReportRun[]): Figure[] {
  const finished = runs.map((run, colour) => ({ ...run, colour })).filter(({ records }) => records.flows.count > 0);
  if (finished.length === 0) return [];
  return [distribution(finished), sortedTimes(finished), ...slowdownBySize(finished), ...sourcePorts(finished)];
}

function timeAxis(runs: readonly FinishedRun[]): { axis: Axis; ps: number } {
  let [least, most] = [Infinity, 0];
  for (const { records } of runs) {
    const order = records.flows.byCompletion();
    least = Math.min(least, records.flows.completionPs(order[0]!));
    most = Math.max(most, records.flows.completionPs(order[order.length - 1]!));
  }
  const { unit, ps } = timeUnit(most);
  const isWide = least > 0 && most / least > 100;
  return { axis: { name: 'flow completion time', unit, ...(isWide ? { isLogarithmic: true } : {}) }, ps };
}

function distribution(runs: readonly FinishedRun[]): Figure {
  const { axis, ps } = timeAxis(runs);
  const series: LineSeries[] = runs.map(({ label, colour, records: { flows } }) => {
    const order = flows.byCompletion();
    const count = order.length;
    const points = Math.min(count, mostPoints);
    const ranks = Array.from({ length: points }, (_, i) => Math.round(((i + 1) * count) / points));
    const times = ranks.map((rank) => short(flows.completionPs(order[rank - 1]!) / ps));
    const shares = ranks.map((rank) => short((100 * rank) / count));
    const first = short(flows.completionPs(order[0]!) / ps);
    return { name: label, colour, isStepped: true, x: [first, ...times], y: [0, ...shares] };
  });
  return {
    kind: 'lines',
    id: 'completion-distribution',
    title: 'Flow completion times: distribution',
    note: 'How many of the flows (up) are done within a time (right). Steeper and further left is better.',
    x: axis,
    y: { name: 'flows done', unit: '%', least: 0, most: 100 },
    series,
  };
}

/** Bars; lines where times are far apart, since bars on a logarithmic axis would begin anywhere. */
function sortedTimes(runs: readonly FinishedRun[]): Figure {
  const { axis, ps } = timeAxis(runs);
  const most = Math.max(...runs.map(({ records }) => records.flows.count));
  const perBar = Math.ceil(most / mostBars);
  const bars = Math.ceil(most / perBar);
  const isGrouped = perBar > 1;
  const names = Array.from({ length: bars }, (_, i) =>
    isGrouped ? `${Math.round((100 * (i + 1)) / bars)} %` : String(i + 1),
  );
  const isLines = axis.isLogarithmic === true;
  const each = isLines ? 'point' : 'bar';
  const frame = {
    id: 'completion-sorted',
    title: 'Flow completion times: sorted',
    note: isGrouped
      ? `All flows from the fastest to the slowest; each ${each} is the mean of ${counted(perBar, 'flow')} that follow each other.`
      : `One ${each} per flow, from the fastest to the slowest, each run sorted by itself.`,
  };
  const x = { name: isGrouped ? 'flows, fastest first' : 'flow, fastest first', unit: '' };
  const series = runs.map(({ label, colour, records: { flows } }) => {
    const order = flows.byCompletion();
    // a run with fewer flows has its bars over the same width
    const scale = isGrouped ? order.length / most : 1;
    const y = names.map((_, i) => {
      const from = Math.round(i * perBar * scale);
      const to = Math.min(order.length, Math.round((i + 1) * perBar * scale));
      if (from >= to) return null;
      let sum = 0;
      for (let place = from; place < to; place++) sum += flows.completionPs(order[place]!);
      return short(sum / (to - from) / ps);
    });
    return { name: label, colour, y };
  });
  if (!isLines) return { kind: 'bars', ...frame, x: { ...x, names }, y: { ...axis, least: 0 }, series };
  const places = names.map((_, i) => (isGrouped ? short((100 * (i + 1)) / bars) : i + 1));
  return {
    kind: 'lines',
    ...frame,
    x: isGrouped ? { ...x, unit: '%' } : x,
    y: axis,
    series: series.map(({ name, colour, y }) => ({ name, colour, x: places, y, hasPoints: true })),
  };
}

/** Median and 99th percentile of the slow-down in buckets of sizes; nothing if all flows have one size. */
function slowdownBySize(runs: readonly FinishedRun[]): Figure[] {
  const sizes = new Set<number>();
  for (const { records } of runs) {
    const { flows } = records;
    for (let i = 0; i < flows.count && sizes.size <= 4096; i++) sizes.add(flows.sizeBytes.values[i]!);
  }
  if (sizes.size < 2) return [];
  const sorted = Float64Array.from(sizes).sort();
  const buckets = Math.min(mostSizes, sorted.length);
  // upper ends of buckets, each with about as many sizes
  const limits = Array.from(
    { length: buckets },
    (_, i) => sorted[Math.min(sorted.length - 1, Math.round(((i + 1) * sorted.length) / buckets) - 1)]!,
  );
  const series: BarFigure['series'][number][] = [];
  runs.forEach(({ label, records: { flows } }, index) => {
    const values = limits.map(() => [] as number[]);
    for (let i = 0; i < flows.count; i++) {
      const bucket = limits.findIndex((limit) => flows.sizeBytes.values[i]! <= limit);
      values[bucket < 0 ? buckets - 1 : bucket]!.push(flows.slowdown(i));
    }
    const ordered = values.map((own) => Float64Array.from(own).sort());
    for (const [share, name, hue] of [
      [0.5, 'median', 0],
      [0.99, '99th percentile', 1],
    ] as const)
      series.push({
        name: runs.length === 1 ? name : `${label}, ${name}`,
        colour: runs.length === 1 ? hue : 2 * index + hue,
        y: ordered.map((own) => (own.length === 0 ? null : short(nearestRank(own, share)))),
      });
  });
  return [
    {
      kind: 'bars',
      id: 'slowdown-by-size',
      title: 'Slow-down by size of flow',
      note: 'Completion time over that of the same flow alone on the idle fabric; 1 is as fast as can be. Each group takes sizes up to the one below it.',
      x: { name: 'flows up to', unit: '', names: limits.map((limit) => formatSizeBytes(limit)) },
      y: { name: 'slow-down', unit: '', least: 0 },
      series,
    },
  ];
}

/** How often each source port was given, if a controller chose them in some run. */
function sourcePorts(runs: readonly FinishedRun[]): Figure[] {
  const controlled = runs.filter(({ summary }) => (numberAt(summary, 'controller', 'assigned') ?? 0) > 0);
  if (controlled.length === 0) return [];
  const counts = controlled.map(({ records: { flows } }) => {
    const own = new Map<number, number>();
    for (let i = 0; i < flows.count; i++) {
      const port = flows.sourcePort.values[i]!;
      own.set(port, (own.get(port) ?? 0) + 1);
    }
    return own;
  });
  const ports = [...new Set(counts.flatMap((own) => [...own.keys()]))].sort((a, b) => a - b);
  const named = ports.slice(0, mostPorts);
  const rest = ports.slice(mostPorts);
  const names = [...named.map(String), ...(rest.length === 0 ? [] : ['others'])];
  return [
    {
      kind: 'bars',
      id: 'source-ports',
      title: 'Source ports that the controller gave',
      note:
        'Share of all flows; first-fit tries ports from 1, so high ports are searches that went far. Flows that ' +
        'it had no say in keep the ports of their counter.',
      x: { name: 'source port', unit: '', names },
      y: { name: 'flows', unit: '%', least: 0 },
      series: controlled.map(({ label, colour, records: { flows } }, i) => {
        const share = (port: number): number => (100 * (counts[i]!.get(port) ?? 0)) / flows.count;
        return {
          name: label,
          colour,
          y: [
            ...named.map((port) => short(share(port))),
            ...(rest.length === 0 ? [] : [short(rest.reduce((sum, port) => sum + share(port), 0))]),
          ],
        };
      }),
    },
  ];
}
