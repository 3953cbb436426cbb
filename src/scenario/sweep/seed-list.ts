// The seeds of a sweep: `1..20`, `1,5,9`, `1..20,40`.
// Invariants: ranges in the order in which they were written; no seed twice; memory does not grow with the seeds.

import { type DiagnosticDetail, InputError, wholeFile } from '../../base/diagnostics.js';

interface SeedRange {
  readonly first: number;
  readonly last: number;
}

/** Seeds, counted from 0. */
export class SeedList {
  /** as people write it */
  readonly text: string;
  readonly count: number;

  constructor(private readonly ranges: readonly SeedRange[]) {
    this.text = ranges.map(({ first, last }) => (first === last ? `${first}` : `${first}..${last}`)).join(',');
    this.count = ranges.reduce((sum, { first, last }) => sum + last - first + 1, 0);
  }

  /** The seed at a place. @param place from 0, below `count` */
  at(place: number): number {
    let left = place;
    for (const { first, last } of this.ranges) {
      if (left <= last - first) return first + left;
      left -= last - first + 1;
    }
    throw new RangeError(`there is no seed ${place}`);
  }
}

/** Parts of a list, far beyond what anybody writes. */
const mostParts = 10_000;

/** Reads seeds. @throws InputError */
export function readSeeds(text: string): SeedList {
  const parts = text.split(',');
  if (parts.length > mostParts)
    throw mistake('these are too many seeds', { got: `${parts.length} parts`, wanted: 'a range, such as 1..20' });
  const ranges = parts.map((part) => {
    const match = /^\s*(\d{1,16})(?:\s*\.\.\s*(\d{1,16}))?\s*$/.exec(part);
    const first = Number(match?.[1] ?? NaN);
    const last = Number(match?.[2] ?? match?.[1] ?? NaN);
    if (!Number.isSafeInteger(first) || !Number.isSafeInteger(last))
      throw mistake('this is neither a seed nor a range of seeds', { got: part, wanted: 'such as 1..20 or 1,5,9' });
    if (last < first) throw mistake('the range ends before it begins', { got: part, wanted: 'the smaller seed first' });
    return { first, last };
  });
  const sorted = [...ranges].sort((a, b) => a.first - b.first);
  for (let i = 1; i < sorted.length; i++)
    if (sorted[i]!.first <= sorted[i - 1]!.last)
      throw mistake(`seed ${sorted[i]!.first} is given twice`, { got: text, wanted: 'every seed once' });
  return new SeedList(ranges);
}

function mistake(message: string, detail: DiagnosticDetail): InputError {
  return InputError.at('sweep-seeds', '--seeds', wholeFile, message, detail);
}
