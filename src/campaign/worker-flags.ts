// How Node is begun for a process that carries out tasks, beside others that do.

/**
 * Words for Node. Helpers of the collector of garbage would take the time of other runs, which have all processors; young
 * objects of 16 MiB let most of a short run go away at once. A run of 10 ms takes a fourth less CPU time with both.
 */
export const workerFlags: readonly string[] = ['--single-threaded-gc', '--min-semi-space-size=16'];
