// A job large enough for streams by default takes the same as step by step, in a fraction of the transfers: ten layers of
// GPT-3 13B on 128 GPUs, rings of 16 that overlap. And such rings alone.

import { describe, expect, it } from 'vitest';
import { simulate } from '../../src/app/simulate.js';
import { makePlan } from '../../src/scenario/make-plan.js';
import { memoryHost } from '../memory-host.js';

async function run(workload: string, streams: string) {
  const host = memoryHost({
    's.yaml': `
backend: fluid
fabric: { generate: spectrum-x, gpus: 128, gpuType: H100 }
workload: ${workload}
fluid: { streams: ${streams} }
`,
  });
  const { outcome, flows, jobs } = await simulate(await makePlan('s.yaml', { host, overrides: [] }), { host });
  expect(outcome).toBe('finished');
  return { flows, totalPs: jobs[0]!.totalPs.maximum, job: jobs[0]! };
}

describe('streams in place of steps', () => {
  it('keep the time of ten layers to 1 %', async () => {
    const job =
      '{ generate: transformer, model: gpt3-13b, tensorParallel: 8, dataParallel: 16, microBatches: 1, layerCount: 10 }';
    const steps = await run(job, 'never');
    const streams = await run(job, 'auto');
    expect(steps.flows).toBeGreaterThan(1e6);
    expect(streams.flows).toBeLessThan(50_000);
    expect(Math.abs(streams.totalPs / steps.totalPs - 1)).toBeLessThan(0.01);
    const collectives = (of: typeof streams) =>
      of.job.layers.flatMap(({ weightGradient, forward }) =>
        [weightGradient.collective, forward.collective].filter((one) => one !== null),
      );
    expect(collectives(steps).some(({ asStreams }) => asStreams === true)).toBe(false);
    // rings and NVLS are, trees are not
    for (const { algorithm, asStreams } of collectives(streams)) expect(asStreams === true).toBe(algorithm !== 'tree');
    expect(collectives(streams).some(({ algorithm }) => algorithm === 'tree')).toBe(true);
  });

  it.each([16, 50, 165, 512])('keep the time of a posted ring of %d MiB alone to 0.5 %%', async (mib) => {
    const one = `{ tensorParallel: 8, layers: [ { name: g, forward: { collective: allreduce, group: dp, size: ${mib}MiB } } ] }`;
    const [steps, streams] = [await run(one, 'never'), await run(one, 'always')];
    expect(steps.flows).toBeGreaterThan(streams.flows);
    expect(Math.abs(streams.totalPs / steps.totalPs - 1)).toBeLessThan(0.005);
  });
});
