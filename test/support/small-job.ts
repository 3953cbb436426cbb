// A small job on a small fabric, which runs with and without the controller: for commands that carry out several runs.

export const smallJobText = `fabric: { generate: spectrum-x, gpus: 16 }
collectives: { profile: document }
workload:
  tensorParallel: 4
  layers:
    - name: only
      forward: { compute: 10us, collective: alltoall, size: 1MiB, group: dp }
`;
