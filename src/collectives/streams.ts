// A collective of many steps as streams: all that one place sends another, in all steps, channels and chunks, is one
// move, and all of them run at once. A rank is done when all streams have arrived, as with the steps of a ring or the
// chunks of a pipeline, where everybody ends together. What steps take beyond their bytes (latency, waiting for a first
// chunk) is a constant of its own (stream-lead.ts). Why: over one channel of 128 ranks a ring allreduce has 32,512
// moves, and 128 streams. Where shares of links do not change during the collective, streams and steps end at the same
// time; docs/models/fluid.md measures where they do not.
// Invariant: the streams between two places carry the bytes of the moves between them, no more and no less.
// Not modelled: which data a stream carries (`pieces` fails), that a step waits for the one before.

import { fail } from '../base/fail.js';
import { emptyMove, type Move, type PieceVisitor, type Schedule } from './schedule.js';
import { Ring } from './ring.js';
import { TreeReduction } from './tree-reduction.js';

/** When collectives become streams. */
export const streamModes = ['auto', 'always', 'selected', 'never'] as const;
export type StreamMode = (typeof streamModes)[number];

/** From so many ranks, or so many transfers step by step, on `auto` means always: steps would take minutes. */
const leastStreamedRanks = 1024;
const mostStepTransfers = 10_000_000;
/** From so many transfers on that steps would be, `auto` means every collective that streams picture well. */
export const leastStreamedTransfers = 1_000_000;

/** Which collectives of jobs become streams: all that can, those of which the paths do not matter, or none. */
export type StreamedCollectives = 'all' | 'selected' | 'none';

/**
 * Which collectives of jobs become streams.
 * @param ranks of all jobs @param stepTransfers asked for the transfers of all jobs step by step
 */
export function streamedCollectives(mode: StreamMode, ranks: number, stepTransfers: () => number): StreamedCollectives {
  if (mode === 'always' || (mode === 'auto' && ranks >= leastStreamedRanks)) return 'all';
  if (mode !== 'auto') return mode === 'selected' ? 'selected' : 'none';
  const transfers = stepTransfers();
  return transfers >= mostStepTransfers ? 'all' : transfers >= leastStreamedTransfers ? 'selected' : 'none';
}

/** Fewer chunks than that are no pipeline: its steps use one link after the other. */
const leastChunks = 4;

/**
 * True if streams are a fair picture of a schedule: rings, and pipelines along chains and stars. Trees have edges of
 * many speeds and use them in turn.
 */
export function hasStreams(schedule: Schedule): boolean {
  if (schedule.moveCount === 0 || schedule.bufferBytes === 0) return false;
  return (
    schedule instanceof Ring ||
    (schedule instanceof TreeReduction &&
      (schedule.algorithm === 'ring' || schedule.algorithm === 'nvls') &&
      schedule.chunkCount >= leastChunks)
  );
}

/**
 * Moves are the streams, in order of their first move; then one of no bytes that waits for all of them, and releases
 * one of no bytes at each rank, by which the rank is done.
 */
export class StreamedSchedule implements Schedule {
  readonly algorithm: Schedule['algorithm'];
  readonly kind: Schedule['kind'];
  readonly rankCount: number;
  readonly switchCount: number;
  readonly moveCount: number;
  readonly stepCount = 1;
  readonly channelCount = 1;
  readonly chunkCount = 1;
  readonly delivery = null;
  readonly bufferBytes: number;
  readonly streamCount: number;
  private readonly source: Int32Array;
  private readonly destination: Int32Array;
  private readonly sizeBytes: Float64Array;
  /** streams by source, ascending, and by place: where its own begin */
  private readonly bySource: Int32Array;
  private readonly firstOf: Int32Array;

