// All-to-all, direct and through proxies, and pairwise sends: every block where it belongs, as few network flows as
// promised.

import { describe, expect, it } from 'vitest';
import { RandomStream } from '../../src/base/random.js';
import { AggregatedAllToAll } from '../../src/collectives/aggregated-all-to-all.js';
import { type BlockMatrix, EvenBlocks } from '../../src/collectives/block-matrix.js';
import type { Placement } from '../../src/collectives/communicator.js';
import { DirectAllToAll } from '../../src/collectives/direct-all-to-all.js';
import type { Schedule } from '../../src/collectives/schedule.js';
import { SendReceive } from '../../src/collectives/send-receive.js';
import { bytesReceived, bytesSent, plainStarts, problemsOfSchedule, readMoves } from '../support/collective-proof.js';
import { communicatorOf, placementOf } from '../support/placements.js';
import { seed } from '../support/seed.js';
import { UnevenBlocks } from '../support/uneven-blocks.js';

/** Sizes by source and destination when every rank divides a buffer evenly. */
function evenSizes(ranks: number, size: number): number[][] {
  const starts = plainStarts(size, ranks);
  return Array.from({ length: ranks }, () => Array.from({ length: ranks }, (_, d) => starts[d + 1]! - starts[d]!));
}

function matrixOf(sizes: readonly (readonly number[])[]): UnevenBlocks {
  return new UnevenBlocks(sizes.length, Float64Array.from(sizes.flat()));
}

