// The benchmark's populations for the event queue: each holds as many events as it says, and runs the same every time.

import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { hold } from '../../bench/bench-queue.js';
import { queueWorkloads } from '../../bench/queue-workloads.js';
import { RandomStream } from '../../src/base/random.js';

const bench = fileURLToPath(new URL('../../dist/bench/main.js', import.meta.url));

describe.each(queueWorkloads.map((workload) => [workload.name, workload] as const))('%s', (_, workload) => {
  it('holds some events, each some time ahead', () => {
    const random = new RandomStream(7, 'populations');
    for (let taken = 0; taken < 2e6; taken += 99_991) {
      expect(workload.held(taken)).toBeGreaterThan(0);
      expect(workload.delayPs(random, taken)).toBeGreaterThan(0);
    }
    expect(workload.about.length).toBeLessThanOrEqual(78);
  });

  it('comes to the same time in every run, and on with more events', () => {
    const endPs = hold(workload, 900_000);
    expect(hold(workload, 900_000)).toBe(endPs);
    expect(hold(workload, 1_000_000)).toBeGreaterThan(endPs);
  });
});

it('all ties advance by a period for as many events as are held', () => {
  // 4,000 at 500 ns, the next 4,000 at 1 us, and so on
  const ties = queueWorkloads.find(({ name }) => name === 'all-ties')!;
  expect([hold(ties, 1), hold(ties, 4000), hold(ties, 4001), hold(ties, 40_000)]).toEqual([5e5, 5e5, 1e6, 5e6]);
});

function benchQueue(...words: string[]) {
  return spawnSync(process.execPath, [bench, '--queue', ...words], { encoding: 'utf8' });
}

it('bench --queue prints a line each, and names what there is', () => {
  const { status, stdout } = benchQueue('--only', 'two-scales', '--runs', '1', '--json');
  expect(status).toBe(0);
  const { eventsPerCpuSecond, ...rest } = JSON.parse(stdout) as Record<string, unknown>;
  expect(rest).toMatchObject({ name: 'two-scales', shareOfEven: null, prototypeEventsPerCpuSecond: null });
  expect(eventsPerCpuSecond).toBeGreaterThan(1e5);
  const wrong = benchQueue('--only', '__proto__');
  expect([wrong.status, wrong.stdout]).toEqual([2, '']);
  expect(wrong.stderr).toContain('there are even, all-ties');
});
