// Levels that tell exchanges on a leaf apart: alike matchings counted from the counters of pairs, all four of hosts in
// rows of their own, and what is left of the drawn levels.

import { describe, expect, it } from 'vitest';
import { generatedFabric, routedFabric } from '../../src/app/routes/fabric-input.js';
import { PairRows } from '../../src/reconstruction/pair-rows.js';
import { SeparatedLevels } from '../../src/reconstruction/separated-levels.js';
import { routeDmodK } from '../../src/routing/d-mod-k.js';
import { PermutedLanes } from '../../src/routing/lane-maps.js';
import { DrawnLevels, type ServiceLevels } from '../../src/routing/service-levels.js';
import { seed } from '../support/seed.js';

const { fabric, tree } = routedFabric(generatedFabric('leaf-spine', { leaves: 2, spines: 2, hostsPerLeaf: 16 })!);
const tables = routeDmodK(tree);
const hostsPerLeaf = 16;

/** Matchings of four hosts a, a + k, b, b + k of a leaf whose counters are the same, in pairs of matchings. */
function alikeMatchings(levels: ServiceLevels, map: PermutedLanes): number {
  const rows = new PairRows(fabric, tables, { levels, map });
  const exchange = (one: number, other: number): number[] => {
    const there = [...rows.rows.subarray(0, rows.open(fabric.hosts[one]!, fabric.hosts[other]!, null))];
    return [...there, ...rows.rows.subarray(0, rows.open(fabric.hosts[other]!, fabric.hosts[one]!, null))];
  };
  const matching = (pairs: readonly (readonly [number, number])[]): string =>
    pairs
      .flatMap(([one, other]) => exchange(one, other))
      .sort((one, other) => one - other)
      .join();
  let count = 0;
  for (let leaf = 0; leaf < 2; leaf++)
    for (let k = 1; k < hostsPerLeaf; k++)
      for (let first = 0; first + k < hostsPerLeaf; first++)
        for (let second = first + 1; second + k < hostsPerLeaf; second++) {
          if (second === first + k) continue;
          const [a, b, c, d] = [first, first + k, second, second + k].map((own) => own + leaf * hostsPerLeaf) as [
            number,
            number,
            number,
            number,
          ];
          const all = [
            matching([
              [a, b],
              [c, d],
            ]),
            matching([
              [a, c],
              [b, d],
            ]),
            matching([
              [a, d],
              [b, c],
            ]),
          ];
          count += all.filter((own, i) => all.indexOf(own) < i).length;
        }
  return count;
}

describe(`levels on two lanes (WEFT_SEED=${seed})`, () => {
  const map = new PermutedLanes(2, seed);
  const drawn = new DrawnLevels(2, seed);
  const separated = new SeparatedLevels(tree, drawn, map);

  it('leave no exchange of a leaf that another one cannot be told from', () => {
    // of some 1,000 foursomes with three pairs of matchings each, 1 in 256 pairs is alike by chance
    expect(alikeMatchings(drawn, map)).toBeGreaterThan(0);
    expect(alikeMatchings(separated, map)).toBe(0);
  });

  it('are the drawn ones between leaves, and 0 or 1 everywhere', () => {
    const odd: unknown[] = [];
    for (const from of fabric.hosts)
      for (const to of fabric.hosts) {
        if (from === to) continue;
        const level = separated.of(from, to);
        const isOfLeaf = tree.hostLeaf[tree.hostRank[from]!] === tree.hostLeaf[tree.hostRank[to]!];
        if (isOfLeaf ? level > 1 : level !== drawn.of(from, to)) odd.push([from, to, level]);
      }
    expect(odd).toEqual([]);
  });
});

describe('permuted lanes', () => {
  it.each([2, 4, 5, 15])('%i levels have as many lanes on every link, each lane about as often', (count) => {
    const map = new PermutedLanes(count, seed);
    const first = new Int32Array(count);
    const links = 200 * count;
    for (let link = 0; link < links; link++) {
      const lanes = Array.from({ length: count }, (_, level) => map.lane(level, 0, 0, link, 7 * link + 1));
      if (new Set(lanes).size === count && lanes.every((lane) => lane >= 0 && lane < count)) first[lanes[0]!]!++;
    }
    expect(first.reduce((sum, own) => sum + own, 0)).toBe(links);
    // 200 are expected: six standard deviations
    for (const own of first) expect(Math.abs(own - 200)).toBeLessThan(6 * Math.sqrt(200));
  });
});
