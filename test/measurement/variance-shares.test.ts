// Shares of variance against known answers: Ishigami's function (Saltelli et al., Sensitivity Analysis, 2000, p. 196), sums
// whose shares follow from their terms, and the definition; points of a Sobol' sequence beside scipy's; Pareto fronts by
// brute force.

import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { RandomStream } from '../../src/base/random.js';
import { paretoFront } from '../../src/measurement/pareto-front.js';
import { sampleDesign, sampleMethods, sobolPoints } from '../../src/measurement/sample-design.js';
import { gridShares, sampleShares, type VarianceShares } from '../../src/measurement/variance-shares.js';
import { seed } from '../support/seed.js';

const fifthPoint = [
  0.875, 0.875, 0.125, 0.375, 0.875, 0.625, 0.875, 0.375, 0.375, 0.125, 0.375, 0.875, 0.875, 0.125, 0.875, 0.375, 0.875,
  0.375, 0.375, 0.625,
];
const seventhPoint = [
  0.125, 0.625, 0.375, 0.125, 0.125, 0.375, 0.625, 0.625, 0.625, 0.875, 0.625, 0.125, 0.625, 0.375, 0.125, 0.125, 0.125,
  0.125, 0.625, 0.875,
];

/** Ishigami's function of three settings, each uniform from -pi to pi. */
function ishigami([x, y, z]: readonly number[]): number {
  return Math.sin(x!) + 7 * Math.sin(y!) ** 2 + 0.1 * z! ** 4 * Math.sin(x!);
}

// V = 7^2/8 + 0.1 pi^4/5 + 0.1^2 pi^8/18 + 1/2
const { PI } = Math;
const variance = 49 / 8 + (0.1 * PI ** 4) / 5 + (0.01 * PI ** 8) / 18 + 0.5;
const alone = [0.5 * (1 + (0.1 * PI ** 4) / 5) ** 2, 49 / 8, 0];
const both = 0.01 * PI ** 8 * (1 / 18 - 1 / 50);
const expected = [
  { first: alone[0]! / variance, total: (alone[0]! + both) / variance },
  { first: alone[1]! / variance, total: alone[1]! / variance },
  { first: 0, total: both / variance },
];

function within(found: VarianceShares, share: number): void {
  expect(Math.abs(found.variance / variance - 1)).toBeLessThan(share);
  found.shares.forEach(({ first, total }, i) => {
    expect(Math.abs(first - expected[i]!.first)).toBeLessThan(share);
    expect(Math.abs(total - expected[i]!.total)).toBeLessThan(share);
  });
}

function sampled(method: (typeof sampleMethods)[number], points: number): VarianceShares {
  const values = sampleDesign(method, points, 3).map((point) => ishigami([...point].map((own) => PI * (2 * own - 1))));
  return sampleShares(
    3,
    Array.from({ length: points }, (_, j) => {
      const [a, b, ...mixed] = values.slice(5 * j, 5 * j + 5);
      return { a: a!, b: b!, mixed };
    }),
  )!;
}

describe("Ishigami's function", () => {
  it('has shares of 0.314, 0.442 and 0, and in all 0.558, 0.442 and 0.244', () => {
    const rounded = expected.map(({ first, total }) => [first.toFixed(3), total.toFixed(3)]);
    expect(rounded).toEqual([
      ['0.314', '0.558'],
      ['0.442', '0.442'],
      ['0.000', '0.244'],
    ]);
  });

  it('is told within 5 % by samples of 1,024 and 4,096 points, and within 1 % by a Sobol sample of 8,192', () => {
    within(sampled('sobol', 1024), 0.05);
    within(sampled('latin-hypercube', 4096), 0.05);
    within(sampled('sobol', 8192), 0.01);
  });

  it('is told within 1 % by a grid of 48 values each', () => {
    // of the middles of equal strips
    const values = Array.from({ length: 48 }, (_, i) => PI * ((2 * i + 1) / 48 - 1));
    const cells = values.flatMap((x) =>
      values.flatMap((y) => values.map((z) => ({ mean: ishigami([x, y, z]), variance: 0 }))),
    );
    within(gridShares([48, 48, 48], cells)!, 0.01);
  });
});

