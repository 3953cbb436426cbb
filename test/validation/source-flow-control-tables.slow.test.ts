// `npm run figures -- --only sfc-times`: the tables of the page are what comes out.

import { describe, expect, it } from 'vitest';
import { blockOf } from '../../validation/figures/pages.js';
import { reactionPage, reactionTables } from '../../validation/figures/reaction-tables.js';

describe.each(reactionTables)('$name', ({ name, markdown }) => {
  it('stands in its page as it is: else run npm run figures -- --only sfc-times', () => {
    expect(blockOf(reactionPage, name)).toBe(`\n${markdown()}\n`);
  });
});
