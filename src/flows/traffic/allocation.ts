// Which hosts a job gets: all in a row, or what a batch queue leaves free, in runs of neighbouring hosts between those
// of other jobs.
// Invariants: no host is in two jobs; within a job ranks ascend with hosts (SLURM's block order, as in Taffet's
// dissertation (docs/SOURCES.md), section 3.5.1). The fragmented allocation is a model: lengths of runs are log-uniform
// up to 24 hosts, which gives the average hops of Table 3.1.

import { fail } from '../../base/fail.js';
import { RandomStream } from '../../base/random.js';

export type AllocationKind = 'contiguous' | 'fragmented';

/** A job that somebody has given its hosts. */
export interface AllocatedJob {
  readonly name: string;
  /** ranks in the fabric, in the order of the job's own */
  readonly hosts: Int32Array;
}

/** The longest run of neighbouring hosts in one job. */
const longestRun = 24;

/**
 * Divides hosts among jobs.
 * @param sizes hosts of each job, together at most hostCount
 * @returns the hosts of each job (ranks in the fabric), ascending
 */
export function allocateHosts(
  kind: AllocationKind,
  hostCount: number,
  sizes: readonly number[],
  seed: number,
): Int32Array[] {
  const total = sizes.reduce((sum, size) => sum + size, 0);
  if (total > hostCount) fail(`${total} hosts allocated of ${hostCount}`);
  if (kind === 'contiguous') {
    let next = 0;
    return sizes.map((size) => Int32Array.from({ length: size }, () => next++));
  }
  const random = new RandomStream(seed, 'allocation');
  const jobs: number[][] = sizes.map(() => []);
  const wanted = [...sizes];
  // what no job gets is a job of its own
  wanted.push(hostCount - total);
  let left = hostCount;
  for (let host = 0; host < hostCount;) {
    let pick = random.nextBelow(left);
    let job = 0;
    while (pick >= wanted[job]!) pick -= wanted[job++]!;
    const run = Math.min(runLength(random), wanted[job]!);
    for (let i = 0; i < run; i++) jobs[job]?.push(host + i);
    wanted[job]! -= run;
    left -= run;
    host += run;
  }
  return jobs.map((hosts) => Int32Array.from(hosts));
}

/** Log-uniform over 1..24: the octave first, then a length in it. */
function runLength(random: RandomStream): number {
  for (;;) {
    const octave = 1 << random.nextBelow(5);
    const length = octave + random.nextBelow(octave);
    if (length <= longestRun) return length;
  }
}
