// How long a run goes on between two looks at whether to stop: slices of events are as long as a clock allows, and
// results know nothing of them.

import { expect, it } from 'vitest';
import { simulate } from '../../src/app/simulate.js';
import { makePlan } from '../../src/scenario/make-plan.js';
import { memoryHost } from '../memory-host.js';

const scenario =
  'fabric: { generate: leaf-spine, leaves: 1, spines: 1, hostsPerLeaf: 4 }\ntraffic: { transfers: [ { source: 0, destination: 1, size: 20MiB }, { source: 2, destination: 1, size: 20MiB } ] }\n';

/** Runs with a clock that advances by so much between any two looks at it. */
async function run(
  stepMs: number,
): Promise<{ readonly slices: number; readonly events: number; readonly digest: string }> {
  let nowMs = 0;
  const host = { ...memoryHost({ 's.yaml': scenario }), wallMs: () => (nowMs += stepMs) };
  let slices = 0;
  const { counters, digest } = await simulate(await makePlan('s.yaml', { host, overrides: [] }), {
    host,
    onProgress: () => slices++,
  });
  return { slices, events: counters.events, digest };
}

it('slices of 1000 events become shorter while they take long, to 16, and longer while they do not', async () => {
  const [slow, even, fast] = [await run(201), await run(100), await run(1)];
  expect(slow.events).toBeGreaterThan(10_000);
  // 1000, 250, 62, then 16 each
  expect(slow.slices).toBe(3 + Math.ceil((slow.events - 1312) / 16));
  expect(even.slices).toBe(Math.ceil(even.events / 1000));
  // 1000, 2000, 4000, ... 64,000, then 100,000 each
  expect(fast.slices).toBe(Math.ceil(Math.log2(fast.events / 1000 + 1)));
  expect(fast.events).toBeLessThan(127_000);
  expect([slow.events, slow.digest]).toEqual([fast.events, fast.digest]);
});

it('fluid comes back between two looks at the rates of thousands of flows that start together', async () => {
  const hosts = 64;
  const rows = Array.from({ length: 700 }, (_, i) => `0,${i % hosts},${(i * 7 + (i >> 6) + 1) % hosts},100000`).filter(
    (row) => row.split(',')[1] !== row.split(',')[2],
  );
  const files = {
    's.yaml': 'fabric: { generate: fat-tree, k: 8 }\ntraffic: { trace: t.csv }\nbackend: fluid\n',
    't.csv': rows.join('\n'),
  };
  const host = memoryHost(files);
  const plan = () => makePlan('s.yaml', { host, overrides: [] });
  let atStart = 0;
  const stopped = await simulate(await plan(), {
    host,
    sliceEvents: 16,
    onProgress: ({ nowPs, flowsStarted }) => {
      if (nowPs === 0 && flowsStarted === rows.length) atStart++;
    },
    // the flows have started, and their first rates are computed
    stopRequested: () => atStart === 5,
  });
  // 16 events are worth 1024 looks at a flow on a link; all flows cross two links and more
  expect([stopped.outcome, stopped.finished]).toEqual(['stopped', 0]);
  expect(stopped.verdicts.filter(({ ok }) => !ok)).toEqual([]);
  const [whole, often] = [
    await simulate(await plan(), { host }),
    await simulate(await plan(), { host, sliceEvents: 16 }),
  ];
  expect([often.digest, often.counters]).toEqual([whole.digest, whole.counters]);
  expect(whole.finished).toBe(rows.length);
});
