// Which layers of a workload are the optimizer's: those before all others that run once and only in their
// weight-gradient pass.

import { expect, it } from 'vitest';
import { timelineJob } from '../../src/report/timeline-jobs.js';
import { makePlan } from '../../src/scenario/make-plan.js';
import { memoryHost } from '../memory-host.js';

const namesOf = async (workload: string, files: Record<string, string> = {}): Promise<string[]> => {
  const text = `fabric: { generate: spectrum-x, gpus: 16 }\nworkload: ${workload}\n`;
  const plan = await makePlan('s.yaml', { host: memoryHost({ 's.yaml': text, ...files }), overrides: [] });
  const [job] = plan.jobs;
  const { name, optimizerLayers } = timelineJob(job!);
  expect(name).toBe(job!.name);
  return [...optimizerLayers].map((layer) => job!.workload.layers.name[layer]!);
};

/** A line of a workload file. */
const layer = (name: string, forward: number, collective: string, gradient: string): string =>
  `${name} -1 ${forward} ${collective} ${collective === 'NONE' ? 0 : 1000} 1 NONE 0 1 ${gradient} ${gradient === 'NONE' ? 0 : 1000} 100`;

it('the generator calls them so', async () => {
  const gpt = '{ generate: transformer, model: gpt3-6.7b, layerCount: 2, tensorParallel: 8, dataParallel: 2 }';
  expect(await namesOf(gpt)).toEqual(['optimizer']);
});

it('workload files have 1 ns where there is nothing to compute, and embeddings go forward', async () => {
  const text = [
    'HYBRID_TRANSFORMER_FWD_IN_BCKWD model_parallel_NPU_group: 8 ep: 1 pp: 1 vpp: 1 ga: 1 all_gpus: 16 checkpoints: 0 checkpoint_initiates: 0',
    '4',
    layer('grad_gather', 1, 'NONE', 'ALLGATHER'),
    layer('grad_param_comm', 1, 'NONE', 'REDUCESCATTER'),
    layer('embedding_layer', 1, 'ALLREDUCE', 'NONE'),
    layer('attention_layer', 5000, 'ALLREDUCE', 'NONE'),
    '',
  ].join('\n');
  expect(await namesOf('{ file: w.txt }', { 'w.txt': text })).toEqual(['grad_gather', 'grad_param_comm']);
});

it('a workload that never goes forward has none', async () => {
  const gradients = '{ name: a, weightGradient: { compute: 1us } }';
  expect(await namesOf(`{ layers: [${gradients}] }`)).toEqual([]);
  expect(await namesOf(`{ layers: [${gradients}, { name: b, forward: { compute: 1us } }] }`)).toEqual(['a']);
});
