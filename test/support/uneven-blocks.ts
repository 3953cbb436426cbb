// All-to-alls of any sizes, as when experts get unequal numbers of tokens: what schedules must carry, too.

import { fail } from '../../src/base/fail.js';
import type { BlockMatrix } from '../../src/collectives/block-matrix.js';

/** Any sizes: entry source * rankCount + destination. */
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
