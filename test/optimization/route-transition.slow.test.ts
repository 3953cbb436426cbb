// Transitions from tables to others against every mixture by brute force, on random pairs.

import { expect, it } from 'vitest';
import { RandomStream } from '../../src/base/random.js';
import { seed } from '../support/seed.js';
import { checkRandomLoop, checkRandomPair } from '../support/transition-check.js';

it(`agrees with every mixture of 200 random pairs of tables (WEFT_SEED=${seed})`, () => {
  const random = new RandomStream(seed, 'transition');
  const ways = new Map<string, number>();
  for (let round = 0; round < 200; round++) {
    const { way, mistake } = checkRandomPair(random);
    expect({ round, way, mistake }).toEqual({ round, way, mistake: null });
    ways.set(way, (ways.get(way) ?? 0) + 1);
  }
  expect(ways.get('any order') ?? 0).toBeGreaterThan(0);
  expect((ways.get('switches') ?? 0) + (ways.get('destinations') ?? 0)).toBeGreaterThan(0);
});

it(`old tables that lead in circles: the first step ends all of them (WEFT_SEED=${seed})`, () => {
  const random = new RandomStream(seed, 'transition from circles');
  let circles = 0;
  for (let round = 0; round < 100; round++) {
    const checked = checkRandomLoop(random);
    if (checked === null) continue;
    circles += checked.circles;
    expect({ round, mistake: checked.mistake }).toEqual({ round, mistake: null });
  }
  expect(circles).toBeGreaterThan(20);
});
