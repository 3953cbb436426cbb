// What queues have to do, kept up as it changes: bytes that wait and bytes of credits in use. The ports of a set of next
// hops stand side by side, so that a choice among sixteen reads four cache lines.
// Invariant: of each queue, the bytes that wait and its buffer without the credits at hand. Credits under way are counted
// when somebody looks, from the time on at which the first of them is there.

export class QueueLoads {
  /** by queue two reals: bytes, and when the next credits are there; Infinity: none is under way */
  private readonly reals: Float64Array;

  /** @param queues port x lanes + lane: nothing waits, and all credits are at hand */
  constructor(queues: number) {
    this.reals = new Float64Array(2 * queues);
    for (let queue = 0; queue < queues; queue++) this.reals[2 * queue + 1] = Infinity;
  }

  /** Bytes of a queue come to wait or take credits; below 0: they go, or give credits back. */
  add(queue: number, bytes: number): void {
    this.reals[queue << 1]! += bytes;
  }

  /** The next credits of a queue that are under way will be there at a time. */
  awaits(queue: number, atPs: number): void {
    this.reals[(queue << 1) + 1] = atPs;
  }

  /** Whether credits have come back that were not counted yet. */
  isLate(queue: number, nowPs: number): boolean {
    return this.reals[(queue << 1) + 1]! <= nowPs;
  }

  of(queue: number): number {
    return this.reals[queue << 1]!;
  }
}
