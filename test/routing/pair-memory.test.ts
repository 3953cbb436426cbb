// What is remembered of pairs of nodes: what was kept last, or nothing.

import { expect, it } from 'vitest';
import { RandomStream } from '../../src/base/random.js';
import { PairMemory } from '../../src/routing/pair-memory.js';
import { seed } from '../support/seed.js';

it(`finds what was kept last for a pair and a size, or nothing (WEFT_SEED=${seed})`, () => {
  const memory = new PairMemory();
  const random = new RandomStream(seed, 'pairs');
  const kept = new Map<string, number>();
  let found = 0;
  let wrong = 0;
  for (let i = 0; i < 200_000; i++) {
    const [source, destination, size] = [random.nextBelow(300), random.nextBelow(300), 4096 + random.nextBelow(2)];
    const key = `${source} ${destination} ${size}`;
    if (memory.finds(source, destination, size)) {
      found++;
      if (memory.first !== kept.get(key) || memory.second !== -kept.get(key)!) wrong++;
    }
    memory.keep(source, destination, size, i, -i);
    kept.set(key, i);
    if (!memory.finds(source, destination, size) || memory.first !== i) wrong++;
  }
  expect(wrong).toBe(0);
  expect(found).toBeGreaterThan(10_000);
  memory.clear();
  expect(
    [...kept.keys()].some((key) => memory.finds(...(key.split(' ').map(Number) as [number, number, number]))),
  ).toBe(false);
});
