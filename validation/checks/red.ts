// ECN marking: the probability between the thresholds, and that the queue is looked at when a packet leaves it.

import { EcnMarking } from '#weft/backends/packet/switch/marking.js';
import type { Check } from '../check.js';
import { settingsWith, soundRun } from '../engine-run.js';
import { star } from '../fabrics.js';
import { bounded, compared, exact, figure, type Line } from '../line.js';

const thresholds = { rateBps: 100e9, minimumBytes: 40_000, maximumBytes: 160_000, probability: 0.2 };

/** Shares of marks at queue lengths 2 kB apart between the thresholds. */
function* probability(seed: number): Iterable<Line> {
  const marking = new EcnMarking(
    star(2, 1000),
    settingsWith({ ecn: { enabled: true }, ecnThresholds: [thresholds] }),
    seed,
  );
  const switchPort = 2;
  const draws = 10_000;
  let chiSquare = 0;
  for (let k = 1; k <= 59; k++) {
    const wanted = (0.2 * k) / 60;
    const deviation = Math.sqrt((wanted * (1 - wanted)) / draws);
    let marks = 0;
    for (let i = 0; i < draws; i++) if (marking.shouldMark(switchPort, 40_000 + 2000 * k)) marks++;
    const share = marks / draws;
    chiSquare += ((share - wanted) / deviation) * ((share - wanted) / deviation);
    // four standard deviations: one seed in 16,000 is outside
    if (k % 25 === 5)
      yield bounded({
        mechanism: `share of marks at ${40 + 2 * k} kB, ${figure(draws, 0, '')} draws`,
        oracle: 'RED: 0.2 (q - 40) / 120',
        ours: share,
        least: wanted - 4 * deviation,
        most: wanted + 4 * deviation,
        unit: '',
        digits: 4,
        expected: wanted.toFixed(4),
      });
  }
  yield bounded({
    mechanism: 'chi-square over 59 queue lengths',
    oracle: '59 degrees of freedom; outside the bounds lies one seed in 5,000',
    ours: chiSquare,
    least: 26.7,
    most: 108.3,
    unit: '',
    digits: 1,
    expected: 'about 59',
  });
  for (const [bytes, wanted] of [
    [40_000, 0],
    [160_001, 1],
  ] as const) {
    let marks = 0;
    for (let i = 0; i < 1000; i++) if (marking.shouldMark(switchPort, bytes)) marks++;
    yield compared({
      mechanism: `share of marks at ${figure(bytes, 0, 'B')}`,
      oracle: wanted === 0 ? 'none at the minimum' : 'all above the maximum',
      expected: wanted,
      ours: marks / 1000,
      unit: '',
      tolerance: exact,
    });
  }
}

/**
 * Two senders of n packets each into one port, in step: when the j-th packet leaves (j > 1), min(j, 2n - j) are left
 * behind. Above m of them, n - m leave while the queue grows (j = m + 1 .. n) and n - m - 1 while it shrinks (j = n + 1
 * .. 2n - m - 1).
 */
function* queueThatCounts(n: number, m: number): Iterable<Line> {
  const bytes = 1000;
  const run = soundRun(
    star(3, 500_000),
    [
      [0, 2, n * bytes],
      [1, 2, n * bytes],
    ],
    {
      settings: settingsWith({
        packet: { profile: 'simai', payload: bytes, header: 0 },
        queuePair: { window: 'unlimited', rateBound: false },
        ecnThresholds: [{ rateBps: 100e9, minimumBytes: m * bytes, maximumBytes: m * bytes, probability: 1 }],
      }),
    },
  );
  yield compared({
    mechanism: `two senders of ${n} packets, step at ${m}: packets marked`,
    oracle: 'by counting: 2 (n - m) - 1',
    expected: 2 * (n - m) - 1,
    ours: run.network.counters.ecnMarks,
    unit: '',
    tolerance: exact,
  });
}

export const red: Check = {
  name: 'red',
  title: 'ECN: marking probability',
  about:
    'Floyd and Jacobson, IEEE/ACM ToN 1(4), 1993, on the bytes that a packet leaves behind. Thresholds of 40 and 160 kB, 20 %.',
  *run({ seed }) {
    yield* probability(seed);
    yield* queueThatCounts(40, 12);
    yield* queueThatCounts(100, 99);
  },
};
