// The cyclic stencil's table respects bounds and has the order of the source, and says what comes out.

import { expect, it } from 'vitest';
import { exampleRun } from '../../validation/figures/example-run.js';
import { blockOf } from '../../validation/figures/pages.js';

const lines = blockOf('docs/models/credit.md', 'stencil')!
  .split('\n')
  .filter((line) => /^\| .*\d/.test(line))
  .map((line) => line.slice(2).split(' | '));
const [ftree, adaptive, collapsed, phased, random] = lines.map(([, large, , , small]) => ({
  large: Number(large),
  small: Number(small),
})) as [Times, Times, Times, Times, Times];
interface Times {
  readonly large: number;
  readonly small: number;
}

it('nobody is faster than a link of 12.5 GB/s, or than the taper with large messages', () => {
  expect(lines).toHaveLength(5);
  for (const { large, small } of [ftree, adaptive, collapsed, phased, random]) {
    // six messages of 2 MiB, of which the two along z share two hosts' uplink: eight times 2 MiB. The last of these may
    // end while others still send, as the source's 1.331 ms does
    expect(large).toBeGreaterThan((8 * 2 ** 21) / 12.5e6 - 0.011);
    expect(small).toBeGreaterThan((6 * 256 * 2 ** 11) / 12.5e6);
  }
});

it('comes in the order of the source: 1.331, 1.373, 2.392, 3.322 ms; 1.016 = 1.016, 1.042, 3.250 ms', () => {
  expect(ftree.large).toBeLessThan(adaptive.large);
  expect(adaptive.large).toBeLessThan(collapsed.large);
  expect(collapsed.large).toBeLessThan(random.large);
  expect(Math.abs(collapsed.small / ftree.small - 1)).toBeLessThan(0.01);
  expect(adaptive.small).toBeGreaterThan(Math.max(ftree.small, collapsed.small));
  expect(random.small).toBeGreaterThan(1.5 * adaptive.small);
  // routes that know phases are better than those that do not
  expect(phased.large).toBeLessThan(0.7 * collapsed.large);
});

it('is what ftree takes', async () => {
  const { summary } = await exampleRun('examples/adaptive-routing/stencil.yaml', []);
  expect((summary.programs[0]!.totalPs / 1e9).toFixed(3)).toBe(lines[0]![1]);
});
