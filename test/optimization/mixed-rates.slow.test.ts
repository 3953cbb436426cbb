// Links of several rates: bounds for bins of different speed against every division, trees with cables that fell back to
// a slower rate against the best of all routes.

import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { RandomStream } from '../../src/base/random.js';
import { FabricBuilder, NodeKind } from '../../src/fabric/fabric.js';
import { recogniseFatTree, type FatTree } from '../../src/fabric/fat-tree.js';
import { SparseTraffic, UniformTraffic, type Traffic, type TrafficMatrix } from '../../src/flows/traffic/matrix.js';
import { evaluateRoutes } from '../../src/optimization/evaluate-routes.js';
import { mixedScheduleBound } from '../../src/optimization/mixed-schedule-bound.js';
import { optimizeRoutes } from '../../src/optimization/optimize-routes.js';
import { routeDmodK } from '../../src/routing/d-mod-k.js';
import { leastLargestLoad } from '../support/best-routes.js';
import { rounds } from '../support/rounds.js';
import { seed } from '../support/seed.js';

/** The smallest load of the most loaded bin, by trying every division. */
function optimum(items: readonly number[], worths: readonly number[]): number {
  const loads = worths.map(() => 0);
  let best = Infinity;
  const place = (at: number): void => {
    if (Math.max(...loads) >= best) return;
    if (at === items.length) best = Math.max(...loads);
    else
      worths.forEach((worth, bin) => {
        loads[bin]! += items[at]! * worth;
        place(at + 1);
        loads[bin]! -= items[at]! * worth;
      });
  };
  place(0);
  return best;
}

describe(`bins of different speed (WEFT_SEED=${seed})`, () => {
  it('the bound is never above the optimum', () => {
    const size = fc.oneof(
      fc.integer({ min: 1, max: 6 }),
      fc.integer({ min: 1, max: 1000 }),
      fc.double({ min: 0.9, max: 1.1, noNaN: true }),
      fc.constantFrom(1e-12, 1e-4, 24, 1e12),
    );
    const worth = fc.constantFrom(1, 1, 1, 2, 5, 6.25, 0.5, 100 / 56);
    fc.assert(
      fc.property(
        fc.array(size, { minLength: 1, maxLength: 7 }),
        fc.array(worth, { minLength: 1, maxLength: 4 }),
        (items, worths) => {
          const bound = mixedScheduleBound(Float64Array.from(items), worths);
          const best = optimum(items, worths);
          expect(bound).toBeLessThanOrEqual(best * (1 + 5e-9));
          // so few items are tried one by one
          expect(bound).toBeGreaterThanOrEqual(best * (1 - 5e-9));
        },
      ),
      { seed, numRuns: rounds(300) },
    );
  });

  it('is the optimum for many items of one size', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 65, max: 300 }),
        fc.array(fc.constantFrom(1, 1, 2, 5, 100 / 56), { minLength: 1, maxLength: 9 }),
        fc.constantFrom(1, 3, 24, 1.5),
        (count, worths, size) => {
          // one after the other where it does least is best for equal items
          const loads = worths.map(() => 0);
          for (let i = 0; i < count; i++) {
            const after = loads.map((load, bin) => load + size * worths[bin]!);
            const bin = after.indexOf(Math.min(...after));
            loads[bin] = after[bin]!;
          }
          const bound = mixedScheduleBound(new Float64Array(count).fill(size), worths);
          expect(Math.abs(bound / Math.max(...loads) - 1)).toBeLessThan(1e-8);
        },
      ),
      { seed, numRuns: rounds(100) },
    );
  });
});

const gigabit = 1e9;

/** Two levels; `rate` gives each cable's rate in Gb/s, 0 = there is none. */
function twoLevels(
  leaves: number,
  spines: number,
  cables: number,
  hostsPerLeaf: number,
  rate: (leaf: number, spine: number, cable: number) => number,
): FatTree | null {
  const builder = new FabricBuilder();
  const host = builder.addNodes(NodeKind.host, leaves * hostsPerLeaf);
  const leaf = builder.addNodes(NodeKind.switch, leaves);
  const spine = builder.addNodes(NodeKind.switch, spines);
  for (let l = 0; l < leaves; l++) {
    for (let h = 0; h < hostsPerLeaf; h++)
      builder.addLink(host + l * hostsPerLeaf + h, leaf + l, 100 * gigabit, 100_000);
    for (let s = 0; s < spines; s++)
      for (let c = 0; c < cables; c++) {
        const own = rate(l, s, c);
        if (own > 0) builder.addLink(leaf + l, spine + s, own * gigabit, 100_000);
      }
  }
  return recogniseFatTree(builder.build()).tree;
}

