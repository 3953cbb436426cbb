// What probes of a run recorded over time, in bounded memory: queues and use of each port, rates of all queue pairs.
// Invariants: peaks of queues survive however long the run is; rates are of queue pairs that still send, each at its
// last known rate (rows come when one changes: docs/models/probes.md).

import { Float64List } from '../../base/columns.js';
import { nearestRank } from '../../measurement/distribution.js';
import { BandwidthColumn, QueueColumn, RateColumn } from '../../records/probe-records.js';
import type { Batch } from '../../records/schema.js';
import { BinnedSeries } from './binned-series.js';
import type { FlowColumns } from './flow-columns.js';

/** Ports of which the course is kept; of others the peak counts into the longest of all. */
const mostPorts = 4096;

/** One port's course. */
export interface PortSeries {
  readonly node: number;
  readonly interface: number;
  readonly series: BinnedSeries;
  /** by which ports are chosen: its peak, or over how much time it had how much */
  weight: number;
}

/** A quantity of ports over time. */
export class PortCourses {
  private readonly byPort = new Map<number, PortSeries>();
  /** rows of ports that found no room */
  beyond = 0;

  /** @param origin when courses begin, known before the first row here: of stored runs their flows say */
  constructor(private readonly origin: { readonly originPs: number }) {}

  add(timePs: number, node: number, number: number, value: number, weight = 0): void {
    const key = node * 65_536 + number;
    let own = this.byPort.get(key);
    if (own === undefined) {
      if (this.byPort.size === mostPorts) {
        this.beyond++;
        return;
      }
      own = { node, interface: number, series: new BinnedSeries(undefined, this.origin.originPs), weight: 0 };
      this.byPort.set(key, own);
    }
    own.series.add(timePs, value);
    own.weight = weight === 0 ? Math.max(own.weight, value) : own.weight + weight;
  }

  get count(): number {
    return this.byPort.size;
  }

  /** The course of a port; undefined: it has none. @param number of the port, from 1 */
  of(node: number, number: number): BinnedSeries | undefined {
    return this.byPort.get(node * 65_536 + number)?.series;
  }

  /** The highest value of all. */
  get peak(): number {
    let peak = 0;
    for (const { series } of this.byPort.values()) if (series.peak > peak) peak = series.peak;
    return peak;
  }

  /** The ports with the greatest weights, the greatest first. */
  highest(count: number): PortSeries[] {
    return [...this.byPort.values()]
      .sort((a, b) => b.weight - a.weight || a.node - b.node || a.interface - b.interface)
      .slice(0, count);
  }
}

/** Takes the rows of the table `queues`: bytes that wait at ports. */
export function putQueues(courses: PortCourses, { columns, rows }: Batch): void {
  for (let row = 0; row < rows; row++)
    courses.add(
      columns[QueueColumn.time]![row]!,
      columns[QueueColumn.node]![row]!,
      columns[QueueColumn.interface]![row]!,
      columns[QueueColumn.port]![row]!,
    );
}

/**
 * Takes the rows of the table `bandwidth`: share of each interval in which a port sent, at the interval's beginning.
 */
export function putUse(courses: PortCourses, { columns, rows }: Batch): void {
  for (let row = 0; row < rows; row++) {
    const [end, length] = [columns[BandwidthColumn.time]![row]!, columns[BandwidthColumn.interval]![row]!];
    const [node, number] = [columns[BandwidthColumn.node]![row]!, columns[BandwidthColumn.interface]![row]!];
    const use = columns[BandwidthColumn.utilisation]![row]!;
    courses.add(end - length, node, number, 100 * use, Math.max(1, use * length));
    // ports that send nothing have no rows
    courses.add(end, node, number, 0, 1);
  }
}

/** The rates of the queue pairs of a run: percentiles over those that still send. */
export class RateCourse {
  private readonly current = new Map<number, number>();
  private readonly ends: { readonly flow: number; readonly finishPs: number }[] = [];
  private ended = 0;
  private timePs = -1;
  private nextPs = 0;
  private stepPs = 0;
  readonly timesPs = new Float64List();
  readonly low = new Float64List();
  readonly median = new Float64List();
  readonly high = new Float64List();

  /** @param finished all flows of the run */
  constructor(finished: FlowColumns) {
    for (let i = 0; i < finished.count; i++)
      this.ends.push({ flow: finished.flow.values[i]!, finishPs: finished.finishPs.values[i]! });
    this.ends.sort((a, b) => a.finishPs - b.finishPs);
    this.stepPs = (finished.lastFinishPs - finished.originPs) / 600;
  }

  put({ columns, rows }: Batch): void {
    for (let row = 0; row < rows; row++) {
      const timePs = columns[RateColumn.time]![row]!;
      if (timePs !== this.timePs && this.timePs >= this.nextPs) this.sample();
      this.timePs = timePs;
      // connections are told apart by flow and source port
      this.current.set(
        columns[RateColumn.flow]![row]! * 65_536 + columns[RateColumn.sourcePort]![row]!,
        columns[RateColumn.rate]![row]!,
      );
    }
  }

  /** The last row was put. */
  end(): void {
    if (this.timePs < 0) return;
    this.sample();
    // rates hold until the last flow ends
    const [last, endPs] = [this.timesPs.length - 1, this.ends.at(-1)?.finishPs ?? 0];
    if (last < 0 || endPs <= this.timesPs.values[last]!) return;
    this.timesPs.push(endPs);
    for (const list of [this.low, this.median, this.high]) list.push(list.values[last]!);
  }

  private sample(): void {
    while (this.ended < this.ends.length && this.ends[this.ended]!.finishPs < this.timePs) this.ended++;
    const gone = new Set(this.ends.slice(0, this.ended).map(({ flow }) => flow));
    if (gone.size > 0)
      for (const key of this.current.keys()) if (gone.has(Math.floor(key / 65_536))) this.current.delete(key);
    const sorted = Float64Array.from(this.current.values()).sort();
    if (sorted.length === 0) return;
    this.timesPs.push(this.timePs);
    this.low.push(nearestRank(sorted, 0.1));
    this.median.push(nearestRank(sorted, 0.5));
    this.high.push(nearestRank(sorted, 0.9));
    this.nextPs = this.timePs + this.stepPs;
  }
}
