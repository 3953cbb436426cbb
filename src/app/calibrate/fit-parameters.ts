// Fits the parameters of a profile by least squares: relative errors of the closed forms at the measured rows, and the
// distance of every parameter from its base, by the method of Levenberg and Marquardt (ml-levenberg-marquardt).
//     minimise  sum over rows of h((model - measured) / sqrt(model x measured) / 0.05)^2  +  sum over parameters of d^2
// (m - t) / sqrt(m t) is the logarithm of their ratio for small errors; h is the pseudo-Huber loss, so that a row which
// lies far off (a fault, another protocol) does not outweigh the others; d is in spreads (profile-parameters.ts): what
// rows cannot tell apart stays near the base.
// Parameters that change no row by 0.2 % are not fitted.

import { levenbergMarquardt } from 'ml-levenberg-marquardt';
import type { CalibratedProfile } from '../../collectives/calibrated-profile.js';
import { distanceOf, type ProfileParameter } from './profile-parameters.js';

/** Relative error that a row has anyway. */
const rowSpread = 0.05;
/** relative errors beyond it count less */
const farError = 0.3;
const leastEffect = 0.002;
const mostIterations = 16;

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

export interface FitWatch {
  readonly onStep: (done: number, of: number) => void;
  readonly stopRequested: () => boolean;
  readonly breathe: () => Promise<void>;
}

/** Fits. @returns the parameters that matter to the rows; null if it was stopped */
export async function fitParameters(
  base: CalibratedProfile,
  parameters: readonly ProfileParameter[],
  rows: readonly FittedRow[],
  { onStep, stopRequested, breathe }: FitWatch,
): Promise<readonly FittedParameter[] | null> {
  const matters: ProfileParameter[] = [];
  const own = rows.map(({ modelUs }) => modelUs(base));
  for (const parameter of parameters) {
    onStep(0, mostIterations);
    await breathe();
    if (stopRequested()) return null;
    const { unit, start, change } = parameter;
    const moved = change(base, unit === 'us' ? start + 1 : unit === 'share' ? 0.9 * start : 1.1 * start);
    if (rows.some(({ modelUs }, i) => Math.abs(modelUs(moved) / own[i]! - 1) > leastEffect)) matters.push(parameter);
  }
  if (matters.length === 0) return [];
  let values = matters.map(({ start }) => start);
  let error = Infinity;
  let damping = 0.01;
  const data = {
    x: [...rows.keys(), ...matters.map((_, k) => rows.length + k)],
    y: Array.from({ length: rows.length + matters.length }, () => 0),
  };
  for (let iteration = 0; iteration < mostIterations; iteration++) {
    onStep(iteration, mostIterations);
    await breathe();
    if (stopRequested()) return null;
    const step = levenbergMarquardt(data, residuals(base, matters, rows), {
      initialValues: values,
      damping,
      // towards the inside of the limits of shares
      gradientDifference: matters.map(({ unit }) => (unit === 'share' ? -0.02 : 0.05)),
      minValues: matters.map(({ least }) => least),
      maxValues: matters.map(({ most }) => most),
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
  return matters.map((parameter, k) => ({ parameter, value: Number(values[k]!.toPrecision(4)) }));
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
