// A collective under way, move by move: random ones hand out each once, as soon as it may go; a ring over 4,096 GPUs
// remembers its frontier alone.

import { describe, expect, it } from 'vitest';
import { RandomStream } from '../../src/base/random.js';
import { AggregatedAllToAll } from '../../src/collectives/aggregated-all-to-all.js';
import { EvenBlocks } from '../../src/collectives/block-matrix.js';
import { CollectiveWork } from '../../src/collectives/collective-work.js';
import { doubleBinaryTrees } from '../../src/collectives/double-binary-tree.js';
import { HalvingDoubling } from '../../src/collectives/halving-doubling.js';
import { PatAllgather } from '../../src/collectives/pat.js';
import { ReversedAllgather } from '../../src/collectives/reversed.js';
import { Ring } from '../../src/collectives/ring.js';
import { ringOrders } from '../../src/collectives/ring-order.js';
import { type Delivery, type Schedule } from '../../src/collectives/schedule.js';
import { TreeReduction } from '../../src/collectives/tree-reduction.js';
import type { TransferSink } from '../../src/flows/work-source.js';
import { readMoves } from '../support/collective-proof.js';
import { placementOf } from '../support/placements.js';
import { seed } from '../support/seed.js';
import { Desk } from '../support/collective-desk.js';

describe(`a collective under way (WEFT_SEED=${seed})`, () => {
  const random = new RandomStream(seed, 'work test');
  const placement = placementOf(13, 4);
  const schedules: Schedule[] = [
    new Ring({ kind: 'allreduce', rings: ringOrders('cross-rail', placement, 3), sizeBytes: 5000, chunkCount: 2 }),
    new Ring({ kind: 'allgather', rings: ringOrders('cross-rail', placement, 2), sizeBytes: 7 }),
    new TreeReduction({
      algorithm: 'tree',
      kind: 'allreduce',
      rankCount: 13,
      forest: doubleBinaryTrees(placement, 2),
      sizeBytes: 5000,
      chunkCount: 3,
    }),
    new HalvingDoubling('allreduce', 13, 9),
    new PatAllgather(13, 1300, 2, 4),
    new ReversedAllgather(new PatAllgather(13, 1300, 1, 2)),
    new AggregatedAllToAll(placement, new EvenBlocks(13, 130)),
  ];

  it.each(schedules.map((schedule) => [`${schedule.algorithm} ${schedule.kind}`, schedule] as const))(
    'hands out every move once, as soon as what it waits for has arrived: %s',
    (_, schedule) => {
      const moves = readMoves(schedule);
      const finishedPlaces = new Set<number>();
      const work = new CollectiveWork([
        {
          communicator: placement,
          schedule,
          startPs: 0,
          options: { onPlaceFinished: (place) => void finishedPlaces.add(place) },
        },
      ]);
      const desk = new Desk();
      work.expand(0, desk);
      const arrived = new Set<number>();
      const delivered = new Set<number>();
      /** Everything that follows from the arrivals so far, by the plain definition. */
      const settled = (): Set<number> => {
        const out = new Set<number>();
        for (let changed = true; changed;) {
          changed = false;
          moves.forEach((move, number) => {
            if (!out.has(number) && move.predecessors.every((predecessor) => delivered.has(predecessor))) {
              out.add(number);
              changed = true;
            }
            if (out.has(number) && move.sizeBytes === 0) arrived.add(number);
            if (
              !delivered.has(number) &&
              arrived.has(number) &&
              previous(schedule.delivery, moves.length, number).every((earlier) => delivered.has(earlier))
            ) {
              delivered.add(number);
              changed = true;
            }
          });
        }
        return out;
      };
      for (;;) {
        const due = [...settled()].filter((number) => moves[number]!.sizeBytes > 0);
        expect(new Set(desk.all.map(({ id }) => id))).toEqual(new Set(due));
        expect(desk.all.length).toBe(due.length);
        if (desk.waiting.length === 0) break;
        // several at a time, so that the plain definition is not asked too often
        for (let i = Math.min(desk.waiting.length, 1 + random.nextBelow(12)); i > 0; i--)
          arrived.add(desk.finish(work, random.nextBelow(desk.waiting.length), 0).id);
      }
      expect([work.unfinished, desk.all.length, finishedPlaces.size]).toEqual([
        0,
        moves.filter(({ sizeBytes }) => sizeBytes > 0).length,
        13,
      ]);
      for (const { id, source, destination, sizeBytes } of desk.all)
        expect([source, destination, sizeBytes]).toEqual([
          placement.nodes[moves[id]!.source],
          placement.nodes[moves[id]!.destination],
          moves[id]!.sizeBytes,
        ]);
    },
  );

  it('remembers a ring over 4096 GPUs and 8 channels by its frontier alone', () => {
    const big = placementOf(4096, 8);
    const schedule = new Ring({ kind: 'allreduce', rings: ringOrders('cross-rail', big, 8), sizeBytes: 2 ** 33 });
    const work = new CollectiveWork([{ communicator: big, schedule, startPs: 0 }]);
    // a ring of numbers, so that the test holds no more than what is under way
    const ids = new Float64Array(1 << 16);
    let head = 0;
    let tail = 0;
    let largest = 0;
    const sink: TransferSink = {
      transfer: (id, _source, _destination, sizeBytes) => {
        ids[tail++ & 0xffff] = id;
        largest = Math.max(largest, sizeBytes);
      },
    };
    work.expand(0, sink);
    expect([tail, work.total, largest]).toEqual([32_768, 268_369_920, 2 ** 33 / 4096 / 8]);
    let mostUnderWay = 0;
    let mostWaiting = 0;
    const before = process.memoryUsage();
    while (head < 1_000_000) {
      work.transferFinished(ids[head++ & 0xffff]!, 0, sink);
      mostUnderWay = Math.max(mostUnderWay, tail - head);
      mostWaiting = Math.max(mostWaiting, work.runs[0]!.waitingMoves);
    }
    const after = process.memoryUsage();
    const grownMiB = (after.arrayBuffers - before.arrayBuffers) / 2 ** 20;
    console.log(
      `ring of 4096 x 8: after a million: ${mostUnderWay} under way, ${mostWaiting} remembered, arrays grew by ${grownMiB.toFixed(1)} MiB`,
    );
    expect(mostUnderWay).toBe(32_768);
    // one entry per connection: that its next delivery may come
    expect(mostWaiting).toBeLessThanOrEqual(32_768);
    expect(grownMiB).toBeLessThan(16);
    expect(work.unfinished).toBe(268_369_920 - 1_000_000);
  });
});

/** The move that a delivery waits for, by the plain definition; none or one. */
function previous(delivery: Delivery | null, count: number, number: number): number[] {
  if (delivery === null) return [];
  for (let earlier = 0; earlier < count; earlier++) if (delivery.next(earlier) === number) return [earlier];
  return [];
}
