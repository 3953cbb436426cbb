// Property: the event wheel gives what a sorted list gives, whatever its width and size, and equal times in the order
// of insertion.

import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { EventWheel } from '../../src/engine/event-wheel.js';
import { RandomStream } from '../../src/base/random.js';
import { eventCode } from '../support/engine-records.js';
import { rounds } from '../support/rounds.js';
import { seed } from '../support/seed.js';

/** The specification: a heap by time, then by order of insertion. */
class SortedList {
  private readonly heap: [timePs: number, order: number][] = [];
  private count = 0;

  get size(): number {
    return this.heap.length;
  }

  push(timePs: number): void {
    const { heap } = this;
    let i = heap.push([timePs, ++this.count]) - 1;
    while (i > 0 && before(heap[i]!, heap[(i - 1) >> 1]!)) {
      const parent = (i - 1) >> 1;
      [heap[i], heap[parent]] = [heap[parent]!, heap[i]!];
      i = parent;
    }
  }

  pop(): [timePs: number, order: number] {
    const { heap } = this;
    const first = heap[0]!;
    const last = heap.pop()!;
    if (heap.length > 0) heap[0] = last;
    for (let i = 0; ;) {
      let least = i;
      for (const child of [2 * i + 1, 2 * i + 2])
        if (child < heap.length && before(heap[child]!, heap[least]!)) least = child;
      if (least === i) return first;
      [heap[i], heap[least]] = [heap[least]!, heap[i]!];
      i = least;
    }
  }
}

function before(a: readonly [number, number], b: readonly [number, number]): boolean {
  return a[0] < b[0] || (a[0] === b[0] && a[1] < b[1]);
}

/** Both at once: the code of an event is the number of its insertion. */
class Pair {
  pushed = 0;
  private readonly list = new SortedList();

  constructor(private readonly wheel: EventWheel) {}

  get size(): number {
    return this.list.size;
  }

  push(timePs: number): void {
    this.wheel.push(timePs, ++this.pushed);
    this.list.push(timePs);
  }

  /** Compares without vitest's expect, which is too slow for millions. */
  pop(): void {
    const record = this.wheel.pop();
    const [timePs, order] = this.list.pop();
    const code = record < 0 ? -1 : eventCode(this.wheel, record);
    if (code !== order || this.wheel.nowPs !== timePs || this.wheel.size !== this.size) {
      throw new Error(
        `event ${code} at ${this.wheel.nowPs} instead of event ${order} at ${timePs}; ${this.wheel.size} left instead of ${this.size}`,
      );
    }
    this.wheel.records.release(record);
  }

  empty(): void {
    while (this.size > 0) this.pop();
    expect(this.wheel.pop()).toBe(-1);
  }
}

const width = fc.integer({ min: 0, max: 20 }).map((power) => 2 ** power);
const bucketCount = fc.integer({ min: 5, max: 12 }).map((power) => 2 ** power);
// from the same instant to far beyond any horizon
const delay = fc.oneof(
  fc.constant(0),
  fc.nat(3),
  fc.nat(1000),
  fc.nat(1_000_000),
  fc.integer({ min: 0, max: 2 ** 45 }),
);
/** how many to push, each a delay from now, then how many to pop */
const step = fc.record({ delays: fc.array(delay, { maxLength: 12 }), pops: fc.nat(12) });

function layout(wheel: EventWheel): { widthPs: number; bucketCount: number } {
  const { widthPs, bucketCount } = wheel as unknown as { widthPs: number; bucketCount: number };
  return { widthPs, bucketCount };
}

/**
 * Holds `held` events; for each one popped, one is pushed after a delay. More pops than several tuning periods (32,768
 * turns, or 262,144 events).
 */
function churn(wheel: EventWheel, held: number, pops: number, delayPs: (random: RandomStream) => number): void {
  const random = new RandomStream(seed, 'churn');
  const pair = new Pair(wheel);
  for (let n = 0; n < held; n++) pair.push(delayPs(random));
  for (let n = 0; n < pops; n++) {
    pair.pop();
    pair.push(wheel.nowPs + delayPs(random));
    // now and then two at the same instant, one of them right now
    if (n % 64 === 0) {
      pair.push(wheel.nowPs);
      pair.pop();
    }
  }
  pair.empty();
}

