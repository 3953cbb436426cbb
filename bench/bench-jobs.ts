// `npm run bench -- --jobs`: every job in a process of its own, a few times, of which the fastest counts. Jobs of minutes
// run with --long, or by name.

import { execFileSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { type JobWorkload, jobWorkloads } from './job-workloads.js';
import { type JobMeasurement, measureJob } from './measure-job.js';

export interface JobsOptions {
  readonly only?: string;
  readonly runs: string;
  readonly cold?: true;
  readonly long?: true;
  readonly json?: true;
}

const nameWidth = 20;

/** The jobs that are asked for. */
export function chosenJobs({ only, long }: Pick<JobsOptions, 'only' | 'long'>): JobWorkload[] {
  return jobWorkloads.filter(({ name, isLong }) =>
    only === undefined ? long === true || isLong !== true : name === only,
  );
}

/** Measures the jobs that are asked for and prints them as they end. @returns their figures */
export function benchJobs(options: JobsOptions): JobMeasurement[] {
  if (options.json !== true)
    process.stdout.write(
      `${''.padEnd(nameWidth)}${['CPU s', 'M hops/s', 'k flows/s', 'sim. ms/s', 'MB', 'limit'].map((word) => word.padStart(10)).join('')}\n`,
    );
  return chosenJobs(options).map((workload) => {
    let best: JobMeasurement | null = null;
    for (let run = 0; best === null || run < Number(options.runs); run++) {
      const measured = inOwnProcess(workload.name, options);
      if (best === null || measured.cpuSeconds < best.cpuSeconds) best = measured;
    }
    process.stdout.write(options.json === true ? `${JSON.stringify(best)}\n` : rowOf(best));
    return best;
  });
}

/** Measures jobs in this process, and prints an object for each. */
export async function measureJobs(options: JobsOptions): Promise<void> {
  for (const workload of chosenJobs(options)) {
    if (options.cold !== true) await measureJob(workload, false);
    const fastest = await fastestInARow(workload, options.cold === true ? 1 : (workload.inARow ?? 1));
    process.stdout.write(`${JSON.stringify(fastest)}\n`);
  }
}

function inOwnProcess(name: string, { cold }: JobsOptions): JobMeasurement {
  const program = fileURLToPath(new URL('main.js', import.meta.url));
  const flags = ['--jobs', '--in-process', '--only', name, ...(cold === true ? ['--cold'] : [])];
  return JSON.parse(execFileSync(process.execPath, [program, ...flags], { encoding: 'utf8' })) as JobMeasurement;
}

/** Two lines of at most 80 columns: rates are for each CPU second. */
function rowOf(measured: JobMeasurement): string {
  const { name, about, cpuSeconds, packetHopsPerCpuSecond, flowsPerCpuSecond, peakRssMb, mostCpuSeconds } = measured;
  const cells = [
    cpuSeconds.toFixed(2),
    packetHopsPerCpuSecond === null ? '-' : (packetHopsPerCpuSecond / 1e6).toFixed(2),
    (flowsPerCpuSecond / 1e3).toFixed(1),
    (measured.simulatedSecondsPerCpuSecond * 1e3).toPrecision(3),
    String(peakRssMb),
    mostCpuSeconds === null ? '-' : String(mostCpuSeconds),
  ];
  return `${name.padEnd(nameWidth)}${cells.map((cell) => cell.padStart(10)).join('')}\n  ${about}\n`;
}

async function fastestInARow(workload: JobWorkload, runs: number): Promise<JobMeasurement> {
  let fastest = await measureJob(workload, true);
  for (let run = 1; run < runs; run++) {
    const measured = await measureJob(workload, true);
    if (measured.cpuSeconds < fastest.cpuSeconds) fastest = measured;
  }
  return fastest;
}
