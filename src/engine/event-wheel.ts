// The event queue: a calendar of narrow buckets, each a list of records sorted by time, with a bitmap to skip empty
// ones and a heap for what lies beyond the calendar's span.
// Invariants: time never goes back; equal times come out in the order in which they went in, whatever the bucket width.
// Source: calendar queues (R. Brown, CACM 31(10), 1988); measurements in docs/models/engine.md.
// The width adapts to the density of events by rebuilding, at most a few times per run; it never affects the order.

import { fail } from '../base/fail.js';
import { checkHorizon } from './time-horizon.js';
import { EventRecords, EventWord } from './event-records.js';

// constants of this module fold into the machine code, imported ones do not
const { next: NEXT, code: CODE } = EventWord;
const none = -1;
const tuningPeriod = 1 << 16;
/** so many steps along full buckets within a period are too many; they end it at once */
const crowdedSteps = 4 * tuningPeriod;
const mostBuckets = 1 << 18;
const widestPs = 2 ** 30;

/** What time it is, for the parts that need no more of the wheel. */
export interface Clock {
  /** picoseconds since the start of the run */
  readonly nowPs: number;
}

export class EventWheel implements Clock {
  // times start as -0: an integer 0 would make V8 lay the field out for small integers and recompile every reader once
  // it outgrows them
  nowPs = -0;
  readonly records = new EventRecords();

  private bucketCount: number;
  private mask = 0;
  private widthPs: number;
  private perWidth = -0;
  /**
   * 16 bytes for each bucket: int32 first and last record, float64 time of the last (so that appending reads no record)
   */
  private ends = new Int32Array(0);
  private lastTimes = new Float64Array(0);
  private occupied = new Int32Array(0);
  private current = 0;
  private currentStartPs = -0;
  private horizonPs = -0;
  private inWheel = 0;
  private readonly overflow = new OverflowHeap();

  private untilTuning = tuningPeriod;
  private steps = 0;
  private wordsSkipped = 0;
  private overflowed = 0;
  private rebuildsLeft = 16;

  /**
   * @param widthPs bucket width in picoseconds, a power of two
   * @param bucketCount a power of two, at least 32
   */
  constructor(widthPs = 512, bucketCount = 1 << 13) {
    this.widthPs = widthPs;
    this.bucketCount = bucketCount;
    this.layOut();
  }

  /** Events waiting. */
  get size(): number {
    return this.inWheel + this.overflow.size;
  }

  /**
   * Schedules an event's code (0 or more) at a time not before now, in a record of its own. The taker of the event
   * releases it.
   */
  push(timePs: number, code: number): void {
    const record = this.records.allocate();
    this.records.words[(record << 3) + CODE] = ~code;
    this.records.reals[record << 2] = timePs;
    this.schedule(record);
  }

  /** Schedules a record at the time (not before now) that stands in it. */
  schedule(record: number): void {
    const timePs = this.records.reals[record << 2]!;
    if (!(timePs >= this.nowPs)) fail(`event at ${timePs} ps is before now, ${this.nowPs} ps`);
    if (timePs >= this.horizonPs) {
      this.overflowed++;
      this.overflow.push(timePs, record);
    } else this.insert(record);
  }

  /** Removes the earliest event and makes its time now. @returns its record, or -1 if none waits */
  pop(): number {
    let bucket = this.current;
    let record = this.ends[bucket << 2]!;
    if (record < 0) {
      if (this.size === 0) return none;
      bucket = this.seek();
      record = this.ends[bucket << 2]!;
    }
    const { records } = this;
    const next = records.words[(record << 3) + NEXT]!;
    this.ends[bucket << 2] = next;
    if (next < 0) this.occupied[bucket >> 5]! &= ~(1 << (bucket & 31));
    this.inWheel--;
    this.nowPs = records.reals[record << 2]!;
    return record;
  }

