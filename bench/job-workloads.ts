// The benchmark's workloads of whole jobs, as scenarios: how long a run takes from the plan to its summary, digest
// included. The jobs that people run come on packets and on fluid.

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { repositoryFolder } from '../validation/repository.js';
import { allReduceSizes, generatedWorkload, traceAtOnce, webSearchTrace } from './job-files.js';

export interface JobWorkload {
  readonly name: string;
  readonly about: string;
  readonly scenario: string;
  /** for the warm-up, which is not counted: `--set` texts that make it small */
  readonly small: readonly string[];
  /** files that the scenario names. Left out: none */
  readonly files?: (isWhole: boolean) => Promise<Readonly<Record<string, string>>>;
  /** true: it takes minutes, and runs where it is asked for by name or with --long */
  readonly isLong?: boolean;
  /**
   * most CPU seconds, null if nobody has set a limit; on a machine on which the reference prototype makes 10 M packet-hops per CPU second with `k=8
   * wl=perm npk=6000`
   */
  readonly mostCpuSeconds: number | null;
  /**
   * so many runs one after the other in one process, of which the fastest counts: of a run of a tenth of a second the
   * compiler is most otherwise. Left out: 1
   */
  readonly inARow?: number;
}

const gpus128 = (workload: string, rates = ', bandwidth: 100Gbps, nvlinkBandwidth: 2400Gbps'): string => `
fabric: { generate: spectrum-x, gpus: 128, gpusPerServer: 8${rates} }
packet: { profile: simai }
sendLatency: 6us
collectives: { profile: simai }
timeline: { ranks: none }
workload: ${workload}
`;

const gpt3 = (backend: string, gpus: number, batch: number, profile: string): string => `
backend: ${backend}
fabric: { generate: spectrum-x, gpus: ${gpus}, aswPerPsw: ${gpus / 64} }
collectives: { profile: ${profile} }
timeline: { ranks: none }
workload: { generate: transformer, model: gpt3-175b, tensorParallel: 8, pipelineParallel: 16, globalBatchSize: ${batch}, recomputation: selective, efficiency: 0.5 }
`;

const bisection = readFileSync(join(repositoryFolder, 'examples/adaptive-routing/bisection.yaml'), 'utf8');

/** 32.2 GB in 47 M packet-hops over credits, between hosts that the seed draws. @param routing lines of the scenario */
const quartz1 = (name: string, about: string, mostCpuSeconds: number, routing: string): JobWorkload => ({
  name,
  about: `the bisection of examples/adaptive-routing, shuffled, on credits: ${about}`,
  scenario: bisection
    .replace('pairing: shift', 'pairing: shuffle')
    .replace('routing: { algorithm: ftree }', `routing: ${routing}`),
  small: ['workload.messages=1', 'workload.messageSize=8KiB'],
  isLong: true,
  mostCpuSeconds,
});

