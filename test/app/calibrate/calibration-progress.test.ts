// Progress of a calibration: shares are of time, whatever its stages take beside each other, and grow.

import { describe, expect, it } from 'vitest';
import { CalibrationProgress } from '../../../src/app/calibrate/calibration-progress.js';

const cases = 20;
const passes = 3;

/**
 * Carries out the stages of a calibration.
 * @param growth the last case of a pass takes so many times longer than the first
 * @returns the true share of time beside the one that is told
 */
function calibrated(caseMs: number, fitMs: number, growth = 0): { readonly isTrue: number; readonly told: number }[] {
  let nowMs = 1e6;
  const startMs = nowMs;
  const seen: { ms: number; told: number }[] = [];
  const progress = new CalibrationProgress(
    { wallMs: () => nowMs },
    cases,
    passes * cases,
    (_, told) => void seen.push({ ms: nowMs - startMs, told }),
  );
  const simulate = (stage: string, isFitted: boolean): void => {
    for (let done = 0.5; done <= cases; done += 0.5) {
      nowMs += (caseMs / 2) * (1 + (growth * done) / cases);
      progress.simulated(stage, done, cases, isFitted);
    }
  };
  simulate('base profile', false);
  progress.begin(passes * cases);
  for (let step = 0; step <= 10; step++) {
    progress.fitted('parameters', step, 10);
    nowMs += fitMs / 10;
  }
  for (let pass = 1; pass <= passes; pass++) {
    progress.begin((passes - pass) * cases);
    simulate('paces', true);
  }
  const allMs = nowMs - startMs;
  return seen.map(({ ms, told }) => ({ isTrue: ms / allMs, told }));
}

describe('a calibration', () => {
  it.each([
    ['whose fit takes nothing', 1000, 0],
    ['whose fit takes as long as its rows', 1000, 20_000],
    ['whose fit takes three times as long', 1000, 60_000],
  ])('%s says the time left within a factor of two after its first tenth', (_, caseMs, fitMs) => {
    const seen = calibrated(caseMs, fitMs);
    for (const { isTrue, told } of seen.filter((one) => one.isTrue > 0.1 && one.isTrue < 0.99)) {
      // what is said to be left: the time so far by its share
      const ratio = ((1 - told) / told) * (isTrue / (1 - isTrue));
      expect(ratio, `at ${isTrue}`).toBeGreaterThan(0.5);
      expect(ratio, `at ${isTrue}`).toBeLessThan(2);
    }
    expect(seen.at(-1)!.told).toBe(1);
  });

  it('whose rows take longer and longer does so once the first pass is over', () => {
    const seen = calibrated(100, 1000, 50).filter(({ isTrue }) => isTrue > 0.26 && isTrue < 0.99);
    expect(seen.length).toBeGreaterThan(20);
    for (const { isTrue, told } of seen) {
      const ratio = ((1 - told) / told) * (isTrue / (1 - isTrue));
      expect(ratio, `at ${isTrue}`).toBeGreaterThan(0.5);
      expect(ratio, `at ${isTrue}`).toBeLessThan(2);
    }
  });

  it('never goes back', () => {
    const told = calibrated(10, 5000).map((one) => one.told);
    expect(told).toEqual([...told].sort((a, b) => a - b));
  });
});