  private insert(node: number): void {
    const { ends, lastTimes } = this;
    const { words, reals: times } = this.records;
    const timePs = times[node << 2]!;
    this.inWheel++;
    words[(node << 3) + NEXT] = none;
    const bucket = (timePs * this.perWidth) & this.mask;
    const at = bucket << 2;
    const first = ends[at]!;
    if (first < 0) {
      ends[at] = ends[at + 1] = node;
      lastTimes[(bucket << 1) + 1] = timePs;
      this.occupied[bucket >> 5]! |= 1 << (bucket & 31);
      return;
    }
    const last = ends[at + 1]!;
    if (lastTimes[(bucket << 1) + 1]! <= timePs) {
      words[(last << 3) + NEXT] = node;
      ends[at + 1] = node;
      lastTimes[(bucket << 1) + 1] = timePs;
      return;
    }
    if (times[first << 2]! > timePs) {
      words[(node << 3) + NEXT] = first;
      ends[at] = node;
      return;
    }
    let before = first;
    let steps = 1;
    for (let after = words[(before << 3) + NEXT]!; times[after << 2]! <= timePs; after = words[(after << 3) + NEXT]!) {
      before = after;
      steps++;
    }
    this.steps += steps;
    words[(node << 3) + NEXT] = words[(before << 3) + NEXT]!;
    words[(before << 3) + NEXT] = node;
  }

  /** Moves to the next bucket that holds an event, bringing in what the horizon then covers. */
  private seek(): number {
    if (this.untilTuning <= 0 || this.steps > crowdedSteps) this.tune();
    this.untilTuning -= 1;
    if (this.inWheel === 0) this.moveTo(Math.floor(this.overflow.earliestPs() * this.perWidth));
    else {
      const { occupied } = this;
      const wordMask = occupied.length - 1;
      let word = this.current >> 5;
      let bits = occupied[word]! & (-1 << (this.current & 31));
      let skipped = 0;
      while (bits === 0) {
        skipped++;
        word = (word + 1) & wordMask;
        bits = occupied[word]!;
      }
      this.wordsSkipped += skipped;
      const found = (word << 5) | (31 - Math.clz32(bits & -bits));
      const ahead = (found - this.current) & this.mask;
      this.current = found;
      this.currentStartPs += ahead * this.widthPs;
      this.horizonPs = this.currentStartPs + this.bucketCount * this.widthPs;
      checkHorizon(this.currentStartPs);
      if (this.overflow.earliestPs() < this.horizonPs) this.bringIn();
    }
    return this.current;
  }

  private moveTo(bucketNumber: number): void {
    this.currentStartPs = bucketNumber * this.widthPs;
    this.current = bucketNumber & this.mask;
    this.horizonPs = this.currentStartPs + this.bucketCount * this.widthPs;
    checkHorizon(this.currentStartPs);
    this.bringIn();
  }

  private bringIn(): void {
    const { overflow } = this;
    while (overflow.earliestPs() < this.horizonPs) this.insert(overflow.pop());
  }

  private layOut(): void {
    this.mask = this.bucketCount - 1;
    this.perWidth = 1 / this.widthPs;
    const buffer = new ArrayBuffer(this.bucketCount * 16);
    this.ends = new Int32Array(buffer).fill(none);
    this.lastTimes = new Float64Array(buffer);
    this.occupied = new Int32Array(this.bucketCount >> 5);
    const bucketNumber = Math.floor(this.nowPs * this.perWidth);
    this.currentStartPs = bucketNumber * this.widthPs;
    this.current = bucketNumber & this.mask;
    this.horizonPs = this.currentStartPs + this.bucketCount * this.widthPs;
  }

