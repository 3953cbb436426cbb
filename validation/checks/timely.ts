// TIMELY: the sign and size of its reaction to two round trips, branch by branch.

import { Timely } from '#weft/backends/packet/congestion/timely/timely.js';
import type { Telemetry } from '#weft/backends/packet/telemetry.js';
import type { Check } from '../check.js';
import { ControlBench } from '../control-bench.js';
import { apartBy, compared } from '../line.js';

const constants = {
  lowThreshold: 50e6,
  highThreshold: 500e6,
  minimumRtt: 20e6,
  smoothing: 0.875,
  decrease: 0.8,
  additiveIncrease: 50e6,
  hyperIncrease: 100e6,
  minimumRate: 100e6,
};

/**
 * Rates after a row of round trips, each of the packet after the last; the first only sets the reference. Starts at 10
 * Gb/s of 100.
 */
function ratesAfter(roundTripsUs: readonly number[]): number[] {
  const telemetry = { sentPs: new Float64Array(64) } as unknown as Telemetry;
  const bench = new ControlBench(100e9, (parts) => new Timely({ ...parts, telemetry }, constants));
  bench.pairs.rateBps[bench.pair] = 10e9;
  roundTripsUs.forEach((roundTripUs, i) => {
    // all were sent at 0
    bench.wheel.nowPs = roundTripUs * 1e6;
    bench.acknowledge(i + 1, 0, false);
  });
  return bench.rates;
}

const branches: readonly {
  readonly name: string;
  readonly roundTripsUs: readonly number[];
  readonly gbps: number;
  readonly by: string;
}[] = [
  {
    name: 'rising gradient below the low threshold (20, 49 us)',
    roundTripsUs: [20, 49],
    gbps: 10.05,
    by: '+0.05 Gb/s',
  },
  { name: 'falling gradient (200, 150 us)', roundTripsUs: [200, 150], gbps: 10.05, by: '+0.05 Gb/s' },
  { name: 'level (100, 100 us)', roundTripsUs: [100, 100], gbps: 10.05, by: '+0.05 Gb/s' },
  {
    name: 'rising gradient (100, 110 us)',
    roundTripsUs: [100, 110],
    gbps: 6.5,
    by: 'gradient 0.875 x 10 / 20: 10 (1 - 0.8 x 0.4375)',
  },
  {
    name: 'above the high threshold, falling (1200, 1000 us)',
    roundTripsUs: [1200, 1000],
    gbps: 6,
    by: '10 (1 - 0.8 (1 - 500 / 1000))',
  },
  {
    name: 'seven falling in a row: hyper increase from the sixth on',
    roundTripsUs: [200, 190, 180, 170, 160, 150, 140, 130],
    gbps: 10.45,
    by: '5 x 0.05 + 2 x 0.1 Gb/s',
  },
];

export const timely: Check = {
  name: 'timely',
  title: 'TIMELY: signs of the gradient',
  about:
    'Mittal et al., SIGCOMM 2015, algorithm 1, by hand, from 10 Gb/s: low threshold 50 us, high 500 us, minimum round trip 20 us, weight of the newest difference 0.875, decrease 0.8, additive increase 50 Mb/s, hyper increase 100 Mb/s. Rates are rounded down to whole bit/s.',
  *run() {
    for (const { name, roundTripsUs, gbps, by } of branches) {
      yield compared({
        mechanism: name,
        oracle: by,
        expected: gbps * 1e9,
        ours: ratesAfter(roundTripsUs).at(-1) ?? 0,
        unit: 'bit/s',
        tolerance: apartBy(1),
      });
    }
  },
};
