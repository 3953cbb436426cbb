// The connections of a schedule whose moves are numbered such that the chunks of a connection follow each other: a
// message's pieces go in order, and no more are under way than there are slots (schedule.ts, Connections).
// Invariant: connection c has the moves c * chunkCount .. (c + 1) * chunkCount - 1.

import type { Connections } from './schedule.js';

export class ChunkFifo implements Connections {
  /** @param slots at least 2 */
  constructor(
    private readonly chunkCount: number,
    readonly slots: number,
  ) {}

  before(move: number): number {
    return move % this.chunkCount === 0 ? -1 : move - 1;
  }

  after(move: number): number {
    return (move + 1) % this.chunkCount === 0 ? -1 : move + 1;
  }

  takesSlotOf(move: number): number {
    return (move % this.chunkCount) + this.slots < this.chunkCount ? move + this.slots : -1;
  }

  /** What a move waits for besides its data: the one before it, and a slot. */
  waitsFor(move: number): number {
    const chunk = move % this.chunkCount;
    return (chunk > 0 ? 1 : 0) + (chunk >= this.slots ? 1 : 0);
  }
}
