// `npm run figures -- --only controls`: the tables of the pages are what comes out.

import { describe, expect, it } from 'vitest';
import { controlMarkdown, controlTables } from '../../validation/figures/control-tables.js';
import { blockOf } from '../../validation/figures/pages.js';
import { mechanisms } from '../../src/backends/packet/mechanisms.js';

it('every congestion control has a table', () => {
  const algorithms = new Set(controlTables.map(({ algorithm }) => algorithm));
  expect([...algorithms].sort()).toEqual(Object.keys(mechanisms.congestionControls).sort());
});

describe.each(controlTables)('$name', (table) => {
  it('stands in its page as it is: else run npm run figures -- --only controls', () => {
    expect(blockOf(table.page, table.name)).toBe(controlMarkdown(table));
  });
});
