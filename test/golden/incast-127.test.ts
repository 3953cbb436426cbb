// The example of 127 hosts that send to one: no run is faster than the receiver's link. Figures are those of its page,
// which test/architecture/page-figures.slow.test.ts holds against runs.

import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';

const page = readFileSync('examples/incast-127/README.md', 'utf8');

/** 127 transfers of 256 packets of 4096 B with 82 B around each, over 100 Gb/s. */
const linkMs = ((127 * 256 * (4096 + 82) * 8) / 100e9) * 1000;

it("names the bound of the receiver's link, and no control ends before it", () => {
  expect(page).toContain(`= ${linkMs.toFixed(3)} ms`);
  const rows = [...page.matchAll(/^\| ([\w-]+) \| [\d.]+ ms \| [\d.]+ ms \| ([\d.]+) ms \|/gm)];
  expect(rows).toHaveLength(7);
  for (const [, , slowest] of rows) expect(Number(slowest)).toBeGreaterThan(linkMs);
  // with nothing to slow the senders the link is never idle: the first packet's way to it and the last ACK's way back
  // remain
  expect(Number(rows.find(([, control]) => control === 'none')![2])).toBeLessThan(linkMs + 0.015);
});
