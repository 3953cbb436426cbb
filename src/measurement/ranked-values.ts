// Values of which every one is kept, for an exact mean and exact percentiles: 8 bytes each, at any time. They stand in
// blocks, each twice as long as the one before, so that nothing is copied when they become more; a block is sorted
// where it is, and the ranks are read off while the few blocks are merged.
// Invariant: what is returned depends on the values alone, not on the order in which they came.

/** Percentiles are of nearest rank: the smallest value with at least that share of the values at or below it. */
export interface RankedFigures {
  readonly mean: number;
  readonly p50: number;
  readonly p99: number;
  readonly max: number;
}

const firstBlock = 1 << 10;

export class RankedValues {
  /** the full ones; the last one, and how many it holds */
  private readonly full: Float64Array[] = [];
  private block = new Float64Array(firstBlock);
  private inBlock = 0;

  /** @param value not NaN */
  add(value: number): void {
    if (this.inBlock === this.block.length) {
      this.full.push(this.block);
      this.block = new Float64Array(2 * this.block.length);
      this.inBlock = 0;
    }
    this.block[this.inBlock++] = value;
  }

  /** Mean, percentiles and maximum of all values so far; zeros without any. More may come afterwards. */
  figures(): RankedFigures {
    const sorted = [...this.full, this.block.subarray(0, this.inBlock)].filter(({ length }) => length > 0);
    let count = 0;
    for (const block of sorted) count += block.sort().length;
    if (count === 0) return { mean: 0, p50: 0, p99: 0, max: 0 };
    const rank50 = rankOf(0.5, count);
    const rank99 = rankOf(0.99, count);
    let p50 = 0;
    let p99 = 0;
    let max = 0;
    let sum = 0;
    // blocks by their next values, which stand beside them: infinite if it has no more
    const at = sorted.map(() => 0);
    const next = sorted.map((block) => block[0]!);
    const order = sorted.map((_, i) => i).sort((a, b) => next[a]! - next[b]!);
    for (let rank = 0; rank < count; rank++) {
      const first = order[0]!;
      const value = next[first]!;
      sum += value;
      if (rank === rank50) p50 = value;
      if (rank === rank99) p99 = value;
      max = value;
      const block = sorted[first]!;
      const place = ++at[first]!;
      const following = place < block.length ? block[place]! : Infinity;
      next[first] = following;
      let i = 1;
      for (; i < order.length && next[order[i]!]! < following; i++) order[i - 1] = order[i]!;
      order[i - 1] = first;
    }
    return { mean: sum / count, p50, p99, max };
  }
}

/** Place of a percentile among sorted values, from 0. */
function rankOf(share: number, count: number): number {
  return Math.max(0, Math.ceil(share * count) - 1);
}
