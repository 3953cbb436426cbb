// How much every rank of an all-to-all has for every other one, and where it stands in its input and in the receiver's
// result.
// Invariants: the input holds the blocks by destination, the result by source, without gaps.

import { partSize, partStart } from './division.js';

export interface BlockMatrix {
  readonly rankCount: number;
  /** bytes of the block from one place for another */
  size(source: number, destination: number): number;
  /** where the block stands in the source's input */
  inputStart(source: number, destination: number): number;
  /** where the block goes in the destination's result */
  resultStart(source: number, destination: number): number;
  readonly largestBlockBytes: number;
  readonly largestResultBytes: number;
}

/** The same input for every rank, divided evenly: all blocks for a rank have one size. */
export class EvenBlocks implements BlockMatrix {
  readonly largestBlockBytes: number;
  readonly largestResultBytes: number;

  /** @param sizeBytes the whole input of a rank */
  constructor(
    readonly rankCount: number,
    private readonly sizeBytes: number,
  ) {
    this.largestBlockBytes = partSize(sizeBytes, rankCount, 0);
    this.largestResultBytes = rankCount * this.largestBlockBytes;
  }

  size(_source: number, destination: number): number {
    return partSize(this.sizeBytes, this.rankCount, destination);
  }

  inputStart(_source: number, destination: number): number {
    return partStart(this.sizeBytes, this.rankCount, destination);
  }

  resultStart(source: number, destination: number): number {
    return source * this.size(source, destination);
  }
}
