// The example two-jobs: its commands print the rows of its page, and what the page says of them holds by closed forms
// and by comparison of its runs. The build is run.

import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
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
  // connections keep their paths: three of them share a link in every step
  expect(Math.max(both.odd, both.even)).toBeLessThan(3 + 3 * (leastMs - 3));
  expect(Math.min(both.odd, both.even)).toBeGreaterThan(1.5 * apart.odd);
  const slow = await run(controlled, 'stragglers=[ { rank: 6, compute: 0.5 } ]');
  expect(slow.even - apart.even).toBeGreaterThan(2.5);
  expect(slow.even - apart.even).toBeLessThan(3.01);
  expect(Math.abs(slow.odd / apart.odd - 1)).toBeLessThan(0.01);
  const deaf = await run(controlled, 'stragglers=[ { rank: 6, receive: 0.5 } ]');
  // the moves to rank 6 follow each other at half the rate, and hide the latencies of the ring but where it begins
  const deafMs = leastMs + (leastMs - 3);
  expect(deaf.even).toBeGreaterThan(deafMs);
  expect(deaf.even).toBeLessThan(1.03 * deafMs);
  expect(Math.abs(deaf.odd / apart.odd - 1)).toBeLessThan(0.01);
});

const root = fileURLToPath(new URL('../../', import.meta.url));

it('prints what the table of its page has, command by command', () => {
  const page = readFileSync(`${root}examples/two-jobs/README.md`, 'utf8');
  const commands = page
    .split('\n')
    .filter((line) => line.startsWith('npx weft '))
    .map((line) => line.replace('npx weft', 'node dist/cli/main.js'));
  const rows = [...page.matchAll(/^\| .*?\| (\S*?) ?\| (\S*?) ?\| (\S+ms) \| (\d+) \|$/gm)].map((row) => row.slice(1));
  expect(commands).toHaveLength(5);
  const printed = commands.map((command) => {
    const { stdout } = spawnSync(command, { shell: true, cwd: root, encoding: 'utf8' });
    const rank0 = (job: string) =>
      new RegExp(`^  ${job} .*?  0ps +(\\S+)|  ${job}, .*: (\\S+) on rank 0`, 'm').exec(stdout);
    const [all, pairs] = [/finished after (\S+) of/.exec(stdout), /(\d+) pairs? of flows shared/.exec(stdout)];
    const [odd, even] = ['odd', 'even'].map(rank0);
    return [odd?.[1] ?? odd?.[2] ?? '', even?.[1] ?? '', all?.[1] ?? '', pairs?.[1] ?? '0'];
  });
  expect(printed).toEqual(rows);
});
