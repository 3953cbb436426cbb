// Posts keep processors, not links: moves of a rank wait for the posts before theirs, bytes stay what they are, and an
// all-to-all over scarce uplinks is not slowed beyond its posts.

import { describe, expect, it } from 'vitest';
import { EvenBlocks } from '../../src/collectives/block-matrix.js';
import { CollectiveRun } from '../../src/collectives/collective-run.js';
import { DirectAllToAll } from '../../src/collectives/direct-all-to-all.js';
import { Posts, postingOf } from '../../src/collectives/posting.js';
import { generateFabric } from '../../src/library/fabrics.js';
import { timeCollective } from '../../src/library/time-collective.js';
import { placementOf } from '../support/placements.js';

describe('posts', () => {
  it('of a rank go one after the other, of others beside them', () => {
    const posts = new Posts({ postPs: 10, postHidingBytes: 500 }, 'allreduce', 3);
    expect([posts.queue(0, 1, 499, 100), posts.queue(0, 2, 499, 100), posts.queue(0, 1, 499, 105)]).toEqual([
      0, 10, 15,
    ]);
    // what rank 2 receives does not keep what it sends; rank 1 receives its second at 110, so this one waits until 120
    expect(posts.queue(2, 0, 499, 100)).toBe(0);
    expect(posts.queue(2, 1, 499, 112)).toBe(8);
    expect(posts.queue(2, 0, 499, 1000)).toBe(0);
    const paired = new Posts({ postPs: 10, postHidingBytes: 500 }, 'alltoall', 3);
    expect([paired.queue(0, 1, 499, 100), paired.queue(2, 1, 499, 100), paired.queue(0, 2, 499, 100)]).toEqual([
      0, 0, 10,
    ]);
  });

  it('are hidden by bytes that take a NIC as long', () => {
    const posts = new Posts({ postPs: 10, postHidingBytes: 500 }, 'allreduce', 2);
    expect([posts.queue(0, 1, 500, 0), posts.queue(0, 1, 500, 0), posts.queue(0, 1, 499, 0)]).toEqual([0, 0, 0]);
    expect(posts.queue(0, 1, 500, 0)).toBe(0);
    expect(posts.queue(0, 1, 499, 0)).toBe(10);
  });

  it('of a send of a user come with a receive', () => {
    // NICs of 400 Gb/s: 50,000 B a microsecond
    const facts = { ranks: 16, servers: 2, ranksPerServer: 8, nvlinkBps: 0, networkBps: 3.2e12, nicsPerServer: 8 };
    expect(postingOf(1.5, 'alltoall', facts)).toEqual({ postPs: 3e6, postHidingBytes: 150_000, beforePs: 1.5e6 });
    expect(postingOf(1.5, 'allreduce', facts)).toEqual({ postPs: 1.5e6, postHidingBytes: 75_000, beforePs: 0 });
    expect(postingOf(0, 'alltoall', { ...facts, networkBps: Infinity }).postPs).toBe(0);
  });
});

/** Starts and sizes of all moves of an all-to-all whose ranks come at 1,000,000 ps. */
function leaving(postPs: number): { source: number; destination: number; startPs: number; sizeBytes: number }[] {
  const placement = placementOf(6, 2);
  const schedule = new DirectAllToAll(new EvenBlocks(6, 600), { order: 'by-server', ranksPerServer: 2 });
  const run = new CollectiveRun(placement, schedule, { postPs, intraServerDelayPs: 7, networkDelayPs: 50 });
  const moves: ReturnType<typeof leaving> = [];
  run.start(1e6, {
    transfer: (_id, source, destination, sizeBytes, startPs) => {
      moves.push({
        source: placement.nodes.indexOf(source),
        destination: placement.nodes.indexOf(destination),
        startPs: startPs - 1e6,
        sizeBytes,
      });
    },
  });
  return moves;
}

describe('a run with posts', () => {
  it('spaces what a rank sends to other servers, and nothing within its own', () => {
    for (let rank = 0; rank < 6; rank++) {
      const own = leaving(1000).filter(({ source }) => source === rank);
      const isWithin = ({ destination }: { destination: number }) => destination >> 1 === rank >> 1;
      expect(own.filter(isWithin).map(({ startPs }) => startPs)).toEqual([7]);
      expect(
        own
          .filter((move) => !isWithin(move))
          .map(({ startPs }) => startPs)
          .sort((a, b) => a - b),
      ).toEqual([50, 1050, 2050, 3050]);
    }
  });

  it('sends the same bytes', () => {
    const [posted, plain] = [1000, 0].map((postPs) => leaving(postPs).map(({ sizeBytes }) => sizeBytes));
    expect(posted).toEqual(plain);
  });
});

describe('an all-to-all of many small sends', () => {
  it.each(['fluid', 'packet'] as const)(
    'over scarce uplinks takes no more than its posts longer: %s',
    async (backend) => {
      const fabric = generateFabric('dcn+', { gpus: 32, nicsPerAsw: 16 });
      const timeOf = async (overheadNs: number): Promise<number> => {
        const environment = { NCCL_NET_OVERHEAD: String(overheadNs) };
        return (await timeCollective(fabric, { kind: 'alltoall', size: '64KiB', backend, environment })).timePs;
      };
      const [withoutPs, withPs] = [await timeOf(0), await timeOf(1000)];
      // 24 sends to other servers, each with a receive; beside that the latency of the first has one post more
      expect(withPs - withoutPs).toBeLessThanOrEqual(24 * 2e6);
      expect(withPs).toBeGreaterThan(23 * 2e6);
    },
  );
});
