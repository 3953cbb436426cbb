// PAT, recursive halving and doubling, and allgather along trees: right numbers for any number of ranks, steps and
// bytes as published.

import { describe, expect, it } from 'vitest';
import { RandomStream } from '../../src/base/random.js';
import { doubleBinaryTrees } from '../../src/collectives/double-binary-tree.js';
import { HalvingDoubling, type HalvingDoublingKind } from '../../src/collectives/halving-doubling.js';
import { nvlsStars, nvlsTrees } from '../../src/collectives/nvls.js';
import { PatAllgather } from '../../src/collectives/pat.js';
import { ReversedAllgather } from '../../src/collectives/reversed.js';
import { TreeAllgather } from '../../src/collectives/tree-gather.js';
import { bytesReceived, bytesSent, problemsOfSchedule, readMoves } from '../support/collective-proof.js';
import { placementOf } from '../support/placements.js';
import { seed } from '../support/seed.js';

const rankCounts = [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 24, 31, 32, 33];
const sizes = (ranks: number): number[] => [0, 1, ranks - 1, ranks, 97, 8 * ranks];

describe(`PAT (WEFT_SEED=${seed})`, () => {
  const random = new RandomStream(seed, 'PAT test');

  it.each([1, 2, 3, 4, 100])('gathers and, backwards, scatters sums, with at most %i blocks per message', (most) => {
    for (const ranks of rankCounts) {
      for (const size of sizes(ranks)) {
        const channels = 1 + random.nextBelow(3);
        const allgather = new PatAllgather(ranks, size, channels, most);
        const name = `${ranks} ranks, ${size} B, ${channels} channels`;
        expect(problemsOfSchedule(allgather, size, random), name).toEqual([]);
        expect(problemsOfSchedule(new ReversedAllgather(allgather), size, random), name).toEqual([]);
      }
    }
  });

  it('has logarithmic steps with far distances first, or n - 1 with one block per message', () => {
    for (const ranks of rankCounts.slice(1)) {
      const steps = Math.ceil(Math.log2(ranks));
      const moves = readMoves(new PatAllgather(ranks, 100 * ranks));
      expect(moves.length).toBe(steps * ranks);
      const fromFirst = moves.filter(({ source }) => source === 0);
      expect(fromFirst.map(({ destination }) => destination)).toEqual(
        Array.from({ length: steps }, (_, step) => 2 ** (steps - 1 - step) % ranks),
      );
      // how many ranks are as far on or farther, at this distance and its multiples: 1, 2, 4, … if it is a power of two
      if (ranks === 2 ** steps)
        expect(fromFirst.map(({ sizeBytes }) => sizeBytes / 100)).toEqual(
          Array.from({ length: steps }, (_, step) => 2 ** step),
        );
      expect(bytesSent(moves, ranks)).toEqual(Array.from({ length: ranks }, () => 100 * (ranks - 1)));
      expect(new PatAllgather(ranks, ranks, 1, 1).stepCount).toBe(ranks - 1);
    }
  });

  it('walks the subtrees depth first, so that a block is passed on before many others come', () => {
    // 8 ranks, one block per message: offsets 4, 6, 7, 5, 2, 3, 1
    const moves = readMoves(new PatAllgather(8, 8, 1, 1)).filter(({ source }) => source === 0);
    expect(moves.map(({ destination, pieces }) => (destination - pieces[0]!.from + 8) % 8)).toEqual([
      4, 6, 7, 5, 2, 3, 1,
    ]);
  });
});

describe(`recursive halving and doubling (WEFT_SEED=${seed})`, () => {
  const random = new RandomStream(seed, 'halving test');

  it.each(['allreduce', 'allgather', 'reducescatter'] satisfies HalvingDoublingKind[])(
    'has the right numbers for any number of ranks: %s',
    (kind) => {
      for (const ranks of rankCounts)
        for (const size of sizes(ranks))
          expect(
            problemsOfSchedule(new HalvingDoubling(kind, ranks, size), size, random),
            `${ranks} ranks, ${size} B`,
          ).toEqual([]);
    },
  );

  it('sends (n - 1) / n of the buffer per phase in log2 n steps if n is a power of two', () => {
    for (const ranks of [2, 4, 8, 16, 32]) {
      const schedule = new HalvingDoubling('allreduce', ranks, 64 * ranks);
      expect(schedule.stepCount).toBe(2 * Math.log2(ranks));
      const moves = readMoves(schedule);
      expect(bytesSent(moves, ranks)).toEqual(Array.from({ length: ranks }, () => 2 * 64 * (ranks - 1)));
      expect(moves.filter(({ source }) => source === 1).map(({ sizeBytes }) => sizeBytes / 64)).toEqual([
        ...[16, 8, 4, 2, 1].filter((part) => part < ranks),
        ...[1, 2, 4, 8, 16].filter((part) => part < ranks),
      ]);
    }
  });

  it('adds a step before and one after for the ranks that are too many', () => {
    const schedule = new HalvingDoubling('allreduce', 6, 600);
    expect(schedule.stepCount).toBe(2 * 2 + 2);
    const moves = readMoves(schedule).filter(({ sizeBytes }) => sizeBytes > 0);
    // ranks 0 to 3 are two pairs: rank 1 sends what it has and gets the result
    expect(
      moves
        .filter(({ source }) => source === 1)
        .map(({ destination, sizeBytes, isReduction }) => [destination, sizeBytes, isReduction]),
    ).toEqual([[0, 600, true]]);
    expect(
      moves.filter(({ destination }) => destination === 1).map(({ source, sizeBytes }) => [source, sizeBytes]),
    ).toEqual([[0, 600]]);
  });
});

describe(`allgather along trees (WEFT_SEED=${seed})`, () => {
  const random = new RandomStream(seed, 'tree gather test');

  it('and reduce-scatter, backwards, have the right numbers', () => {
    for (const ranks of [2, 3, 4, 5, 8, 11, 13, 17]) {
      for (const [gpus, channels, chunks, size] of [
        [4, 1, 1, 50],
        [3, 2, 2, 101],
        [8, 3, 1, 5],
      ] as const) {
        const placement = placementOf(ranks, gpus, { nvswitches: 2 });
        const allgathers = [
          new TreeAllgather('nvls-tree', ranks, nvlsTrees(placement, channels), size, chunks),
          new TreeAllgather('tree', ranks, doubleBinaryTrees(placement, channels), size, chunks),
        ];
        for (const allgather of allgathers) {
          const name = `${allgather.algorithm}: ${ranks} ranks on ${gpus}, ${channels} channels, ${chunks} chunks, ${size} B`;
          expect(problemsOfSchedule(allgather, size, random), name).toEqual([]);
          expect(problemsOfSchedule(new ReversedAllgather(allgather), size, random), name).toEqual([]);
        }
      }
    }
  });

  it('sends a block up to the NVSwitch once and down to the others', () => {
    const moves = readMoves(new TreeAllgather('nvls', 8, nvlsStars(placementOf(8, 8), 1), 8000));
    expect(bytesSent(moves, 9)).toEqual([...Array.from({ length: 8 }, () => 1000), 8 * 7000]);
    expect(bytesReceived(moves, 9)).toEqual([...Array.from({ length: 8 }, () => 7000), 8000]);
  });
});
