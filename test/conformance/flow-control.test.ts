// What every flow control must do, alone and beside others: hold nobody for ever, keep its promise of no drop if it
// makes one, lose nothing of its own, forget what a failed link has taken with it, the same every time.

import { describe, expect, it } from 'vitest';
import { mechanisms } from '../../src/backends/packet/mechanisms.js';
import { runWith, type SeamRun } from '../seams/run.js';
import { sourcePause } from '../seams/source-pause.js';

const flowControls = { ...mechanisms.flowControls, 'source-pause': sourcePause };
const lists = [[], ...Object.keys(flowControls).map((name) => [name]), Object.keys(flowControls)];

function run(names: readonly string[], more = ''): Promise<SeamRun> {
  return runWith(
    { flowControls },
    `
fabric: { generate: leaf-spine, leaves: 2, spines: 2, hostsPerLeaf: 6 }
flowControl: [${names.join(', ')}]
congestion: { algorithm: none }
switch: { buffer: 600kB }
queuePair: { acknowledgementPriority: 0, window: unlimited, retransmissionTimeout: 500us }
traffic:
  transfers:
${[0, 1, 2, 3, 4].map((host) => `    - { source: ${host}, destination: 11, size: 2MB }\n`).join('')}    - { source: 5, destination: 10, size: 500kB }
${more}`,
  );
}

describe.each(lists.map((names) => [names.join(' and ') || 'no flow control', names] as const))('%s', (_, names) => {
  it('ends with everything delivered and nobody held', async () => {
    const { summary, broken } = await run(names);
    expect(broken).toEqual([]);
    expect(summary.counters.payloadBytesDelivered).toBe(10_500_000);
  });

  it('drops nothing if it promises so, and something must be done here', async () => {
    const { summary } = await run(names);
    const dropped = summary.counters['packetsDropped']!;
    if (names.includes('pfc')) expect(dropped).toBe(0);
    if (names.length === 0) expect(dropped).toBeGreaterThan(0);
    expect(summary.verdicts.find(({ name }) => name === 'no drop while lossless')?.ok).toBe(true);
  });

  it('forgets what a failed link took with it, and goes on', async () => {
    const { summary } = await run(
      names,
      'failures: { convergenceTime: 5us, events: [ { at: 30us, until: 200us, link: "leaf[0]-spine[0]", every: 400us, times: 3 } ] }',
    );
    expect(summary.outcome).toBe('finished');
    const other = summary.verdicts.filter(({ ok }) => !ok);
    expect(other).toEqual([]);
  });

  it('does the same every time', async () => {
    const [first, second] = await Promise.all([run(names), run(names)]);
    expect(second.summary.digest).toBe(first.summary.digest);
    expect(second.summary.counters).toEqual(first.summary.counters);
  });
});
