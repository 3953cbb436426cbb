// Changes of links written by hand, for tests.

import type { Failures } from '#weft/execution/failure-schedule.js';
import { LinkChangeKind } from '#weft/fabric/link-states.js';

/** time in picoseconds, link, what happens, and the new rate or error rate */
export type LinkChange = readonly [timePs: number, link: number, kind: keyof typeof LinkChangeKind, value?: number];

/** Failures of a run; the changes in any order, equal times in theirs. */
export function failuresOf(changes: readonly LinkChange[], convergencePs: number): Failures {
  const sorted = [...changes].sort((a, b) => a[0] - b[0]);
  return {
    convergencePs,
    changes: {
      count: sorted.length,
      timePs: Float64Array.from(sorted, ([timePs]) => timePs),
      link: Int32Array.from(sorted, ([, link]) => link),
      kind: Uint8Array.from(sorted, ([, , kind]) => LinkChangeKind[kind]),
      value: Float64Array.from(sorted, ([, , , value = 0]) => value),
    },
  };
}