describe('the event wheel', () => {
  it(`is a stable sorted list (WEFT_SEED=${seed})`, () => {
    fc.assert(
      fc.property(width, bucketCount, fc.array(step, { maxLength: 40 }), (widthPs, buckets, steps) => {
        const wheel = new EventWheel(widthPs, buckets);
        const pair = new Pair(wheel);
        for (const { delays, pops } of steps) {
          for (const delayPs of delays) pair.push(wheel.nowPs + delayPs);
          for (let n = 0; n < pops && pair.size > 0; n++) pair.pop();
        }
        pair.empty();
      }),
      { seed, numRuns: rounds(300) },
    );
  });

  it(`keeps the order of events at the edges of buckets and of the horizon (WEFT_SEED=${seed})`, () => {
    // times that are multiples of the width, one below and one above
    const edge = fc.tuple(fc.nat(200), fc.constantFrom(-1, 0, 0, 1));
    fc.assert(
      fc.property(width, fc.array(fc.tuple(edge, fc.nat(3)), { maxLength: 120 }), (widthPs, list) => {
        const wheel = new EventWheel(widthPs, 32);
        const pair = new Pair(wheel);
        for (const [[bucket, off], pops] of list) {
          pair.push(Math.max(wheel.nowPs, (Math.floor(wheel.nowPs / widthPs) + bucket) * widthPs + off));
          for (let n = 0; n < pops && pair.size > 0; n++) pair.pop();
        }
        pair.empty();
      }),
      { seed, numRuns: rounds(300) },
    );
  });

  // each drives the wheel out of its layout, which shows that it was rebuilt with events waiting
  it.each([
    ['crowded buckets', 2048, 64, 900, 650_000, (random: RandomStream) => 1 + random.nextBelow(2048 * 60)],
    [
      'crowded buckets with many equal times',
      65_536,
      64,
      230,
      650_000,
      (random: RandomStream) => 1 + 4096 * random.nextBelow(900),
    ],
    ['sparse buckets', 1, 1 << 15, 4, 250_000, (random: RandomStream) => 20_000 + random.nextBelow(12_000)],
    ['mostly overflow', 16, 32, 300, 250_000, (random: RandomStream) => random.nextBelow(50_000)],
    [
      'overflow that ends at the edges of buckets',
      16,
      32,
      120,
      250_000,
      (random: RandomStream) => 16 * random.nextBelow(150),
    ],
    [
      'half far away, half near',
      16,
      1024,
      400,
      250_000,
      (random: RandomStream) => (random.nextBelow(2) === 0 ? random.nextBelow(1e6) : random.nextBelow(4000)),
    ],
  ] as const)(
    `stays sorted while it retunes: %s (WEFT_SEED=${seed})`,
    (_name, widthPs, buckets, held, pops, delayPs) => {
      const wheel = new EventWheel(widthPs, buckets);
      churn(wheel, held, pops, delayPs);
      expect(layout(wheel)).not.toEqual({ widthPs, bucketCount: buckets });
    },
  );

  // what jobs are like: ranks in lockstep, NVLink's nanoseconds beside cables beside computing
  it.each([
    ['thousands at one instant', 4000, () => 500_000],
    ['thousands within a bucket', 4000, (random: RandomStream) => 500_000 + random.nextBelow(500)],
    ['two scales', 2000, (random: RandomStream) => (random.nextBelow(2) === 0 ? 14_000 : 500_000)],
    [
      'three scales',
      2000,
      (random: RandomStream) => [14_000, 500_000, 3_000_000_000][random.nextBelow(3)]! + random.nextBelow(3),
    ],
  ] as const)(`is a stable sorted list of %s (WEFT_SEED=${seed})`, (_name, held, delayPs) => {
    churn(new EventWheel(), held, 150_000, delayPs);
  });

  it(`follows phases of dense and sparse traffic, in memory of what waits (WEFT_SEED=${seed})`, () => {
    const random = new RandomStream(seed, 'phases');
    const wheel = new EventWheel();
    const pair = new Pair(wheel);
    for (let phase = 0; phase < 4; phase++) {
      const [held, longestPs, pops] = phase % 2 === 0 ? [3, 1e9, 400_000] : [600, 1e5, 400_000];
      while (pair.size < held) pair.push(wheel.nowPs + random.nextBelow(longestPs));
      for (let n = 0; n < pops; n++) {
        pair.pop();
        if (pair.size < held) pair.push(wheel.nowPs + random.nextBelow(longestPs));
      }
    }
    const { turnTimes } = wheel as unknown as { turnTimes: Float64Array };
    expect(turnTimes.length).toBeLessThanOrEqual(4096);
    pair.empty();
  });

  it(`grows beyond its first records with the events intact (WEFT_SEED=${seed})`, () => {
    const random = new RandomStream(seed, 'growth');
    const pair = new Pair(new EventWheel(64, 256));
    for (let n = 0; n < 60_000; n++) pair.push(random.nextBelow(1 << 20));
    pair.empty();
  });

  it('refuses an event before now', () => {
    const wheel = new EventWheel();
    wheel.push(1000, 1);
    wheel.pop();
    expect(() => wheel.push(999, 2)).toThrow('before now');
    expect(() => wheel.push(NaN, 2)).toThrow('before now');
    wheel.push(1000, 3);
    expect(wheel.pop()).toBeGreaterThanOrEqual(0);
  });

  it('recycles the records of events that were taken', () => {
    const wheel = new EventWheel();
    for (let n = 0; n < 100_000; n++) {
      wheel.push(wheel.nowPs + 100, 1);
      wheel.records.release(wheel.pop());
    }
    expect(wheel.records.top).toBe(1);
  });
});
