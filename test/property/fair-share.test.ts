// Max-min fair rates, kept up to date change by change, against plain progressive filling from nothing.

import * as fc from 'fast-check';
import { expect, it } from 'vitest';
import { FairShare } from '../../src/backends/fluid/fair-share.js';
import { rounds } from '../support/rounds.js';
import { seed } from '../support/seed.js';

/** All rates rise together; whoever meets a full link stops. */
function progressiveFilling(
  capacity: readonly number[],
  paths: ReadonlyMap<number, readonly number[]>,
): Map<number, number> {
  const rates = new Map<number, number>();
  const left = [...capacity];
  const open = new Map(paths);
  while (open.size > 0) {
    let least = Infinity;
    let tightest = -1;
    capacity.forEach((_, link) => {
      const count = [...open.values()].filter((path) => path.includes(link)).length;
      if (count > 0 && left[link]! / count < least) {
        least = left[link]! / count;
        tightest = link;
      }
    });
    for (const [flow, path] of open) {
      if (!path.includes(tightest)) continue;
      rates.set(flow, least);
      open.delete(flow);
      for (const link of path) left[link]! -= least;
    }
  }
  return rates;
}

const links = 12;

it(`rates are those of progressive filling after every change (WEFT_SEED=${seed})`, () => {
  const change = fc.record({
    kind: fc.constantFrom('add', 'add', 'add', 'remove', 'capacity'),
    flow: fc.nat(30),
    path: fc.uniqueArray(fc.nat(links - 1), { minLength: 1, maxLength: 5 }),
    /** the path of this flow, if it is there: flows over the same links are one bundle */
    like: fc.option(fc.nat(30)),
    capacity: fc.integer({ min: 1, max: 400 }),
    settles: fc.boolean(),
  });
  fc.assert(
    fc.property(
      fc.array(fc.integer({ min: 1, max: 400 }), { minLength: links, maxLength: links }),
      fc.array(change, { minLength: 1, maxLength: 60 }),
      (capacities, changes) => {
        const capacity = capacities.map((value) => value * 1e9);
        const share = new FairShare(Float64Array.from(capacity), 5);
        const paths = new Map<number, number[]>();
        const bundleOf = new Map<number, number>();
        /** by bundle: the rate that was told last */
        const known = new Map<number, number>();
        for (const { kind, flow, path: own, like, capacity: value, settles } of changes) {
          const path = (like === null ? undefined : paths.get(like)) ?? own;
          if (kind === 'add' && !paths.has(flow)) {
            paths.set(flow, path);
            const bundle = share.enter(Int32Array.from(path), path.length);
            bundleOf.set(flow, bundle);
            if (share.flowsOf(bundle) === 1) known.set(bundle, 0);
          } else if (kind === 'remove' && paths.delete(flow)) {
            const bundle = bundleOf.get(flow)!;
            bundleOf.delete(flow);
            if (share.leave(bundle) === 0) known.delete(bundle);
          } else if (kind === 'capacity') {
            capacity[own[0]!] = value * 1e9;
            share.setCapacity(own[0]!, value * 1e9);
          }
          if (!settles) continue;
          share.settle((moved, beforeBps) => {
            expect(beforeBps).toBe(known.get(moved));
            known.set(moved, share.rateBps[moved]!);
          });
          const wanted = progressiveFilling(capacity, paths);
          for (const [id, rate] of wanted) {
            const bundle = bundleOf.get(id)!;
            expect(Math.abs(share.rateBps[bundle]! - rate)).toBeLessThan(1e-6 * rate);
            expect(known.get(bundle)).toBe(share.rateBps[bundle]);
          }
          // as many bundles as there are paths
          expect(new Set(bundleOf.values()).size).toBe(new Set([...paths.values()].map(String)).size);
        }
      },
    ),
    { seed, numRuns: rounds(400) },
  );
});

it(`rates are the same to the bit in pieces of any size, and pieces are as short as asked (WEFT_SEED=${seed})`, () => {
  fc.assert(
    fc.property(
      fc.array(fc.integer({ min: 1, max: 400 }), { minLength: links, maxLength: links }),
      fc.array(fc.uniqueArray(fc.nat(links - 1), { minLength: 1, maxLength: 5 }), { minLength: 1, maxLength: 40 }),
      fc.integer({ min: 1, max: 200 }),
      (capacities, paths, mostLooks) => {
        const whole = new FairShare(Float64Array.from(capacities), 5);
        const pieces = new FairShare(Float64Array.from(capacities), 5);
        const told: string[][] = [[], []];
        const both = (change: (share: FairShare) => void): void => {
          [whole, pieces].forEach(change);
          whole.settle((flow, beforeBps) => told[0]!.push(`${flow} ${beforeBps}`));
          expect(whole.isDirty).toBe(false);
          while (pieces.isDirty)
            // a piece is as long as asked, but for the link and the flow it ends with, and the links that it asks about
            expect(
              pieces.settle((flow, beforeBps) => told[1]!.push(`${flow} ${beforeBps}`), mostLooks),
            ).toBeLessThanOrEqual(mostLooks + (links + 8) * (paths.length + 1));
          expect(told[1]).toEqual(told[0]);
          expect(pieces.rateBps).toEqual(whole.rateBps);
        };
        // all at once, then one after the other goes
        const bundles: number[] = [];
        both((share) =>
          paths.forEach((path, flow) => (bundles[flow] = share.enter(Int32Array.from(path), path.length))),
        );
        for (const bundle of bundles) both((share) => share.leave(bundle));
      },
    ),
    { seed, numRuns: rounds(200) },
  );
});

it(`rates of a crowd are those of progressive filling, too (WEFT_SEED=${seed})`, () => {
  // more bundles than a crowd needs, over a few links that all of them share: every change concerns all
  const random = fc.sample(fc.uniqueArray(fc.nat(links - 1), { minLength: 3, maxLength: 4 }), { seed, numRuns: 600 });
  const capacity = Array.from({ length: links }, (_, link) => (1 + link) * 1e9);
  const share = new FairShare(Float64Array.from(capacity), 5);
  const paths = new Map(random.map((path, flow) => [flow, path]));
  const bundles = random.map((path) => share.enter(Int32Array.from(path), path.length));
  const check = (): void => {
    share.settle(() => {});
    const wanted = progressiveFilling(capacity, paths);
    for (const [flow, rate] of wanted)
      expect(Math.abs(share.rateBps[bundles[flow]!]! - rate)).toBeLessThan(1e-6 * rate);
  };
  check();
  expect(new Set(bundles).size).toBeGreaterThan(400);
  for (let flow = 0; flow < 600; flow += 1) {
    paths.delete(flow);
    share.leave(bundles[flow]!);
    if (flow % 40 === 0) check();
  }
});
