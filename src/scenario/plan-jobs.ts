// The workload of a scenario -> the jobs that run, and how their collectives are done.
// Invariant: what is returned can be carried out: groups fit the fabric, and no transfer is larger than a transfer may be.

import type { Diagnostics } from '../base/diagnostics.js';
import type { Host } from '../base/host.js';
import { maxCollectiveBytes } from '../collectives/collective-run.js';
import type { Fabric } from '../fabric/fabric.js';
import { maxTransferBytes } from '../flows/work-source.js';
import { chunksOf } from '../jobs/build-program.js';
import type { Job } from '../jobs/job.js';
import { passNames } from '../workload/policies.js';
import type { Workload } from '../workload/workload.js';
import { errorAt, nodeAt, type Place } from './located.js';
import { planWorkload } from './plan-workload.js';
import { groupText, sizeText } from './quantity-text.js';
import type { Scenario } from './read-scenario.js';
import { groupAt } from './resolve.js';
import { jobSettings } from './workload-schema.js';

export interface PlannedJobs {
  readonly value: readonly Job[];
  /** the workload as a scenario would write it; null: there is none */
  readonly resolved: Readonly<Record<string, unknown>> | null;
}

/** The jobs of a scenario: none without a workload. @returns null after at least one error */
export async function planJobs(scenario: Scenario, fabric: Fabric, host: Host, diagnostics: Diagnostics): Promise<PlannedJobs | null> {
  const { root, workload: form } = scenario;
  if (nodeAt(root, ['workload']) === undefined) return { value: [], resolved: null };
  const planned = await planWorkload(scenario, fabric, host, diagnostics);
  if (planned === null || form === null) return null;
  const workload = planned.value;
  if (!isRunnable(workload, nodeAt(root, ['workload', form])!.place, diagnostics)) return null;
  const values = groupAt(root, ['workload'], jobSettings);
  const job: Job = {
    name: 'workload',
    workload,
    ranks: Int32Array.from({ length: workload.groups.gpus }, (_, rank) => rank),
    startPs: 0,
    ...values,
    computeSpeed: null,
  };
  return { value: [job], resolved: { ...planned.resolved, ...groupText(jobSettings, values) } };
}

/** What a workload may be by itself, and cannot be run as. */
function isRunnable(workload: Workload, place: Place, diagnostics: Diagnostics): boolean {
  const { layers, groups, microBatches, stageTransferBytes } = workload;
  const errorsBefore = diagnostics.errorCount;
  for (const pass of passNames) {
    const largest = layers[pass].sizeBytes.findIndex((sizeBytes) => sizeBytes > maxCollectiveBytes);
    if (largest >= 0) errorAt(diagnostics, 'workload-too-large', place, `layer ${layers.name[largest]!} has a collective larger than one may be`, { got: sizeText(layers[pass].sizeBytes[largest]!), wanted: `at most ${sizeText(maxCollectiveBytes)}` });
  }
  if (groups.pipeline > 1 && stageTransferBytes > maxTransferBytes) errorAt(diagnostics, 'workload-too-large', place, 'what a stage sends to the next is larger than a transfer may be', { got: sizeText(stageTransferBytes), wanted: `at most ${sizeText(maxTransferBytes)}` });
  if (chunksOf(workload) > 1 && microBatches % groups.pipeline !== 0) {
    errorAt(diagnostics, 'workload-micro-batches', place, `an interleaved pipeline needs micro-batches in multiples of its ${groups.pipeline} stages`, { got: `${microBatches} micro-batches`, wanted: `a multiple of ${groups.pipeline}` });
  }
  return diagnostics.errorCount === errorsBefore;
}
