// One run of an incast with the probes that the figure needs: the queue at the receiver's link and the senders' rates
// over time.

import { simulate } from '#weft/app/simulate.js';
import type { RunSummary } from '#weft/app/run-progress.js';
import { FlowColumn, flowTable } from '#weft/records/flow-records.js';
import { MemorySink } from '#weft/records/memory-sink.js';
import {
  PortCounterColumn,
  portCounterTable,
  QueueColumn,
  queueTable,
  RateColumn,
  rateTable,
} from '#weft/records/probe-records.js';
import { makePlan } from '#weft/scenario/make-plan.js';
import { nodeHost } from '#weft/storage/node-host.js';
import { interfaceIndex } from '#weft/fabric/fabric.js';

/** Points of a line: times in picoseconds, and values. */
export interface Series {
  readonly timesPs: number[];
  readonly values: number[];
}

export interface IncastRun {
  readonly algorithm: string;
  readonly summary: RunSummary;
  /** bytes that wait for the receiver's link, sampled */
  readonly queue: Series;
  /** most bytes that ever waited there */
  readonly peakQueueBytes: number;
  /** the senders' rates in bit/s: a tenth, half and nine tenths of those still sending go slower */
  readonly rates: { readonly low: Series; readonly median: Series; readonly high: Series };
}

/** Runs a scenario with a congestion control. @param intervalPs between two samples */
export async function incastRun(scenario: string, algorithm: string, interval: string): Promise<IncastRun> {
  const host = nodeHost();
  const plan = await makePlan(scenario, {
    host,
    overrides: [
      `congestion.algorithm=${algorithm}`,
      `probes.queueInterval=${interval}`,
      `probes.rateInterval=${interval}`,
      'probes.portCounters=true',
    ],
  });
  const sink = new MemorySink();
  const summary = await simulate(plan, { host, sink });
  const { fabric } = plan;
  const receiver = fabric.hosts[0]!;
  const port = fabric.portPeer[fabric.portOffset[receiver]!]!;
  const place = { node: fabric.portNode[port]!, interface: interfaceIndex(fabric, port) };
  return {
    algorithm,
    summary,
    queue: queueOf(sink, place),
    peakQueueBytes: peakOf(sink, place),
    rates: ratesOf(sink, fabric.linkRateBps[fabric.portLink[port]!]!, summary.simulatedPs),
  };
}

interface PortPlace {
  readonly node: number;
  readonly interface: number;
}

/** All priorities of the port together; rows come when something changed. */
function queueOf(sink: MemorySink, place: PortPlace): Series {
  const [time, node, number, bytes] = [QueueColumn.time, QueueColumn.node, QueueColumn.interface, QueueColumn.port].map(
    (index) => sink.column(queueTable, index),
  ) as [Float64Array, Float64Array, Float64Array, Float64Array];
  const series: Series = { timesPs: [0], values: [0] };
  time.forEach((timePs, i) => {
    if (node[i] !== place.node || number[i] !== place.interface || series.timesPs.at(-1) === timePs) return;
    series.timesPs.push(timePs);
    series.values.push(bytes[i]!);
  });
  return series;
}

function peakOf(sink: MemorySink, place: PortPlace): number {
  const [node, number, peak] = [PortCounterColumn.node, PortCounterColumn.interface, PortCounterColumn.peakQueue].map(
    (index) => sink.column(portCounterTable, index),
  ) as [Float64Array, Float64Array, Float64Array];
  return node.reduce(
    (most, owner, i) => (owner === place.node && number[i] === place.interface ? Math.max(most, peak[i]!) : most),
    0,
  );
}

/** Every sender begins at line rate; rows come when a rate changes. */
function ratesOf(sink: MemorySink, lineBps: number, endPs: number): IncastRun['rates'] {
  const [time, flow, rate] = [RateColumn.time, RateColumn.flow, RateColumn.rate].map((index) =>
    sink.column(rateTable, index),
  ) as [Float64Array, Float64Array, Float64Array];
  const finishes = sink.column(flowTable, FlowColumn.finish);
  const finish = new Map(Array.from(sink.column(flowTable, FlowColumn.flow), (id, i) => [id, finishes[i]!] as const));
  const current = new Map([...finish.keys()].map((id) => [id, lineBps]));
  const series = (): Series => ({ timesPs: [0], values: [lineBps] });
  const rates = { low: series(), median: series(), high: series() };
  for (let i = 0; i < time.length; i++) {
    current.set(flow[i]!, rate[i]!);
    if (i + 1 < time.length && time[i + 1] === time[i]) continue;
    for (const [id, finishPs] of finish) if (finishPs < time[i]!) current.delete(id);
    const sorted = Float64Array.from(current.values()).sort();
    if (sorted.length === 0) continue;
    for (const [name, share] of [
      ['low', 0.1],
      ['median', 0.5],
      ['high', 0.9],
    ] as const) {
      rates[name].timesPs.push(time[i]!);
      rates[name].values.push(sorted[Math.max(0, Math.ceil(share * sorted.length) - 1)]!);
    }
  }
  for (const { timesPs, values } of [rates.low, rates.median, rates.high]) {
    timesPs.push(endPs);
    values.push(values.at(-1)!);
  }
  return rates;
}
