// A plan's run: it is put together (compose-run.ts) and driven in slices until it ends.
// Invariant: the length of a slice never affects results.

import type { Host } from '../base/host.js';
import { slotBytes } from '../collectives/chunking.js';
import type { MakeAdmission } from '../execution/admission.js';
import { type RunState, type Verdict, wasCut } from '../execution/network.js';
import type { ConnectionQueuePairs } from '../execution/queue-pair-shares.js';
import type { UnfinishedFlow } from '../execution/unfinished-flows.js';
import type { InferenceReport } from '../inference/inference-report.js';
import { JobRecorder, jobTables } from '../jobs/job-recorder.js';
import type { JobReport } from '../jobs/job-report.js';
import { lostTimeReport } from '../measurement/lost-causes.js';
import type { LinkLoads } from '../measurement/link-loads.js';
import { unfinishedFigures } from '../measurement/unfinished-figures.js';
import type { ProgramReport } from '../programs/program-report.js';
import type { DescribeTransfer } from '../records/transfer-label.js';
import { UnfinishedColumn, unfinishedTable } from '../records/flow-records.js';
import { type RecordSink, type TableSchema, TableWriter } from '../records/schema.js';
import { routesByRules } from '../routing/table-routes.js';
import type { Plan } from '../scenario/plan.js';
import { composeRun } from './compose-run.js';
import { DigestSink } from './digest.js';
import { WorkShare } from './forecast/work-share.js';
import { makeNetwork } from './make-network.js';
import { planController } from './plan-controller.js';
import { planWork } from './plan-work.js';
import type { Progress, RunSummary } from './run-progress.js';
import { TransferLabels } from './transfer-labels.js';

/** events of the first slice, and of the shortest and longest ones */
const firstSliceEvents = 1000;
const fewestSliceEvents = 16;
const mostSliceEvents = 100_000;

export interface SimulateOptions {
  readonly host: Host;
  /** where records go besides the digest and the statistics */
  readonly sink?: RecordSink;
  /** tables that somebody wants beside those that the plan asks for: the digest is that without them */
  readonly undigested?: readonly TableSchema[];
  /** called between slices */
  readonly onProgress?: (progress: Progress) => void;
  /** wall-clock milliseconds before it is called first, and between two calls; left out: 0 */
  readonly progressEveryMs?: number;
  /** asked between slices; true ends the run cleanly with the outcome `stopped` */
  readonly stopRequested?: () => boolean;
  /** counts what every link carries; made for the plan's fabric */
  readonly linkLoads?: LinkLoads;
  /**
   * who gives flows their source ports, holds them back and moves them, instead of the plan's controller and pins: the
   * summary has no figures of either then
   */
  readonly admission?: MakeAdmission;
  /** events per slice; never affects results. Left out: up to 100,000, fewer if they take long */
  readonly sliceEvents?: number;
  /** bucket width of the event wheel in picoseconds, a power of two; never affects results */
  readonly wheelWidthPs?: number;
}

/**
 * Runs a plan to its end.
 * @returns the figures of the run; the records went to the sink
 * @throws InvariantError if Weft contradicts itself; InputError if a file changed after the plan was made, or if
 * its traffic can be read once and was
 */
export async function simulate(plan: Plan, options: SimulateOptions): Promise<RunSummary> {
  const { host } = options;
  const [cpuStart, wallStart] = [host.cpuSeconds(), host.wallMs()];
  const spent = (): Spent => ({
    cpuSeconds: host.cpuSeconds() - cpuStart,
    wallSeconds: (host.wallMs() - wallStart) / 1000,
  });
  const sink = new DigestSink(options.sink, host.sha256, options.undigested ?? []);
  const run = compose(plan, sink, options);
  const { executor, network } = run;
  let ended;
  try {
    const state = await driven(run, plan, sink, options, spent);
    const unfinished = state === 'finished' ? [] : executor.unfinishedFlows();
    if (plan.stopPs < Infinity) writeUnfinished(unfinished, network.nowPs, sink);
    executor.close();
    if (state !== 'finished') run.jobs?.cutAt(network.nowPs);
    run.recorder?.close();
    const inference = run.inference?.report() ?? null;
    const programs = run.programs?.reports(network.nowPs) ?? [];
    await sink.drain();
    ended = { state, unfinished, inference, programs };
  } finally {
    await run.source.close();
  }
  return { ...figuresOf(plan, run, ended), digest: sink.digest(), ...spent(), peakMemoryBytes: host.peakMemoryBytes() };
}

type Run = ReturnType<typeof compose>;
type Spent = Pick<RunSummary, 'cpuSeconds' | 'wallSeconds'>;