const limited: readonly JobWorkload[] = [
  {
    name: 'allreduce-tp8-dp16',
    about: "8 allreduces of 32 MiB over 16 of 128 GPUs each, 3,840 flows, packets (SimAI's case v)",
    scenario: gpus128(
      '{ tensorParallel: 8, layers: [ { name: gradients, forward: { collective: allreduce, group: dp, size: 32MiB } } ] }',
    ),
    small: ['workload.layers[0].forward.size=1MiB'],
    mostCpuSeconds: 1,
  },
  {
    name: 'allreduce-dp128',
    about: 'one allreduce of 32 MiB over 128 GPUs and 8 channels, 260,096 flows of 32 KiB, packets',
    scenario: gpus128(
      '{ tensorParallel: 1, layers: [ { name: gradients, forward: { collective: allreduce, group: dp, size: 32MiB } } ] }',
    ),
    small: ['workload.layers[0].forward.size=256KiB'],
    mostCpuSeconds: 2,
  },
  {
    name: 'gpt3-16384-fluid',
    about: 'an iteration of GPT-3 175B on 16,384 GPUs (TP8, PP16, DP128), 12 micro-batches, rings as streams',
    scenario: gpt3('fluid', 16_384, 1536, 'document'),
    small: ['fabric.gpus=1024', 'workload.globalBatchSize=8'],
    mostCpuSeconds: 60,
  },
  {
    name: 'at-once-fluid',
    about: '100,000 flows of 1 kB to 2 MiB between random pairs of 128 GPUs, all at one instant, fluid',
    scenario: `
backend: fluid
fabric: { generate: spectrum-x, gpus: 128 }
traffic: { trace: flows.csv }
`,
    files: (isWhole) => Promise.resolve({ 'flows.csv': traceAtOnce(128, isWhole ? 100_000 : 1000) }),
    small: [],
    mostCpuSeconds: 5,
  },
  {
    name: 'alltoall-dcn-fluid',
    about: 'an all-to-all of 8 MiB over 128 GPUs of DCN+, whose uplinks are an eighth of its NICs, profile nccl, fluid',
    scenario: `
backend: fluid
fabric: { generate: dcn+, gpus: 128 }
timeline: { ranks: none }
workload: { tensorParallel: 1, layers: [ { name: tokens, forward: { collective: alltoall, group: dp, size: 8MiB } } ] }
`,
    small: ['workload.layers[0].forward.size=1MiB'],
    mostCpuSeconds: 2,
  },
  {
    name: 'gpt3-16k-nccl-fluid',
    about: "the same with NCCL's choices: trees, NVLS, protocols",
    scenario: gpt3('fluid', 16_384, 1536, 'nccl'),
    small: ['fabric.gpus=1024', 'workload.globalBatchSize=8'],
    isLong: true,
    mostCpuSeconds: 60,
  },
  {
    name: 'gpt3-16k-nccl',
    about: 'the same by closed forms',
    scenario: gpt3('analytical', 16_384, 1536, 'nccl'),
    small: ['fabric.gpus=1024', 'workload.globalBatchSize=8'],
    mostCpuSeconds: 0.2,
    inARow: 15,
  },
  {
    name: 'gpt3-9216-analytical',
    about: 'the same on 9,216 GPUs (DP72)',
    scenario: gpt3('analytical', 9216, 864, 'nccl'),
    small: ['fabric.gpus=1024', 'workload.globalBatchSize=8'],
    mostCpuSeconds: 0.1,
    inARow: 15,
  },
];

/** Large runs on credits: static and adaptive ways, and both with samples in packets. */
const onCredits: readonly JobWorkload[] = [
  quartz1('quartz1-static', 'static ways', 20, '{ algorithm: ecmp }'),
  quartz1('quartz1-adaptive', 'adaptive ways', 40, '{ algorithm: ecmp, balancing: adaptive }'),
  quartz1(
    'quartz1-sampled',
    'static ways, samples of one bit',
    25,
    '{ algorithm: ecmp }\nsampling: { variant: one-bit }',
  ),
  quartz1(
    'quartz1-adaptive-sampled',
    'adaptive ways, samples of one bit',
    50,
    '{ algorithm: ecmp, balancing: adaptive }\nsampling: { variant: one-bit }',
  ),
];

/** A job that people run. */
type Job = Pick<JobWorkload, 'name' | 'about' | 'scenario' | 'small' | 'files'> & {
  /** backends on which it takes minutes */
  readonly isLongOn?: readonly string[];
  /** most CPU seconds by backend, as JobWorkload has them */
  readonly mostCpuSeconds?: Readonly<Partial<Record<'packet' | 'fluid', number>>>;
};

const gpt3Of128 = `
fabric: { generate: spectrum-x, gpus: 128, gpuType: H100 }
workload: { generate: transformer, model: gpt3-13b, tensorParallel: 8, dataParallel: 16, microBatches: 1 }
`;

const kvCache = join(repositoryFolder, 'examples/kv-cache');