  /** Fits the calendar to what the last period of events was like. */
  private tune(): void {
    const { steps, wordsSkipped, overflowed } = this;
    this.untilTuning = tuningPeriod;
    this.steps = this.wordsSkipped = this.overflowed = 0;
    if (this.rebuildsLeft === 0) return;
    const crowded = steps > crowdedSteps;
    const sparse = wordsSkipped > 16 * tuningPeriod;
    const short = overflowed > tuningPeriod >> 2;
    let { widthPs, bucketCount } = this;
    if (crowded && widthPs > 1) {
      widthPs /= 4;
      bucketCount = Math.min(mostBuckets, bucketCount * 4);
    } else if (sparse) widthPs = Math.min(widestPs, widthPs * 8);
    else if (short && bucketCount < mostBuckets) bucketCount *= 2;
    else if (short && !crowded) widthPs = Math.min(widestPs, widthPs * 2);
    if (widthPs === this.widthPs && bucketCount === this.bucketCount) return;
    this.rebuildsLeft--;
    this.rebuild(widthPs, bucketCount);
  }

  private rebuild(widthPs: number, bucketCount: number): void {
    const waiting = this.size;
    const { words, reals } = this.records;
    const times = new Float64Array(waiting);
    const nodes = new Int32Array(waiting);
    let n = 0;
    for (let i = 0; i < this.bucketCount; i++) {
      const bucket = (this.current + i) & this.mask;
      for (let node = this.ends[bucket << 2]!; node >= 0; node = words[(node << 3) + NEXT]!) {
        times[n] = reals[node << 2]!;
        nodes[n++] = node;
      }
    }
    while (this.overflow.size > 0) {
      times[n] = this.overflow.earliestPs();
      nodes[n++] = this.overflow.pop();
    }
    if (n !== waiting) fail(`event wheel held ${n} events, expected ${waiting}`);
    this.widthPs = widthPs;
    this.bucketCount = bucketCount;
    this.inWheel = 0;
    this.layOut();
    for (let i = 0; i < waiting; i++) {
      if (times[i]! >= this.horizonPs) this.overflow.push(times[i]!, nodes[i]!);
      else this.insert(nodes[i]!);
    }
    if (this.inWheel === 0) this.moveTo(Math.floor(this.overflow.earliestPs() * this.perWidth));
  }
}

/** A binary heap by (time, order of insertion). */
class OverflowHeap {
  size = 0;
  private times = new Float64Array(1024);
  private orders = new Float64Array(1024);
  private records = new Int32Array(1024);
  private count = 0;

  earliestPs(): number {
    return this.size === 0 ? Infinity : this.times[0]!;
  }

  push(timePs: number, record: number): void {
    if (this.size === this.records.length) this.grow();
    const { times, orders, records } = this;
    let i = this.size++;
    while (i > 0) {
      const parent = (i - 1) >> 1;
      // a later insertion never passes an equal time
      if (times[parent]! <= timePs) break;
      times[i] = times[parent]!;
      orders[i] = orders[parent]!;
      records[i] = records[parent]!;
      i = parent;
    }
    times[i] = timePs;
    orders[i] = this.count++;
    records[i] = record;
  }

  /** Removes the earliest. @returns its record */
  pop(): number {
    const { times, orders, records } = this;
    const result = records[0]!;
    const last = --this.size;
    const timePs = times[last]!;
    const order = orders[last]!;
    let i = 0;
    for (let child = 1; child < last; child = 2 * i + 1) {
      const right = child + 1;
      if (
        right < last &&
        (times[right]! < times[child]! || (times[right] === times[child] && orders[right]! < orders[child]!))
      )
        child = right;
      if (timePs < times[child]! || (timePs === times[child] && order < orders[child]!)) break;
      times[i] = times[child]!;
      orders[i] = orders[child]!;
      records[i] = records[child]!;
      i = child;
    }
    times[i] = timePs;
    orders[i] = order;
    records[i] = records[last]!;
    return result;
  }

  private grow(): void {
    const capacity = this.records.length * 2;
    const times = new Float64Array(capacity);
    const orders = new Float64Array(capacity);
    const records = new Int32Array(capacity);
    times.set(this.times);
    orders.set(this.orders);
    records.set(this.records);
    this.times = times;
    this.orders = orders;
    this.records = records;
  }
}
