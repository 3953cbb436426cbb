// Collectives as work: what is handed out and when, on a made-up network, over any order of arrivals; and how little is
// remembered.

import { describe, expect, it } from 'vitest';
import { RandomStream } from '../../src/base/random.js';
import { CollectiveRun, type RunOptions } from '../../src/collectives/collective-run.js';
import { CollectiveWork } from '../../src/collectives/collective-work.js';
import { HalvingDoubling } from '../../src/collectives/halving-doubling.js';
import { nvlsStars } from '../../src/collectives/nvls.js';
import { Ring } from '../../src/collectives/ring.js';
import { ringOrders } from '../../src/collectives/ring-order.js';
import { emptyMove } from '../../src/collectives/schedule.js';
import { TreeReduction } from '../../src/collectives/tree-reduction.js';
import { WaitingCounts } from '../../src/collectives/waiting-counts.js';
import { placementOf } from '../support/placements.js';
import { seed } from '../support/seed.js';
import { Desk } from '../support/collective-desk.js';

describe(`a collective under way (WEFT_SEED=${seed})`, () => {
  it('delivers in order over a connection of a ring: what overtakes waits, and then goes on at once', () => {
    const three = placementOf(3, 3);
    const ring = new Ring({ kind: 'allgather', rings: ringOrders('cross-rail', three, 1), sizeBytes: 300 });
    // three ranks, two steps: the second block from 0 to 1 arrives before the first
    const desk = new Desk();
    const work = new CollectiveWork([{ communicator: three, schedule: ring, startPs: 0 }]);
    work.expand(0, desk);
    const finish = (source: number, number: number): void =>
      void desk.finish(
        work,
        desk.waiting.findIndex((handed) => handed.source === three.nodes[source] && handed.id === number),
        0,
      );
    finish(2, 2);
    expect(desk.waiting.map(({ id }) => id)).toEqual([0, 1, 3]);
    // move 3 is the second over 0 -> 1; it arrives first and must release nothing that the first has not
    finish(0, 3);
    expect(desk.waiting.map(({ id }) => id)).toEqual([0, 1]);
    finish(0, 0);
    expect(desk.waiting.map(({ id }) => id)).toEqual([1, 4]);
  });
});

describe('collectives as work', () => {
  const communicator = placementOf(4, 2);
  const ring = (size: number): Ring =>
    new Ring({ kind: 'allgather', rings: ringOrders('cross-rail', communicator, 1), sizeBytes: size });

  it('start at their times, each with its own numbers', () => {
    const work = new CollectiveWork([
      { communicator, schedule: ring(400), startPs: 500 },
      { communicator, schedule: ring(800), startPs: 100 },
    ]);
    const desk = new Desk();
    expect([work.nextStartPs(), work.total]).toEqual([100, 24]);
    work.expand(100, desk);
    expect(desk.all.map(({ id, sizeBytes }) => [id, sizeBytes])).toEqual([
      [12, 200],
      [13, 200],
      [14, 200],
      [15, 200],
    ]);
    expect(work.nextStartPs()).toBe(500);
    work.expand(500, desk);
    expect(desk.all.slice(4).map(({ id, sizeBytes }) => [id, sizeBytes])).toEqual([
      [0, 100],
      [1, 100],
      [2, 100],
      [3, 100],
    ]);
    expect(work.nextStartPs()).toBe(Infinity);
    while (desk.waiting.length > 0) desk.finish(work, 0, 600);
    expect([desk.all.length, work.unfinished]).toEqual([24, 0]);
  });

  it('add the delays of their paths, and what the protocol sends besides data', () => {
    const options: RunOptions = {
      intraServerDelayPs: 3,
      networkDelayPs: 70,
      wire: { protocol: 'll128', nvswitchShare: 1 },
    };
    const work = new CollectiveWork([{ communicator, schedule: ring(4 * 241), startPs: 1000, options }]);
    const desk = new Desk();
    work.expand(1000, desk);
    // 241 B are two full lines of 120 B and one of 1 B: three times 8 B of flags
    expect(desk.all.map(({ startPs, sizeBytes }) => [startPs, sizeBytes])).toEqual([
      [1003, 265],
      [1070, 265],
      [1003, 265],
      [1070, 265],
    ]);
    desk.finish(work, 0, 5000);
    expect(desk.all[4]!.startPs).toBe(5070);
  });

  it('send to and from the NVSwitch itself, at the delay of the server', () => {
    const server = placementOf(4, 4);
    const schedule = new TreeReduction({
      algorithm: 'nvls',
      kind: 'allreduce',
      rankCount: 4,
      forest: nvlsStars(server, 1),
      sizeBytes: 4000,
      chunkCount: 4,
    });
    const desk = new Desk();
    const work = new CollectiveWork([
      { communicator: server, schedule, startPs: 0, options: { intraServerDelayPs: 3, networkDelayPs: 70 } },
    ]);
    work.expand(0, desk);
    const nvswitch = server.nodes[4]!;
    expect(desk.all.map(({ source, destination, startPs }) => [source, destination, startPs])).toEqual(
      [0, 1, 2, 3].map((host) => [host, nvswitch, 3]),
    );
    while (desk.waiting.length > 0) desk.finish(work, 0, 0);
    expect(desk.all.filter(({ source }) => source === nvswitch).length).toBe(16);
  });

  it('with nothing to send are done at once', () => {
    for (const schedule of [
      ring(0),
      new Ring({ kind: 'allreduce', rings: ringOrders('cross-rail', placementOf(1, 1), 1), sizeBytes: 100 }),
    ]) {
      const finished: number[] = [];
      const run = new CollectiveRun(communicator, schedule, {
        onPlaceFinished: (place, nowPs) => finished.push(place, nowPs),
      });
      run.start(7, new Desk());
      expect([run.remaining, finished]).toEqual([
        0,
        Array.from({ length: schedule.rankCount }, (_, place) => [place, 7]).flat(),
      ]);
    }
  });
});

describe(`counts of what moves wait for (WEFT_SEED=${seed})`, () => {
  it('are those of a plain map, for numbers beyond 32 bits too', () => {
    const random = new RandomStream(seed, 'counts test');
    const counts = new WaitingCounts();
    const plain = new Map<number, number>();
    let most = 0;
    for (let i = 0; i < 100_000; i++) {
      const move =
        random.nextBelow(3000) * (random.nextBelow(2) === 0 ? 1 : 4294967296) + random.nextBelow(2) * 2 ** 40;
      const prerequisites = 1 + (move % 5);
      const left = (plain.get(move) ?? prerequisites) - 1;
      if (left === 0) plain.delete(move);
      else plain.set(move, left);
      if (counts.arrived(move, prerequisites) !== (left === 0)) throw new Error(`move ${move} after ${i} arrivals`);
      if (counts.size !== plain.size)
        throw new Error(`${counts.size} entries instead of ${plain.size} after ${i} arrivals`);
      most = Math.max(most, plain.size);
    }
    expect(most).toBeGreaterThan(1000);
  });
});

describe('descriptions', () => {
  it('reuse the object that they are written into', () => {
    const into = emptyMove();
    new HalvingDoubling('allreduce', 4, 400).describe(5, into);
    expect(into).toEqual({
      source: 1,
      destination: 0,
      sizeBytes: 100,
      isReduction: true,
      step: 1,
      channel: 0,
      chunk: 0,
    });
  });
});
