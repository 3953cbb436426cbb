// Ring collectives: the right numbers everywhere, the bytes of the closed form, rings that visit whom they should.

import { describe, expect, it } from 'vitest';
import { RandomStream } from '../../src/base/random.js';
import { networkWay } from '../../src/collectives/proxies.js';
import { Ring, type RingKind } from '../../src/collectives/ring.js';
import { type RingLayout, ringOrders } from '../../src/collectives/ring-order.js';
import { bytesReceived, bytesSent, plainStarts, problemsOfSchedule, readMoves } from '../support/collective-proof.js';
import { communicatorOf, placementOf } from '../support/placements.js';
import { seed } from '../support/seed.js';

const kinds: readonly RingKind[] = ['allreduce', 'allgather', 'reducescatter'];
const layouts: readonly RingLayout[] = ['cross-rail', 'rail-aligned', 'rank-order'];

describe(`rings (WEFT_SEED=${seed})`, () => {
  const random = new RandomStream(seed, 'ring test');

  it.each(kinds)('leave every rank with the right bytes: %s', (kind) => {
    for (const ranks of [1, 2, 3, 4, 5, 7, 8, 11, 13, 16, 17, 24, 32]) {
      for (const [gpus, channels, chunks, size] of [
        [8, 1, 1, 3 * ranks],
        [4, 2, 1, 101],
        [8, 3, 2, 67],
        [1, 2, 3, 7],
        [3, 4, 1, 0],
      ] as const) {
        const layout = layouts[random.nextBelow(3)]!;
        const all = [1, 2, 8, Infinity];
        // every number of slots for small rings; for large ones, whose proof takes long, one of them
        for (const slots of ranks <= 8 ? all : [all[random.nextBelow(all.length)]!]) {
          const schedule = new Ring({
            kind,
            rings: ringOrders(layout, placementOf(ranks, gpus), channels),
            sizeBytes: size,
            chunkCount: chunks,
            slots,
          });
          expect(
            problemsOfSchedule(schedule, size, random),
            `${ranks} ranks on ${gpus}, ${layout}, ${channels} channels, ${chunks} chunks, ${size} B, ${slots} slots`,
          ).toEqual([]);
        }
      }
    }
  });

  it.each(kinds)('do so over proxies, with and without a NIC for every GPU: %s', (kind) => {
    for (const nics of [[0, 1, 2, 3], [0, 2], [3]]) {
      const placement = placementOf(12, 4, { nics });
      for (const layout of layouts) {
        const schedule = new Ring({
          kind,
          rings: ringOrders(layout, placement, 4),
          sizeBytes: 97,
          chunkCount: 2,
          way: (a, b) => networkWay(placement, a, b),
          slots: layout === 'rank-order' ? 1 : Infinity,
        });
        expect(problemsOfSchedule(schedule, 97, random), `NICs ${nics.join()}, ${layout}`).toEqual([]);
        // what crosses servers leaves and enters by GPUs with a NIC
        for (const { source, destination } of readMoves(schedule)) {
          if (placement.serverOf[source] !== placement.serverOf[destination])
            expect([nics.includes(source % 4), nics.includes(destination % 4)]).toEqual([true, true]);
        }
      }
    }
  });

  it('send (n - 1) / n of the buffer per rank and phase, exactly: everything but one block', () => {
    for (const [ranks, size] of [
      [5, 100],
      [8, 65],
      [16, 4096],
    ] as const) {
      for (const kind of kinds) {
        const moves = readMoves(
          new Ring({ kind, rings: ringOrders('cross-rail', placementOf(ranks, 8), 2), sizeBytes: size }),
        );
        const starts = plainStarts(size, ranks);
        // with remainders the blocks differ by a byte: what goes around is the buffer but one block per phase
        const phases = kind === 'allreduce' ? 2 : 1;
        for (const sent of [...bytesSent(moves, ranks), ...bytesReceived(moves, ranks)]) {
          expect(sent).toBeGreaterThanOrEqual(phases * (size - (starts[1]! - starts[0]!)));
          expect(sent).toBeLessThanOrEqual(phases * (size - (starts[ranks]! - starts[ranks - 1]!)));
        }
        if (size % ranks === 0)
          expect(bytesSent(moves, ranks)).toEqual(
            Array.from({ length: ranks }, () => (phases * (ranks - 1) * size) / ranks),
          );
      }
    }
  });

  it('have as many flows and steps as the formula says', () => {
    const ring = new Ring({
      kind: 'allreduce',
      rings: ringOrders('cross-rail', placementOf(16, 8), 8),
      sizeBytes: 2 ** 24,
    });
    expect([ring.moveCount, ring.stepCount]).toEqual([2 * 16 * 15 * 8, 30]);
  });

  it('are numbered so that 4096 GPUs and 8 channels take no time to set up', () => {
    const ring = new Ring({
      kind: 'allreduce',
      rings: ringOrders('cross-rail', placementOf(4096, 8), 8),
      sizeBytes: 2 ** 30,
    });
    expect(ring.moveCount).toBe(2 * 4095 * 4096 * 8);
    let roots = 0;
    ring.roots(() => roots++);
    expect(roots).toBe(4096 * 8);
  });
});

