// A program of ranks as data: what each rank does, operation after operation. An operation is computed from its number,
// as a move of a collective is, so that 110,000 ranks with thousands of operations take no memory.
// Invariants: `read` says the same whenever it is asked; ranks that share a communicator come to its collectives in the
// same order; a message that one rank sends another receives, or the run says who waits.

/** What an operation is. */
export const RankOperationKind = {
  /** the rank is busy for timePs */
  compute: 0,
  /** sends and goes on when the message is out of its hands: copied (eager) or received (rendezvous) */
  send: 1,
  /** waits for a message */
  receive: 2,
  /** begins to send, to be waited for by waitAll */
  startSend: 3,
  /** begins to receive, to be waited for by waitAll */
  startReceive: 4,
  /** waits for everything that startSend and startReceive have begun */
  waitAll: 5,
  /** waits until all of a communicator have come */
  barrier: 6,
  /** sums sizeBytes over a communicator, for all of it */
  allreduce: 7,
  /** sends sizeBytes to every other member of a communicator, and receives as much from each */
  alltoall: 8,
} as const;

/** One operation, written into by RankProgram.read; fields that its kind does not need are left as they were. */
export class RankOperation {
  kind: number = RankOperationKind.compute;
  /** the other rank of a message */
  peer = 0;
  /** of a message, or of a rank's share in a collective */
  sizeBytes = 0;
  /** of a message, from 0 */
  tag = 0;
  /** of a computation */
  timePs = 0;
  /** number among the program's phases */
  phase = 0;
  /** of a communicator: ranks first, first + stride, ..., count of them */
  first = 0;
  stride = 1;
  count = 0;

  /** A computation. */
  compute(timePs: number): void {
    this.kind = RankOperationKind.compute;
    this.timePs = timePs;
  }

  /** A message to or from another rank. @param kind send, receive, startSend or startReceive */
  message(kind: number, peer: number, sizeBytes: number, tag: number): void {
    this.kind = kind;
    this.peer = peer;
    this.sizeBytes = sizeBytes;
    this.tag = tag;
  }

  /** The end of everything that was started. */
  waitAll(): void {
    this.kind = RankOperationKind.waitAll;
  }

  /**
   * A collective of the ranks first, first + stride, ..., count of them.
   * @param kind barrier, allreduce or alltoall
   */
  collective(kind: number, first: number, stride: number, count: number, sizeBytes: number): void {
    this.kind = kind;
    this.first = first;
    this.stride = stride;
    this.count = count;
    this.sizeBytes = sizeBytes;
  }
}

/** What the ranks of a program do. */
export interface RankProgram {
  readonly ranks: number;
  /** names of the parts of the program, such as directions; at least one */
  readonly phases: readonly string[];
  /** the logical grid that ranks lie on, fastest axis first; left out: none */
  readonly grid?: readonly number[];
  /** How many operations a rank has, at most 2^31 - 1. */
  operations(rank: number): number;
  /** Writes operation `index` of a rank, its phase too. */
  read(rank: number, index: number, into: RankOperation): void;
}
