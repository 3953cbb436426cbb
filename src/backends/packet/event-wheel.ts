// The event queue: a calendar of narrow buckets, each a list sorted by time, with a bitmap to skip empty ones and a heap for what lies
// beyond the calendar's span. Events are (time in ps, int32 code) in 16-byte records.
// Invariants: time never goes back; equal times come out in the order in which they went in, whatever the bucket width.
// Source: calendar queues (R. Brown, CACM 31(10), 1988); measurements in docs/models/engine.md.
// The width adapts to the density of events by rebuilding, at most a few times per run; it never affects the order.

import { fail } from '../../base/fail.js';

// words of an event record, as int32 indices (times are the first float64)
const NEXT = 2;
const CODE = 3;
const none = -1;
const tuningPeriod = 1 << 16;
const mostBuckets = 1 << 18;

export class EventWheel {
  nowPs = 0;
  /** events waiting */
  size = 0;

  private times: Float64Array;
  private words: Int32Array;
  private capacity: number;
  private freeHead = none;
  private top = 0;

  private bucketCount: number;
  private mask = 0;
  private widthPs: number;
  private perWidth = 0;
  private head = new Int32Array(0);
  private tail = new Int32Array(0);
  private occupied = new Int32Array(0);
  private current = 0;
  private currentStartPs = 0;
  private horizonPs = 0;
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
  constructor(widthPs = 128, bucketCount = 1 << 15) {
    this.widthPs = widthPs;
    this.bucketCount = bucketCount;
    this.capacity = 4096;
    const buffer = new ArrayBuffer(this.capacity * 16);
    this.times = new Float64Array(buffer);
    this.words = new Int32Array(buffer);
    this.layOut();
  }

  /** Schedules a code (an int32 of 0 or more) at a time not before now. */
  push(timePs: number, code: number): void {
    if (!(timePs >= this.nowPs)) fail(`event ${code} at ${timePs} ps is before now, ${this.nowPs} ps`);
    this.size++;
    if (timePs >= this.horizonPs) {
      this.overflowed++;
      this.overflow.push(timePs, code);
    } else this.insert(timePs, code);
  }

  /** Removes the earliest event and makes its time now. @returns its code, or -1 if none waits */
  pop(): number {
    const { head } = this;
    let bucket = this.current;
    let node = head[bucket]!;
    if (node < 0) {
      if (this.size === 0) return none;
      bucket = this.seek();
      node = this.head[bucket]!;
    }
    const words = this.words;
    const at = node << 2;
    const next = words[at + NEXT]!;
    this.head[bucket] = next;
    if (next < 0) this.occupied[bucket >> 5]! &= ~(1 << (bucket & 31));
    words[at + NEXT] = this.freeHead;
    this.freeHead = node;
    this.size--;
    this.inWheel--;
    this.nowPs = this.times[node << 1]!;
    return words[at + CODE]!;
  }

  private insert(timePs: number, code: number): void {
    let node = this.freeHead;
    let { words } = this;
    if (node >= 0) this.freeHead = words[(node << 2) + NEXT]!;
    else {
      node = this.top++;
      if (node === this.capacity) this.grow();
      ({ words } = this);
    }
    const { times, head, tail } = this;
    this.inWheel++;
    times[node << 1] = timePs;
    words[(node << 2) + CODE] = code;
    words[(node << 2) + NEXT] = none;
    const bucket = (timePs * this.perWidth) & this.mask;
    const first = head[bucket]!;
    if (first < 0) {
      head[bucket] = tail[bucket] = node;
      this.occupied[bucket >> 5]! |= 1 << (bucket & 31);
      return;
    }
    const last = tail[bucket]!;
    if (times[last << 1]! <= timePs) {
      words[(last << 2) + NEXT] = node;
      tail[bucket] = node;
      return;
    }
    if (times[first << 1]! > timePs) {
      words[(node << 2) + NEXT] = first;
      head[bucket] = node;
      return;
    }
    let before = first;
    let steps = 1;
    for (let after = words[(before << 2) + NEXT]!; times[after << 1]! <= timePs; after = words[(after << 2) + NEXT]!) {
      before = after;
      steps++;
    }
    this.steps += steps;
    words[(node << 2) + NEXT] = words[(before << 2) + NEXT]!;
    words[(before << 2) + NEXT] = node;
  }

