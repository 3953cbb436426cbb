// Why a stored run was slow: `weft diagnose`.

import { flowFindings, joinedFindings, type JobMapping } from '../../diagnosis/flow-findings.js';
import { flowProgress, lifeIn, type FlowProgress } from '../../diagnosis/flow-progress.js';
import { lossesOfJobs, type JobLoss } from '../../diagnosis/lost-by-world.js';
import { proposeMapping, type RankTraffic } from '../../diagnosis/propose-mapping.js';
import type { ObservedFlows } from '../../diagnosis/observed-flows.js';
import type { CauseFinding } from '../../diagnosis/finding.js';
import { RandomStream } from '../../base/random.js';
import { NodeKind } from '../../fabric/fabric.js';
import { portGroups } from '../../measurement/port-groups.js';
import { InputError } from '../../base/diagnostics.js';
import { ownerFlows, type JobSamples } from '../../diagnosis/owner-ways.js';
import type { SingleWays } from '../../diagnosis/owner-causes.js';
import type { SampledTraffic } from '../../diagnosis/rules.js';
import { withEvidence } from '../../diagnosis/seen-evidence.js';
import { rateOf } from '../../measurement/usual-rates.js';
import { estimatesByPort, readLinkSamples, type LinkSamples } from '../../sampling/read-samples.js';
import type { Fabric } from '../../fabric/fabric.js';
import type { Plan } from '../../scenario/plan.js';
import type { RunTables } from '../../records/run-tables.js';
import { lossyPorts, portRates } from './port-rates.js';
import { observeRun, type ObservedJob, type ObservedRun } from './observe-run.js';

export interface DiagnoseRequest {
  /** owner: from samples of the job's packets alone; operator: from everything */
  readonly as: 'owner' | 'operator';
  /** number of the job whose losses are looked at; null: all */
  readonly job: number | null;
}

export interface Diagnosis {
  readonly observed: ObservedRun;
  readonly findings: readonly CauseFinding[];
  /** better places for ranks, by job whose ranks could be elsewhere */
  readonly mappings: ReadonlyMap<number, JobMapping>;
  /** the same where links count with what others sent over them: only an operator knows */
  readonly awayFromOthers: ReadonlyMap<number, JobMapping>;
  /** transfers begin when their traffic says: the run ends no earlier than this, in picoseconds */
  readonly latestPs: number;
}

/**
 * Diagnoses a run: as its operator from all flows, their paths and the rates of links; as an owner from samples of a
 * job's own packets, and from when its own messages were sent and had arrived.
 * @throws InputError if the run has no samples, or no such job; HostFileError
 */
export async function diagnoseRun(
  run: RunTables,
  fabric: Fabric,
  plan: Plan,
  { as, job }: DiagnoseRequest,
): Promise<Diagnosis> {
  const observed = await observeRun(run, fabric, plan);
  if (job !== null && job >= observed.jobs.length)
    throw InputError.about('diagnose-job', run.shown, 'the run has no such job', {
      got: `job ${job}`,
      wanted: observed.jobs.map(({ name }, i) => `${i} (${name})`).join(', ') || 'a run with jobs',
      hint: 'leave --job out for all jobs of the run',
    });
  return as === 'owner' ? asOwner(run, observed, plan, job) : asOperator(observed, plan, job);
}

function asOperator(observed: ObservedRun, plan: Plan, job: number | null): Diagnosis {
  const { fabric, flows, jobs } = observed;
  const found = flowProgress(fabric, flows, jobs.length, portRates(plan, flows));
  const all = lossesOfJobs(fabric, flows, found, ranksWait(jobs));
  const mappings = mappingsOf(observed, flows, all);
  const known = { observed, mappings, latestPs: latestEndPs(observed, flows, found) };
  for (const asked of askedJobs(observed, job)) {
    const losses = all.filter((loss) => asked.includes(loss.job));
    const findings = flowFindings(fabric, flows, found, losses, mappings, null, lossyPorts(plan), isOrdered(plan));
    if (findings.length === 0) continue;
    const held = new Set(
      findings.flatMap(({ cause, jobs: own }) => (cause === 'other-traffic' ? [...own.keys()] : [])),
    );
    const awayFromOthers = mappingsOf(
      observed,
      flows,
      losses.filter((loss) => held.has(loss.job)),
      (own) => bytesOfOthers(fabric, flows, own),
    );
    return { ...known, awayFromOthers, findings };
  }
  return { ...known, awayFromOthers: new Map(), findings: [] };
}

/** Jobs of training do collectives, whose algorithms have an order. */
function isOrdered({ jobs }: Plan): (job: number) => boolean {
  return (job) => job >= 0 && job < jobs.length;
}

