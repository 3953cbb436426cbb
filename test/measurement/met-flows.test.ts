// What is kept in bits, and what is kept without them where they would be too many, against plain sets.

import { expect, it } from 'vitest';
import { TakenWays } from '../../src/backends/taken-ways.js';
import { RandomStream } from '../../src/base/random.js';
import { MetFlows } from '../../src/measurement/met-flows.js';
import { seed } from '../support/seed.js';

/** Always bits; bits until there are some 300 slots or pairs; never bits. */
const modes = [Infinity, 16_000, 0];

it.each(modes)(
  `flows meet once, whoever had their slots before, with %d bytes of bits (WEFT_SEED=${seed})`,
  (bytes) => {
    const random = new RandomStream(seed, 'meetings');
    const met = new MetFlows(bytes);
    const flowOf: number[] = [];
    const known = new Set<string>();
    let [flows, slots, firsts, wrong] = [0, 4, 0, 0];
    for (let turn = 0; turn < 30_000; turn++) {
      // slots are taken from few to 600, so that rows are widened, and given up, under way
      if (turn % 50 === 0) slots = Math.min(600, slots + 1 + random.nextBelow(3));
      const [a, b] = [random.nextBelow(slots), random.nextBelow(slots)];
      if (flowOf[a] === undefined || random.nextBelow(20) === 0) {
        met.begin(a, (flowOf[a] = flows++));
        // the later queue pairs of a flow change nothing
        met.begin(a, flowOf[a]);
      }
      if (a === b || flowOf[b] === undefined) continue;
      const key = [flowOf[a], flowOf[b]].sort((x, y) => x - y).join(' ');
      if (met.meet(a, b) === known.has(key)) wrong++;
      if (!known.has(key)) firsts++;
      known.add(key);
    }
    expect([met.isWhole, wrong]).toEqual([true, 0]);
    expect(firsts).toBeGreaterThan(5000);
  },
);

it.each(modes)(`ports are told once for each life of a pair, with %d bytes of bits (WEFT_SEED=${seed})`, (bytes) => {
  const random = new RandomStream(seed, 'ways');
  const ports = 100;
  const taken = new TakenWays(ports, bytes);
  const known = new Map<number, Set<number>>();
  let wrong = 0;
  for (let turn = 0; turn < 20_000; turn++) {
    const pair = random.nextBelow(4 + (turn >> 4));
    if (!known.has(pair) || random.nextBelow(50) === 0) {
      taken.begin(pair);
      known.set(pair, new Set());
    }
    const port = random.nextBelow(ports);
    if (taken.note(pair, port) === known.get(pair)!.has(port)) wrong++;
    known.get(pair)!.add(port);
  }
  expect(wrong).toBe(0);
  expect(known.size).toBeGreaterThan(700);
});
