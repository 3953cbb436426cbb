// Traffic matrices and patterns: Table 3.1 of the dissertation where it can be met, closed forms elsewhere.

import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { recogniseFatTree, type FatTree } from '../../src/fabric/fat-tree.js';
import { generateFabric } from '../../src/fabric/generators/catalogue.js';
import { allocateHosts } from '../../src/flows/traffic/allocation.js';
import { namedTraffic, parseTrafficName, trafficPatterns } from '../../src/flows/traffic/catalogue.js';
import { cubeLikeShape, mortonLattice } from '../../src/flows/traffic/lattice.js';
import {
  collapsed,
  TrafficBuilder,
  TrafficColumn,
  UniformTraffic,
  type Traffic,
  type TrafficMatrix,
} from '../../src/flows/traffic/matrix.js';
import { trafficStatistics } from '../../src/flows/traffic/statistics.js';
import { rounds } from '../support/rounds.js';
import { seed } from '../support/seed.js';

const quartz1: FatTree = recogniseFatTree(generateFabric('quartz1')).tree!;

function traffic(
  name: string,
  hostCount = 3072,
  options: { seed?: number; allocation?: 'contiguous' | 'fragmented' } = {},
): Traffic {
  const parsed = parseTrafficName(name);
  if ('message' in parsed) throw new Error(parsed.message);
  const made = namedTraffic(name, parsed.groups, hostCount, { seed: 11, allocation: 'fragmented', ...options });
  if (typeof made === 'string') throw new Error(made);
  return made;
}

function pairsOf(matrix: TrafficMatrix): Map<string, number> {
  const pairs = new Map<string, number>();
  const column = new TrafficColumn(matrix.hostCount);
  for (let destination = 0; destination < matrix.hostCount; destination++) {
    matrix.toDestination(destination, column);
    for (let i = 0; i < column.length; i++) pairs.set(`${column.sources[i]} ${destination}`, column.weights[i]!);
  }
  return pairs;
}

describe('matrices', () => {
  it(`a builder adds up what is added to a pair, in any order (WEFT_SEED=${seed})`, () => {
    const triple = fc.tuple(fc.nat(6), fc.nat(6), fc.integer({ min: 0, max: 9 }));
    fc.assert(
      fc.property(fc.array(triple, { maxLength: 60 }), (triples) => {
        const builder = new TrafficBuilder(7, 'bytes');
        const expected = new Map<string, number>();
        for (const [source, destination, weight] of triples) {
          builder.add(source, destination, weight);
          if (source !== destination && weight > 0)
            expected.set(`${source} ${destination}`, (expected.get(`${source} ${destination}`) ?? 0) + weight);
        }
        const matrix = builder.build();
        expect(new Map([...pairsOf(matrix)].sort())).toEqual(new Map([...expected].sort()));
        expect(matrix.pairCount).toBe(expected.size);
        const column = new TrafficColumn(7);
        for (let destination = 0; destination < 7; destination++) {
          matrix.toDestination(destination, column);
          const sources = [...column.sources.subarray(0, column.length)];
          expect(sources).toEqual([...sources].sort((a, b) => a - b));
        }
      }),
      { seed, numRuns: rounds(200) },
    );
  });

  it('all-to-all is the same stored and not stored', () => {
    const builder = new TrafficBuilder(9, 'relative');
    trafficPatterns
      .find(({ name }) => name === 'all-to-all')!
      .send(9, 0, 0, (source, destination, weight) => {
        builder.add(source, destination, weight);
      });
    expect(pairsOf(new UniformTraffic(9, 'relative'))).toEqual(pairsOf(builder.build()));
  });

  it('phases together are their sum', () => {
    const { phases } = traffic('cyclic-stencil', 8);
    const sum = new Map<string, number>();
    for (const { matrix } of phases)
      for (const [pair, weight] of pairsOf(matrix)) sum.set(pair, (sum.get(pair) ?? 0) + weight);
    expect(pairsOf(collapsed(traffic('cyclic-stencil', 8)))).toEqual(
      new Map(
        [...sum].sort(
          ([a], [b]) =>
            Number(a.split(' ')[1]) - Number(b.split(' ')[1]) || Number(a.split(' ')[0]) - Number(b.split(' ')[0]),
        ),
      ),
    );
    // 2 x 2 x 2: both directions of an axis lead to the same neighbour
    expect([...sum.values()].every((weight) => weight === 2)).toBe(true);
  });
});