/** Transfers begin when their traffic says; ranks of jobs when messages have come. */
function ranksWait(jobs: readonly ObservedJob[]): (job: number) => boolean {
  return (job) => job >= 0 && jobs[job]!.nodes !== null;
}

/** What flows of other jobs sent, by output port. */
function bytesOfOthers({ portCount }: Fabric, flows: ObservedFlows, job: number): Float64Array {
  const bytes = new Float64Array(portCount);
  for (let flow = 0; flow < flows.count; flow++)
    for (let entry = flows.offsets[flow]!; flows.job[flow] !== job && entry < flows.offsets[flow + 1]!; entry++)
      bytes[flows.ports[entry]!]! += flows.wireBytes[flow]! * flows.shares[entry]!;
  return bytes;
}

/** When the last transfer that begins at a time of its own would end if only the links of hosts cost time. */
function latestEndPs({ jobs }: ObservedRun, flows: ObservedFlows, found: FlowProgress): number {
  let latestPs = 0;
  for (let flow = 0; flow < flows.count; flow++) {
    const job = flows.job[flow]!;
    if (job >= 0 && jobs[job]!.nodes !== null) continue;
    latestPs = Math.max(latestPs, flows.startPs[flow]! + lifeIn(flows, found, flow, 'hosts'));
  }
  return latestPs;
}

/**
 * Whose losses are looked at, in turn until something is found: jobs first; then flows of none and programs made as
 * background, which beside jobs are what is in their way.
 */
function askedJobs({ jobs }: ObservedRun, only: number | null): number[][] {
  if (only !== null) return [[only]];
  const all = Array.from(jobs.keys());
  const isOwn = (job: number): boolean => !jobs[job]!.isBackground;
  return [all.filter(isOwn), [-1, ...all.filter((job) => !isOwn(job))]];
}

/** Every job by itself, as each has an owner of its own. */
async function asOwner(run: RunTables, observed: ObservedRun, plan: Plan, only: number | null): Promise<Diagnosis> {
  const samples = await readLinkSamples(run, observed.fabric);
  const mappings = new Map<number, JobMapping>();
  const known = { observed, awayFromOthers: new Map<number, JobMapping>(), latestPs: 0 };
  for (const asked of askedJobs(observed, only)) {
    const findings = asked.flatMap((job) => findingsOfOwner(observed, plan, samples, job, mappings));
    if (findings.length > 0) return { ...known, mappings, findings: joinedFindings(findings) };
  }
  return { ...known, mappings, findings: [] };
}

/** Ways from samples are guesses, and what is wrong with them would add up along ranks that wait for each other. */
const byThemselves = (): boolean => false;

/** What the owner of a job finds. @param mappings takes better places for its ranks */
function findingsOfOwner(
  observed: ObservedRun,
  plan: Plan,
  samples: LinkSamples,
  job: number,
  mappings: Map<number, JobMapping>,
): CauseFinding[] {
  const { fabric, jobs } = observed;
  const which = Int32Array.from({ length: observed.flows.count }, (_, i) => i).filter(
    (flow) => observed.flows.job[flow] === job,
  );
  if (which.length === 0) return [];
  const builtBps = Float64Array.from({ length: fabric.portCount }, (_, port) => rateOf(fabric, port));
  const rows = jobSamples(samples, job);
  const flows = ownerFlows(fabric, observed.flows, which, rows);
  const found = flowProgress(fabric, flows, jobs.length, builtBps);
  const losses = lossesOfJobs(fabric, flows, found, byThemselves);
  const [loss] = losses;
  const seen = sampledTraffic(fabric, samples, job, flows, loss!.busyPs);
  const single = singleWays(observed, which, rows, builtBps, seen, loss!);
  const own = mappingsOf(observed, flows, losses);
  for (const [number, mapping] of own) mappings.set(number, mapping);
  const said = flowFindings(fabric, flows, found, losses, own, { seen, single }, undefined, isOrdered(plan));
  return said.map((finding) => withEvidence(fabric, seen, finding));
}

