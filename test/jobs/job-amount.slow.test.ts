// What a job sends in all, counted without carrying it out, beside what its run sends: flows and bytes on fluid,
// packet-hops on packets. It is the same however counting is cut, and a look at some moves comes near it.

import { describe, expect, it } from 'vitest';
import { JobsCount } from '../../src/app/forecast/jobs-count.js';
import { simulate } from '../../src/app/simulate.js';
import { equalCostRoutes } from '../../src/routing/equal-cost.js';
import { PathTracer } from '../../src/routing/path.js';
import { makePlan } from '../../src/scenario/make-plan.js';
import type { Plan } from '../../src/scenario/plan.js';
import { memoryHost } from '../memory-host.js';

const fabric = 'fabric: { generate: spectrum-x, gpus: 16, gpusPerServer: 8, nicsPerAsw: 2, pswSwitches: 8 }\n';
const jobs: Readonly<Record<string, string>> = {
  'tensor and data parallel, kernels of NCCL': `${fabric}workload: { generate: transformer, layerCount: 2, hiddenSize: 512, attentionHeads: 8, keyValueHeads: 8, feedForwardSize: 2048, vocabularySize: 2048, tensorParallel: 8, dataParallel: 2, microBatches: 2, sequenceLength: 128 }\n`,
  'a pipeline of two stages, two iterations': `${fabric}workload: { generate: transformer, layerCount: 2, hiddenSize: 512, attentionHeads: 8, keyValueHeads: 8, feedForwardSize: 2048, vocabularySize: 2048, tensorParallel: 4, pipelineParallel: 2, dataParallel: 2, microBatches: 4, sequenceLength: 64, iterations: 2 }\n`,
  'parameters gathered ahead': `${fabric}workload: { generate: transformer, layerCount: 2, hiddenSize: 512, attentionHeads: 8, keyValueHeads: 8, feedForwardSize: 2048, vocabularySize: 2048, dataParallel: 16, microBatches: 1, sequenceLength: 64, zeroStage: 3 }\n`,
  "SimAI's rings": `${fabric}collectives: { profile: simai }\nworkload: { tensorParallel: 8, layers: [ { name: a, forward: { compute: 1us, collective: allgather, group: tp, size: 1MiB }, weightGradient: { collective: allreduce, group: dp, size: 1MiB } } ] }\n`,
  'two jobs': `${fabric}jobs:\n  - { name: a, ranks: 0-7, layers: [ { name: a, forward: { compute: 1us, collective: alltoall, group: dp, size: 1MiB } } ] }\n  - { name: b, ranks: 8-15, iterations: 3, layers: [ { name: b, forward: { collective: allreduce, group: dp, size: 64KiB } } ] }\n`,
};

const planOf = (name: string, backend: string): Promise<Plan> =>
  makePlan('s.yaml', { host: memoryHost({ 's.yaml': jobs[name]! }), overrides: [`backend=${backend}`] });
const countOf = (plan: Plan): JobsCount =>
  new JobsCount(plan, new PathTracer(equalCostRoutes(plan.fabric, plan.routing)));

describe.each(Object.keys(jobs))('the amount of a job: %s', (name) => {
  it.each(['fluid', 'packet'])('is what its run sends on %s', async (backend) => {
    const plan = await planOf(name, backend);
    const count = countOf(plan);
    while (count.advance(1000));
    const { flows, counters, outcome } = await simulate(plan, { host: memoryHost({}) });
    expect(outcome).toBe('finished');
    expect([count.amount.flows, count.amount.payloadBytes]).toEqual([flows, counters.payloadBytesDelivered]);
    const { packetHops, retransmittedBytes = 0 } = counters;
    if (packetHops !== undefined)
      expect([Math.abs(retransmittedBytes), count.amount.packetHops]).toEqual([0, packetHops]);
  });

  it('is the same however counting is cut, and known before all is counted', async () => {
    const plan = await planOf(name, 'packet');
    const [whole, pieces] = [countOf(plan), countOf(plan)];
    while (whole.advance(1e9));
    let lowest = Infinity;
    let highest = 0;
    while (pieces.advance(7)) {
      if (!pieces.isKnown) continue;
      lowest = Math.min(lowest, pieces.amount.packetHops);
      highest = Math.max(highest, pieces.amount.packetHops);
    }
    expect([pieces.isComplete, pieces.amount.flows, pieces.amount.packetHops]).toEqual([
      true,
      whole.amount.flows,
      whole.amount.packetHops,
    ]);
    // the groups of a kind send as much as each other here: what is known does not move any more
    expect(highest === 0 || highest / lowest < 1.05).toBe(true);
    const looked = pieces.estimate(64);
    expect(looked.packetHops / whole.amount.packetHops).toBeGreaterThan(0.8);
    expect(looked.packetHops / whole.amount.packetHops).toBeLessThan(1.25);
    expect(pieces.amount.packetHops).toBe(whole.amount.packetHops);
  });
});