describe('shares of a grid', () => {
  it(`of a sum are the variances of its terms, and of seeds theirs (seed ${seed})`, () => {
    const terms = fc.array(fc.array(fc.integer({ min: -50, max: 50 }), { minLength: 1, maxLength: 4 }), {
      minLength: 1,
      maxLength: 4,
    });
    fc.assert(
      fc.property(terms, fc.nat(20), (settings, noise) => {
        let sums = [0];
        for (const own of settings) sums = sums.flatMap((sum) => own.map((term) => sum + term));
        const variances = settings.map((own) => {
          const mean = own.reduce((a, b) => a + b) / own.length;
          return own.reduce((sum, term) => sum + (term - mean) ** 2, 0) / own.length;
        });
        const all = variances.reduce((a, b) => a + b, noise);
        const found = gridShares(
          settings.map(({ length }) => length),
          sums.map((mean) => ({ mean, variance: noise })),
        );
        if (all === 0) {
          expect(found).toBe(null);
          return;
        }
        expect(found!.seeds).toBeCloseTo(noise / all, 9);
        found!.shares.forEach(({ first, total }, i) => {
          expect(first).toBeCloseTo(variances[i]! / all, 9);
          expect(total).toBeCloseTo(variances[i]! / all, 9);
        });
      }),
      { seed },
    );
  });

  it('of a product of signs are all interaction', () => {
    const cells = [1, -1].flatMap((a) => [1, -1].map((b) => ({ mean: a * b, variance: 0 })));
    expect(gridShares([2, 2], cells)!.shares).toEqual([
      { first: 0, total: 1 },
      { first: 0, total: 1 },
    ]);
  });
});

describe('points of a sample', () => {
  it("of a Sobol' sequence are scipy's", () => {
    // scipy 1.17: [float(v) for v in qmc.Sobol(20, scramble=False).random(8)[i]]
    const points = sobolPoints(8, 20, false).map((point) => Array.from(point));
    expect(points[1]).toEqual(Array(20).fill(0.5));
    expect(points[5]).toEqual(fifthPoint);
    expect(points[7]).toEqual(seventhPoint);
  });

  it.each(sampleMethods)('by %s fill each strip of each setting once', (method) => {
    const design = sampleDesign(method, 64, 10);
    expect(design).toHaveLength(64 * 12);
    for (let setting = 0; setting < 10; setting++)
      for (const role of [0, 1]) {
        const strips = Array.from({ length: 64 }, (_, j) => Math.floor(64 * design[12 * j + role]![setting]!));
        expect([...strips].sort((a, b) => a - b)).toEqual(Array.from({ length: 64 }, (_, i) => i));
      }
    const [a, b, mixed] = [design[0]!, design[1]!, design[5]!];
    expect([...mixed]).toEqual([...a].map((own, i) => (i === 3 ? b[i] : own)));
  });
});

describe('a Pareto front', () => {
  it(`is what brute force says (seed ${seed})`, () => {
    const random = new RandomStream(seed, 'pareto');
    for (let trial = 0; trial < 200; trial++) {
      const [count, figures, spread] = [random.nextBelow(60), 2 + random.nextBelow(2), 1 + random.nextBelow(12)];
      const choices = Array.from({ length: count }, () =>
        Array.from({ length: figures }, () => random.nextBelow(spread)),
      );
      const brute = choices.flatMap((own, i) =>
        choices.some((other) => other.every((v, k) => v <= own[k]!) && other.some((v, k) => v < own[k]!)) ? [] : [i],
      );
      const front = paretoFront(choices);
      expect([...front].sort((a, b) => a - b)).toEqual(brute);
      for (let k = 1; k < front.length; k++)
        expect(choices[front[k]!]![0]).toBeGreaterThanOrEqual(choices[front[k - 1]!]![0]!);
    }
  });
});