/** Drives a run in slices until it ends, or somebody wishes it. */
async function driven(
  run: Run,
  plan: Plan,
  sink: RecordSink,
  options: SimulateOptions,
  spent: () => Spent,
): Promise<RunState> {
  const { host, stopRequested, onProgress, progressEveryMs = 0 } = options;
  const { executor, network, source } = run;
  const share = new WorkShare(plan, host, run, source.total);
  let sliceEvents = options.sliceEvents ?? firstSliceEvents;
  let state: RunState = 'running';
  let nextProgressMs = host.wallMs() + progressEveryMs;
  while (state === 'running' || state === 'starved') {
    if (stopRequested?.() === true) return 'stopped';
    const sliceStart = host.wallMs();
    state = executor.advance(sliceEvents);
    const sliceMs = host.wallMs() - sliceStart;
    if (options.sliceEvents === undefined) sliceEvents = nextSliceEvents(sliceEvents, sliceMs);
    if (state === 'starved') await source.refill();
    if (sink.full) await sink.drain();
    if (onProgress !== undefined) share.countOn(sliceMs);
    if (onProgress !== undefined && host.wallMs() >= nextProgressMs) {
      nextProgressMs = host.wallMs() + progressEveryMs;
      const { packetHops = null, payloadBytesDelivered: payloadDelivered } = network.counters;
      const { started: flowsStarted, finishedCount: flowsFinished, payloadStarted } = executor;
      const done = { nowPs: network.nowPs, flowsStarted, flowsFinished, packetHops };
      onProgress({
        ...done,
        flowsTotal: source.total,
        ...spent(),
        share: share.of({ ...done, payloadStarted, payloadDelivered }),
      });
    }
    await host.breathe();
  }
  return state;
}

/** What a run ended with. */
interface RunEnd {
  readonly state: RunState;
  readonly unfinished: readonly UnfinishedFlow[];
  readonly inference: InferenceReport | null;
  readonly programs: readonly ProgramReport[];
}

/** What a run came to, but for its digest and what it cost. */
function figuresOf(plan: Plan, run: Run, { state, unfinished, inference, programs }: RunEnd) {
  const { executor, network } = run;
  const jobs = run.jobs?.reports(network.nowPs) ?? [];
  return {
    backend: plan.backend.name,
    insteadOfPackets: plan.backend.insteadOfPackets,
    sendsCollectives: plan.backend.collectives.kind === 'simulated',
    outcome: state as RunSummary['outcome'],
    flows: executor.started,
    finished: executor.finishedCount,
    unfinished: unfinishedFigures(unfinished, network.nowPs),
    fct: run.completions.statistics(),
    slowdown: executor.slowdowns.statistics(),
    collisions: executor.collisions.count(),
    lostTime: lostTimeReport(plan.fabric, executor.lostTime.figures(), plan.identity),
    simulatedPs:
      state === 'finished'
        ? Math.max(
            executor.lastFinishPs,
            ...jobs.map(({ startPs, totalPs }) => startPs + totalPs.maximum),
            ...programs.map(({ startPs, totalPs }) => startPs + totalPs),
          )
        : network.nowPs,
    ...(plan.cost === null ? {} : { cost: plan.cost.network + plan.cost.gpus }),
    controller: run.requests?.figures ?? null,
    pins: run.pinned === null ? null : { pinned: run.pinned.pinned, unpinned: run.pinned.unpinned },
    failures: run.failures === null ? null : { changes: run.failures.happened, reroutes: run.failures.reroutes },
    counters: network.counters,
    unmarked: run.unmarked?.() ?? null,
    pauses: run.hostPauses?.() ?? null,
    watchdog: run.watchdog?.() ?? null,
    probes: run.probeSummary?.() ?? null,
    inference,
    jobs,
    programs,
    transferJobs: run.transferJobs?.figures() ?? [],
    fastForward: run.jobs?.fastForwardFigures() ?? null,
    verdicts: [
      ...executor.verdicts(state),
      ...jobVerdicts(jobs, state),
      ...programVerdicts(programs, state),
      ...unsentVerdict(plan, executor.started, state),
    ],
  };
}

/** Events of a job may be many operations each: slices are as long as a run can be stopped and report soon. */
function nextSliceEvents(events: number, tookMs: number): number {
  return tookMs > 200
    ? Math.max(fewestSliceEvents, events >> 2)
    : tookMs < 50
      ? Math.min(mostSliceEvents, events << 1)
      : events;
}

