// Sizes of a workload that do not go together -> the one that is blamed: the one that the user wrote, by its key.
// Invariant: what --set brought is blamed before what the scenario holds, and that before what a model brings.

import { addTo } from '../../base/lists-by-key.js';
import type { TrainingProblem } from '../../workload/training-plan.js';
import type { Section } from '../form/section.js';
import { overridePlace } from '../form/overrides.js';

/** Most divisors that are named one by one. */
const divisorsNamed = 12;

/**
 * The key to blame.
 * @param keys of the block, those to blame first in front
 * @returns null if none of them is written
 */
export function writtenKey(block: Section, keys: readonly string[]): string | null {
  const written = keys.filter((key) => block.has(key));
  const overridden = written.find((key) => block.keyPlace(key).file === overridePlace.file);
  return overridden ?? written[0] ?? null;
}

/**
 * Problems of numbers that others must divide, at the setting that was written: one problem for each divisor to blame,
 * with all numbers that it does not divide. Other problems are left as they are.
 */
export function blamed(problems: readonly TrainingProblem[], block: Section): TrainingProblem[] {
  const kept: TrainingProblem[] = [];
  const byDivisor = new Map<string, NonNullable<TrainingProblem['division']>[]>();
  for (const problem of problems) {
    const { division } = problem;
    if (division === undefined) {
      kept.push(problem);
      continue;
    }
    const { dividend, value, divisors } = division;
    const key = writtenKey(block, [dividend, ...divisors.map((divisor) => divisor.key)]);
    if (key !== null && key !== dividend) addTo(byDivisor, key, division);
    else {
      const by = divisors.reduce((product, divisor) => product * divisor.value, 1);
      kept.push({
        ...problem,
        message: `${value} is no multiple of ${productText(divisors)}`,
        got: String(value),
        wanted: `a multiple of ${by}`,
      });
    }
  }
  return [...[...byDivisor].map(([key, divisions]) => divisorProblem(key, divisions, block)), ...kept];
}

function divisorProblem(
  key: string,
  divisions: readonly NonNullable<TrainingProblem['division']>[],
  block: Section,
): TrainingProblem {
  const { divisors } = divisions[0]!;
  const own = divisors.find((divisor) => divisor.key === key)!;
  const others = divisors.filter((divisor) => divisor.key !== key);
  const common = divisions.reduce((divisor, { value }) => greatestCommonDivisor(divisor, value), 0);
  const unwritten = divisions.filter(({ dividend }) => !block.has(dividend));
  const what = others.length === 0 ? String(own.value) : productText([own, ...others]);
  return {
    parameter: key,
    code: 'workload-parameter',
    message: `${what} does not divide ${divisions.map(({ dividend, value }) => `${dividend} (${value})`).join(' or ')}`,
    got: String(own.value),
    wanted:
      others.length === 0
        ? divisorsText(common)
        : `${divisors.map((divisor) => divisor.key).join(' x ')} that divides ${common}`,
    ...(unwritten.length === 0 ? {} : { hint: `the model gives ${unwritten.map((each) => each.dividend).join(', ')}` }),
  };
}

/** `tensorParallel 8`, or `pipelineParallel 4 x chunksPerStage 2 = 8` */
export function productText(factors: readonly { readonly key: string; readonly value: number }[]): string {
  const text = factors.map(({ key, value }) => `${key} ${value}`).join(' x ');
  return factors.length < 2 ? text : `${text} = ${factors.reduce((product, { value }) => product * value, 1)}`;
}

function divisorsText(of: number): string {
  const divisors: number[] = [];
  for (let i = 1; i * i <= of; i++) if (of % i === 0) divisors.push(i, ...(i * i === of ? [] : [of / i]));
  divisors.sort((a, b) => a - b);
  return divisors.length > divisorsNamed ? `a divisor of ${of}` : `a divisor of ${of}: ${divisors.join(', ')}`;
}

function greatestCommonDivisor(a: number, b: number): number {
  return b === 0 ? a : greatestCommonDivisor(b, a % b);
}