  /** Moves to the next bucket that holds an event, bringing in what the horizon then covers. */
  private seek(): number {
    if (this.untilTuning <= 0) this.tune();
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
      if (this.overflow.earliestPs() < this.horizonPs) this.bringIn();
    }
    return this.current;
  }

  private moveTo(bucketNumber: number): void {
    this.currentStartPs = bucketNumber * this.widthPs;
    this.current = bucketNumber & this.mask;
    this.horizonPs = this.currentStartPs + this.bucketCount * this.widthPs;
    this.bringIn();
  }

  private bringIn(): void {
    const { overflow } = this;
    while (overflow.earliestPs() < this.horizonPs) {
      const timePs = overflow.earliestPs();
      this.insert(timePs, overflow.popCode());
    }
  }

  private layOut(): void {
    this.mask = this.bucketCount - 1;
    this.perWidth = 1 / this.widthPs;
    this.head = new Int32Array(this.bucketCount).fill(none);
    this.tail = new Int32Array(this.bucketCount).fill(none);
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
    const crowded = steps > 4 * tuningPeriod;
    const sparse = wordsSkipped > 16 * tuningPeriod;
    const short = overflowed > tuningPeriod >> 2;
    let { widthPs, bucketCount } = this;
    if (crowded && widthPs > 1) {
      widthPs /= 4;
      bucketCount = Math.min(mostBuckets, bucketCount * 4);
    } else if (sparse) widthPs *= 8;
    else if (short && bucketCount < mostBuckets) bucketCount *= 2;
    else if (short && !crowded) widthPs *= 2;
    if (widthPs === this.widthPs && bucketCount === this.bucketCount) return;
    this.rebuildsLeft--;
    this.rebuild(widthPs, bucketCount);
  }

  private rebuild(widthPs: number, bucketCount: number): void {
    const waiting = this.size;
    const times = new Float64Array(waiting);
    const codes = new Int32Array(waiting);
    let n = 0;
    for (let i = 0; i < this.bucketCount; i++) {
      const bucket = (this.current + i) & this.mask;
      for (let node = this.head[bucket]!; node >= 0; node = this.words[(node << 2) + NEXT]!) {
        times[n] = this.times[node << 1]!;
        codes[n++] = this.words[(node << 2) + CODE]!;
      }
    }
    while (this.overflow.size > 0) {
      times[n] = this.overflow.earliestPs();
      codes[n++] = this.overflow.popCode();
    }
    if (n !== waiting) fail(`event wheel held ${n} events, expected ${waiting}`);
    this.widthPs = widthPs;
    this.bucketCount = bucketCount;
    this.inWheel = 0;
    this.freeHead = none;
    this.top = 0;
    this.layOut();
    for (let i = 0; i < waiting; i++) {
      if (times[i]! >= this.horizonPs) this.overflow.push(times[i]!, codes[i]!);
      else this.insert(times[i]!, codes[i]!);
    }
    if (this.inWheel === 0) this.moveTo(Math.floor(this.overflow.earliestPs() * this.perWidth));
  }

  private grow(): void {
    const buffer = new ArrayBuffer(this.capacity * 32);
    const words = new Int32Array(buffer);
    words.set(this.words);
    this.words = words;
    this.times = new Float64Array(buffer);
    this.capacity *= 2;
  }
}

/** A binary heap by (time, order of insertion). */
class OverflowHeap {
  size = 0;
  private times = new Float64Array(1024);
  private orders = new Float64Array(1024);
  private codes = new Int32Array(1024);
  private count = 0;

  earliestPs(): number {
    return this.size === 0 ? Infinity : this.times[0]!;
  }

  push(timePs: number, code: number): void {
    if (this.size === this.codes.length) this.grow();
    const { times, orders, codes } = this;
    let i = this.size++;
    while (i > 0) {
      const parent = (i - 1) >> 1;
      // a later insertion never passes an equal time
      if (times[parent]! <= timePs) break;
      times[i] = times[parent]!;
      orders[i] = orders[parent]!;
      codes[i] = codes[parent]!;
      i = parent;
    }
    times[i] = timePs;
    orders[i] = this.count++;
    codes[i] = code;
  }

  popCode(): number {
    const { times, orders, codes } = this;
    const result = codes[0]!;
    const last = --this.size;
    const timePs = times[last]!;
    const order = orders[last]!;
    let i = 0;
    for (let child = 1; child < last; child = 2 * i + 1) {
      const right = child + 1;
      if (right < last && (times[right]! < times[child]! || (times[right] === times[child] && orders[right]! < orders[child]!))) child = right;
      if (timePs < times[child]! || (timePs === times[child] && order < orders[child]!)) break;
      times[i] = times[child]!;
      orders[i] = orders[child]!;
      codes[i] = codes[child]!;
      i = child;
    }
    times[i] = timePs;
    orders[i] = order;
    codes[i] = codes[last]!;
    return result;
  }

  private grow(): void {
    const capacity = this.codes.length * 2;
    const times = new Float64Array(capacity);
    const orders = new Float64Array(capacity);
    const codes = new Int32Array(capacity);
    times.set(this.times);
    orders.set(this.orders);
    codes.set(this.codes);
    this.times = times;
    this.orders = orders;
    this.codes = codes;
  }
}
