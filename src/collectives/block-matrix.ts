// How much every rank of an all-to-all has for every other one, and where it stands in its input and in the receiver's
// result.
// Invariants: the input holds the blocks by destination, the result by source, without gaps.

import { fail } from '../base/fail.js';
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

/** Any sizes, as when experts get unequal numbers of tokens: entry source * rankCount + destination. */
export class UnevenBlocks implements BlockMatrix {
  readonly largestBlockBytes: number;
  readonly largestResultBytes: number;
  private readonly inputStarts: Float64Array;
  private readonly resultStarts: Float64Array;

  constructor(
    readonly rankCount: number,
    private readonly sizesBytes: Float64Array,
  ) {
    if (sizesBytes.length !== rankCount * rankCount) fail(`${sizesBytes.length} blocks of ${rankCount} x ${rankCount}`);
    if (!sizesBytes.every((size) => Number.isSafeInteger(size) && size >= 0))
      fail('a block whose size is no whole number of bytes');
    this.largestBlockBytes = sizesBytes.reduce((most, size) => Math.max(most, size), 0);
    this.inputStarts = new Float64Array(sizesBytes.length);
    this.resultStarts = new Float64Array(sizesBytes.length);
    let largest = 0;
    for (let a = 0; a < rankCount; a++) {
      let input = 0;
      let result = 0;
      for (let b = 0; b < rankCount; b++) {
        this.inputStarts[a * rankCount + b] = input;
        this.resultStarts[b * rankCount + a] = result;
        input += sizesBytes[a * rankCount + b]!;
        result += sizesBytes[b * rankCount + a]!;
      }
      largest = Math.max(largest, result);
    }
    this.largestResultBytes = largest;
  }

  size(source: number, destination: number): number {
    return this.sizesBytes[source * this.rankCount + destination]!;
  }

  inputStart(source: number, destination: number): number {
    return this.inputStarts[source * this.rankCount + destination]!;
  }

  resultStart(source: number, destination: number): number {
    return this.resultStarts[source * this.rankCount + destination]!;
  }
}
