// Transfers of a job step by step, counted beforehand, against those that its run starts; and what `auto` makes of them.

import { describe, expect, it } from 'vitest';
import { simulate } from '../../src/app/simulate.js';
import { Communicator } from '../../src/collectives/communicator.js';
import { Ring } from '../../src/collectives/ring.js';
import { ringOrders } from '../../src/collectives/ring-order.js';
import { keepsPace } from '../../src/collectives/stream-paths.js';
import { leastStreamedTransfers, streamedCollectives, StreamedSchedule } from '../../src/collectives/streams.js';
import type { Fabric } from '../../src/fabric/fabric.js';
import { generateFabric } from '../../src/fabric/generators/catalogue.js';
import { stepTransfers } from '../../src/jobs/job-amount.js';
import { EqualCostRoutes } from '../../src/routing/equal-cost.js';
import { PathTracer } from '../../src/routing/path.js';
import { makePlan } from '../../src/scenario/make-plan.js';
import { memoryHost } from '../memory-host.js';

async function planOf(workload: string) {
  const text = `
backend: fluid
fabric: { generate: spectrum-x, gpus: 16, gpuType: H100 }
workload: ${workload}
fluid: { streams: never }
`;
  const host = memoryHost({ 's.yaml': text });
  return { host, plan: await makePlan('s.yaml', { host, overrides: [] }) };
}

const many = (): number => leastStreamedTransfers;
const few = (): number => leastStreamedTransfers - 1;

const ringOver = (fabric: Fabric, ranks: readonly number[]): boolean => {
  const communicator = new Communicator(fabric, Int32Array.from(ranks));
  const ring = new Ring({ kind: 'allreduce', rings: ringOrders('rank-order', communicator, 1), sizeBytes: 1e6 });
  const tracer = new PathTracer(new EqualCostRoutes(fabric, 'descending-node-id'));
  return keepsPace(new StreamedSchedule(ring), communicator, tracer);
};
const leaves = (spineRate: string): Fabric =>
  generateFabric('leaf-spine', { leaves: 4, hostsPerLeaf: 4, spines: 4, hostRate: '100Gbps', spineRate });

describe('transfers of a job step by step', () => {
  const shape =
    'generate: transformer, model: gpt3-13b, layerCount: 1, hiddenSize: 512, attentionHeads: 8, keyValueHeads: 8, feedForwardSize: 2048, vocabularySize: 1000, sequenceLength: 64';
  it.each([
    ['tensor and data groups', `{ ${shape}, tensorParallel: 8, microBatches: 1 }`],
    [
      'stages of a pipeline',
      `{ ${shape.replace('layerCount: 1', 'layerCount: 2')}, tensorParallel: 4, pipelineParallel: 2, microBatches: 3 }`,
    ],
    ['two iterations, parameters gathered', `{ ${shape}, tensorParallel: 4, zeroStage: 1, iterations: 2 }`],
    [
      'an all-to-all after an allreduce',
      '{ tensorParallel: 8, layers: [ { name: a, forward: { collective: allreduceThenAlltoall, group: dp, size: 1MiB } } ] }',
    ],
  ])('are as many as a run starts: %s', async (_, workload) => {
    const { host, plan } = await planOf(workload);
    const counted = plan.jobs.reduce((sum, job) => sum + stepTransfers(job, plan.fabric, plan.collectives), 0);
    const { flows, outcome } = await simulate(plan, { host });
    expect(outcome).toBe('finished');
    // moves of no bytes are no transfers: here there are none
    expect(counted).toBe(flows);
  });

  it('decide what `auto` means below 1,024 ranks', () => {
    expect(streamedCollectives('auto', 1023, few)).toBe('none');
    expect(streamedCollectives('auto', 1023, many)).toBe('selected');
    expect(streamedCollectives('auto', 1024, few)).toBe('all');
    expect(streamedCollectives('never', 1024, many)).toBe('none');
    expect(streamedCollectives('always', 2, few)).toBe('all');
  });
});

describe('streams of which the paths do not matter', () => {
  const all = Array.from({ length: 16 }, (_, rank) => rank);

  it('have no choice, or links between switches of four times the rate', () => {
    expect(ringOver(leaves('100Gbps'), [0, 1, 2, 3])).toBe(true);
    expect(ringOver(leaves('400Gbps'), all)).toBe(true);
    const rails = generateFabric('spectrum-x', { gpus: 64 });
    expect(ringOver(rails, [0, 1, 2, 3, 4, 5, 6, 7])).toBe(true);
    expect(ringOver(rails, [0, 8, 16, 24, 32])).toBe(true);
  });

  it('are not those that hashes put together, nor those of NICs with two ports', () => {
    expect(ringOver(leaves('100Gbps'), all)).toBe(false);
    expect(ringOver(leaves('399Gbps'), all)).toBe(false);
    expect(ringOver(generateFabric('alibaba-hpn', { gpus: 64, dualPlane: true }), [0, 8, 16, 24])).toBe(false);
  });
});
