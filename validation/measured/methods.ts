// How the runs of runs.yaml were measured, and what each way adds to the time of the collective itself.
// Invariants: what a method adds is one figure for every run of it, from a source that is none of the runs; a method
// never shortens a time. Calls of nccl-tests are queued one behind the other, so what the host needs for a call bounds
// the time of a call from below; where one call is timed on an idle GPU, it comes before the call.
// Not modelled: hosts of different speed; launches as CUDA graphs; the profiler's own resolution.

/** One way to measure. */
export interface Method {
  /** what it is, and the source of its figure */
  readonly about: string;
  /**
   * What a run of it reports of a collective that takes so long by itself.
   * @param timeUs of the collective
   * @param ranksPerServer GPUs of one host that take part
   */
  readonly reportedUs: (timeUs: number, ranksPerServer: number) => number;
}

/**
 * Microseconds that one thread needs to launch the kernel of one GPU: NVIDIA/nccl-tests issue #123 (2022-12-14),
 * DGX A100, `-g N` with N from 2 to 8: 33.7 us for 8 GPUs, some 4.2 more for each from the third on.
 */
const launchUs = 4.2;

/**
 * Microseconds of PyTorch's host between the first event and the kernel: stas00/ml-engineering,
 * network/benchmarks/README.md @0cc3de50b2 says 20 to 30; the middle of it.
 */
const pytorchUs = 25;

export const methods = {
  'nccl-tests': {
    about: 'nccl-tests with a process for each GPU, or not said: calls queued one behind the other; adds nothing',
    reportedUs: (timeUs) => timeUs,
  },
  'nccl-tests, one thread': {
    about: `nccl-tests with \`-g N\`: one thread launches the kernels of all GPUs, ${launchUs} us each (NVIDIA/nccl-tests issue #123: 33.7 us over 8 GPUs of a DGX A100; issue #333 names the cause); a call takes that at least`,
    reportedUs: (timeUs, ranksPerServer) => Math.max(timeUs, launchUs * ranksPerServer),
  },
  'PyTorch, call by call': {
    about: `one call of torch.distributed between two events on an idle GPU (all_reduce_bench.py of stas00/ml-engineering @3e75510c16): ${pytorchUs} us of the host come before it, the middle of the 20 to 30 us that the script's own README states (network/benchmarks/README.md @0cc3de50b2)`,
    reportedUs: (timeUs) => timeUs + pytorchUs,
  },
  'kernel time': {
    about: "the kernel's time by CUDA's profiler; adds nothing",
    reportedUs: (timeUs) => timeUs,
  },
} as const satisfies Record<string, Method>;

export type MethodName = keyof typeof methods;