/** Hops between servers whose two ends are on different rails; that the ring visits everybody is checked on the way. */
function railChanges(layout: RingLayout, ranks: number, gpus: number, channel: number): number {
  const placement = placementOf(ranks, gpus);
  const { order } = ringOrders(layout, placement, channel + 1);
  const ring = Array.from(order.subarray(channel * ranks));
  expect(ring.slice().sort((a, b) => a - b)).toEqual(Array.from({ length: ranks }, (_, i) => i));
  return ring.filter((place, i) => {
    const next = ring[(i + 1) % ranks]!;
    return placement.serverOf[place] !== placement.serverOf[next] && placement.railOf[place] !== placement.railOf[next];
  }).length;
}

describe('ring orders', () => {
  it('across rails are those of the notes on SimAI: rank c first on every server, rank c - 1 last', () => {
    const { order } = ringOrders('cross-rail', placementOf(12, 4), 4);
    expect(Array.from(order.subarray(0, 12))).toEqual([0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11]);
    expect(Array.from(order.subarray(12, 24))).toEqual([1, 2, 3, 0, 5, 6, 7, 4, 9, 10, 11, 8]);
    expect(railChanges('cross-rail', 32, 8, 3)).toBe(4);
  });

  it('along rails never change the rail, but for two GPUs each on an odd number of servers, where no ring can', () => {
    for (const gpus of [1, 2, 3, 4, 8]) {
      for (let servers = 2; servers <= 9; servers++) {
        for (let channel = 0; channel < gpus; channel++)
          expect(railChanges('rail-aligned', gpus * servers, gpus, channel), `${servers} x ${gpus}`).toBe(
            gpus === 2 && servers % 2 === 1 ? 1 : 0,
          );
      }
    }
  });

  it('along rails spread the channels evenly over the NICs', () => {
    const placement = placementOf(32, 8);
    const { order } = ringOrders('rail-aligned', placement, 8);
    const leaving = Array.from({ length: 32 }, () => 0);
    for (let channel = 0; channel < 8; channel++) {
      for (let p = 0; p < 32; p++) {
        const place = order[channel * 32 + p]!;
        if (placement.serverOf[place] !== placement.serverOf[order[channel * 32 + ((p + 1) % 32)]!]) leaving[place]!++;
      }
    }
    expect(leaving).toEqual(Array.from({ length: 32 }, () => 1));
  });

  it('in rank order are one cycle that begins elsewhere', () => {
    const { order } = ringOrders('rank-order', placementOf(4, 2), 2);
    expect(Array.from(order)).toEqual([0, 1, 2, 3, 1, 2, 3, 0]);
  });

  it('keep to the servers of a group with holes', () => {
    const placement = communicatorOf({ gpus: 4, servers: 3 }, [1, 3, 4, 9, 10, 11]);
    expect(placement.servers.map((places) => Array.from(places))).toEqual([[0, 1], [2], [3, 4, 5]]);
    expect(Array.from(placement.railOf)).toEqual([1, 3, 0, 1, 2, 3]);
    for (const layout of layouts) {
      const { order } = ringOrders(layout, placement, 3);
      for (let c = 0; c < 3; c++)
        expect(
          Array.from(order.subarray(c * 6, c * 6 + 6))
            .slice()
            .sort((a, b) => a - b),
        ).toEqual([0, 1, 2, 3, 4, 5]);
    }
  });
});
