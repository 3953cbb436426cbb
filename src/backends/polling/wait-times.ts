// How long things wait in all, each up to a time: ports, lanes of ports.
// Invariant: what waits has begun to at a time that may lie ahead (the end of a transmission), and counts from then on.

export class WaitTimes {
  /** how many wait now, or are about to */
  waiting = 0;
  private readonly totalPs: Float64Array;
  /** -1: it does not wait */
  private readonly sincePs: Float64Array;

  constructor(count: number) {
    this.totalPs = new Float64Array(count);
    this.sincePs = new Float64Array(count).fill(-1);
  }

  waits(index: number): boolean {
    return this.sincePs[index]! >= 0;
  }

  /** It waits from a time on, if it has not since an earlier one. */
  begin(index: number, fromPs: number): void {
    if (this.sincePs[index]! >= 0) return;
    this.sincePs[index] = fromPs;
    this.waiting++;
  }

  /** It waits no more, if it did. */
  end(index: number, nowPs: number): void {
    const sincePs = this.sincePs[index]!;
    if (sincePs < 0) return;
    if (nowPs > sincePs) this.totalPs[index]! += nowPs - sincePs;
    this.sincePs[index] = -1;
    this.waiting--;
  }

  /** Picoseconds that it has waited up to a time that is not before its last change. */
  untilPs(index: number, timePs: number): number {
    const sincePs = this.sincePs[index]!;
    return this.totalPs[index]! + (sincePs >= 0 && timePs > sincePs ? timePs - sincePs : 0);
  }
}