const jobsOfPeople: readonly Job[] = [
  {
    name: '13b-layer',
    about: 'a layer of GPT-3 13B on 128 H100 (TP8, DP16), one micro-batch, nothing else set',
    scenario: `${gpt3Of128.trim().replace(/ }$/, ', layerCount: 1 }')}\n`,
    small: ['workload.sequenceLength=128', 'workload.hiddenSize=640', 'workload.feedForwardSize=2560'],
  },
  {
    name: '13b-aicb',
    about: "an iteration of GPT-3 13B on 128 GPUs as a file in AICB's layout, SimAI's profile",
    scenario: gpus128('{ file: gpt3-13b.txt }', ''),
    files: async (isWhole) => ({
      'gpt3-13b.txt': await generatedWorkload(
        gpt3Of128.replace(
          'microBatches: 1',
          `microBatches: 1, sequenceParallel: true${isWhole ? '' : ', layerCount: 1'}`,
        ),
      ),
    }),
    small: [],
    isLongOn: ['packet'],
    // what people wait for: a whole iteration
    mostCpuSeconds: { packet: 300, fluid: 5 },
  },
  {
    name: 'micro-aicb',
    about: "an all_reduce micro-benchmark as AICB's: 19 sizes of 1 KiB to 256 MiB over 128 GPUs, SimAI's profile",
    scenario: gpus128('{ file: all_reduce.txt, tensorParallel: 1, dataParallel: 128, expertParallel: 1 }', ''),
    files: (isWhole) => Promise.resolve({ 'all_reduce.txt': allReduceSizes(isWhole ? 19 : 1) }),
    small: [],
    isLongOn: ['packet'],
    // a fifth of what it took before fluid computed equal flows once
    mostCpuSeconds: { fluid: 9.8 },
  },
  {
    name: 'allreduce-64',
    about: 'an allreduce of 256 MiB over 64 H100 by the algorithm that NCCL chooses',
    scenario: `
fabric: { generate: spectrum-x, gpus: 64, gpuType: H100 }
workload: { tensorParallel: 1, layers: [ { name: gradients, forward: { collective: allreduce, group: dp, size: 256MiB } } ] }
`,
    small: ['workload.layers[0].forward.size=8MiB'],
  },
  {
    name: 'moe-alltoall',
    about: 'four layers of experts (TP2, EP8) on 64 H100 of HPN: 8 all-to-alls of 32 MiB in each group',
    scenario: `
fabric: { generate: alibaba-hpn, gpus: 64, gpuType: H100 }
workload:
  tensorParallel: 2
  dataParallel: 32
  expertParallel: 8
  layers:
    - name: experts
      times: 4
      forward: { compute: 500us, collective: alltoall, group: ep, size: 32MiB }
      inputGradient: { compute: 1ms, collective: alltoall, group: ep, size: 32MiB }
`,
    small: ['workload.layers[0].times=1'],
  },
  {
    name: 'kv-cache',
    about: 'keys and values of prompts from two prefill servers to two decode servers (examples/kv-cache)',
    scenario: readFileSync(join(kvCache, 'shared-plane.yaml'), 'utf8'),
    files: () => Promise.resolve({ 'requests.csv': readFileSync(join(kvCache, 'requests.csv'), 'utf8') }),
    small: ['workload.layers[0].times=1'],
  },
  {
    name: 'websearch-60',
    about: 'web-search sizes at 60 % load for 20 ms between 64 hosts of a leaf-spine',
    scenario: `
fabric: { generate: leaf-spine, leaves: 4, spines: 16, hostsPerLeaf: 16 }
traffic: { trace: flows.csv }
`,
    files: (isWhole) => Promise.resolve({ 'flows.csv': webSearchTrace(64, 100e9, 0.6, isWhole ? 20 : 1) }),
    small: [],
  },
];

/** All jobs: those with limits, and those that people run, each on packets (under its name) and on fluid. */
export const jobWorkloads: readonly JobWorkload[] = [
  ...limited,
  ...onCredits,
  ...jobsOfPeople.flatMap((job) => [on('packet', job), on('fluid', job)]),
];

/** One of the jobs that people run, on a backend. */
function on(
  backend: 'packet' | 'fluid',
  { name, about, scenario, isLongOn = [], mostCpuSeconds = {}, ...rest }: Job,
): JobWorkload {
  const isPacket = backend === 'packet';
  return {
    ...rest,
    name: isPacket ? name : `${name}-${backend}`,
    about: `${about}, ${isPacket ? 'packets' : backend}`,
    scenario: `backend: ${backend}\n${scenario}`,
    mostCpuSeconds: mostCpuSeconds[backend] ?? null,
    isLong: isLongOn.includes(backend),
  };
}
