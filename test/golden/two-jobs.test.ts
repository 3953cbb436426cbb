// The example two-jobs: what its page says of its rows holds by closed forms and by comparison. Figures are those of the
// page, which test/architecture/page-figures.slow.test.ts holds against runs.

import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';

const page = readFileSync('examples/two-jobs/README.md', 'utf8');

/** Times of both jobs in milliseconds, and pairs of flows that collided, of the row that begins like this. */
function rowOf(run: string): { odd: number; even: number; pairs: number } {
  const row = page.split('\n').find((line) => line.startsWith(`| ${run} |`))!;
  const [odd, even, , pairs] = row
    .slice(run.length + 4)
    .split('|')
    .map(Number.parseFloat) as [number, number, number, number];
  return { odd, even, pairs };
}

const controlled = '--set controller.enabled=true';

it('jobs collide without the controller, and do not notice each other with it; a straggler costs its own job', () => {
  const both = rowOf('both');
  const apart = rowOf(`\`${controlled}\``);
  // 3 x (1 ms + 14 steps of 2 MiB in 512 packets of 4,096 + 82 B at 100 Gb/s), and latencies of below 50 us a step
  const leastMs = 3 * (1 + ((14 * 512 * 4178 * 8) / 100e9) * 1e3);
  for (const time of [apart.odd, apart.even]) {
    expect(time).toBeGreaterThan(leastMs);
    expect(time).toBeLessThan(leastMs + 3 * 14 * 0.05);
  }
  expect(apart.pairs).toBe(0);
  expect(both.pairs).toBeGreaterThan(0);
  // connections keep their paths: three of them share a link in every step
  expect(Math.max(both.odd, both.even)).toBeLessThan(3 + 3 * (leastMs - 3));
  expect(Math.min(both.odd, both.even)).toBeGreaterThan(1.5 * apart.odd);
  const slow = rowOf(`\`${controlled} --set 'stragglers=[ { rank: 6, compute: 0.5 } ]'\``);
  expect(slow.even - apart.even).toBeGreaterThan(2.5);
  expect(slow.even - apart.even).toBeLessThan(3.01);
  expect(Math.abs(slow.odd / apart.odd - 1)).toBeLessThan(0.01);
  const deaf = rowOf(`\`${controlled} --set 'stragglers=[ { rank: 6, receive: 0.5 } ]'\``);
  // the moves to rank 6 follow each other at half the rate, and hide the latencies of the ring but where it begins
  const deafMs = leastMs + (leastMs - 3);
  expect(deaf.even).toBeGreaterThan(deafMs);
  expect(deaf.even).toBeLessThan(1.03 * deafMs);
  expect(Math.abs(deaf.odd / apart.odd - 1)).toBeLessThan(0.01);
});
