// What jobs lose to each other: their times together beside those by themselves.

import { formatTimePs } from '../base/units.js';
import type { JobReport } from '../jobs/job-report.js';
import { alignedTable } from './aligned-table.js';

/** A job together with the others, and by itself. */
export interface AloneFigures {
  readonly name: string;
  /** nanoseconds, the longest of its ranks; null: not finished */
  readonly togetherNs: number | null;
  readonly aloneNs: number | null;
  /** together over alone; null if one is not known */
  readonly slowdown: number | null;
}

/** The figures of all jobs. @param aloneNs by job */
export function aloneFigures(jobs: readonly JobReport[], aloneNs: readonly (number | null)[]): AloneFigures[] {
  return jobs.map((job, i) => {
    const together = job.isFinished ? job.totalPs.maximum / 1000 : null;
    const alone = aloneNs[i] ?? null;
    const slowdown = together === null || alone === null || alone === 0 ? null : together / alone;
    return { name: job.name, togetherNs: together, aloneNs: alone, slowdown };
  });
}

/** Lines of the report; ends with a newline. */
export function aloneText(figures: readonly AloneFigures[]): string {
  const lines = alignedTable([
    ['job', 'together', 'alone', 'slow-down'],
    ...figures.map(({ name, togetherNs, aloneNs, slowdown }) => [
      name,
      timeOrNot(togetherNs),
      timeOrNot(aloneNs),
      slowdown === null ? '-' : `${slowdown.toFixed(3)}x`,
    ]),
  ]);
  return `\n${lines.join('\n')}\n`;
}

function timeOrNot(ns: number | null): string {
  return ns === null ? 'not finished' : formatTimePs(Math.round(ns * 1000));
}
