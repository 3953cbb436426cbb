// The end of simulated time, 2^53 ps: a run that passes it ends with an error on every backend, one that stops short of
// it does not.

import { describe, expect, it } from 'vitest';
import { scenarioRun } from '../support/scenario-run.js';

const fabric = 'fabric: { generate: leaf-spine, leaves: 1, spines: 1, hostsPerLeaf: 4 }\n';

describe.each(['packet', 'fluid', 'analytical'])('on the %s backend', (backend) => {
  // 2^53 ps are 9007.199254740992 s; 10 MiB take more than 200 us at up to 400 Gb/s
  const sentAt = (start: string): string =>
    `backend: ${backend}\n${fabric}traffic: { transfers: [ { source: 0, destination: 1, size: 10MiB, start: ${start} } ] }\n`;

  it('a flow that ends later is an error', async () => {
    await expect(scenarioRun(sentAt('9007.1992s'), [])).rejects.toThrow(
      /scenario: error: the simulation passes 2\^53 ps/,
    );
  });

  it('a flow that ends before is not', async () => {
    const { summary } = await scenarioRun(sentAt('9007.1s'), []);
    expect(summary.outcome).toBe('finished');
    expect(Number.isSafeInteger(summary.simulatedPs)).toBe(true);
  });
});

it('a job that passes it with communication alone is an error', async () => {
  const job =
    'workload: { start: 4000s, iterations: 1000, layers: [ { name: a, forward: { compute: 500ms, collective: allreduce, group: dp, size: 50GiB } } ] }\n';
  await expect(scenarioRun(`backend: analytical\n${fabric}${job}`, [])).rejects.toThrow(/passes 2\^53 ps/);
});
