// One scenario, measured in this process: CPU seconds and memory of a run as `weft run` does it, digest included, the
// plan apart.

import { simulate } from '#weft/app/simulate.js';
import { makePlan } from '#weft/scenario/make-plan.js';
import { nodeHost } from '#weft/storage/node-host.js';
import type { JobWorkload } from './job-workloads.js';

export interface JobMeasurement {
  readonly name: string;
  readonly about: string;
  readonly flows: number;
  readonly packetHops: number;
  readonly planCpuSeconds: number;
  readonly cpuSeconds: number;
  readonly mostCpuSeconds: number;
  readonly peakRssMb: number;
  readonly simulatedUs: number;
}

/**
 * Runs a workload once.
 * @param isWhole false: its small form, as a warm-up
 * @throws Error if a check of the run fails
 */
export async function measureJob(workload: JobWorkload, isWhole: boolean): Promise<JobMeasurement> {
  const host = { ...nodeHost(), readText: () => Promise.resolve(workload.scenario) };
  const start = host.cpuSeconds();
  const plan = await makePlan(`${workload.name}.yaml`, { overrides: isWhole ? [] : workload.small, host });
  const planCpuSeconds = host.cpuSeconds() - start;
  const summary = await simulate(plan, { host });
  for (const verdict of summary.verdicts)
    if (!verdict.ok) throw new Error(`${workload.name}: ${verdict.name}: ${verdict.detail}`);
  return {
    name: workload.name,
    about: workload.about,
    flows: summary.flows,
    packetHops: summary.counters['packetHops'] ?? 0,
    planCpuSeconds,
    cpuSeconds: summary.cpuSeconds,
    mostCpuSeconds: workload.mostCpuSeconds,
    peakRssMb: Math.round(summary.peakMemoryBytes / 2 ** 20),
    simulatedUs: summary.simulatedPs / 1e6,
  };
}
