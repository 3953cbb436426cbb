// What a plan sends, as one source: its own transfers, requests of inference, jobs.
// Invariant: transfers of inference are numbered behind those of the traffic, those of jobs behind both, those of
// programs behind all.

import { InputError } from '../base/diagnostics.js';
import { fastestNicBps } from '../fabric/nics.js';
import { MergedWork } from '../flows/merged-work.js';
import { TransferJobs } from '../jobs/transfer-jobs.js';
import type { WorkSource } from '../flows/work-source.js';
import { InferenceWork } from '../inference/inference-work.js';
import type { JobRecorder } from '../jobs/job-recorder.js';
import { JobWork } from '../jobs/job-work.js';
import { ProgramWork } from '../programs/program-work.js';
import type { RecordSink } from '../records/schema.js';
import { hostsWithTwoPorts, nicPortsOf } from '../routing/nic-ports.js';
import type { PathTracer } from '../routing/path.js';
import type { Plan } from '../scenario/plan.js';
import { collectiveCosts, fastForwardMode, streamTimes } from './make-network.js';

/** first number of a job's transfer beside traffic of unknown size */
const firstIdBehindUnknown = 2 ** 40;
/** numbers that transfers of jobs have room for, before those of programs */
const idsOfJobs = 2 ** 42;

/** The parts of a plan's work, and all of it. */
export interface PlanWork {
  readonly source: WorkSource;
  /** null: none */
  readonly inference: InferenceWork | null;
  /** those of the plan's transfers that have names in common; null: none */
  readonly transferJobs: TransferJobs | null;
  /** null: none */
  readonly jobs: JobWork | null;
  /** null: none */
  readonly programs: ProgramWork | null;
  /** whether jobs send what they communicate; else closed forms say how long it takes */
  readonly jobsSend: boolean;
}

/**
 * Makes what a plan sends, from its start: a plan can be run again, unless its traffic can be read once.
 * @throws InputError if it was read before, and once is all
 * @param sink where records of requests go @param recorder where records of jobs go; null: nowhere
 * @param replays what the plan says of fast-forward holds; left out: everything is sent
 */
export function planWork(
  plan: Plan,
  tracer: PathTracer,
  sink: RecordSink,
  recorder: JobRecorder | null,
  replays = false,
): PlanWork {
  const { fabric } = plan;
  const traffic = trafficFromStart(plan);
  const inferenceId = Number.isFinite(plan.source.total) ? plan.source.total : firstIdBehindUnknown;
  const inference =
    plan.inference === null ? null : new InferenceWork(plan.inference, nicRates(plan, tracer), sink, inferenceId);
  const transferJobs = plan.transferJobs.length === 0 ? null : new TransferJobs(traffic, plan.transferJobs);
  const transfers = merged(transferJobs ?? traffic, inference, inferenceId);
  const firstId = inferenceId + (inference?.total ?? 0);
  const mode = replays ? fastForwardMode(plan) : null;
  const parts = {
    fabric,
    settings: plan.collectives,
    recorder,
    costs: collectiveCosts(plan, tracer),
    streams: streamTimes(plan, tracer),
    fastForward: mode === null ? null : { settings: mode, routes: tracer.routes },
  };
  const jobs = plan.jobs.length === 0 ? null : new JobWork(plan.jobs, parts, firstId);
  const programId = firstId + (jobs === null ? 0 : idsOfJobs);
  const programs = plan.programs.length === 0 ? null : new ProgramWork(plan.programs, sink, programId);
  const source = merged(merged(transfers, jobs, firstId), programs, programId);
  return { source, inference, transferJobs, jobs, programs, jobsSend: parts.costs === null };
}

/** Sources that can be read once, and have been given to a run. */
const given = new WeakSet<WorkSource>();

function trafficFromStart({ name, source }: Plan): WorkSource {
  if (source.fromStart !== undefined) return source.fromStart();
  if (given.has(source))
    throw InputError.about(
      'plan-used',
      name,
      'the traffic of this plan has been sent, and its source can be read once',
      { hint: 'make the plan again, or give the source fromStart()' },
    );
  given.add(source);
  return source;
}

/** Rate of a host's fastest NIC, bit/s: of its two ports together where flows are spread over them. */
function nicRates({ fabric, packet: { queuePair } }: Plan, tracer: PathTracer): (host: number) => number {
  const hasTwoPorts =
    queuePair.portChoice === 'hash' || nicPortsOf(tracer, queuePair) === null ? null : hostsWithTwoPorts(fabric);
  return (host) => fastestNicBps(fabric, host) * (hasTwoPorts?.[host] === 1 ? 2 : 1);
}

/** Two sources as one, where there are two. @param secondId number of the second one's first transfer */
function merged(first: WorkSource, second: WorkSource | null, secondId: number): WorkSource {
  return second === null ? first : first.total === 0 ? second : new MergedWork(first, second, secondId);
}
