// Packets that are there, against sets of numbers that know no bits, rings or arenas.

import { describe, expect, it } from 'vitest';
import { RandomStream } from '../../src/base/random.js';
import { PairWord, QueuePairs } from '../../src/backends/packet/queue-pairs.js';
import { ReceivedPackets } from '../../src/backends/packet/transport/received-packets.js';
import { seed } from '../support/seed.js';

function made(): { pairs: QueuePairs; received: ReceivedPackets } {
  const pairs = new QueuePairs();
  return { pairs, received: new ReceivedPackets(pairs, PairWord.expectedPacket) };
}

/** What is there, as a set. */
class Model {
  readonly there = new Set<number>();

  get firstMissing(): number {
    let first = 0;
    while (this.there.has(first)) first++;
    return first;
  }

  nextMissing(from: number): number {
    while (this.there.has(from)) from++;
    return from;
  }
}

/** Bits as the set has them. */
function wordOf(model: Model, word: number): number {
  let bits = 0;
  for (let bit = 0; bit < 32; bit++) if (model.there.has(32 * word + bit)) bits |= 1 << bit;
  return bits;
}

function expectSame(received: ReceivedPackets, pair: number, model: Model, around: number): void {
  const first = model.firstMissing;
  expect(received.firstMissing(pair)).toBe(first);
  expect(received.highestReceived(pair)).toBe(Math.max(-1, ...model.there));
  expect(received.hasGap(pair)).toBe(model.there.size > first);
  for (let word = Math.max(0, (around >> 5) - 2); word < (around >> 5) + 3; word++)
    if (received.wordOf(pair, word) !== wordOf(model, word)) expect.fail(`word ${word} is told wrong`);
  for (let sequence = Math.max(0, around - 40); sequence < around + 40; sequence++) {
    if (received.has(pair, sequence) !== model.there.has(sequence)) expect.fail(`packet ${sequence} is told wrong`);
    if (sequence >= first && received.nextMissing(pair, sequence) !== model.nextMissing(sequence))
      expect.fail(`the next missing packet from ${sequence} on is told wrong`);
  }
}

describe('received packets', () => {
  it('take no memory for what comes in order', () => {
    const { pairs, received } = made();
    const pair = pairs.allocate();
    const before = received.memoryBytes;
    for (let sequence = 0; sequence < 100_000; sequence++)
      if (!received.record(pair, sequence)) expect.fail(`packet ${sequence} is told to have come before`);
    expect(received.firstMissing(pair)).toBe(100_000);
    expect(received.memoryBytes).toBe(before);
  });

  it.each([1, 20, 31, 32, 33, 500, 5000])(`agree with a set, displacements up to %i (WEFT_SEED=${seed})`, (most) => {
    const random = new RandomStream(seed, `received ${most}`);
    const { pairs, received } = made();
    const queue = [pairs.allocate(), pairs.allocate(), pairs.allocate()];
    const models = queue.map(() => new Model());
    for (let step = 0; step < 600; step++) {
      const which = random.nextBelow(queue.length);
      const [pair, model] = [queue[which]!, models[which]!];
      const first = model.firstMissing;
      const sequence = Math.max(0, first + (random.nextBelow(3) === 0 ? 0 : random.nextBelow(most + 1)) - 2);
      if (random.nextBelow(40) === 0) {
        received.advanceTo(pair, sequence);
        for (let own = 0; own < sequence; own++) model.there.add(own);
      } else {
        expect(received.record(pair, sequence)).toBe(!model.there.has(sequence));
        model.there.add(sequence);
      }
      expectSame(received, pair, model, random.nextBelow(2) === 0 ? sequence : model.firstMissing);
    }
  });

  it(`count every packet once, whatever the order (WEFT_SEED=${seed})`, () => {
    const random = new RandomStream(seed, 'received, shuffled');
    const { pairs, received } = made();
    const pair = pairs.allocate();
    const order = Array.from({ length: 3000 }, (_, i) => i % 1500);
    for (let i = order.length - 1; i > 0; i--) {
      const j = random.nextBelow(i + 1);
      [order[i], order[j]] = [order[j]!, order[i]!];
    }
    expect(order.filter((sequence) => received.record(pair, sequence))).toHaveLength(1500);
    expect([received.firstMissing(pair), received.hasGap(pair)]).toEqual([1500, false]);
  });

  it('keep to the memory that is stated: W / 4 + 8 bytes each, used again', () => {
    const window = 4096;
    const { pairs, received } = made();
    const queue = Array.from({ length: 100 }, () => pairs.allocate());
    for (let round = 0; round < 50; round++) {
      for (const pair of queue) received.record(pair, received.firstMissing(pair) + window - 1);
      // their own, and the arena's room to grow
      expect(received.memoryBytes).toBeLessThanOrEqual(2 * queue.length * (window / 4 + 8));
      for (const pair of queue) received.advanceTo(pair, received.firstMissing(pair) + window);
    }
  });

  it('know nothing of the flow that had the number before', () => {
    const { pairs, received } = made();
    const pair = pairs.allocate();
    pairs.words[(pair << 4) + PairWord.slot] = 1;
    received.record(pair, 5);
    received.record(pair, 77);
    pairs.finish(pair);
    expect(pairs.allocate()).toBe(pair);
    expect([received.firstMissing(pair), received.highestReceived(pair), received.has(pair, 5)]).toEqual([
      0,
      -1,
      false,
    ]);
    received.record(pair, 76);
    expect(received.has(pair, 77)).toBe(false);
  });

  it('reach the last number that packets have', () => {
    const { pairs, received } = made();
    const pair = pairs.allocate();
    const last = 2 ** 31 - 2;
    received.advanceTo(pair, last - 100);
    expect(received.record(pair, last)).toBe(true);
    expect(received.nextMissing(pair, last)).toBe(last + 1);
    received.advanceTo(pair, last);
    expect([received.firstMissing(pair), received.hasGap(pair)]).toEqual([last + 1, false]);
  });
});
