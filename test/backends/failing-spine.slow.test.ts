// A spine that fails in the middle of an allreduce: what waiting for lost packets costs, by the timeouts.

import { expect, it } from 'vitest';
import { scenarioRun } from '../support/scenario-run.js';

const failingSpine = `
fabric: { generate: spectrum-x, gpus: 16, nicsPerAsw: 1, pswSwitches: 4 }
workload:
  tensorParallel: 1
  dataParallel: 16
  layers:
    - { name: one, weightGradient: { compute: 0us, collective: allreduce, group: dp, size: 128MiB } }
failures:
  convergenceTime: 500us
  events: [{ at: 250us, switch: "spine[0]" }]
`;

async function endOf(...set: string[]): Promise<number> {
  const { summary } = await scenarioRun(failingSpine, set);
  expect(summary.outcome).toBe('finished');
  return summary.simulatedPs;
}

it('a spine that fails costs packets at most half as much again as flows without packets; with 16 ms tenfold', async () => {
  const fluid = await endOf('backend=fluid');
  expect((await endOf()) / fluid).toBeLessThan(1.5);
  expect((await endOf('queuePair.retransmissionTimeout=16ms')) / fluid).toBeGreaterThan(5);
});
