// Which flows a congested queue has told a short while ago, and may not tell again yet: a hash table in columns, asked
// for every packet that comes to a congested queue.
// Invariant: entries that are over make room before the table grows, so it holds at most twice the flows that were told
// within one interval, and a few.

const firstCapacity = 256;

export class QuietFlows {
  private capacity = firstCapacity;
  private used = 0;
  /** by place: the queue (-1: free), the queue pair, its flow, until when it is left alone */
  private points = new Int32Array(firstCapacity).fill(-1);
  private pairs = new Int32Array(firstCapacity);
  private flows = new Float64Array(firstCapacity);
  private untilPs = new Float64Array(firstCapacity);

  /** @returns true if a queue may tell a flow now, which it then may not again before a time */
  take(point: number, pair: number, flow: number, nowPs: number, untilPs: number): boolean {
    let at = this.placeOf(point, pair);
    if (this.points[at] === point && this.pairs[at] === pair) {
      if (this.flows[at] === flow && this.untilPs[at]! > nowPs) return false;
    } else {
      if (2 * (this.used + 1) > this.capacity) {
        this.tidy(nowPs);
        at = this.placeOf(point, pair);
      }
      this.used++;
      this.points[at] = point;
      this.pairs[at] = pair;
    }
    this.flows[at] = flow;
    this.untilPs[at] = untilPs;
    return true;
  }

  /** Where an entry is, or would be. */
  private placeOf(point: number, pair: number): number {
    const { points, pairs } = this;
    const mask = this.capacity - 1;
    let at = (Math.imul(Math.imul(point, 0x9e3779b1) ^ pair, 0x85ebca6b) >>> 7) & mask;
    while (points[at]! >= 0 && (points[at] !== point || pairs[at] !== pair)) at = (at + 1) & mask;
    return at;
  }

  /** Keeps what is not over; with more than a quarter in use the table doubles. */
  private tidy(nowPs: number): void {
    const { points, pairs, flows, untilPs } = this;
    const kept: number[] = [];
    for (let at = 0; at < points.length; at++) if (points[at]! >= 0 && untilPs[at]! > nowPs) kept.push(at);
    if (4 * kept.length > this.capacity) this.capacity *= 2;
    this.points = new Int32Array(this.capacity).fill(-1);
    this.pairs = new Int32Array(this.capacity);
    this.flows = new Float64Array(this.capacity);
    this.untilPs = new Float64Array(this.capacity);
    this.used = kept.length;
    for (const before of kept) {
      const at = this.placeOf(points[before]!, pairs[before]!);
      this.points[at] = points[before]!;
      this.pairs[at] = pairs[before]!;
      this.flows[at] = flows[before]!;
      this.untilPs[at] = untilPs[before]!;
    }
  }
}
