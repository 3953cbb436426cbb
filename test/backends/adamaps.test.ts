// Adamaps beside a plain model: bitmaps as arrays of flags, and a receiver whose maps must say what a set of arrivals
// says.

import { describe, expect, it } from 'vitest';
import { RandomStream } from '../../src/base/random.js';
import { EventLoop } from '../../src/engine/event-loop.js';
import { EventWheel } from '../../src/engine/event-wheel.js';
import { PairAlarms } from '../../src/backends/packet/pair-alarms.js';
import { QueuePairs } from '../../src/backends/packet/queue-pairs.js';
import { SideColumns } from '../../src/backends/packet/side-columns.js';
import { AdamapReceiver } from '../../src/backends/packet/transport/omnidma/adamap-receiver.js';
import { AdamapSender } from '../../src/backends/packet/transport/omnidma/adamap-sender.js';
import { AdamapPool } from '../../src/backends/packet/transport/omnidma/adamaps.js';
import { Tier } from '../../src/backends/packet/transport/omnidma/arrivals.js';
import { seed } from '../support/seed.js';

describe('a map', () => {
  it.each([1, 2, 15, 16, 31, 32, 33, 64, 100, 255, 256])(
    `of %i bits says what flags say, whatever is set and dropped (WEFT_SEED=${seed})`,
    (bits) => {
      const random = new RandomStream(seed, `adamap ${bits}`);
      const pool = new AdamapPool(bits);
      for (let trial = 0; trial < 20; trial++) {
        const length = 1 + random.nextBelow(2 * bits);
        let start = random.nextBelow(1000) - 1;
        const map = pool.allocate(start, length);
        let flags: boolean[] = Array.from({ length }, () => false);
        const share = random.nextFraction();
        for (let step = 0; step < 12; step++) {
          for (let slot = 0; slot < Math.min(bits, flags.length); slot++)
            if (random.nextFraction() < share) {
              pool.set(map, slot);
              flags[slot] = true;
            }
          const from = Array.from({ length: flags.length + 2 }, (_, slot) => slot);
          expect([
            from.map((slot) => pool.hole(map, slot)),
            from.map((slot) => pool.misses(map, start + 1 + slot)),
            [pool.misses(map, start), pool.start[map], pool.length[map]],
          ]).toEqual([
            from.map((slot) => flags.indexOf(false, slot)),
            from.map((slot) => flags[slot] === false),
            [false, start, flags.length],
          ]);
          const slots = 1 + random.nextBelow(bits);
          if (slots >= flags.length) break;
          pool.drop(map, slots);
          flags = flags.slice(slots);
          start += slots;
        }
        pool.release(map);
      }
      expect(pool.live).toBe(0);
    },
  );
});

interface Told {
  readonly tier: number;
  readonly number: number;
  readonly place: number;
  readonly holes: readonly number[];
}

/** A receiver of one queue pair whose OmniNACKs go nowhere. */
class Bench {
  readonly wheel = new EventWheel();
  readonly pairs = new QueuePairs();
  readonly told: Told[] = [];
  readonly loop = new EventLoop(this.wheel);
  readonly receiver: AdamapReceiver;
  readonly pair: number;

  /** @param patient it asks as often as it takes */
  constructor(bits: number, activeNack = true, patient = false) {
    const { pairs, wheel } = this;
    this.receiver = new AdamapReceiver({
      pairs,
      columns: new SideColumns(wheel.records, pairs),
      clock: wheel,
      pairAlarms: new PairAlarms(this.loop.alarms, pairs),
      bits,
      activeNack,
      caches: null,
      waitPs: () => 30e6,
      longestPs: patient ? 120e6 : 16e9,
      patiencePs: patient ? Infinity : 1e9,
      events: null,
      send: (_pair, map) => {
        const { pool } = this.receiver;
        const holes: number[] = [];
        for (let slot = pool.hole(map, 0); slot >= 0; slot = pool.hole(map, slot + 1))
          holes.push(pool.start[map]! + 1 + slot);
        this.told.push({ tier: pool.tier[map]!, number: pool.nack[map]!, place: map, holes });
      },
    });
    this.pair = pairs.allocate();
  }

  /** A packet arrives. @returns what was told because of it, as tier and holes */
  take(sequence: number, tier = 0, place = -1, passed = 0, closes = false): [number, readonly number[]][] {
    const { receiver, pair, told } = this;
    const before = told.length;
    if (tier !== 0 || !receiver.follows(pair, sequence))
      receiver.arrived(pair, sequence, {
        tier,
        place,
        closes,
        answered: tier > 0 && tier !== Tier.probe ? passed + 1 : 0,
      });
    receiver.hasPassed(pair, passed);
    receiver.conclude(pair);
    return told.slice(before).map(({ tier, holes }) => [tier, holes]);
  }

