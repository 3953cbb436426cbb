// Fits the parameters of a profile by least squares: relative errors of the closed forms at the measured rows, and the
// distance of every parameter from its base, by the method of Levenberg and Marquardt (ml-levenberg-marquardt).
//     minimise  sum over rows of h((model - measured) / sqrt(model x measured) / 0.05)^2  +  sum over parameters of d^2
// (m - t) / sqrt(m t) is the logarithm of their ratio for small errors; h is the pseudo-Huber loss, so that a row which
// lies far off (a fault, another protocol) does not outweigh the others; d is in spreads (profile-parameters.ts): what
// rows cannot tell apart stays near the base.
// Parameters that change no row by 0.2 % are not fitted.
// A rendezvous has a threshold, where the sum is no smooth function of it: every power of two is tried with a few
// latencies, and the best is kept if it explains more than so much of what the other parameters leave.

import { levenbergMarquardt } from 'ml-levenberg-marquardt';
import type { CalibratedProfile } from '../../collectives/calibrated-profile.js';
import { distanceOf, type ProfileParameter, rendezvousThresholds } from './profile-parameters.js';

/** Relative error that a row has anyway. */
const rowSpread = 0.05;
/** relative errors beyond it count less */
const farError = 0.3;
const leastEffect = 0.002;
const mostIterations = 16;
/** latencies that a rendezvous is looked for with */
const rendezvousUs = [3, 10, 30];
/** of the sum: what a rendezvous has to explain, as much as a row that is 20 % off, and a fifth of it */
const [leastGain, leastGainShare] = [16, 0.2];
/** and how many rows there have to be beyond the other parameters */
const leastRowsBeyond = 3;

/** What a row takes under a profile, and what it took. */
export interface FittedRow {
  readonly measuredUs: number;
  readonly modelUs: (profile: CalibratedProfile) => number;
}

/** A parameter with what came of it. */
export interface FittedParameter {
  readonly parameter: ProfileParameter;
  readonly value: number;
}

/** Where it begins, and what it takes. */
export type Rendezvous = readonly [above: ProfileParameter, latency: ProfileParameter];

export interface FitWatch {
  readonly onStep: (done: number, of: number) => void;
  readonly stopRequested: () => boolean;
  readonly breathe: () => Promise<void>;
}

/** Fits. @returns the parameters that matter to the rows; null if it was stopped */
export async function fitParameters(
  base: CalibratedProfile,
  parameters: readonly ProfileParameter[],
  rendezvous: Rendezvous,
  rows: readonly FittedRow[],
  watch: FitWatch,
): Promise<readonly FittedParameter[] | null> {
  const matters: ProfileParameter[] = [];
  const own = rows.map(({ modelUs }) => modelUs(base));
  for (const parameter of parameters) {
    watch.onStep(0, mostIterations);
    await watch.breathe();
    if (watch.stopRequested()) return null;
    const { unit, start, change } = parameter;
    const moved = change(base, unit === 'us' ? start + 1 : unit === 'share' ? 0.9 * start : 1.1 * start);
    if (rows.some(({ modelUs }, i) => Math.abs(modelUs(moved) / own[i]! - 1) > leastEffect)) matters.push(parameter);
  }
  if (matters.length === 0) return [];
  const plain = await descend(base, matters.map(atStart), rows, part(watch, 0));
  if (plain === null) return null;
  let [found, sum] = [plain, sumOf(base, plain, rows)];
  const enough = sum - Math.max(leastGain, leastGainShare * sum);
  const agreeing = withParameters(base, [
    { parameter: rendezvous[0], value: 0 },
    { parameter: rendezvous[1], value: rendezvous[1].start + rendezvousUs[0]! },
  ]);
  const canMatter = rows.some(({ modelUs }, i) => modelUs(agreeing) > own[i]! * (1 + leastEffect));
  if (!canMatter || enough <= 0 || rows.length < matters.length + leastRowsBeyond) return rounded(found);
  // from both, since parameters that were fitted without a rendezvous have taken over what is its own
  for (const [i, from] of [plain, matters.map(atStart)].entries()) {
    await watch.breathe();
    if (watch.stopRequested()) return null;
    const beside = await descend(
      base,
      [...from, ...rendezvousBeside(base, rendezvous, from, rows)],
      rows,
      part(watch, i + 1),
    );
    if (beside === null) return null;
    const own = sumOf(base, beside, rows);
    if (own < Math.min(sum, enough)) [found, sum] = [beside, own];
  }
  return rounded(found);
}

/** One of the three descents that there may be. */
function part(watch: FitWatch, place: number): FitWatch {
  const { stopRequested, breathe } = watch;
  return { onStep: (done, of) => watch.onStep(place * of + done, 3 * of), stopRequested, breathe };
}

