// One scenario, measured in this process: CPU seconds and memory of a run as `weft run` does it, digest included, the
// plan apart.

import { HostFileError, type Host } from '#weft/base/host.js';
import { simulate } from '#weft/app/simulate.js';
import { makePlan } from '#weft/scenario/make-plan.js';
import { nodeHost } from '#weft/storage/node-host.js';
import type { JobWorkload } from './job-workloads.js';

export interface JobMeasurement {
  readonly name: string;
  readonly about: string;
  readonly backend: string;
  readonly flows: number;
  /** null on a backend without packets */
  readonly packetHops: number | null;
  readonly packetHopsPerCpuSecond: number | null;
  readonly flowsPerCpuSecond: number;
  readonly simulatedSecondsPerCpuSecond: number;
  readonly planCpuSeconds: number;
  readonly cpuSeconds: number;
  readonly mostCpuSeconds: number | null;
  readonly peakRssMb: number;
  readonly simulatedUs: number;
}

/**
 * Runs a workload once.
 * @param isWhole false: its small form, as a warm-up
 * @throws Error if a check of the run fails
 */
export async function measureJob(workload: JobWorkload, isWhole: boolean): Promise<JobMeasurement> {
  const scenario = `${workload.name}.yaml`;
  const files = new Map(Object.entries((await workload.files?.(isWhole)) ?? {})).set(scenario, workload.scenario);
  const host = inMemory(files);
  const start = host.cpuSeconds();
  const plan = await makePlan(scenario, { overrides: isWhole ? [] : workload.small, host });
  const planCpuSeconds = host.cpuSeconds() - start;
  const summary = await simulate(plan, { host });
  for (const verdict of summary.verdicts)
    if (!verdict.ok) throw new Error(`${workload.name}: ${verdict.name}: ${verdict.detail}`);
  const { cpuSeconds, flows } = summary;
  const packetHops = summary.counters['packetHops'] ?? null;
  return {
    name: workload.name,
    about: workload.about,
    backend: summary.backend,
    flows,
    packetHops,
    packetHopsPerCpuSecond: packetHops === null ? null : Math.round(packetHops / cpuSeconds),
    flowsPerCpuSecond: Math.round(flows / cpuSeconds),
    simulatedSecondsPerCpuSecond: Number((summary.simulatedPs / 1e12 / cpuSeconds).toPrecision(4)),
    planCpuSeconds,
    cpuSeconds,
    mostCpuSeconds: workload.mostCpuSeconds,
    peakRssMb: Math.round(summary.peakMemoryBytes / 2 ** 20),
    simulatedUs: summary.simulatedPs / 1e6,
  };
}

/** Node's host, with files in memory in place of those on disk. */
function inMemory(files: ReadonlyMap<string, string>): Host {
  const textOf = (path: string): string => {
    const text = files.get(path);
    if (text === undefined) throw new HostFileError(path, 'missing');
    return text;
  };
  return {
    ...nodeHost(),
    readText: (path) => Promise.resolve(textOf(path)),
    readBytes: async function* (path) {
      yield await Promise.resolve(Buffer.from(textOf(path)));
    },
    resolve: (_from, path) => path,
  };
}
