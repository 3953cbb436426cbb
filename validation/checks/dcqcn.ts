// DCQCN's reaction point against sequences worked out by hand, with constants that make every figure a short binary
// fraction.

import { Dcqcn, dcqcnSettings } from '#weft/backends/packet/congestion/dcqcn/dcqcn.js';
import { settingDefaults } from '#weft/base/settings.js';
import type { Check } from '../check.js';
import { ControlBench } from '../control-bench.js';
import type { SettingChanges } from '../engine-run.js';
import { compared, exact, type Line } from '../line.js';

const us = 1_000_000;

interface Step {
  readonly atUs: number;
  readonly isMarked?: boolean;
  /** what the rate must be then, in Gb/s, and how it comes about */
  readonly rateGbps?: readonly [value: number, because: string];
  readonly alpha?: readonly [value: number, because: string];
}

/**
 * g = 1/2, alpha every 10 us and decrease every 20 us from the first mark on, increase 100 us after the last decrease,
 * one round of fast recovery. The mark at 0 starts the timers; alpha starts at 1.
 */
const cuts: readonly Step[] = [
  { atUs: 0, isMarked: true },
  { atUs: 19.5, alpha: [0.5, 'one update without a mark: 1/2'] },
  { atUs: 20, alpha: [0.25, 'two updates: 1/4'], rateGbps: [87.5, '100 (1 - 1/8)'] },
  { atUs: 25, isMarked: true },
  { atUs: 30, alpha: [0.625, '1/8 + 1/2'] },
  { atUs: 40, alpha: [0.3125, '5/8 x 1/2'], rateGbps: [73.828125, '87.5 (1 - 5/32)'] },
  { atUs: 140, rateGbps: [86.9140625, '(73.828125 + 100) / 2: the target is still 100'] },
  { atUs: 240, rateGbps: [93.45703125, '(86.9140625 + 100) / 2: the target cannot pass the line rate'] },
];

/** g = 0 keeps alpha at 1: every decrease halves. The target follows every decrease (clampTargetRate). */
const steps: readonly Step[] = [
  { atUs: 0, isMarked: true },
  { atUs: 11, isMarked: true, rateGbps: [50, '100 / 2 at 10 us, target 100'] },
  { atUs: 21, rateGbps: [25, '50 / 2 at 20 us, target 50'] },
  { atUs: 71, rateGbps: [37.5, 'fast recovery: (25 + 50) / 2'] },
  { atUs: 121, rateGbps: [44.25, 'additive: target 51, (37.5 + 51) / 2'] },
  { atUs: 171, rateGbps: [48.625, 'hyper: target 53, (44.25 + 53) / 2'] },
  { atUs: 221, rateGbps: [51.8125, 'hyper: target 55, (48.625 + 55) / 2'] },
];

/** Digits after the point that a short binary fraction needs. */
function decimals(value: number): number {
  return String(value).split('.')[1]?.length ?? 0;
}

function* follow(
  name: string,
  constants: NonNullable<SettingChanges['dcqcn']>,
  script: readonly Step[],
): Iterable<Line> {
  const values = { ...settingDefaults(dcqcnSettings), ...constants };
  const bench = new ControlBench(100e9, (parts) => new Dcqcn(parts, values));
  for (const { atUs, isMarked = false, rateGbps, alpha } of script) {
    bench.advanceTo(atUs * us);
    bench.acknowledge(0, 0, isMarked);
    if (alpha !== undefined)
      yield compared({
        mechanism: `${name}: alpha at ${atUs} us`,
        oracle: `by hand: ${alpha[1]}`,
        expected: alpha[0],
        ours: bench.congestion.alphaNow(bench.pair),
        unit: '',
        digits: decimals(alpha[0]),
        tolerance: exact,
      });
    if (rateGbps !== undefined)
      yield compared({
        mechanism: `${name}: rate at ${atUs} us`,
        oracle: `by hand: ${rateGbps[1]}`,
        expected: rateGbps[0],
        ours: bench.rateBps / 1e9,
        unit: 'Gb/s',
        digits: decimals(rateGbps[0]),
        tolerance: exact,
      });
  }
}

export const dcqcn: Check = {
  name: 'dcqcn',
  title: 'DCQCN: alpha and rate',
  about:
    'The equations of Zhu et al., SIGCOMM 2015, section 3.2, done by hand. Decreases: g = 1/2, alpha every 10 us, decrease every 20 us, marks at 0 and 25 us. Increases: g = 0, decrease every 10 us, increase every 50 us, +1 Gb/s once, then +2 Gb/s, marks at 0 and 11 us.',
  *run() {
    const intervals = {
      alphaInterval: 10 * us,
      fastRecoveryRounds: 1,
      additiveIncrease: 1e9,
      hyperIncrease: 2e9,
      minimumRate: 100e6,
      firstMarkRate: 1,
    };
    yield* follow(
      'decreases',
      { ...intervals, gain: 0.5, decreaseInterval: 20 * us, increaseInterval: 100 * us, clampTargetRate: false },
      cuts,
    );
    yield* follow(
      'increases',
      { ...intervals, gain: 0, decreaseInterval: 10 * us, increaseInterval: 50 * us, clampTargetRate: true },
      steps,
    );
  },
};
