// Max-min fair rates, kept up to date change by change, against plain progressive filling from nothing.

import * as fc from 'fast-check';
import { expect, it } from 'vitest';
import { type CrowdLimits, FairShare, type ShareListener } from '../../src/backends/fluid/fair-share.js';
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

/** Told of rates one by one. */
function listener(moved: (bundle: number, beforeBps: number) => void): ShareListener {
  return { moved, held: () => {}, levelled: () => {} };
}

/** Keeps the rates that it is told. */
class Told implements ShareListener {
  /** by bundle: its rate, or the link that holds it back */
  readonly rateBps = new Map<number, number>();
  readonly holder = new Map<number, number>();
  readonly levelBps = new Map<number, number>();
  crowds = 0;

  constructor(private readonly share: FairShare) {}

  moved(bundle: number, beforeBps: number): void {
    expect(beforeBps).toBe(this.rateBps.get(bundle) ?? 0);
    this.rateBps.set(bundle, this.share.rateBps[bundle]!);
  }

  held(bundle: number, link: number): void {
    this.crowds++;
    this.holder.delete(bundle);
    if (link >= 0) this.holder.set(bundle, link);
    else this.rateBps.set(bundle, this.share.rateBps[bundle]!);
  }

  levelled(link: number, rateBps: number): void {
    this.levelBps.set(link, rateBps);
  }

  forget(bundle: number): void {
    this.holder.delete(bundle);
    this.rateBps.delete(bundle);
  }

  of(bundle: number): number {
    const link = this.holder.get(bundle);
    return (link === undefined ? this.rateBps.get(bundle) : this.levelBps.get(link)) ?? 0;
  }
}

it.each([
  ['one by one', undefined],
  ['of a crowd', { leastBundles: 1, looksTooMany: -1e9 }],
  ['of what is a crowd now and then', { leastBundles: 6, looksTooMany: 10 }],
] as const)(
  `rates %s are those of progressive filling after every change (WEFT_SEED=${seed})`,
  (_, limits?: CrowdLimits) => {
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
          const share = new FairShare(Float64Array.from(capacity), 5, limits);
          const told = new Told(share);
          const paths = new Map<number, number[]>();
          const bundleOf = new Map<number, number>();
          for (const { kind, flow, path: own, like, capacity: value, settles } of changes) {
            const path = (like === null ? undefined : paths.get(like)) ?? own;
            if (kind === 'add' && !paths.has(flow)) {
              paths.set(flow, path);
              bundleOf.set(flow, share.enter(Int32Array.from(path), path.length));
            } else if (kind === 'remove' && paths.delete(flow)) {
              const bundle = bundleOf.get(flow)!;
              bundleOf.delete(flow);
              if (share.leave(bundle) === 0) told.forget(bundle);
            } else if (kind === 'capacity') {
              capacity[own[0]!] = value * 1e9;
              share.setCapacity(own[0]!, value * 1e9);
            }
            if (!settles) continue;
            share.settle(told);
            const wanted = progressiveFilling(capacity, paths);
            for (const [id, rate] of wanted) {
              const bundle = bundleOf.get(id)!;
              expect(Math.abs(share.rateOf(bundle) - rate)).toBeLessThan(1e-6 * rate);
              expect(told.of(bundle)).toBe(share.rateOf(bundle));
            }
            // as many bundles as there are paths
            expect(new Set(bundleOf.values()).size).toBe(new Set([...paths.values()].map(String)).size);
          }
        },
      ),
      { seed, numRuns: rounds(400) },
    );
  },
);

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
          whole.settle(listener((flow, beforeBps) => told[0]!.push(`${flow} ${beforeBps}`)));
          expect(whole.isDirty).toBe(false);
          while (pieces.isDirty)
            // a piece is as long as asked, but for the link and the flow it ends with, and the links that it asks about
            expect(
              pieces.settle(
                listener((flow, beforeBps) => told[1]!.push(`${flow} ${beforeBps}`)),
                mostLooks,
              ),
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

it.each([
  ['one by one', undefined],
  ['by links', { leastBundles: 2, looksTooMany: 100_000 }],
] as const)(
  `rates of a crowd %s are those of progressive filling, too (WEFT_SEED=${seed})`,
  (_, limits?: CrowdLimits) => {
    // more bundles than a crowd needs, over a few links that all of them share: every change concerns all
    const random = fc.sample(fc.uniqueArray(fc.nat(links - 1), { minLength: 3, maxLength: 4 }), { seed, numRuns: 600 });
    const capacity = Array.from({ length: links }, (_, link) => (1 + link) * 1e9);
    const share = new FairShare(Float64Array.from(capacity), 5, limits);
    const paths = new Map(random.map((path, flow) => [flow, path]));
    const bundles = random.map((path) => share.enter(Int32Array.from(path), path.length));
    const check = (): void => {
      while (share.isDirty)
        share.settle(
          listener(() => {}),
          500,
        );
      const wanted = progressiveFilling(capacity, paths);
      for (const [flow, rate] of wanted)
        expect(Math.abs(share.rateOf(bundles[flow]!) - rate)).toBeLessThan(1e-6 * rate);
    };
    check();
    expect(new Set(bundles).size).toBeGreaterThan(400);
    for (let flow = 0; flow < 600; flow += 1) {
      paths.delete(flow);
      share.leave(bundles[flow]!);
      if (flow % 40 === 0) check();
    }
  },
);
