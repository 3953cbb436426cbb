// The curve between measured sizes: it meets what was measured, is exact for power laws, lies nearer than a straight line
// between logarithms where neither the model nor the line is right, and its logarithms are those of the engine.

import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { exp2, log2 } from '../../../src/app/calibrate/logarithms.js';
import { TimeCurve } from '../../../src/app/calibrate/time-curve.js';
import { seed } from '../../support/seed.js';

type Time = (sizeBytes: number) => number;

const sizes = Array.from({ length: 12 }, (_, i) => 1024 * 4 ** i);

function curveOf(timeUs: Time, modelUs: Time): TimeCurve {
  return new TimeCurve(
    sizes.map((sizeBytes) => ({ sizeBytes, measuredUs: timeUs(sizeBytes), modelUs: modelUs(sizeBytes) })),
  );
}

/** The largest error half way between the sizes. */
function worstOf(timeUs: Time, modelUs: Time): number {
  const curve = curveOf(timeUs, modelUs);
  const errors = sizes.slice(1).map((size) => curve.timeUs(size / 2, modelUs(size / 2)) / timeUs(size / 2) - 1);
  return Math.max(...errors.map(Math.abs));
}

/** A latency and a bandwidth. */
const affine =
  (latencyUs: number, bytesPerUs: number): Time =>
  (size) =>
    latencyUs + size / bytesPerUs;

const power =
  (factor: number, exponent: number): Time =>
  (size) =>
    factor * size ** exponent;

describe('the curve of times', () => {
  it('goes through what was measured, whatever the model says', () => {
    const [time, model] = [affine(20, 1e4), affine(3, 2e4)];
    const curve = curveOf(time, model);
    for (const size of sizes) expect(curve.timeUs(size, model(size)) / time(size)).toBeCloseTo(1, 12);
  });

  it('is exact where times are a power of the size and the model is, too', () => {
    expect(worstOf(power(0.5, 0.7), power(2, 0.4))).toBeLessThan(1e-9);
  });

  it('lies nearer than the straight line between logarithms at a bend', () => {
    const time = affine(20, 1e4);
    // of a line: sqrt(t(s/2) t(2s)) / t(s) - 1, the largest over the sizes
    const line = Math.max(...sizes.slice(1).map((size) => Math.sqrt(time(size / 4) * time(size)) / time(size / 2) - 1));
    expect(line).toBeGreaterThan(0.05);
    // a model of no shape, of the right bandwidth and no latency, of half the latency, of the right shape at half the pace
    expect(worstOf(time, () => 1)).toBeLessThan(0.75 * line);
    expect(worstOf(time, affine(0, 1e4))).toBeLessThan(0.75 * line);
    expect(worstOf(time, affine(10, 1e4))).toBeLessThan(0.4 * line);
    expect(worstOf(time, affine(10, 2e4))).toBeLessThan(0.4 * line);
  });

  it('goes on at the pace of the first and the last size', () => {
    const curve = curveOf(
      (size) => 3 * size,
      (size) => size,
    );
    expect(curve.timeUs(1, 1)).toBeCloseTo(3, 12);
    expect(curve.timeUs(2 ** 40, 5)).toBeCloseTo(15, 12);
    const single = new TimeCurve([{ sizeBytes: 1024, measuredUs: 10, modelUs: 5 }]);
    expect(single.timeUs(4096, 7)).toBeCloseTo(14, 12);
  });
});

describe('logarithms', () => {
  it(`are the engine's to 13 digits, and powers undo them (seed ${seed})`, () => {
    fc.assert(
      fc.property(fc.double({ min: 1e-9, max: 1e15, noNaN: true }), (value) => {
        expect(Math.abs(log2(value) - Math.log2(value))).toBeLessThan(1e-13 * Math.max(1, Math.abs(Math.log2(value))));
        expect(Math.abs(exp2(log2(value)) / value - 1)).toBeLessThan(1e-12);
      }),
      { seed },
    );
  });
});