function trafficOf(matrix: TrafficMatrix): Traffic {
  return { name: 'test', hostCount: matrix.hostCount, unit: 'bytes', note: '', phases: [{ name: 'all', matrix }] };
}

function optimized(tree: FatTree, traffic: Traffic, mostWork = 2e6): ReturnType<typeof evaluateRoutes> {
  const { tables } = optimizeRoutes(tree, traffic, [routeDmodK(tree)], { seed: 1, mostWork });
  return evaluateRoutes(tree, [tables], traffic);
}

describe('4 leaves of 24 hosts, 2 spines, 6 cables each, one of which fell back to DDR', () => {
  const tree = twoLevels(4, 2, 6, 24, (leaf, spine, cable) => (leaf + spine + cable === 0 ? 20 : 100))!;

  it('all-to-all: 72 flows of 24 are seven on each of eleven cables, and 168 is proven', () => {
    const { maxLoad, provenOptimal, lowerBound } = optimized(tree, trafficOf(new UniformTraffic(96, 'bytes', 1)));
    expect([maxLoad, lowerBound, provenOptimal]).toEqual([168, 168, true]);
  });

  it('shift by one leaf: 24 flows of one are three on each of eleven cables at most, and 3 is proven', () => {
    const offset = Int32Array.from({ length: 97 }, (_, rank) => rank);
    const sources = Int32Array.from({ length: 96 }, (_, rank) => (rank + 72) % 96);
    const matrix = new SparseTraffic(96, 'bytes', offset, sources, new Float64Array(96).fill(1));
    const { maxLoad, provenOptimal } = optimized(tree, trafficOf(matrix));
    expect([maxLoad, provenOptimal]).toEqual([3, true]);
  });
});

describe(`small trees with cables of several rates (WEFT_SEED=${seed})`, () => {
  it('no bound is above the best of all routes, what is proven is that, all are it, and 95 of 100 proven', () => {
    const random = new RandomStream(seed, 'mixed rates');
    let judged = 0;
    let proven = 0;
    let best = 0;
    for (let i = 0; i < 60; i++) {
      const [leaves, spines, cables, hosts] = [
        2 + random.nextBelow(2),
        1 + random.nextBelow(2),
        1 + random.nextBelow(3),
        1 + random.nextBelow(3),
      ];
      const tree = twoLevels(leaves, spines, cables, hosts, () => [100, 100, 100, 56, 50, 20, 0][random.nextBelow(7)]!);
      if (tree === null || tree.levels !== 2) continue;
      const count = leaves * hosts;
      const offset = [0];
      const sources: number[] = [];
      const weights: number[] = [];
      for (let to = 0; to < count; to++) {
        for (let from = 0; from < count; from++) {
          if (from === to || sources.length === 8 || random.nextBelow(3) > 0) continue;
          sources.push(from);
          weights.push(1 + random.nextBelow(5));
        }
        offset.push(sources.length);
      }
      if (sources.length === 0) continue;
      const traffic = trafficOf(
        new SparseTraffic(
          count,
          'bytes',
          Int32Array.from(offset),
          Int32Array.from(sources),
          Float64Array.from(weights),
        ),
      );
      const { collapsed } = optimized(tree, traffic, 1e5);
      const wanted = leastLargestLoad(tree, traffic);
      judged++;
      expect(collapsed.bounds.staticNet).toBeLessThanOrEqual(wanted * (1 + 1e-5));
      expect(collapsed.loads.netMaxLoad).toBeGreaterThanOrEqual(wanted * (1 - 1e-9));
      if (collapsed.loads.netMaxLoad <= wanted * 1.01) best++;
      if (collapsed.loads.netMaxLoad > collapsed.bounds.staticNet * (1 + 1e-5)) continue;
      proven++;
      expect(collapsed.loads.netMaxLoad).toBeLessThanOrEqual(wanted * (1 + 1e-5));
    }
    expect(judged).toBeGreaterThan(25);
    expect(best).toBe(judged);
    expect(proven).toBeGreaterThanOrEqual(0.95 * judged);
  });
});
