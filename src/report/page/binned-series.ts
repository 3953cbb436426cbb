// A quantity over time of which only changes come, kept as the most of each part of the time.
// Invariants: memory is bounded however long the run is (parts double in length when time exceeds them); a value holds
// until the next change, over parts without one, too; no peak is lost.

const binCount = 512;

export class BinnedSeries {
  private binPs: number;
  private readonly most = new Float64Array(binCount).fill(NaN);
  private readonly last = new Float64Array(binCount).fill(NaN);
  peak = 0;

  /**
   * @param firstBinPs length of a part at the beginning, in picoseconds
   * @param fromPs when the first part begins; what was before counts into it
   */
  constructor(
    firstBinPs = 100_000,
    readonly fromPs = 0,
  ) {
    this.binPs = firstBinPs;
  }

  /** The quantity has a value from a time on; times do not go back. */
  add(timePs: number, value: number): void {
    const afterPs = Math.max(0, timePs - this.fromPs);
    while (afterPs >= binCount * this.binPs) this.halve();
    const bin = Math.floor(afterPs / this.binPs);
    if (!(this.most[bin]! >= value)) this.most[bin] = value;
    this.last[bin] = value;
    if (value > this.peak) this.peak = value;
  }

  /**
   * The most of each part up to an end, as points at the beginnings of parts, counted from the first one's.
   * @param initial the value before the first change
   */
  points(endPs: number, initial: number): { readonly timesPs: number[]; readonly values: number[] } {
    const timesPs: number[] = [];
    const values: number[] = [];
    let current = initial;
    for (let bin = 0; bin < binCount && bin * this.binPs <= endPs - this.fromPs; bin++) {
      const most = this.most[bin]!;
      timesPs.push(bin * this.binPs);
      values.push(Number.isNaN(most) ? current : Math.max(most, current));
      if (!Number.isNaN(most)) current = this.last[bin]!;
    }
    return { timesPs, values };
  }

  private halve(): void {
    for (let bin = 0; bin < binCount / 2; bin++) {
      const [a, b] = [2 * bin, 2 * bin + 1];
      const [mostA, mostB] = [this.most[a]!, this.most[b]!];
      this.most[bin] = Number.isNaN(mostA) ? mostB : Number.isNaN(mostB) ? mostA : Math.max(mostA, mostB);
      this.last[bin] = Number.isNaN(this.last[b]!) ? this.last[a]! : this.last[b]!;
    }
    this.most.fill(NaN, binCount / 2);
    this.last.fill(NaN, binCount / 2);
    this.binPs *= 2;
  }
}
