// What a collective is to the rest of Weft: numbered moves of bytes between the places of a communicator, and which
// must have arrived before which may leave. Everything is computed from a move's number when it is asked for, so a
// collective of any size takes no memory per move.
// Invariants: moves are numbered 0 .. moveCount - 1; the order that `successors` defines has no cycle; a move is named
// as a successor by exactly as many moves as `prerequisites` says, and may leave when all of them have arrived.
// What a rank has: its input, which nothing changes, and a working buffer of bufferBytes. The buffer begins as a copy
// of the input (zeros beyond it, and all zeros at a switch, as for an all-to-all) and ends with the result at its
// front; what lies beyond the result is scratch.

/** What is done with data, as MPI and NCCL define it; sizes are those of nccl-tests: the whole buffer of a rank. */
export const collectiveKinds = [
  'allreduce',
  'allgather',
  'reducescatter',
  'alltoall',
  'broadcast',
  'reduce',
  'sendrecv',
] as const;
export type CollectiveKind = (typeof collectiveKinds)[number];

/** How it is done; each has a file of its own. */
export const algorithmNames = [
  'ring',
  'tree',
  'nvls',
  'nvls-tree',
  'collnet-direct',
  'collnet-chain',
  'pat',
  'halving-doubling',
  'direct',
  'aggregated',
] as const;
export type AlgorithmName = (typeof algorithmNames)[number];

/** One move, as `describe` writes it into a scratch object. */
export interface Move {
  /** places: ranks of the communicator are 0 .. rankCount - 1, its NVSwitches follow */
  source: number;
  destination: number;
  /** 0: nothing is sent, the move only keeps order; source and destination may then be the same place */
  sizeBytes: number;
  /** the destination adds the bytes to what it has there (true) or replaces it (false) */
  isReduction: boolean;
  /** step of the algorithm, channel, chunk of the pipeline: each from 0 */
  step: number;
  channel: number;
  chunk: number;
}

/** A scratch object for `describe`. */
export function emptyMove(): Move {
  return { source: 0, destination: 0, sizeBytes: 0, isReduction: false, step: 0, channel: 0, chunk: 0 };
}

/**
 * A contiguous part of what a move carries.
 * @param sourceOffsetBytes where it stands at the source: in its input if `fromInput`, else in its working buffer
 * @param destinationOffsetBytes where it goes in the working buffer of the destination
 */
export type PieceVisitor = (
  sourceOffsetBytes: number,
  destinationOffsetBytes: number,
  sizeBytes: number,
  fromInput: boolean,
) => void;

/**
 * Moves over one connection that are delivered in the order in which they were sent, as through NCCL's FIFO between two
 * ranks of a channel: a move that overtakes the one before it on the network counts as arrived when that one has, too.
 */
export interface Delivery {
  /** The move that is delivered right after this one; -1: this is the last of its connection. */
  next(move: number): number;
  /** True if no move is delivered before this one. */
  isFirst(move: number): boolean;
}

/**
 * Connections with a FIFO of some slots, as NCCL's between two ranks of a channel: moves of one go in order, one after
 * the other on the wire, and a sender runs ahead of what has arrived until the slots are full. A move waits for its
 * data, for the move before it to have left, and for the one `slots` before it to have arrived; `prerequisites` counts
 * all three, `successors` tells of the data alone.
 * Source: NCCL_STEPS in NCCL's device.h, 8 in all versions from 2.12 to 2.30.
 */
export interface Connections {
  readonly slots: number;
  /** The move that goes right after this one over the same connection; -1: this is its last. */
  after(move: number): number;
  /** The move that goes right before this one over the same connection; -1: this is its first. */
  before(move: number): number;
  /** The move that takes the slot of this one; -1: none is left that has to wait for one. */
  takesSlotOf(move: number): number;
}

/** The moves of a collective in columns; one object, because moves are asked one by one while it runs. */
export interface Schedule {
  readonly algorithm: AlgorithmName;
  readonly kind: CollectiveKind;
  readonly rankCount: number;
  /** NVSwitches that take part, as places rankCount .. rankCount + switchCount - 1 */
  readonly switchCount: number;
  /** how many moves there are; below 2^53 */
  readonly moveCount: number;
  readonly stepCount: number;
  readonly channelCount: number;
  readonly chunkCount: number;
  /** null: moves count as arrived when they arrive, or the order of the graph delivers them in order anyway */
  readonly delivery: Delivery | null;
  /** left out: a move leaves when its prerequisites have arrived, whatever is on the wire */
  readonly connections?: Connections | null;
  /** working buffer of a place, result and scratch: offsets of pieces are below it */
  readonly bufferBytes: number;
  /** Writes a move into `into`. */
  describe(move: number, into: Move): void;
  /**
   * Writes what the network carries for a move, where that is not the move itself: of sums in switches, which are no
   * places (tree-reduction.ts). Left out: the move. Source, destination and bytes may differ from `describe`.
   */
  sent?(move: number, into: Move): void;
  /**
   * Calls back with the contiguous parts of a move: what a proof or a real transfer needs beyond `describe`. Empty
   * parts may be left out.
   */
  pieces(move: number, visit: PieceVisitor): void;
  /** How many moves must arrive before this one may leave. */
  prerequisites(move: number): number;
  /** Calls back with every move that waits for this one, each once. */
  successors(move: number, visit: (successor: number) => void): void;
  /** Calls back with every move that this one waits for (of which it is a successor), each once. */
  predecessors(move: number, visit: (predecessor: number) => void): void;
  /** Calls back with every move without prerequisites, in order. */
  roots(visit: (move: number) => void): void;
  /** Visits those that a place sends, ascending. Left out: whoever wants them goes through all. */
  rootsOf?(place: number, visit: (move: number) => void): void;
  /**
   * By place: moves in which it takes part, one to itself counted once. When they have all arrived, its part is done.
   */
  movesByPlace(): Float64Array;
}

/** A schedule that can also be read backwards (reversed.ts): an allgather backwards is a reduce-scatter. */
export interface ReversibleSchedule extends Schedule {
  /** Calls back with every move that nothing waits for, in descending order. */
  leaves(visit: (move: number) => void): void;
}

/** What the network carries for a move. */
export function describeSent(schedule: Pick<Schedule, 'describe' | 'sent'>, move: number, into: Move): void {
  if (schedule.sent === undefined) schedule.describe(move, into);
  else schedule.sent(move, into);
}

/** Bytes of all parts of a move, for schedules that know them by their parts alone. */
export function sizeOfPieces(schedule: Pick<Schedule, 'pieces'>, move: number): number {
  let sizeBytes = 0;
  schedule.pieces(move, (_from, _to, size) => {
    sizeBytes += size;
  });
  return sizeBytes;
}
