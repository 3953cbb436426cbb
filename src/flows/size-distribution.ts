// Sizes of transfers as a cumulative distribution: points (size, share of transfers up to it), straight lines between.
// Invariants: sizes and shares ascend, the last share is 1; the smallest size has the share of the first point to
// itself.
// Source: the files of HPCC (Li et al., SIGCOMM 2019) and ConWeave (Song et al., SIGCOMM 2023), which are read so
// there.

import { fail } from '../base/fail.js';

export class SizeDistribution {
  /** mean size in bytes */
  readonly meanBytes: number;

  /**
   * @param sizesBytes ascending, @param shares ascending from 0 or more to 1, one for each size
   */
  constructor(
    private readonly sizesBytes: Float64Array,
    private readonly shares: Float64Array,
  ) {
    const last = sizesBytes.length - 1;
    if (last < 0 || shares.length !== last + 1 || shares[last] !== 1) fail('a distribution of sizes ends at share 1');
    let meanBytes = sizesBytes[0]! * shares[0]!;
    for (let i = 1; i <= last; i++)
      meanBytes += ((sizesBytes[i]! + sizesBytes[i - 1]!) / 2) * (shares[i]! - shares[i - 1]!);
    this.meanBytes = meanBytes;
  }

  /**
   * The size below which a share of transfers lies.
   * @param share 0 to 1
   * @returns whole bytes, at least 1
   */
  sizeAt(share: number): number {
    const { sizesBytes, shares } = this;
    let above = 0;
    while (shares[above]! < share) above++;
    if (above === 0) return Math.max(1, Math.round(sizesBytes[0]!));
    const [from, to] = [sizesBytes[above - 1]!, sizesBytes[above]!];
    const part = (share - shares[above - 1]!) / (shares[above]! - shares[above - 1]!);
    return Math.max(1, Math.round(from + part * (to - from)));
  }
}
