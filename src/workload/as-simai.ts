// A workload file as SimAI's packet simulation takes it: all GPUs of the topology take part, whatever the file says,
// and there are no pipeline stages.
// Source: SimAI 1.6. It divides the topology's GPUs into tensor and data groups alone; `pp`, `vpp` and `pp_comm` do
// nothing in a packet simulation. Micro-benchmarks, whose groups are given from outside, stay as they are.

import type { Workload } from './workload.js';

/** A workload as SimAI takes it, and what of it SimAI passes over, in words. */
export interface SimaiReading {
  readonly workload: Workload;
  /** such as "all_gpus 64 is passed over: ..." */
  readonly passedOver: readonly string[];
}

/**
 * What SimAI makes of a workload.
 * @param hosts GPUs of the topology
 */
export function asSimai(workload: Workload, hosts: number): SimaiReading {
  const { policy, groups, chunksPerStage, stageTransferBytes } = workload;
  if (policy === 'MICRO') return { workload, passedOver: [] };
  const passedOver: string[] = [];
  if (groups.gpus !== 0 && groups.gpus !== hosts)
    passedOver.push(
      `all_gpus ${groups.gpus} is passed over, as SimAI does: all ${hosts} GPUs of the topology take part, in data groups of ${hosts / groups.tensor}`,
    );
  if (groups.pipeline > 1 || stageTransferBytes > 0)
    passedOver.push(
      `pp ${groups.pipeline} and pp_comm ${stageTransferBytes} are passed over, as SimAI's packet simulation ` +
        'does: every GPU runs all layers, and stages send each other nothing',
    );
  return {
    workload: {
      ...workload,
      groups: { ...groups, pipeline: 1, gpus: hosts },
      chunksPerStage: groups.pipeline > 1 ? 1 : chunksPerStage,
      stageTransferBytes: 0,
    },
    passedOver,
  };
}