  get holes(): number[] {
    const holes: number[] = [];
    this.receiver.forEachHole(this.pair, (sequence) => holes.push(sequence));
    return holes.sort((a, b) => a - b);
  }
}

describe('the receiver', () => {
  it('keeps a lone loss open until B packets after it have come', () => {
    const bench = new Bench(4);
    expect([0, 1, 3, 4, 5].flatMap((sequence) => bench.take(sequence))).toEqual([]);
    expect(bench.take(6)).toEqual([[1, [2]]]);
  });

  it('knows of the loss of the first packet', () => {
    const bench = new Bench(4);
    expect([1, 2, 3].flatMap((sequence) => bench.take(sequence))).toEqual([]);
    expect(bench.take(4)).toEqual([[1, [0]]]);
  });

  it('tells losses of one stretch together, and a long gap as one map', () => {
    const bench = new Bench(4);
    bench.take(0);
    bench.take(2);
    expect(bench.take(5)).toEqual([[1, [1, 3, 4]]]);
    expect(bench.take(30)).toEqual([[1, Array.from({ length: 24 }, (_, i) => 6 + i)]]);
  });

  it('closes its map at the last packet, and at a probe', () => {
    const bench = new Bench(16);
    bench.take(0);
    bench.take(2);
    expect(bench.take(4, 0, -1, 0, true)).toEqual([[1, [1, 3]]]);
    const other = new Bench(16);
    other.take(0);
    other.take(2);
    expect(other.take(2, Tier.probe, -1, 0, true)).toEqual([[1, [1]]]);
  });

  it('closes its map when nothing follows for the time of an answer', () => {
    const bench = new Bench(16);
    bench.take(0);
    bench.take(2);
    bench.loop.runUntil(29e6);
    expect(bench.told).toEqual([]);
    bench.loop.runUntil(31e6);
    expect(bench.told.map(({ tier, holes }) => [tier, holes])).toEqual([[1, [1]]]);
  });

  it('slides over what comes late, before it is told', () => {
    const bench = new Bench(16);
    for (const sequence of [0, 2, 3, 5]) bench.take(sequence);
    bench.take(1);
    expect([bench.holes, bench.receiver.frontierOf(bench.pair)]).toEqual([[4], 5]);
    bench.take(4);
    expect([bench.holes, bench.receiver.hasHoles(bench.pair)]).toEqual([[], false]);
  });

  it('moves the maps before the one that is answered to the table, and tells of them again', () => {
    const bench = new Bench(2, false);
    for (const sequence of [0, 2, 3, 5, 6, 8, 9]) bench.take(sequence);
    expect(bench.told.map(({ holes }) => holes)).toEqual([[1], [4], [7]]);
    expect(bench.take(7, Tier.first)).toEqual([
      [2, [1]],
      [2, [4]],
    ]);
    expect(bench.holes).toEqual([1, 4]);
    const [first, second] = bench.told.slice(-2);
    expect(bench.take(1, 2, first!.place)).toEqual([]);
    expect(bench.take(4, 2, second!.place)).toEqual([]);
    expect(bench.receiver.pool.live).toBe(0);
  });

  it('tells again what the last answer of a map leaves missing', () => {
    const bench = new Bench(4, false);
    for (const sequence of [0, 3, 6]) bench.take(sequence);
    expect(bench.told.map(({ holes }) => holes)).toEqual([[1, 2, 4, 5]]);
    expect(bench.take(2, Tier.first)).toEqual([]);
    // 1 to 4 have bits, and 4 is the last of them
    expect(bench.take(4, Tier.first)).toEqual([[2, [1]]]);
    expect(bench.take(5, Tier.first)).toEqual([]);
    expect(bench.holes).toEqual([1]);
  });

  it('tells again at once what has been overtaken by an answer to a later OmniNACK', () => {
    const bench = new Bench(2);
    for (const sequence of [0, 2, 3, 5, 6]) bench.take(sequence);
    // both answers lost; new data was sent after them
    expect(bench.take(7, 0, -1, 2)).toEqual([
      [2, [1]],
      [2, [4]],
    ]);
    // both lost again: the tier rises
    expect(bench.take(8, 0, -1, 4)).toEqual([
      [3, [1]],
      [3, [4]],
    ]);
    // what is known of is not told twice
    expect(bench.take(9, 0, -1, 4)).toEqual([]);
  });

  it('repeats by time what stays without an answer, each time later, and stops', () => {
    const bench = new Bench(2);
    for (const sequence of [0, 2, 3]) bench.take(sequence);
    const times: number[] = [];
    for (let us = 1; us <= 5000; us++) {
      const before = bench.told.length;
      bench.loop.runUntil(us * 1e6);
      if (bench.told.length > before) times.push(us);
    }
    // after 30 us, 30, 60, 120, ...: until more than a millisecond was in vain
    expect(times).toEqual([30, 60, 120, 240, 480, 960, 1920]);
    expect(bench.told.map(({ tier }) => tier)).toEqual([1, 2, 2, 2, 2, 2, 2, 2]);
  });

  it.each([1, 2, 3, 4, 5, 6, 7, 8])(
    `misses what a set misses, under losses and reordering, try %i (WEFT_SEED=${seed})`,
    (n) => {
      const random = new RandomStream(seed, `adamap receiver ${n}`);
      const bits = [1, 4, 16, 40, 256][n % 5]!;
      // every other answer is lost: with the patience of a millisecond one packet in a thousand is given up
      const bench = new Bench(bits, n % 2 === 0, true);
      const count = 400;
      const came = new Set<number>();
      let highest = -1;
      let answered = 0;
      // what is under way, taken from near the front: losses by share, reordering by reach
      const underWay = Array.from({ length: count }, (_, sequence) => ({ sequence, tier: 0, place: -1, number: 0 }));
      const loss = 0.05 * n;
      const reach = n > 4 ? 12 : 1;
      for (let steps = 0; came.size < count && steps < 40_000; steps++) {
        const at = random.nextBelow(Math.min(reach, Math.max(1, underWay.length)));
        const [packet] = underWay.splice(at, 1);
        if (packet === undefined) {
          // nothing is under way: the last packet once more
          underWay.push({ sequence: count - 1, tier: Tier.probe, place: -1, number: answered + 1 });
          bench.loop.runUntil(bench.wheel.nowPs + 1e6);
        } else if (random.nextFraction() >= loss) {
          const { sequence, tier, place, number } = packet;
          bench.take(sequence, tier, place, Math.max(0, number - 1), sequence === count - 1);
          came.add(sequence);
          highest = Math.max(highest, sequence);
          const missing = Array.from({ length: highest + 1 }, (_, i) => i).filter((i) => !came.has(i));
          expect(bench.holes).toEqual(missing);
        }
        for (; answered < bench.told.length; answered++) {
          const { tier, number, place, holes } = bench.told[answered]!;
          if (random.nextFraction() >= loss)
            underWay.splice(0, 0, ...holes.map((sequence) => ({ sequence, tier, place, number })));
        }
      }
      expect(came.size).toBe(count);
      expect([bench.receiver.pool.live, bench.receiver.hasHoles(bench.pair)]).toEqual([0, false]);
    },
  );
});

