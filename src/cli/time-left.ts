// How long a run will go on, from the rate at which its share has grown lately.
// Invariant: the time left is said only while the share has grown within the window; a share that stands still, or that
// nobody knows, has no time left. No clock of its own.

/** Wall-clock milliseconds that the rate is taken over, and the least for a rate worth saying. */
const windowMs = 30_000;
const leastMs = 1000;
/** Wall-clock milliseconds between two samples that are kept. */
const sampleEveryMs = 500;

export class TimeLeft {
  private samples: { readonly nowMs: number; readonly share: number }[] = [];

  /**
   * Takes note of a share. @param share done, 0 to 1; null: not known
   * @returns seconds that are left at the recent rate; null if that is not known
   */
  at(nowMs: number, share: number | null): number | null {
    if (share === null) {
      this.samples = [];
      return null;
    }
    const last = this.samples[this.samples.length - 1];
    if (last === undefined || nowMs - last.nowMs >= sampleEveryMs) this.samples.push({ nowMs, share });
    // the oldest sample is at least a window old, if there is one
    while (this.samples.length > 2 && nowMs - this.samples[1]!.nowMs >= windowMs) this.samples.shift();
    const first = this.samples[0]!;
    const grown = share - first.share;
    if (nowMs - first.nowMs < leastMs || grown <= 0) return null;
    return ((1 - share) * (nowMs - first.nowMs)) / grown / 1000;
  }
}
