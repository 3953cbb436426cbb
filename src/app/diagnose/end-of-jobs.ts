// When the jobs of a run had ended: what a remedy is measured by. What runs beside them may go on.

import type { RunSummary } from '../run-progress.js';

/** The end of some jobs, by their numbers in the summary; of flows of none (-1) that of the run. In picoseconds. */
export function endOfJobs(summary: RunSummary, jobs: readonly number[]): number {
  const ends = [
    ...summary.jobs.map(({ startPs, totalPs }) => startPs + totalPs.maximum),
    ...[...summary.programs, ...summary.transferJobs].map(({ startPs, totalPs }) => startPs + totalPs),
  ];
  return lastOf(ends, jobs, summary.simulatedPs);
}

/** The same of a stored summary (docs/formats/run-directory.md). */
export function endOfStoredJobs(summary: Readonly<Record<string, unknown>> | null, jobs: readonly number[]): number {
  const list: readonly unknown[] = Array.isArray(summary?.['jobs']) ? summary['jobs'] : [];
  const ends = list.map((job) => {
    const { startNs, totalNs, ranks } = job as Readonly<Record<string, unknown>>;
    const longestNs = typeof ranks === 'object' && ranks !== null ? (ranks as { readonly max?: unknown }).max : totalNs;
    return Math.round(1000 * (Number(startNs) + Number(longestNs ?? totalNs)));
  });
  return lastOf(ends, jobs, Math.round(1000 * Number(summary?.['simulatedNs'] ?? 0)));
}

function lastOf(ends: readonly number[], jobs: readonly number[], simulatedPs: number): number {
  const own = jobs.map((job) => ends[job]).filter((end) => end !== undefined && Number.isFinite(end)) as number[];
  return own.length < jobs.length || own.length === 0 ? simulatedPs : Math.max(...own);
}