function compose(plan: Plan, sink: RecordSink, { wheelWidthPs, linkLoads, admission }: SimulateOptions) {
  const labels = new TransferLabels();
  const describe: DescribeTransfer = (transfer, source, destination, into) =>
    labels.describe(transfer, source, destination, into);
  const recorder =
    plan.jobs.length > 0 && jobTables(plan.timeline).length > 0 ? new JobRecorder(sink, plan.timeline) : null;
  const run = composeRun({
    routes: routesByRules(plan.fabric, plan.routing),
    packet: plan.packet,
    failures: plan.failures.changes.count > 0 ? plan.failures : null,
    looksAtNics: true,
    controller: (tracer, frontier, linksChange) => planController(plan, tracer, frontier, linksChange),
    admission,
    sourcePorts: plan.sourcePorts,
    pins: plan.pins,
    makeNetwork: (wiring) => makeNetwork(plan, { ...wiring, describe, sink, wheelWidthPs: wheelWidthPs ?? null }),
    makeWork: (tracer) => {
      // whoever counts links or places flows wants all of them
      const work = planWork(plan, tracer, sink, recorder, linkLoads === undefined && admission === undefined);
      labels.use(work);
      return work;
    },
    sink,
    linkLoads: linkLoads ?? null,
    sendLatencyPs: plan.sendLatencyPs,
    stopPs: plan.stopPs,
    queuePairsPerConnection: connectionQueuePairs(plan.collectives),
  });
  return { ...run, recorder };
}

/** Queue pairs of connections as NCCL's environment asks for them; null: as many as those of flows. */
function connectionQueuePairs({ environment }: Plan['collectives']): ConnectionQueuePairs | null {
  if (environment?.queuePairs === undefined) return null;
  return {
    perPort: environment.queuePairs,
    splits: environment.splitsData === true,
    messageBytes: slotBytes(environment.bufferBytes),
  };
}

/** Every job has to come to its end, unless the run was cut off. */
function jobVerdicts(jobs: readonly JobReport[], state: RunState): Verdict[] {
  if (jobs.length === 0 || wasCut(state)) return [];
  const unfinished = jobs.filter(({ isFinished }) => !isFinished).map(({ name }) => name);
  return [
    {
      name: 'all jobs finished',
      ok: unfinished.length === 0,
      detail:
        `${jobs.length - unfinished.length} of ${jobs.length} jobs ` +
        `finished${unfinished.length === 0 ? '' : `; not ${unfinished.slice(0, 10).join(', ')}`}`,
    },
  ];
}

/** A run that has finished without all of its traffic has not done what was asked; said only then. */
function unsentVerdict({ source }: Plan, started: number, state: RunState): Verdict[] {
  // where transfers wait for others, the total is a forecast
  if (state !== 'finished' || source.transferFinished !== undefined || !(started < source.total)) return [];
  return [
    {
      name: 'all traffic was sent',
      ok: false,
      detail: `${started} flows were started of the ${source.total} transfers of the traffic`,
    },
  ];
}

/** Every program has to come to its end, unless the run was cut off, and every message to its receiver. */
function programVerdicts(programs: readonly ProgramReport[], state: RunState): Verdict[] {
  if (programs.length === 0 || wasCut(state)) return [];
  const unfinished = programs.filter(({ isFinished }) => !isFinished);
  const lost = programs.filter(({ isConserved }) => isConserved === false).map(({ name }) => name);
  const waits = unfinished.slice(0, 3).map(({ name, waiting }) => `${name}: ${waiting}`);
  return [
    {
      name: 'all programs finished',
      ok: unfinished.length === 0,
      detail: `${programs.length - unfinished.length} of ${programs.length} programs finished${waits.length === 0 ? '' : `; ${waits.join('; ')}`}`,
    },
    {
      name: 'every message received once',
      ok: lost.length === 0,
      detail:
        `${programs.reduce((sum, { messages, messagesInNodes }) => sum + messages + messagesInNodes, 0)} ` +
        `messages${lost.length === 0 ? '' : `; not those of ${lost.slice(0, 10).join(', ')}`}`,
    },
  ];
}

/** Writes a row for each flow that is unfinished at a time. Whole sink batches wait in memory until it drains. */
function writeUnfinished(flows: readonly UnfinishedFlow[], nowPs: number, sink: RecordSink): void {
  const writer = new TableWriter(unfinishedTable, sink);
  for (const flow of flows) {
    const { columns, rows } = writer;
    columns[UnfinishedColumn.flow]![rows] = flow.id;
    columns[UnfinishedColumn.source]![rows] = flow.source;
    columns[UnfinishedColumn.destination]![rows] = flow.destination;
    columns[UnfinishedColumn.sourcePort]![rows] = flow.sourcePort;
    columns[UnfinishedColumn.destinationPort]![rows] = flow.destinationPort;
    columns[UnfinishedColumn.size]![rows] = flow.sizeBytes;
    columns[UnfinishedColumn.start]![rows] = flow.startPs;
    columns[UnfinishedColumn.stop]![rows] = nowPs;
    columns[UnfinishedColumn.delivered]![rows] = flow.deliveredBytes ?? NaN;
    writer.commit();
  }
  writer.flush();
}
