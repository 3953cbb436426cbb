// Owners of transfers by number, against a list that is searched from end to end.

import { expect, it } from 'vitest';
import { TransferOwners } from '../../src/jobs/transfer-owners.js';
import { RandomStream } from '../../src/base/random.js';
import { Draw } from '../../validation/draw.js';
import { seed } from '../support/seed.js';

it(`finds the owner of every number, whatever has ended before (WEFT_SEED=${seed})`, () => {
  const draw = new Draw(new RandomStream(seed, 'owners'));
  const owners = new TransferOwners<{ name: number }>(1000);
  const live: { first: number; count: number; owner: { name: number } }[] = [];
  let next = 1000;
  for (let step = 0; step < 3000; step++) {
    if (live.length === 0 || draw.chance(0.55)) {
      const count = draw.between(1, 50);
      const owner = { name: step };
      const first = owners.add(owner, count);
      expect(first).toBe(next);
      next += count;
      live.push({ first, count, owner });
    } else {
      const [ended] = live.splice(draw.between(0, live.length - 1), 1);
      owners.remove(ended!.first + draw.between(0, ended!.count - 1));
    }
    const some = live[draw.between(0, Math.max(0, live.length - 1))];
    if (some !== undefined) expect(owners.of(some.first + draw.between(0, some.count - 1))).toBe(some.owner);
  }
  const gone = live.pop()!;
  owners.remove(gone.first);
  expect(() => owners.of(gone.first)).toThrow(/belongs to nothing/);
});
