// The event queue: a calendar whose buckets keep the order of insertion (event-buckets.ts). When a bucket's turn comes,
// its events are read into an array and sorted once, by time and then by insertion; what is scheduled for the bucket
// while its turn lasts is appended, or goes through a small heap. A bitmap skips empty buckets; what lies beyond the
// span of the calendar waits in a heap. So no population of events is slow: thousands at one instant are a list already
// in order, thousands at times apart in one bucket are sorted in n log n.
// Invariants: time never goes back; equal times come out in the order in which they went in, whatever the bucket width.
// Sources: calendar queues (R. Brown, CACM 31(10), 1988), the sorted bottom of ladder queues (W. T. Tang, R. S. M. Goh,
// I. L. Thng, ACM TOMACS 15(3), 2005); measurements in docs/models/engine.md.
// The width adapts to what is sorted by rebuilding, a few times per run at most; it never affects the order.

import { fail } from '../base/fail.js';
import { EventBuckets } from './event-buckets.js';
import { EventHeap } from './event-heap.js';
import { EventRecords, EventWord } from './event-records.js';
import { checkHorizon } from './time-horizon.js';

// constants of this module fold into the machine code, imported ones do not
const { code: CODE } = EventWord;
const none = -1;
/** so many turns or events and the calendar is looked at again */
const tuningTurns = 1 << 15;
const tuningEvents = 1 << 18;
/** a turn of more events than that wants narrower buckets, one of fewer than that wider ones */
const mostPerTurn = 8;
const leastPerTurn = 1.25;
/** 16 bytes each: together they stay within a second-level cache */
const mostBuckets = 1 << 15;
const widestPs = 2 ** 30;
/** events of a turn that are put in order by insertion; more are merged from such runs */
const insertionRun = 12;
/** what an event in the heap of a turn costs, in steps of sorting, about */
const stepsOfLate = 8;

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
  private buckets = new EventBuckets(1);
  /** whose turn it is */
  private current = 0;
  private currentStartPs = -0;
  /** end of the bucket whose turn it is: what is earlier is scheduled into the turn */
  private turnEndPs = -0;
  /** what is at or beyond it waits in the overflow; moved only when an event lies beyond it */
  private horizonPs = -0;
  private inBuckets = 0;
  // the turn: sorted by time, taken from `head` on
  private turnTimes = new Float64Array(256);
  private turnRecords = new Int32Array(256);
  private scratchTimes = new Float64Array(256);
  private scratchRecords = new Int32Array(256);
  private head = 0;
  private count = 0;
  private readonly late = new EventHeap();
  private readonly overflow = new EventHeap();

  private turns = 0;
  private loaded = 0;
  private sortSteps = 0;
  private overflowed = 0;
  private narrowestPs = 1;

  constructor(widthPs = 512, bucketCount = 1 << 13) {
    this.widthPs = widthPs;
    this.bucketCount = bucketCount;
    this.layOut();
  }

  /** Events waiting. */
  get size(): number {
    return this.count - this.head + this.late.size + this.inBuckets + this.overflow.size;
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
    if (timePs < this.turnEndPs) this.join(timePs, record);
    else if (timePs < this.horizonPs) this.append(timePs, record);
    else this.beyond(timePs, record);
  }

  /** Removes the earliest event and makes its time now. @returns its record, or -1 if none waits */
  pop(): number {
    const head = this.head;
    if (head < this.count && this.late.size === 0) {
      this.head = head + 1;
      this.nowPs = this.turnTimes[head]!;
      return this.turnRecords[head]!;
    }
    return this.popSlowly();
  }

  private popSlowly(): number {
    if ((this.turns >= tuningTurns || this.loaded >= tuningEvents) && this.tune()) return this.pop();
    const { late } = this;
    if (late.size > 0 && (this.head === this.count || late.earliestPs() < this.turnTimes[this.head]!)) {
      this.nowPs = late.earliestPs();
      return late.pop();
    }
    if (this.head === this.count && !this.seek()) return none;
    const head = this.head++;
    this.nowPs = this.turnTimes[head]!;
    return this.turnRecords[head]!;
  }

  /** An event of the turn that is on. */
  private join(timePs: number, record: number): void {
    if (!(timePs >= this.nowPs)) fail(`event at ${timePs} ps is before now, ${this.nowPs} ps`);
    const { count } = this;
    this.loaded++;
    if (this.head === count ? this.late.size > 0 : this.turnTimes[count - 1]! > timePs) {
      this.sortSteps += stepsOfLate;
      this.late.push(timePs, record);
      return;
    }
    if (this.head === count) this.head = this.count = 0;
    else if (count === this.turnTimes.length) this.makeRoom();
    this.turnTimes[this.count] = timePs;
    this.turnRecords[this.count++] = record;
  }

  private append(timePs: number, record: number): void {
    this.inBuckets++;
    this.buckets.add((timePs * this.perWidth) & this.mask, record);
  }

  /** An event beyond the horizon, which first follows the time. */
  private beyond(timePs: number, record: number): void {
    if (!(timePs >= this.nowPs)) fail(`event at ${timePs} ps is before now, ${this.nowPs} ps`);
    this.moveHorizon();
    if (timePs < this.horizonPs) this.append(timePs, record);
    else {
      this.overflowed++;
      this.overflow.push(timePs, record);
    }
  }

  private moveHorizon(): void {
    this.horizonPs = this.currentStartPs + this.bucketCount * this.widthPs;
    const { overflow, horizonPs } = this;
    while (overflow.earliestPs() < horizonPs) {
      const timePs = overflow.earliestPs();
      this.append(timePs, overflow.pop());
    }
  }

  /** Goes to the next bucket that holds an event and sorts it. @returns false if there is none */
  private seek(): boolean {
    if (this.inBuckets === 0) {
      if (this.overflow.size === 0) return false;
      this.goTo(Math.floor(this.overflow.earliestPs() * this.perWidth));
      this.moveHorizon();
    }
    const found = this.buckets.nextOccupied(this.current);
    const ahead = (found - this.current) & this.mask;
    this.current = found;
    this.currentStartPs += ahead * this.widthPs;
    checkHorizon(this.currentStartPs);
    this.turnEndPs = this.currentStartPs + this.widthPs;
    this.load(found);
    return true;
  }

  private goTo(bucketNumber: number): void {
    this.currentStartPs = bucketNumber * this.widthPs;
    this.current = bucketNumber & this.mask;
    this.turnEndPs = this.currentStartPs + this.widthPs;
    checkHorizon(this.currentStartPs);
  }

  /** Reads a bucket into the turn, in order. */
  private load(bucket: number): void {
    const { buckets } = this;
    const { reals } = this.records;
    const count = buckets.sizeOf(bucket);
    while (count > this.turnRecords.length) this.growTurn();
    const isSorted = buckets.take(bucket, reals, this.turnRecords, this.turnTimes);
    this.inBuckets -= count;
    this.turns++;
    this.loaded += count;
    this.head = 0;
    this.count = count;
    if (!isSorted) this.sort(count);
  }

  private sort(count: number): void {
    const { turnTimes: times, turnRecords: records } = this;
    let steps = count;
    for (let start = 0; start < count; start += insertionRun) {
      const end = start + insertionRun < count ? start + insertionRun : count;
      for (let i = start + 1; i < end; i++) {
        const timePs = times[i]!;
        if (times[i - 1]! <= timePs) continue;
        const record = records[i]!;
        let j = i;
        while (j > start && times[j - 1]! > timePs) {
          times[j] = times[j - 1]!;
          records[j] = records[j - 1]!;
          j--;
        }
        times[j] = timePs;
        records[j] = record;
        steps += i - j;
      }
    }
    this.sortSteps += steps;
    if (count > insertionRun) this.merge(insertionRun, count);
  }

  private merge(run: number, count: number): void {
    let { turnTimes: times, turnRecords: records, scratchTimes: toTimes, scratchRecords: toRecords } = this;
    for (let width = run; width < count; width *= 2) {
      for (let start = 0; start < count; start += 2 * width) {
        const middle = start + width < count ? start + width : count;
        const end = middle + width < count ? middle + width : count;
        let left = start;
        let right = middle;
        for (let out = start; out < end; out++) {
          if (left < middle && (right >= end || times[left]! <= times[right]!)) {
            toTimes[out] = times[left]!;
            toRecords[out] = records[left++]!;
          } else {
            toTimes[out] = times[right]!;
            toRecords[out] = records[right++]!;
          }
        }
      }
      [times, toTimes] = [toTimes, times];
      [records, toRecords] = [toRecords, records];
      this.sortSteps += count;
    }
    this.turnTimes = times;
    this.turnRecords = records;
    this.scratchTimes = toTimes;
    this.scratchRecords = toRecords;
  }

  /** Of a long turn only what waits is kept. */
  private makeRoom(): void {
    const { head, count } = this;
    if (head < count >> 1) {
      this.growTurn();
      return;
    }
    this.turnTimes.copyWithin(0, head, count);
    this.turnRecords.copyWithin(0, head, count);
    this.head = 0;
    this.count = count - head;
  }

  private growTurn(): void {
    const capacity = 2 * this.turnTimes.length;
    const times = new Float64Array(capacity);
    const records = new Int32Array(capacity);
    times.set(this.turnTimes);
    records.set(this.turnRecords);
    this.turnTimes = times;
    this.turnRecords = records;
    this.scratchTimes = new Float64Array(capacity);
    this.scratchRecords = new Int32Array(capacity);
  }

  private layOut(): void {
    this.mask = this.bucketCount - 1;
    this.perWidth = 1 / this.widthPs;
    this.buckets = new EventBuckets(this.bucketCount);
    const bucketNumber = Math.floor(this.nowPs * this.perWidth);
    this.currentStartPs = bucketNumber * this.widthPs;
    this.current = bucketNumber & this.mask;
    this.turnEndPs = this.currentStartPs + this.widthPs;
    this.horizonPs = this.currentStartPs + this.bucketCount * this.widthPs;
  }

  /**
   * Fits the calendar to what the last turns were like: buckets of a few events each over a span that holds most.
   * Events at one instant need no narrower buckets, as they come in order. @returns true if it was rebuilt
   */
  private tune(): boolean {
    const { turns, loaded, sortSteps, overflowed } = this;
    const { wordsSkipped } = this.buckets;
    this.turns = this.loaded = this.sortSteps = this.overflowed = this.buckets.wordsSkipped = 0;
    let { widthPs, bucketCount } = this;
    const isCrowded = loaded > mostPerTurn * turns && sortSteps > loaded;
    const isShort = overflowed > loaded >> 2;
    if (isShort && (!isCrowded || bucketCount === mostBuckets)) {
      if (widthPs < widestPs) widthPs *= 2;
      // so narrow a calendar is too short for what is scheduled here
      this.narrowestPs = widthPs;
    } else if (isShort) bucketCount *= 2;
    else if (isCrowded && widthPs > this.narrowestPs) {
      widthPs /= 2;
      bucketCount = Math.min(mostBuckets, 2 * bucketCount);
    } else if (loaded < leastPerTurn * turns && wordsSkipped > turns >> 1 && widthPs < widestPs) {
      widthPs *= 2;
      this.narrowestPs = 1;
    }
    if (widthPs === this.widthPs && bucketCount === this.bucketCount) return false;
    this.rebuild(widthPs, bucketCount);
    return true;
  }

  private rebuild(widthPs: number, bucketCount: number): void {
    const waiting = this.size;
    const records = new Int32Array(waiting);
    const times = new Float64Array(waiting);
    let n = 0;
    for (let at = this.head; at < this.count; at++) records[n++] = this.turnRecords[at]!;
    while (this.late.size > 0) records[n++] = this.late.pop();
    for (let i = 0; i < this.bucketCount; i++) {
      const bucket = (this.current + i) & this.mask;
      const size = this.buckets.sizeOf(bucket);
      if (size === 0) continue;
      this.buckets.take(bucket, this.records.reals, records.subarray(n), times);
      n += size;
    }
    while (this.overflow.size > 0) records[n++] = this.overflow.pop();
    if (n !== waiting) fail(`event wheel held ${n} events, expected ${waiting}`);
    this.widthPs = widthPs;
    this.bucketCount = bucketCount;
    this.inBuckets = 0;
    this.head = this.count = 0;
    this.layOut();
    for (let i = 0; i < waiting; i++) this.schedule(records[i]!);
  }
}