  /** @param steps a schedule of which hasStreams is true */
  constructor(readonly steps: Schedule) {
    if (!hasStreams(steps)) fail(`${steps.algorithm} as streams`);
    this.algorithm = steps.algorithm;
    this.kind = steps.kind;
    this.rankCount = steps.rankCount;
    this.switchCount = steps.switchCount;
    this.bufferBytes = steps.bufferBytes;
    const streams = merged(steps);
    this.streamCount = streams.length;
    this.source = Int32Array.from(streams, ({ source }) => source);
    this.destination = Int32Array.from(streams, ({ destination }) => destination);
    this.sizeBytes = Float64Array.from(streams, ({ sizeBytes }) => sizeBytes);
    this.moveCount = streams.length + 1 + steps.rankCount;
    this.bySource = Int32Array.from(this.source.keys()).sort((a, b) => this.source[a]! - this.source[b]! || a - b);
    this.firstOf = new Int32Array(steps.rankCount + steps.switchCount + 1);
    for (const place of this.source) this.firstOf[place + 1]!++;
    for (let place = 1; place < this.firstOf.length; place++) this.firstOf[place]! += this.firstOf[place - 1]!;
  }

  describe(move: number, into: Move): void {
    const { streamCount } = this;
    const isStream = move < streamCount;
    // the move that waits for all belongs to place 0
    const place = isStream ? -1 : Math.max(0, move - streamCount - 1);
    into.source = isStream ? this.source[move]! : place;
    into.destination = isStream ? this.destination[move]! : place;
    into.sizeBytes = isStream ? this.sizeBytes[move]! : 0;
    into.isReduction = false;
    into.step = into.channel = into.chunk = 0;
  }

  pieces(_move: number, _visit: PieceVisitor): void {
    fail('streams do not know which data they carry');
  }

  prerequisites(move: number): number {
    return move < this.streamCount ? 0 : move === this.streamCount ? this.streamCount : 1;
  }

  successors(move: number, visit: (successor: number) => void): void {
    const { streamCount, moveCount } = this;
    if (move < streamCount) visit(streamCount);
    else if (move === streamCount) for (let next = streamCount + 1; next < moveCount; next++) visit(next);
  }

  predecessors(move: number, visit: (predecessor: number) => void): void {
    const { streamCount } = this;
    if (move > streamCount) visit(streamCount);
    else if (move === streamCount) for (let stream = 0; stream < streamCount; stream++) visit(stream);
  }

  roots(visit: (move: number) => void): void {
    for (let move = 0; move < this.streamCount; move++) visit(move);
  }

  rootsOf(place: number, visit: (move: number) => void): void {
    for (let i = this.firstOf[place]!; i < this.firstOf[place + 1]!; i++) visit(this.bySource[i]!);
  }

  movesByPlace(): Float64Array {
    const moves = new Float64Array(this.rankCount + this.switchCount);
    moves.fill(1, 0, this.rankCount);
    moves[0]!++;
    for (let move = 0; move < this.streamCount; move++) {
      moves[this.source[move]!]!++;
      moves[this.destination[move]!]!++;
    }
    return moves;
  }
}

interface Stream {
  readonly source: number;
  readonly destination: number;
  sizeBytes: number;
}

/** All bytes from each place to each other, in order of the first move. */
function merged(schedule: Schedule): Stream[] {
  const streams = new Map<number, Stream>();
  const places = schedule.rankCount + schedule.switchCount;
  const move = emptyMove();
  const add = (): void => {
    if (move.sizeBytes === 0) return;
    const key = move.source * places + move.destination;
    const known = streams.get(key);
    if (known === undefined)
      streams.set(key, { source: move.source, destination: move.destination, sizeBytes: move.sizeBytes });
    else known.sizeBytes += move.sizeBytes;
  };
  if (schedule instanceof Ring) {
    for (let hop = 0; hop < schedule.hopCount; hop++) {
      schedule.describeHop(hop, move);
      add();
    }
  } else {
    for (let number = 0; number < schedule.moveCount; number++) {
      schedule.describe(number, move);
      add();
    }
  }
  return [...streams.values()];
}
