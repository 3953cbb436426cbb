// A job put together by hand and run on the packet engine, for tests of jobs: layers and groups in; report, rows and
// verdicts out.

import type { Fabric } from '../../src/fabric/fabric.js';
import { generateFabric } from '../../src/fabric/generators/catalogue.js';
import type { CollectiveSettings, Job } from '../../src/jobs/job.js';
import type { FastForwardSettings } from '../../src/jobs/fast-forward/replay-events.js';
import { JobRecorder } from '../../src/jobs/job-recorder.js';
import type { CollectiveCosts } from '../../src/jobs/collective-costs.js';
import type { JobReport } from '../../src/jobs/job-report.js';
import { JobWork } from '../../src/jobs/job-work.js';
import { MemorySink } from '../../src/records/memory-sink.js';
import { EqualCostRoutes } from '../../src/routing/equal-cost.js';
import { type GroupSizes, LayerBuilder, type Layer, type Workload } from '../../src/workload/workload.js';
import { type EngineRun, engineRun } from './engine-run.js';

export type LayerText = Partial<Layer> & { readonly name: string };

/** A workload of layers; what is left out is plain. */
export function workloadOf(
  layers: readonly LayerText[],
  groups: Partial<GroupSizes>,
  rest: Partial<Workload> = {},
): Workload {
  const builder = new LayerBuilder();
  for (const layer of layers) builder.add(layer);
  return {
    policy: 'HYBRID_TRANSFORMER_FWD_IN_BCKWD',
    groups: { tensor: 1, expert: 1, pipeline: 1, gpus: 1, ...groups },
    chunksPerStage: 1,
    microBatches: 1,
    stageTransferBytes: 0,
    lastBottomLayer: -1,
    layers: builder.build(),
    ...rest,
  };
}

/** The first ranks of a fabric run a workload. */
export function jobOf(workload: Workload, rest: Partial<Job> = {}): Job {
  return {
    name: 'job',
    workload,
    ranks: Int32Array.from({ length: workload.groups.gpus }, (_, rank) => rank),
    startPs: 0,
    iterations: 1,
    pipelineSchedule: '1f1b',
    computeSpeed: null,
    ...rest,
  };
}

export const plainCollectives: CollectiveSettings = {
  profile: 'simai',
  algorithm: 'auto',
  protocol: 'auto',
  nvls: false,
  pxn: false,
  collnet: false,
  channels: 0,
};

export interface JobsRun extends EngineRun {
  readonly work: JobWork;
  readonly reports: readonly JobReport[];
  /** rows of jobs, of everybody's time */
  readonly jobSink: MemorySink;
}

/** The routes that a run by hand takes. */
export const routesOf = (fabric: Fabric): EqualCostRoutes => new EqualCostRoutes(fabric, 'descending-node-id');

export function runJobs(
  jobs: readonly Job[],
  fabric: Fabric,
  settings: Partial<CollectiveSettings> = {},
  costs: CollectiveCosts | null = null,
  fastForward: FastForwardSettings | null = null,
): JobsRun {
  const jobSink = new MemorySink();
  const recorder = new JobRecorder(jobSink, { ranks: 'all', moves: true });
  const work = new JobWork(jobs, {
    fabric,
    settings: { ...plainCollectives, ...settings },
    recorder,
    costs,
    streams: null,
    fastForward: fastForward === null ? null : { settings: fastForward, routes: routesOf(fabric) },
  });
  const run = engineRun(fabric, work);
  recorder.close();
  return { ...run, work, reports: work.reports(run.network.nowPs), jobSink };
}

/** One server of so many GPUs on an NVSwitch. */
export function oneServer(gpus: number): Fabric {
  return generateFabric('dcn+', {
    gpus: Math.max(2, gpus),
    gpusPerServer: Math.max(2, gpus),
    nicsPerAsw: Math.max(2, gpus),
    nvswitchesPerServer: 1,
  });
}
