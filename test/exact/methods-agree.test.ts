// A few random small fabrics: exact model, relaxation, closed form and optimizer agree. Fifty of them:
// methods-agree.slow.test.ts.

import { describe, expect, it } from 'vitest';
import { expectMethodsToAgree } from '../support/methods-agree.js';
import { smallCase } from '../support/small-fabrics.js';
import { seed } from '../support/seed.js';

describe(`small fabrics (WEFT_SEED=${seed})`, () => {
  // two and three levels, several phases, missing links, parallel links, missing hosts
  let solved = 0;
  for (const index of [0, 1, 2, 3, 4, 5]) {
    const own = smallCase(seed, index, 40);
    it(own.description, async () => {
      if (await expectMethodsToAgree(own)) solved++;
    });
  }
  it('most were solved to the optimum', () => {
    expect(solved).toBeGreaterThanOrEqual(4);
  });

  // 48 units come to a leaf over two links from one core that merges what goes to one host: the five hosts have to be
  // divided 24 and 24
  it('flows that have merged have to move together', async () => {
    expect(await expectMethodsToAgree(smallCase(2116552257, 15))).toBe(true);
  });

  // in one of three phases the links of hosts carry 38 whatever the routes are: links between switches may, too, so that
  // another phase gets by with 12
  it('what links of hosts have to carry in a phase costs nothing between switches', async () => {
    expect(await expectMethodsToAgree(smallCase(119707029, 37))).toBe(true);
  });
});
