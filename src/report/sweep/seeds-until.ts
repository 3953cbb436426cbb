// How many seeds each combination of a sweep needs until a figure is known well enough (measurement/sequential-mean.ts),
// from the rows that are there.
// Invariants: what is decided follows from the rows of the combination alone, in the order of their seeds, so a sweep that
// was killed goes on as if it had not been; a combination that cannot run, or whose first runs have no such figure, ends.

import { lookAtMean, looks } from '../../measurement/sequential-mean.js';
import { cameToItsEnd } from '../run-figures.js';
import { counted, percentText } from '../text-style.js';
import type { RunRow } from './run-row.js';
import type { UntilTarget } from './until-target.js';

/** Why no more seeds are added to a combination. */
type StopReason = 'reached' | 'no-more-seeds' | 'no-figure';

/** A combination that is done. */
export interface UntilStop {
  readonly combination: number;
  readonly reason: StopReason;
  /** how many seeds it has */
  readonly seeds: number;
  /** runs of them that have the figure, and their mean in its unit; null: none has */
  readonly values: number;
  readonly mean: number | null;
  /** of the interval, beside the mean; null: there is none */
  readonly halfWidthPercent: number | null;
}

/**
 * Looks at a combination.
 * @param most seeds that there are
 * @param rowOf what came of a seed, by its place; null: it has not run
 * @returns how it ended, or with how many seeds it is looked at next
 */
export function untilStop(
  combination: number,
  target: UntilTarget,
  most: number,
  rowOf: (place: number) => RunRow | null,
): UntilStop | number {
  const values: number[] = [];
  let seeds = 0;
  for (const size of looks(most)) {
    for (; seeds < size; seeds++) {
      const row = rowOf(seeds);
      if (row === null) return size;
      if (row.outcome === 'infeasible')
        return { combination, reason: 'no-figure', seeds: seeds + 1, values: 0, mean: null, halfWidthPercent: null };
      const value = row.figures.get(target.figure);
      if (cameToItsEnd(row.outcome) && typeof value === 'number') values.push(value);
    }
    const { mean, halfWidth } = lookAtMean(values);
    const percent = halfWidth === 0 ? 0 : (100 * halfWidth) / Math.abs(mean);
    const isReached = percent <= target.withinPercent;
    if (values.length > 0 && !isReached && size < most) continue;
    return {
      combination,
      reason: values.length === 0 ? 'no-figure' : isReached ? 'reached' : 'no-more-seeds',
      seeds,
      values: values.length,
      mean: values.length === 0 ? null : mean,
      halfWidthPercent: Number.isFinite(percent) ? percent : null,
    };
  }
  return most;
}

/** Why a sweep ended, in lines for people. */
export function stopLines(stops: readonly UntilStop[]): string[] {
  const of = (reason: StopReason): UntilStop[] => stops.filter((stop) => stop.reason === reason);
  const [reached, short, none] = [of('reached'), of('no-more-seeds'), of('no-figure')];
  const widest = Math.max(...short.map(({ halfWidthPercent }) => halfWidthPercent ?? Infinity));
  return [
    ...(reached.length === 0 ? [] : [`reached in ${counted(reached.length, 'combination')}, with ${range(reached)}`]),
    ...(short.length === 0
      ? []
      : [
          `not reached in ${counted(short.length, 'combination')}, whose seeds are at an end ` +
            (Number.isFinite(widest) ? `(±${percentText(widest / 100)} at worst)` : '(too few to tell)'),
        ]),
    ...(none.length === 0 ? [] : [`no run has it in ${counted(none.length, 'combination')}`]),
  ];
}

function range(stops: readonly UntilStop[]): string {
  const seeds = stops.map((stop) => stop.seeds);
  const [least, most] = [Math.min(...seeds), Math.max(...seeds)];
  return least === most ? `${counted(most, 'seed')} each` : `${least} to ${most} seeds`;
}
