// Lanes by finite fields: the fields by their own arithmetic, and what ways share by counting all pairs of them.

import { describe, expect, it } from 'vitest';
import { ftreeOrNull } from '../../src/app/routes/algorithms/ftree.js';
import { generatedFabric, routedFabric } from '../../src/app/routes/fabric-input.js';
import { fieldOfFive, fieldOfThree, GaloisLanes, type GaloisField } from '../../src/reconstruction/galois-lanes.js';
import { PairRows } from '../../src/reconstruction/pair-rows.js';
import { PairLanes, type LaneMap } from '../../src/routing/lane-maps.js';
import { DrawnLevels } from '../../src/routing/service-levels.js';
import { seed } from '../support/seed.js';
import { mostShared } from '../support/shared-hops.js';

describe('a field', () => {
  it.each([
    // x^5 + 4 x + 3 and x^3 + 3 x + 3, lowest first
    [fieldOfFive, [3, 4, 0, 0, 0, 1]],
    [fieldOfThree, [3, 3, 0, 1]],
  ] as [GaloisField, number[]][])(
    'has all its elements but 0 among the powers of a root of its polynomial',
    (field, polynomial) => {
      const { reduced, order, powers } = field;
      expect(order).toBe([1, 5, 25, 125, 625, 3125][reduced.length]! - 1);
      const power = (k: number): number[] => [...powers.subarray(k * reduced.length, (k + 1) * reduced.length)];
      const all = new Set(Array.from({ length: order }, (_, k) => power(k).join('')));
      expect([all.size, all.has('0'.repeat(reduced.length))]).toEqual([order, false]);
      // sum of c_i alpha^(i + k) is 0 for every k
      for (const k of [0, 1, 57])
        expect(
          reduced.map((_, digit) => polynomial.reduce((sum, c, i) => sum + c * power(k + i)[digit]!, 0) % 5),
        ).toEqual(reduced.map(() => 0));
    },
  );
});

const source = routedFabric(
  generatedFabric('fat-tree', { pods: 3, edgesPerPod: 2, hostsPerEdge: 8, aggregationPerPod: 4, cores: 16 })!,
);
const { fabric, tree } = source;
const tables = ftreeOrNull(source)!;

/** The most that two ways of the whole fabric share. */
function sharedBy(map: LaneMap): Map<string, number> {
  const rows = new PairRows(fabric, tables, { levels: new DrawnLevels(1, 1), map });
  const ways: Int32Array[] = [];
  for (const from of fabric.hosts)
    for (const to of fabric.hosts) if (from !== to) ways.push(rows.rows.slice(0, rows.open(from, to, null)));
  return mostShared(ways);
}

describe(`ways of ftree (WEFT_SEED=${seed})`, () => {
  it('share at most 4 of 6 links and lanes, 2 of 4, 1 of 2', () => {
    const most = sharedBy(new GaloisLanes(tree, tables, seed));
    expect([most.get('6,6')! <= 4, most.get('4,4')! <= 2, most.get('2,2')! <= 1, most.get('6,4')! <= 2]).toEqual([
      true,
      true,
      true,
      true,
    ]);
  });

  it('share more if lanes are drawn', () => {
    const most = sharedBy(new PairLanes(5, seed));
    expect(most.get('4,4')).toBe(3);
  });
});
