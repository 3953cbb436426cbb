// Pairwise send and receive: what pipeline parallelism and NCCL's ncclSend and ncclRecv do. Every pair moves its own
// number of bytes, divided over channels; a channel's chunks follow each other: when the one before has arrived, or,
// over several slots, when it has left and a slot is free. The receiver has the bytes at the front of its buffer.
// Invariant: a place is the destination of one pair at most.

import { fail } from '../base/fail.js';
import { ChunkFifo } from './chunk-fifo.js';
import { partSize, partStart } from './division.js';
import type { Move, PieceVisitor, Schedule } from './schedule.js';

export interface SendPair {
  readonly source: number;
  readonly destination: number;
  readonly sizeBytes: number;
}

/** Moves are numbered by pair, then channel, then chunk. */
export class SendReceive implements Schedule {
  readonly algorithm = 'direct';
  readonly kind = 'sendrecv';
  readonly switchCount = 0;
  readonly stepCount = 1;
  readonly delivery = null;
  readonly moveCount: number;
  readonly bufferBytes: number;
  readonly connections: ChunkFifo | null;

  constructor(
    readonly rankCount: number,
    private readonly pairs: readonly SendPair[],
    readonly channelCount = 1,
    readonly chunkCount = 1,
    slots = 1,
  ) {
    this.connections = slots > 1 && chunkCount > 1 ? new ChunkFifo(chunkCount, slots) : null;
    if (pairs.some(({ source, destination }) => source === destination)) fail('a rank that sends to itself');
    if (new Set(pairs.map(({ destination }) => destination)).size < pairs.length)
      fail('a rank that receives from two others');
    this.moveCount = pairs.length * channelCount * chunkCount;
    this.bufferBytes = pairs.reduce((most, { sizeBytes }) => Math.max(most, sizeBytes), 0);
  }

  describe(move: number, into: Move): void {
    const perPair = this.channelCount * this.chunkCount;
    const number = Math.floor(move / perPair);
    const part = move - number * perPair;
    const { source, destination, sizeBytes } = this.pairs[number]!;
    into.source = source;
    into.destination = destination;
    into.isReduction = false;
    into.step = 0;
    into.channel = Math.floor(part / this.chunkCount);
    into.chunk = part % this.chunkCount;
    into.sizeBytes = partSize(sizeBytes, perPair, part);
  }

  pieces(move: number, visit: PieceVisitor): void {
    const perPair = this.channelCount * this.chunkCount;
    const number = Math.floor(move / perPair);
    const { sizeBytes } = this.pairs[number]!;
    const start = partStart(sizeBytes, perPair, move - number * perPair);
    visit(start, start, partSize(sizeBytes, perPair, move - number * perPair), true);
  }

  prerequisites(move: number): number {
    return this.connections?.waitsFor(move) ?? (move % this.chunkCount === 0 ? 0 : 1);
  }

  successors(move: number, visit: (successor: number) => void): void {
    if (this.connections === null && (move + 1) % this.chunkCount !== 0) visit(move + 1);
  }

  predecessors(move: number, visit: (predecessor: number) => void): void {
    if (this.connections === null && move % this.chunkCount !== 0) visit(move - 1);
  }

  roots(visit: (move: number) => void): void {
    for (let move = 0; move < this.moveCount; move += this.chunkCount) visit(move);
  }

  movesByPlace(): Float64Array {
    const moves = new Float64Array(this.rankCount);
    for (const { source, destination } of this.pairs) {
      moves[source]! += this.channelCount * this.chunkCount;
      moves[destination]! += this.channelCount * this.chunkCount;
    }
    return moves;
  }
}
