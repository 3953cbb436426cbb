// The programs of a run as its summary tells them.
// Invariant: jobs have the numbers that samples give them: training jobs first, then programs, then named transfers.

import { jsonAt, listAt, numberAt, textAt, type ReportRun } from './report-run.js';

/** ranks beyond which a summary is not believed */
const mostRanks = 20e6;

/** A program of ranks. */
export interface RunProgram {
  readonly name: string;
  /** number of its samples */
  readonly job: number;
  /** number among the programs: of its messages */
  readonly program: number;
  readonly ranks: number;
  readonly phases: readonly string[];
  /** sides of its logical grid, x first; null: it has none */
  readonly grid: readonly [number, number, number] | null;
}

/** The programs of a run, in the order of their numbers. */
export function programsOf({ summary }: Pick<ReportRun, 'summary'>): RunProgram[] {
  const several = listAt(summary, 'jobs');
  const own = jsonAt(summary, 'workload');
  const jobs = several.length > 0 || own === undefined ? several : [own];
  const found: RunProgram[] = [];
  jobs.forEach((each, job) => {
    const ranks = numberAt(each, 'ranks') ?? 0;
    if (textAt(each, 'program') === '' || ranks < 1 || ranks > mostRanks) return;
    const sides = listAt(each, 'grid').map((side) => (typeof side === 'number' && side >= 1 ? Math.floor(side) : 0));
    const [x = 0, y = 1, z = 1] = sides;
    found.push({
      name: textAt(each, 'name'),
      job,
      program: found.length,
      ranks,
      phases: listAt(each, 'phases').map((phase) => (typeof phase === 'string' ? phase : '')),
      grid: sides.length > 0 && sides.length <= 3 && x * y * z === ranks ? [x, y, z] : null,
    });
  });
  return found;
}
