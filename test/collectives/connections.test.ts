// Connections with slots: a model of its own, event by event, of a ring of which every edge is a FIFO of D slots, beside
// what is simulated; and the two rules on any schedule: moves of a connection leave one after the other, and never more
// than its slots are under way.

import { describe, expect, it } from 'vitest';
import { RandomStream } from '../../src/base/random.js';
import { CollectiveRun } from '../../src/collectives/collective-run.js';
import { doubleBinaryTrees } from '../../src/collectives/double-binary-tree.js';
import { Ring } from '../../src/collectives/ring.js';
import { ringOrders } from '../../src/collectives/ring-order.js';
import type { Schedule } from '../../src/collectives/schedule.js';
import { TreeReduction } from '../../src/collectives/tree-reduction.js';
import { placementOf } from '../support/placements.js';
import { seed } from '../support/seed.js';

/**
 * When a ring allreduce ends whose edge i takes wire[i] per move and delivers it latency[i] later: block b enters edge
 * e in its step s when it is there, the wire is free, and the move D before it has been delivered. Written from the
 * definition of a FIFO, step by step, in floating-point time.
 */
function fifoRing(wire: readonly number[], latency: readonly number[], slots: number): number {
  const ranks = wire.length;
  const steps = 2 * (ranks - 1);
  // by edge: when each of its moves has left and was delivered
  const left: number[][] = wire.map(() => []);
  const delivered: number[][] = wire.map(() => []);
  for (let step = 0; step < steps; step++) {
    for (let edge = 0; edge < ranks; edge++) {
      const before = (edge + ranks - 1) % ranks;
      const dataAt = step === 0 ? 0 : delivered[before]![step - 1]!;
      const wireAt = step === 0 ? 0 : left[edge]![step - 1]!;
      const slotAt = step < slots ? 0 : delivered[edge]![step - slots]!;
      left[edge]![step] = Math.max(dataAt, wireAt, slotAt) + wire[edge]!;
      delivered[edge]![step] = left[edge]![step]! + latency[edge]!;
    }
  }
  return Math.max(...delivered.flat());
}

/** The same through CollectiveRun: a move sent now has left after its wire time and arrives its latency later. */
function simulatedRing(wire: readonly number[], latency: readonly number[], slots: number): number {
  const ranks = wire.length;
  const placement = placementOf(ranks, 1);
  const schedule = new Ring({
    kind: 'allreduce',
    rings: ringOrders('rank-order', placement, 1),
    sizeBytes: ranks * 100,
    slots,
  });
  const run = new CollectiveRun(placement, schedule);
  const events: { at: number; order: number; does: () => void }[] = [];
  let order = 0;
  let endPs = 0;
  const sink = {
    transfer: (id: number, source: number, _destination: number, _size: number, startPs: number): void => {
      const edge = placement.nodes.indexOf(source);
      const leaves = startPs + wire[edge]!;
      events.push({ at: leaves, order: order++, does: () => run.sent(id, leaves, sink) });
      const arrives = leaves + latency[edge]!;
      events.push({ at: arrives, order: order++, does: () => run.finished(id, arrives, sink) });
    },
  };
  run.start(0, sink);
  while (events.length > 0) {
    events.sort((a, b) => a.at - b.at || a.order - b.order);
    const event = events.shift()!;
    endPs = event.at;
    event.does();
  }
  expect(run.remaining).toBe(0);
  return endPs;
}

describe(`a ring of FIFOs (WEFT_SEED=${seed})`, () => {
  const random = new RandomStream(seed, 'connections test');

  it.each([2, 3, 8])('takes what its definition says: %d slots', (slots) => {
    for (let i = 0; i < 20; i++) {
      const ranks = 2 + random.nextBelow(9);
      const wire = Array.from({ length: ranks }, () => 1 + random.nextBelow(50));
      const latency = Array.from({ length: ranks }, () => random.nextBelow(400));
      const text = `wire ${wire.join()}, latency ${latency.join()}`;
      expect(simulatedRing(wire, latency, slots), text).toBe(fifoRing(wire, latency, slots));
    }
  });

  it('hides what is late on one edge behind the slots: 14 quick edges and 2 slow ones, as in two servers', () => {
    const latency = Array.from({ length: 16 }, (_, edge) => (edge % 8 === 7 ? 5_000 : 1_200));
    const wire = latency.map(() => 10);
    // with one slot every step waits for the slow edges; with eight a block meets them twice a round
    expect(fifoRing(wire, latency, 1)).toBeGreaterThan(30 * 5_000);
    const around = latency.reduce((sum, ps) => sum + ps + 10, 0);
    expect(simulatedRing(wire, latency, 8)).toBeLessThan(2 * around);
  });
});

describe(`connections of any schedule (WEFT_SEED=${seed})`, () => {
  const random = new RandomStream(seed, 'connections of schedules');
  const placement = placementOf(8, 4);
  const schedules: Readonly<Record<string, (slots: number) => Schedule>> = {
    'rings in chunks': (slots) =>
      new Ring({
        kind: 'allreduce',
        rings: ringOrders('rail-aligned', placement, 2),
        sizeBytes: 9_000,
        chunkCount: 3,
        slots,
      }),
    trees: (slots) =>
      new TreeReduction({
        algorithm: 'tree',
        kind: 'allreduce',
        rankCount: 8,
        forest: doubleBinaryTrees(placement, 2),
        sizeBytes: 9_000,
        chunkCount: 9,
        slots,
      }),
  };

  it.each(Object.keys(schedules))('%s: one after the other, and never more under way than slots', (name) => {
    for (const slots of [2, 4, 8]) {
      const schedule = schedules[name]!(slots);
      const run = new CollectiveRun(placement, schedule);
      const before = new Map<number, number>();
      for (let move = 0; move < schedule.moveCount; move++) {
        const next = schedule.connections!.after(move);
        if (next >= 0) before.set(next, move);
      }
      const connectionOf = (move: number): number => {
        let first = move;
        for (let one = before.get(move); one !== undefined; one = before.get(one)) first = one;
        return first;
      };
      const underWay: number[] = [];
      const left = new Set<number>();
      const most = new Map<number, number>();
      const sink = {
        transfer: (id: number): void => {
          const previous = before.get(id);
          expect(previous === undefined || left.has(previous), `move ${id} before ${previous} has left`).toBe(true);
          underWay.push(id);
          const connection = connectionOf(id);
          const count = underWay.filter((one) => connectionOf(one) === connection).length;
          most.set(connection, Math.max(most.get(connection) ?? 0, count));
        },
      };
      run.start(0, sink);
      for (let now = 1; underWay.length > 0; now++) {
        const at = random.nextBelow(underWay.length);
        const id = underWay[at]!;
        if (!left.has(id)) {
          left.add(id);
          run.sent(id, now, sink);
        } else if (random.nextBelow(4) === 0) {
          underWay.splice(at, 1);
          run.finished(id, now, sink);
        }
      }
      expect(run.remaining).toBe(0);
      // they are all used: data is there early on the edges behind the first ones
      expect(Math.max(...most.values())).toBeLessThanOrEqual(slots);
      expect(Math.max(...most.values())).toBeGreaterThan(1);
    }
  });
});
