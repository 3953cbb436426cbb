// The example two-jobs: what its page says, by closed forms and by comparison of its runs.

import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import { simulate } from '../../src/app/simulate.js';
import { makePlan } from '../../src/scenario/make-plan.js';
import { nodeHost } from '../../src/storage/node-host.js';

/** Times of both jobs in milliseconds, and pairs of flows that collided. */
async function run(...overrides: string[]): Promise<{ odd: number; even: number; pairs: number }> {
  const host = nodeHost();
  const plan = await makePlan(fileURLToPath(new URL('../../examples/two-jobs/two-jobs.yaml', import.meta.url)), {
    host,
    overrides,
  });
  const summary = await simulate(plan, { host });
  expect(summary.verdicts.filter(({ ok }) => !ok)).toEqual([]);
  const [odd, even] = summary.jobs.map(({ totalPs }) => totalPs.maximum / 1e9) as [number, number];
  return { odd, even, pairs: summary.collisions.flowPairs };
}

const controlled = 'controller.enabled=true';

it('jobs collide without the controller, and do not notice each other with it; a straggler costs its own job', async () => {
  const both = await run();
  const apart = await run(controlled);
  // 3 x (1 ms + 14 steps of 2 MiB in 512 packets of 4,096 + 82 B at 100 Gb/s), and latencies of below 50 us a step
  const leastMs = 3 * (1 + ((14 * 512 * 4178 * 8) / 100e9) * 1e3);
  for (const time of [apart.odd, apart.even]) {
    expect(time).toBeGreaterThan(leastMs);
    expect(time).toBeLessThan(leastMs + 3 * 14 * 0.05);
  }
  expect(apart.pairs).toBe(0);
  expect(both.pairs).toBeGreaterThan(0);
  expect(Math.min(both.odd, both.even)).toBeGreaterThan(1.5 * apart.odd);
  const slow = await run(controlled, 'stragglers=[ { rank: 6, compute: 0.5 } ]');
  expect(slow.even - apart.even).toBeGreaterThan(2.5);
  expect(slow.even - apart.even).toBeLessThan(3.01);
  expect(Math.abs(slow.odd / apart.odd - 1)).toBeLessThan(0.01);
  const deaf = await run(controlled, 'stragglers=[ { rank: 6, receive: 0.5 } ]');
  // every step takes as long again as its bytes took
  expect((deaf.even - apart.even) / (leastMs - 3)).toBeGreaterThan(0.9);
  expect((deaf.even - apart.even) / (leastMs - 3)).toBeLessThan(1.1);
  expect(Math.abs(deaf.odd / apart.odd - 1)).toBeLessThan(0.01);
}, 120_000);