describe('the sender', () => {
  it(`sends what maps say once while it waits, in order of the maps (WEFT_SEED=${seed})`, () => {
    const random = new RandomStream(seed, 'adamap sender');
    for (let trial = 0; trial < 100; trial++) {
      const bits = 1 + random.nextBelow(40);
      const pairs = new QueuePairs();
      const sender = new AdamapSender(bits, new SideColumns(new EventWheel().records, pairs));
      const pair = pairs.allocate();
      const waits: number[] = [];
      for (let step = 0; step < 30; step++) {
        if (random.nextFraction() < 0.6) {
          // some maps are longer than their bitmap
          const map = sender.make(random.nextBelow(60) - 1, 1 + random.nextBelow(bits));
          for (let slot = 0; slot < sender.pool.length[map]!; slot++)
            if (random.nextFraction() < 0.5) sender.pool.set(map, slot);
          for (let slot = sender.pool.hole(map, 0); slot >= 0; slot = sender.pool.hole(map, slot + 1)) {
            const sequence = sender.pool.start[map]! + 1 + slot;
            if (!waits.includes(sequence)) waits.push(sequence);
          }
          sender.add(pair, map);
        } else {
          expect(sender.first(pair) >= 0).toBe(waits.length > 0);
          if (waits.length > 0) expect(sender.take(pair)).toBe(waits.shift());
        }
      }
      sender.clear(pair);
      expect([sender.first(pair), sender.pool.live]).toEqual([-1, 0]);
    }
  });
});
