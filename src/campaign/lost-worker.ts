// A worker process that ended before its task did: killed, or out of memory. Neither bad input nor a bug of Weft's.

export class LostWorkerError extends Error {
  override readonly name = 'LostWorkerError';

  /**
   * @param task what it was at @param how it ended, such as `ended with signal SIGKILL`
   * @param isFinal whether another try would end the same way
   */
  constructor(
    task: string,
    readonly how: string,
    readonly isFinal = false,
  ) {
    super(`${task}: its process ${how}; if memory was short, run fewer at once: --workers 1`);
  }
}
