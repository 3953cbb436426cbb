// Whose packets samples count for: each job has the links of its own hosts, in the order of the summary's jobs.

import { expect, it } from 'vitest';
import { linkSampleTable } from '#weft/sampling/sample-records.js';
import { scenarioRun } from '../support/scenario-run.js';
import { seed } from '../support/seed.js';
import { tableRows } from '../support/table-rows.js';

const training = `HYBRID_TRANSFORMER_FWD_IN_BCKWD model_parallel_NPU_group: 1 ep: 1 pp: 1 vpp: 1 ga: 1 all_gpus: 4 checkpoints: 0 checkpoint_initiates: 0
1
only -1 1 NONE 0 1 NONE 0 1 ALLREDUCE 400000 1
`;

const text = `
seed: ${seed}
fabric: { generate: fat-tree, k: 4 }
pfc: { enabled: true }
jobs:
  - { name: program, program: bisection, nodes: 4-7, messageSize: 256KiB, messages: 2, eagerLimit: 256KiB }
  - { name: training, ranks: 0-3, file: training.txt }
traffic:
  transfers:
    - { source: 8, destination: 9, size: 300kB, start: 0us }
    - { source: 10, destination: 11, size: 300kB, start: 0us, job: listed }
    - { source: 12, destination: 10, size: 300kB, start: 0us, job: listed }
`;

it.each(['packet', 'credit'])(
  `on the %s backend jobs, programs and named transfers are told apart (WEFT_SEED=${seed})`,
  async (backend) => {
    const set = [`backend=${backend}`, 'sampling.variant=standard'];
    const { sink, summary } = await scenarioRun(text, set, { 'training.txt': training });
    expect(summary.verdicts.filter(({ ok }) => !ok)).toEqual([]);
    const sends = new Map<number, Set<number>>();
    for (const { job, node, nodeKind } of tableRows(sink, linkSampleTable) as Record<string, number>[])
      if (nodeKind === 0) sends.set(job!, (sends.get(job!) ?? new Set()).add(node!));
    const hosts = Object.fromEntries([...sends].map(([job, nodes]) => [job, [...nodes].sort((a, b) => a - b)]));
    // trained first, then programs, then transfers of a name; what has none is nobody's
    expect(hosts).toEqual({ '-1': [8], 0: [0, 1, 2, 3], 1: [4, 5, 6, 7], 2: [10, 12] });
  },
);