describe('the synthetic patterns of Table 3.1', () => {
  it.each<[string, number, number]>([
    ['stencil', 17_152, 3.15],
    ['bisection', 3072, 6],
    ['bs-random-shuffle', 3072, 6],
    ['all-to-all', 9_434_112, 5.48],
    ['bs-random-shuffle-noise', 3072, 6],
  ])('%s', (name, pairs, hops) => {
    const stats = trafficStatistics(quartz1, traffic(name).phases[0]!.matrix);
    expect(stats.pairs).toBe(pairs);
    expect(stats.averageHops).toBeCloseTo(hops, 2);
    expect(stats.activeHosts).toBe(3072);
  });

  it('noise is at most 5 %, and each sender has its own', () => {
    const { smallestWeight, largestWeight } = trafficStatistics(
      quartz1,
      traffic('bs-random-shuffle-noise').phases[0]!.matrix,
    );
    expect([smallestWeight >= 0.95, smallestWeight < 0.951, largestWeight <= 1.05, largestWeight > 1.049]).toEqual([
      true,
      true,
      true,
      true,
    ]);
  });

  it.each(['bs-random-shuffle', 'random-permutation'])(
    '%s: everyone sends and receives once; other seeds, other partners',
    (name) => {
      const pairs = [...pairsOf(traffic(name).phases[0]!.matrix).keys()].map((pair) => pair.split(' '));
      expect(new Set(pairs.map(([source]) => source)).size).toBe(3072);
      expect(new Set(pairs.map(([, destination]) => destination)).size).toBe(3072);
      expect(pairsOf(traffic(name, 3072, { seed: 12 }).phases[0]!.matrix)).not.toEqual(
        pairsOf(traffic(name).phases[0]!.matrix),
      );
      expect(pairsOf(traffic(name, 3072, { seed: 11 }).phases[0]!.matrix)).toEqual(
        pairsOf(traffic(name).phases[0]!.matrix),
      );
    },
  );
});

describe('the mini-applications of Table 3.1', () => {
  // pairs of all jobs, and how far from the table; average hops of trace and trace*
  it.each<[name: string, pairs: number, share: number, hops: number, starPairs: number, starHops: number]>([
    ['lulesh', 60_816, 0, 4.41, 364_896, 4.58],
    ['partisn', 17_100, 0, 4.3, 307_800, 4.98],
    ['boxlib-mg-c', 63_720, 0, 3.73, 191_160, 4.13],
    ['boxlib-cns', 222_924, 0.0001, 5.31, 668_772, 5.36],
    ['multigrid-c', 31_344, 0.03, 4.48, 94_032, 4.85],
    ['nekbone', 90_690, 0.07, 4.32, 272_070, 4.49],
    ['amg', 136_886, 0.04, 4.55, 136_886, 4.55],
  ])('%s', (name, pairs, share, hops, starPairs, starHops) => {
    const made = traffic(name);
    expect(made.note).toContain('synthetic');
    const stats = trafficStatistics(quartz1, made.phases[0]!.matrix);
    const star = trafficStatistics(quartz1, traffic(`${name}-star`).phases[0]!.matrix);
    expect(Math.abs(stats.pairs / pairs - 1)).toBeLessThanOrEqual(share);
    expect(Math.abs(star.pairs / starPairs - 1)).toBeLessThanOrEqual(share);
    // the allocation is a model: within 0.6 hops
    expect(Math.abs(stats.averageHops - hops)).toBeLessThan(0.6);
    expect(Math.abs(star.averageHops - starHops)).toBeLessThan(0.6);
  });
});

function problem(name: string, hosts: number): unknown {
  const parsed = parseTrafficName(name);
  return 'message' in parsed
    ? parsed.message
    : namedTraffic(name, parsed.groups, hosts, { seed: 1, allocation: 'contiguous' });
}

describe('jobs', () => {
  it('several kinds of jobs stay on their own hosts', () => {
    const { phases } = traffic('3xstencil:64+2xpartisn', 1024);
    const stats = trafficStatistics(recogniseFatTree(generateFabric('fat-tree', { k: 16 })).tree!, phases[0]!.matrix);
    expect(stats.activeHosts).toBe(3 * 64 + 2 * 168);
    // 4 x 4 x 4: 3 directions x 2 x 48 pairs
    expect(stats.pairs).toBe(3 * 288 + 2 * 950);
  });

  it.each(['contiguous', 'fragmented'] as const)('%s: no host twice, ranks ascend', (kind) => {
    const jobs = allocateHosts(kind, 500, [100, 50, 300], 3);
    expect(jobs.map((hosts) => hosts.length)).toEqual([100, 50, 300]);
    expect(new Set(jobs.flatMap((hosts) => [...hosts])).size).toBe(450);
    for (const hosts of jobs) expect([...hosts]).toEqual([...hosts].sort((a, b) => a - b));
    if (kind === 'contiguous') expect([...jobs[1]!]).toEqual(Array.from({ length: 50 }, (_, i) => 100 + i));
  });

  it('what does not fit is said', () => {
    expect(problem('lulesh', 100)).toMatch(/512/);
    expect(problem('bisection', 7)).toMatch(/even/);
    expect(problem('20xlulesh', 3072)).toMatch(/10240 hosts/);
    expect(problem('lulesh:100', 3072)).toMatch(/512 ranks/);
    expect(problem('5xstencil', 3072)).toMatch(/how many ranks/);
    expect(problem('nonsense', 3072)).toMatch(/no such/);
    expect(problem('0xlulesh', 3072)).toMatch(/instances/);
  });
});

it('shapes are as cube-like as can be, Morton order fills blocks of eight first', () => {
  expect([3072, 64, 7, 1024, 1000].map(cubeLikeShape)).toEqual([
    [16, 16, 12],
    [4, 4, 4],
    [7, 1, 1],
    [16, 8, 8],
    [10, 10, 10],
  ]);
  const { rankOf } = mortonLattice([4, 4, 4]);
  expect([0, 1, 4, 5, 16, 17, 20, 21].map((cell) => rankOf[cell])).toEqual([0, 1, 2, 3, 4, 5, 6, 7]);
});