/** What a job would lose if each of its flows took one way, and how unevenly its links are used. */
function singleWays(
  { fabric, flows, jobs }: ObservedRun,
  which: Int32Array,
  rows: JobSamples,
  builtBps: Float64Array,
  { traffic }: SampledTraffic,
  { job, lostPs }: JobLoss,
): SingleWays {
  const single = ownerFlows(fabric, flows, which, rows, new RandomStream(1, `ways of job ${job}`));
  const found = flowProgress(fabric, single, jobs.length, builtBps);
  const [loss] = lossesOfJobs(fabric, single, found, byThemselves);
  const groupOf = portGroups(fabric);
  const groups = new Map<number, { sum: number; most: number; ports: number }>();
  for (let port = 0; port < fabric.portCount; port++) {
    const ends = [fabric.nodeKind[fabric.portNode[port]!], fabric.nodeKind[fabric.portNeighbour[port]!]];
    if (ends.some((kind) => kind !== NodeKind.switch)) continue;
    const own = groups.get(groupOf[port]!) ?? { sum: 0, most: 0, ports: 0 };
    groups.set(groupOf[port]!, {
      sum: own.sum + traffic[port]!,
      most: Math.max(own.most, traffic[port]!),
      ports: own.ports + 1,
    });
  }
  let [weighted, weight] = [0, 0];
  for (const { sum, most, ports } of groups.values()) {
    weighted += most * ports;
    weight += sum;
  }
  return {
    share: lostPs.unexplained > 0 ? loss!.lostPs.routes / lostPs.unexplained : 0,
    unevenness: weight > 0 ? weighted / weight : 1,
  };
}

/** The rows of a job. */
function jobSamples(samples: LinkSamples, job: number): JobSamples {
  const rows = Int32Array.from({ length: samples.rows }, (_, row) => row).filter((row) => samples.job[row] === job);
  const some = (column: ArrayLike<number>): Float64Array => Float64Array.from(rows, (row) => column[row]!);
  return {
    rows: rows.length,
    port: some(samples.port),
    sourceRank: some(samples.sourceRank),
    destinationRank: some(samples.destinationRank),
    classRanks: some(samples.classRanks),
    traffic: some(samples.traffic),
  };
}

/** What a job's samples say of links: the share of a link's rate follows from its bytes and the time it had flows. */
function sampledTraffic(
  fabric: Fabric,
  samples: LinkSamples,
  job: number,
  flows: ObservedFlows,
  busyPs: number,
): SampledTraffic {
  const { traffic, congested } = estimatesByPort(samples, fabric, (row) => samples.job[row] === job);
  const bytes = new Float64Array(fabric.portCount);
  for (let flow = 0; flow < flows.count; flow++)
    for (let entry = flows.offsets[flow]!; entry < flows.offsets[flow + 1]!; entry++)
      bytes[flows.ports[entry]!]! += flows.wireBytes[flow]! * flows.shares[entry]!;
  const utilisation = bytes.map((sum, port) => (busyPs > 0 ? (8e12 * sum) / (rateOf(fabric, port) * busyPs) : 0));
  return { traffic, congested, utilisation };
}

/** @param background what others sent by output port, beside a job; left out: nothing counts */
function mappingsOf(
  { fabric, jobs }: ObservedRun,
  flows: ObservedFlows,
  losses: readonly JobLoss[],
  background: ((job: number) => Float64Array) | null = null,
): Map<number, JobMapping> {
  const mappings = new Map<number, JobMapping>();
  for (const { job, flows: own } of losses) {
    const nodes = job < 0 ? null : jobs[job]!.nodes;
    if (nodes === null || !jobs[job]!.mayMove) continue;
    const traffic = rankTraffic(flows, own, nodes.length, jobs[job]!.withinNodes);
    if (traffic !== null) mappings.set(job, proposeMapping(fabric, traffic, nodes, background?.(job) ?? null));
  }
  return mappings;
}

/** Pairs of ranks beyond which no other mapping is looked for. */
const mostPairs = 1_000_000;

/** What the ranks of a job sent each other; null: it is not known, or there are too many pairs. */
function rankTraffic(
  flows: ObservedFlows,
  own: Int32Array,
  ranks: number,
  withinNodes: ObservedJob['withinNodes'],
): RankTraffic | null {
  const sums = new Map<number, number>();
  // messages between ranks of a node are no flows; elsewhere they would be
  withinNodes((from, to, bytes) => sums.set(from * ranks + to, (sums.get(from * ranks + to) ?? 0) + bytes));
  for (const flow of own) {
    const [from, to] = [flows.sourceRank[flow]!, flows.destinationRank[flow]!];
    if (from === -1 || to === -1) return null;
    const key = from * ranks + to;
    sums.set(key, (sums.get(key) ?? 0) + flows.wireBytes[flow]!);
    if (sums.size > mostPairs) return null;
  }
  const keys = Float64Array.from(sums.keys());
  return {
    from: Int32Array.from(keys, (key) => Math.floor(key / ranks)),
    to: Int32Array.from(keys, (key) => key % ranks),
    bytes: Float64Array.from(sums.values()),
  };
}
