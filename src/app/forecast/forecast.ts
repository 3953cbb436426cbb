// What a plan would take if it ran: how much work it is, CPU time, memory, and bytes on disk.
// Invariants: nothing is simulated and nothing written; work, memory and disk are the same on every machine, the time
// is scaled by how fast this one is. Not modelled: what failures, losses, pauses and congestion make longer, rows of
// probes, flows of a list or trace that wait on each other for room.

import type { Host } from '../../base/host.js';
import { fastestNicBps } from '../../fabric/nics.js';
import type { Amount } from '../../jobs/job-amount.js';
import { JobRecorder, jobTables } from '../../jobs/job-recorder.js';
import type { Batch, RecordSink } from '../../records/schema.js';
import type { ForecastFigures } from '../../report/forecast-report.js';
import { PathTracer } from '../../routing/path.js';
import { routesByRules } from '../../routing/table-routes.js';
import type { Plan } from '../../scenario/plan.js';
import { makeNetwork } from '../make-network.js';
import { planWork } from '../plan-work.js';
import {
  descriptionBytes,
  fabricLinkBytes,
  jobDescriptionBytes,
  memoryBytes,
  mostFigureBytes,
  referenceSeconds,
  tableFiles,
} from './backend-costs.js';
import { columnBytes } from './column-bytes.js';
import { JobsCount, scaled } from './jobs-count.js';
import { machineSlowness } from './machine-speed.js';
import { WorkCount } from './work-count.js';

/** Steps after which counting ends, some seconds; what is left is taken to be like what was counted. */
const mostSteps = 4_000_000;
const stepsAtOnce = 4000;
/** rows of waits for each computation of a rank that is recorded */
const waitsPerComputation = 1;

/** Counts the rows of each table. */
class RowCounter implements RecordSink {
  readonly full = false;
  readonly rows = new Map<string, number>();

  put({ schema, rows }: Batch): void {
    this.rows.set(schema.name, (this.rows.get(schema.name) ?? 0) + rows);
  }

  drain(): Promise<void> {
    return Promise.resolve();
  }
}

/**
 * Forecasts a run.
 * @param plan is used up: its traffic is read to its end
 * @param slowness of this machine; left out: measured in a tenth of a second
 * @throws InputError if a file changed after the plan was made
 */
export async function forecastRun(
  plan: Plan,
  host: Host,
  slowness: number = machineSlowness(host),
): Promise<ForecastFigures> {
  const { fabric, jobs } = plan;
  const tracer = new PathTracer(routesByRules(fabric, plan.routing));
  const rows = new RowCounter();
  const { network } = makeNetwork(plan, {
    tracer,
    links: null,
    pathsMayChange: false,
    countsPorts: false,
    describe: null,
    sink: rows,
    wheelWidthPs: null,
  });
  const recorder = jobs.length > 0 && jobTables(plan.timeline).length > 0 ? new JobRecorder(rows, plan.timeline) : null;
  const work = planWork(plan, tracer, rows, recorder);
  const count = new WorkCount(plan, work, tracer);
  await countAll(count, work.source, host);
  recorder?.close();
  const scale = count.share > 0 ? 1 / count.share : 1;
  const sent = work.jobsSend && !count.isComplete ? jobsAlone(plan, tracer) : null;
  const { flows, payloadBytes, packets, flowLinks, packetHops } = sent ?? scaled(count, scale);
  const hasPackets = 'packetHops' in network.counters;
  const ranks = jobs.reduce((sum, job) => sum + job.ranks.length, 0);
  const amounts = {
    flows,
    flowLinks,
    packetHops,
    ranks,
    operations: work.jobs?.operations ?? 0,
  };
  const seconds = referenceSeconds(plan.backend, amounts);
  const files = filesOf(plan, rowsOf(rows.rows, amounts, scale));
  return {
    backend: plan.backend.name,
    flows: Math.round(flows),
    payloadBytes: Math.round(payloadBytes),
    packets: Math.round(packets),
    packetHops: hasPackets ? Math.round(packetHops) : null,
    ranks,
    operations: amounts.operations,
    counted: sent === null ? count.share : 1,
    cpuSeconds: seconds === null ? null : seconds * slowness,
    slowness,
    memoryBytes: memoryBytes(
      columnBytes([plan, tracer, network, work]),
      flows,
      count.mostTogether,
      hasPackets ? Math.min(packets, packetsInFlight(plan)) : 0,
    ),
    diskBytes: files.reduce((sum, { bytes }) => sum + bytes, 0),
    files,
    hasProbes: plan.tables.some(({ name }) => !Object.hasOwn(tableFiles, name)),
  };
}

/** What the jobs of a plan send that has nothing else; null: there is something else, or too much to count. */
function jobsAlone(plan: Plan, tracer: PathTracer): Amount | null {
  if (plan.inference !== null || plan.programs.length > 0 || plan.source.total !== 0) return null;
  const count = new JobsCount(plan, tracer);
  for (let steps = 0; steps < mostSteps && count.advance(stepsAtOnce); steps += stepsAtOnce);
  return count.isComplete ? count.amount : null;
}

async function countAll(
  count: WorkCount,
  source: { refill(): Promise<void>; close(): Promise<void> },
  host: Host,
): Promise<void> {
  try {
    for (let steps = 0; !count.isComplete && steps < mostSteps; steps += stepsAtOnce) {
      if (count.advance(stepsAtOnce)) await host.breathe();
      else if (!count.isComplete) await source.refill();
    }
  } finally {
    await source.close();
  }
}

/** Most packets under way: what every host's NIC sends in the longest round trip without queues, and as much queued. */
export function packetsInFlight({ fabric, packet: { packet } }: Plan): number {
  const longestPs = fabric.linkLatencyPs.reduce((most, latencyPs) => Math.max(most, latencyPs), 0);
  const roundTripSeconds = (12 * longestPs) / 1e12;
  let bits = 0;
  for (const host of fabric.hosts) bits += fastestNicBps(fabric, host) * roundTripSeconds;
  return 2 * fabric.hosts.length + (2 * bits) / 8 / packet.payload;
}

/** Rows of each table. @param recorded those of jobs as far as they were counted */
function rowsOf(
  recorded: ReadonlyMap<string, number>,
  { flows, flowLinks }: { readonly flows: number; readonly flowLinks: number },
  scale: number,
): ReadonlyMap<string, number> {
  const rows = new Map([...recorded].map(([table, count]) => [table, count * scale]));
  rows.set('flows', flows);
  // the switches on the way: one less than the links
  rows.set('hops', Math.max(0, flowLinks - flows));
  rows.set('timeline', (rows.get('timeline') ?? 0) * (1 + waitsPerComputation));
  return rows;
}

function filesOf(
  { tables, jobs, fabric }: Plan,
  rows: ReadonlyMap<string, number>,
): ForecastFigures['files'][number][] {
  const files = tables.flatMap(({ name }) =>
    (Object.hasOwn(tableFiles, name) ? tableFiles[name]! : []).map(({ file, emptyBytes, rowBytes }) => {
      const bytes = Math.round(emptyBytes + rowBytes * (rows.get(name) ?? 0));
      return { name: file, bytes: file === 'timeline.svg' ? Math.min(mostFigureBytes, bytes) : bytes };
    }),
  );
  files.push({ name: 'fabric.topo', bytes: fabricLinkBytes * fabric.linkCount });
  files.push({ name: 'manifest.json and others', bytes: descriptionBytes + jobs.length * jobDescriptionBytes });
  return files;
}