describe(`all-to-all (WEFT_SEED=${seed})`, () => {
  const random = new RandomStream(seed, 'all-to-all test');

  /** any sizes, some of them 0 */
  const unevenSizes = (ranks: number): number[][] =>
    Array.from({ length: ranks }, () => Array.from({ length: ranks }, () => Math.max(0, random.nextBelow(9) - 2)));

  /** Every rank's result holds what the others have for it, in order of their ranks; its own block no move brings. */
  const problems = (schedule: Schedule, sizes: readonly (readonly number[])[]): string[] => {
    const starts = sizes.map((row) => [0, ...row].map((_, i) => row.slice(0, i).reduce((sum, size) => sum + size, 0)));
    const inputBytes = Math.max(...starts.map((row) => row[sizes.length]!));
    return problemsOfSchedule(schedule, 0, random, {
      inputBytes,
      wanted: (inputs) =>
        inputs.map((_, rank) => ({
          offset: 0,
          values: inputs.flatMap((input, source) =>
            source === rank
              ? Array.from({ length: sizes[rank]![rank]! }, () => 0)
              : input.slice(starts[source]![rank]!, starts[source]![rank + 1]!),
          ),
        })),
    });
  };
  const both = (placement: Placement, blocks: BlockMatrix): Schedule[] => [
    new DirectAllToAll(blocks),
    new DirectAllToAll(blocks, { channelCount: 3 }),
    new DirectAllToAll(blocks, { channelCount: 2, concurrency: 1 + random.nextBelow(4) }),
    new DirectAllToAll(blocks, {
      channelCount: 1 + random.nextBelow(2),
      chunkCount: 2 + random.nextBelow(4),
      slots: 2,
    }),
    ...(placement.servers.every(({ length }) => length === placement.servers[0]!.length)
      ? [new DirectAllToAll(blocks, { order: 'by-server', ranksPerServer: placement.servers[0]!.length })]
      : []),
    new AggregatedAllToAll(placement, blocks),
  ];

  it('brings every block to its place', () => {
    for (const ranks of [1, 2, 3, 4, 5, 7, 8, 11, 12, 13, 16, 17, 24]) {
      for (const [gpus, nics] of [
        [4, [0, 1, 2, 3]],
        [4, [0, 2]],
        [8, [5]],
        [1, [0]],
        [3, [1]],
      ] as const) {
        const placement = placementOf(ranks, gpus, { nics });
        const even = ranks * 3 + random.nextBelow(5);
        const sizes = unevenSizes(ranks);
        for (const schedule of both(placement, new EvenBlocks(ranks, even)))
          expect(
            problems(schedule, evenSizes(ranks, even)),
            `${schedule.algorithm}, ${ranks} ranks on ${gpus}, ${even} B`,
          ).toEqual([]);
        for (const schedule of both(placement, matrixOf(sizes)))
          expect(problems(schedule, sizes), `${schedule.algorithm}, ${ranks} ranks on ${gpus}, any sizes`).toEqual([]);
      }
    }
  });

  it('copes with servers of different sizes and numbers of NICs', () => {
    const placement = communicatorOf({ gpus: 4, servers: 3, nics: [0, 3] }, [0, 1, 3, 6, 7, 8, 9, 10, 11]);
    const sizes = unevenSizes(9);
    for (const schedule of both(placement, matrixOf(sizes)))
      expect(problems(schedule, sizes), schedule.algorithm).toEqual([]);
  });

  it("sends everything but a rank's own block, in n (n - 1) flows or, through proxies, one per pair of servers and NIC", () => {
    const direct = readMoves(new DirectAllToAll(new EvenBlocks(16, 1600)));
    expect([direct.length, ...new Set(bytesSent(direct, 16)), ...new Set(bytesReceived(direct, 16))]).toEqual([
      240, 1500, 1500,
    ]);
    for (const [nics, flows] of [
      [[0, 1, 2, 3, 4, 5, 6, 7], 8],
      [[0, 2, 4, 6], 4],
      [[3], 1],
    ] as const) {
      const placement = placementOf(24, 8, { nics });
      const moves = readMoves(new AggregatedAllToAll(placement, new EvenBlocks(24, 2400))).filter(
        ({ sizeBytes }) => sizeBytes > 0,
      );
      const crossing = moves.filter(
        ({ source, destination }) => placement.serverOf[source] !== placement.serverOf[destination],
      );
      expect(crossing.length).toBe(3 * 2 * flows);
      // 8 ranks have 100 B each for 8 others
      expect(new Set(crossing.map(({ sizeBytes }) => sizeBytes))).toEqual(new Set([6400 / flows]));
      expect(
        crossing.every(({ source, destination }) =>
          [source, destination].every((place) => (nics as readonly number[]).includes(place % 8)),
        ),
      ).toBe(true);
    }
  });

  it('by server takes its own first, then one after the other, and lets every rank receive once a turn', () => {
    for (const [ranks, perServer] of [
      [24, 8],
      [20, 4],
      [7, 1],
      [6, 6],
    ] as const) {
      const moves = readMoves(
        new DirectAllToAll(new EvenBlocks(ranks, ranks), { order: 'by-server', ranksPerServer: perServer }),
      );
      for (let turn = 0; turn + 1 < ranks; turn++) {
        const own = moves.slice(turn * ranks, (turn + 1) * ranks);
        expect(new Set(own.map(({ destination }) => destination)).size).toBe(ranks);
        // at one turn all ranks are as many servers from whom they send to
        const distances = own.map(({ source, destination }) => {
          const servers = ranks / perServer;
          return (Math.floor(destination / perServer) - Math.floor(source / perServer) + servers) % servers;
        });
        expect(new Set(distances).size).toBe(1);
        expect(distances[0] === 0).toBe(turn + 1 < perServer);
      }
    }
    // of five servers: 1, 3, 2 (of 10 modulo 8), 4 (of 28)
    const first = readMoves(new DirectAllToAll(new EvenBlocks(5, 5), { order: 'by-server', ranksPerServer: 1 }));
    expect(first.filter(({ source }) => source === 0).map(({ destination }) => destination)).toEqual([1, 3, 2, 4]);
  });

  it('has no more of a rank under way than it may', () => {
    const moves = readMoves(new DirectAllToAll(new EvenBlocks(9, 90), { concurrency: 3 }));
    expect(moves.filter(({ source, predecessors }) => source === 4 && predecessors.length === 0).length).toBe(3);
    expect(
      moves
        .filter(({ source }) => source === 4)
        .slice(3)
        .every(
          ({ predecessors, destination }) =>
            predecessors.length === 1 && (moves[predecessors[0]!]!.destination + 3) % 9 === destination,
        ),
    ).toBe(true);
  });
});

describe(`send and receive (WEFT_SEED=${seed})`, () => {
  it('moves what each pair has, in channels and chunks', () => {
    const random = new RandomStream(seed, 'send test');
    const pairs = [
      { source: 0, destination: 1, sizeBytes: 37 },
      { source: 1, destination: 2, sizeBytes: 5 },
      { source: 2, destination: 3, sizeBytes: 0 },
      { source: 3, destination: 0, sizeBytes: 16 },
    ];
    for (const [channels, chunks, slots] of [
      [1, 1, 1],
      [2, 3, 1],
      [4, 1, 8],
      [2, 5, 2],
      [1, 7, 3],
    ] as const) {
      const wanted = (inputs: readonly (readonly number[])[]) =>
        pairs
          .map(({ source, sizeBytes }, i) => ({
            rank: pairs[i]!.destination,
            offset: 0,
            values: inputs[source]!.slice(0, sizeBytes),
          }))
          .slice()
          .sort((a, b) => a.rank - b.rank);
      expect(
        problemsOfSchedule(new SendReceive(4, pairs, channels, chunks, slots), 0, random, { inputBytes: 40, wanted }),
      ).toEqual([]);
    }
  });
});