/** The threshold and the latency that go best with other parameters as they are. */
function rendezvousBeside(
  base: CalibratedProfile,
  [aboveBytes, latency]: Rendezvous,
  others: readonly FittedParameter[],
  rows: readonly FittedRow[],
): readonly FittedParameter[] {
  const tried = rendezvousThresholds.flatMap((above) =>
    rendezvousUs.map((us) => [
      { parameter: aboveBytes, value: above },
      { parameter: latency, value: us },
    ]),
  );
  const sums = tried.map((own) => sumOf(base, [...others, ...own], rows));
  return tried[sums.indexOf(Math.min(...sums))]!;
}

/** To four digits, as they are printed. */
function rounded(fitted: readonly FittedParameter[]): readonly FittedParameter[] {
  return fitted.map((one) =>
    one.parameter.unit === 'B' ? one : { parameter: one.parameter, value: Number(one.value.toPrecision(4)) },
  );
}

function atStart(parameter: ProfileParameter): FittedParameter {
  return { parameter, value: parameter.start };
}

/** Levenberg and Marquardt's steps from where parameters are; thresholds stay. @returns null if it was stopped */
async function descend(
  base: CalibratedProfile,
  from: readonly FittedParameter[],
  rows: readonly FittedRow[],
  { onStep, stopRequested, breathe }: FitWatch,
): Promise<readonly FittedParameter[] | null> {
  const fixed = from.filter(({ parameter }) => parameter.unit === 'B');
  const moved = from.filter(({ parameter }) => parameter.unit !== 'B');
  const parameters = moved.map(({ parameter }) => parameter);
  const own = withParameters(base, fixed);
  let values = moved.map(({ value }) => value);
  let error = Infinity;
  let damping = 0.01;
  const data = {
    x: [...rows.keys(), ...parameters.map((_, k) => rows.length + k)],
    y: Array.from({ length: rows.length + parameters.length }, () => 0),
  };
  for (let iteration = 0; iteration < mostIterations; iteration++) {
    onStep(iteration, mostIterations);
    await breathe();
    if (stopRequested()) return null;
    const step = levenbergMarquardt(data, residuals(own, parameters, rows), {
      initialValues: values,
      damping,
      // towards the inside of the limits of shares
      gradientDifference: parameters.map(({ unit }) => (unit === 'share' ? -0.02 : 0.05)),
      minValues: parameters.map(({ least }) => least),
      maxValues: parameters.map(({ most }) => most),
      maxIterations: 1,
      errorTolerance: 1e-9,
    });
    const isEnd = step.parameterError > error * (1 - 1e-4);
    const hasMoved = step.parameterValues.some((value, k) => value !== values[k]);
    damping = hasMoved ? damping / 9 : damping * 11;
    values = step.parameterValues;
    error = step.parameterError;
    if (hasMoved && isEnd) break;
  }
  return [...fixed, ...parameters.map((parameter, k) => ({ parameter, value: values[k]! }))];
}

/** What is minimised. */
function sumOf(base: CalibratedProfile, fitted: readonly FittedParameter[], rows: readonly FittedRow[]): number {
  const moved = fitted.filter(({ parameter }) => parameter.unit !== 'B');
  const withThreshold = withParameters(
    base,
    fitted.filter(({ parameter }) => parameter.unit === 'B'),
  );
  const residual = residuals(
    withThreshold,
    moved.map(({ parameter }) => parameter),
    rows,
  )(moved.map(({ value }) => value));
  let sum = 0;
  for (let number = 0; number < rows.length + moved.length; number++) {
    const own = residual(number);
    sum += own * own;
  }
  return sum;
}

/** A profile with values of parameters. */
export function withParameters(base: CalibratedProfile, fitted: readonly FittedParameter[]): CalibratedProfile {
  return fitted.reduce((profile, { parameter, value }) => parameter.change(profile, value), base);
}

/** By number: of a row, then of a parameter. */
function residuals(base: CalibratedProfile, parameters: readonly ProfileParameter[], rows: readonly FittedRow[]) {
  return (values: readonly number[]) => {
    const fitted = parameters.map((parameter, k) => ({ parameter, value: values[k]! }));
    const profile = withParameters(base, fitted);
    return (number: number): number => {
      if (number >= rows.length) {
        const { parameter, value } = fitted[number - rows.length]!;
        return distanceOf(parameter, value);
      }
      const { measuredUs, modelUs } = rows[number]!;
      const us = modelUs(profile);
      return tempered((us - measuredUs) / Math.sqrt(us * measuredUs)) / rowSpread;
    };
  };
}

/** Pseudo-Huber: its square grows as the square of small errors and as the first power of large ones. */
function tempered(error: number): number {
  const far = error / farError;
  return Math.sign(error) * farError * Math.sqrt(2 * (Math.sqrt(1 + far * far) - 1));
}
