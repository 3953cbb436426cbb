// The benchmark's workloads of whole jobs, as scenarios: how long a run takes from the plan to its summary, digest
// included.

export interface JobWorkload {
  readonly name: string;
  readonly about: string;
  readonly scenario: string;
  /** for the warm-up, which is not counted: `--set` texts that make it small */
  readonly small: readonly string[];
  /**
   * most CPU seconds, on a machine on which the reference prototype makes 10 M packet-hops per CPU second with `k=8
   * wl=perm npk=6000`
   */
  readonly mostCpuSeconds: number;
  /**
   * so many runs one after the other in one process, of which the fastest counts: of a run of a tenth of a second the
   * compiler is most otherwise. Left out: 1
   */
  readonly inARow?: number;
}

const gpus128 = (workload: string): string => `
fabric: { generate: spectrum-x, gpus: 128, gpusPerServer: 8, bandwidth: 100Gbps, nvlinkBandwidth: 2400Gbps }
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

export const jobWorkloads: readonly JobWorkload[] = [
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
    name: 'gpt3-9216-analytical',
    about: 'the same on 9,216 GPUs (DP72), closed forms',
    scenario: gpt3('analytical', 9216, 864, 'nccl'),
    small: ['fabric.gpus=1024', 'workload.globalBatchSize=8'],
    mostCpuSeconds: 0.1,
    inARow: 15,
  },
];
