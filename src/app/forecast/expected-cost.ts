// What a run costs, before it begins and in a fraction of a second: CPU time and memory from how much its jobs and its
// traffic send. `forecastRun` says more and takes seconds.
// Invariant: the plan is left as it was, and nothing of this reaches results. Not counted: requests of inference, how
// many transfers are open at a time, what failures, losses and congestion make longer.

import type { Host } from '../../base/host.js';
import { PathTracer } from '../../routing/path.js';
import { routesByRules } from '../../routing/table-routes.js';
import { TransferList } from '../../flows/transfer-list.js';
import { TransferSizes } from '../../flows/transfer-sizes.js';
import type { Amount } from '../../jobs/job-amount.js';
import type { Plan } from '../../scenario/plan.js';
import { acknowledgedTogether, nowhere, roceV2Port, somePort, WorkCount } from './work-count.js';
import { memoryBytes, referenceSeconds } from './backend-costs.js';
import { columnBytes } from './column-bytes.js';
import { fastForwardMode } from '../make-network.js';
import { packetsInFlight } from './forecast.js';
import { JobsCount, scaled, amountOf } from './jobs-count.js';
import { machineSlowness } from './machine-speed.js';
import { planWork } from '../plan-work.js';

/** moves of a collective that are looked at */
const mostMoves = 256;
/** steps of programs that are counted */
const mostSteps = 100_000;
/** most flows that are taken to be open together */
const mostTogether = 100_000;
/** CPU seconds of runs that take no machine long: it is not measured for them */
const shortSeconds = 0.1;

/** What a run takes on this machine, within a factor of about two. */
export interface ExpectedCost {
  readonly cpuSeconds: number;
  readonly memoryBytes: number;
  /** phases that repeat are replayed, which saves some of the time; left out: nothing is */
  readonly replays?: true;
}

/** What a run takes; null: it is not known so quickly. @param slowness of this machine; left out: measured */
export function expectedCost(plan: Plan, host: Host, slowness?: number): ExpectedCost | null {
  const { fabric, jobs, inference, source, backend } = plan;
  const jobsSend = backend.collectives.kind === 'simulated';
  if (inference !== null || (jobs.length > 0 && !jobsSend)) return null;
  const tracer = new PathTracer(routesByRules(fabric, plan.routing));
  const sent = new JobsCount(plan, tracer).estimate(mostMoves);
  const messages = plan.programs.length === 0 ? nothing : messagesOf(plan, tracer);
  const traffic = source.total === 0 ? nothing : trafficOf(plan, tracer);
  if (traffic === null) return null;
  const work = {
    ...amountOf([sent, traffic, messages]),
    ranks: jobs.reduce((sum, job) => sum + job.ranks.length, 0),
    operations: 0,
  };
  const seconds = referenceSeconds(backend, work);
  if (seconds === null) return null;
  return {
    ...(fastForwardMode(plan) === null ? {} : { replays: true as const }),
    cpuSeconds: seconds * (slowness ?? (seconds < shortSeconds ? 1 : machineSlowness(host))),
    memoryBytes: memoryBytes(
      columnBytes([plan, tracer]),
      work.flows,
      Math.min(work.flows, mostTogether),
      backend.insteadOfPackets === null ? Math.min(work.packetHops, packetsInFlight(plan)) : 0,
    ),
  };
}

const nothing: Amount = amountOf([]);

/** What programs send: a part is counted, and the rest taken to be like it. */
function messagesOf(plan: Plan, tracer: PathTracer): Amount {
  const alone = { ...plan, source: new TransferList(), jobs: [], inference: null, transferJobs: [] };
  const work = planWork(alone, tracer, nowhere, null);
  const count = new WorkCount(alone, work, tracer);
  count.advance(mostSteps);
  return scaled(count, count.share > 0 ? 1 / count.share : 1);
}

/**
 * Traffic of a list or trace: its bytes over the way between the first and the last host; null: bytes are not known.
 */
function trafficOf(plan: Plan, tracer: PathTracer): Amount | null {
  const { fabric, source, packet: settings, stopPs } = plan;
  const { total, totalBytes } = source;
  const [first, last] = [fabric.hosts[0], fabric.hosts[fabric.hosts.length - 1]];
  if (totalBytes === undefined || !Number.isFinite(total) || first === undefined || first === last) return null;
  const links = tracer.trace(first, last!, somePort, roceV2Port, new Int32Array(tracer.maxLength));
  const firstPs = source.nextStartPs();
  // how much is sent until the run ends depends on when it begins
  if (stopPs < Infinity && Number.isNaN(firstPs)) return null;
  const sizes = new TransferSizes(fabric, stopPs);
  const mostBytes = fabric.hosts.reduce((sum, host) => sum + sizes.mostBytes(host, firstPs), 0);
  const packets = Math.max(total, Math.min(totalBytes, mostBytes) / settings.packet.payload);
  return {
    flows: total,
    payloadBytes: Math.min(totalBytes, mostBytes),
    packets,
    flowLinks: total * links,
    packetHops: links * packets * (1 + 1 / acknowledgedTogether(plan)),
  };
}
