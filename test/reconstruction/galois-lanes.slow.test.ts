// Lanes by finite fields on quartz1: ways to some hosts, and ways from some. Two ways that share more than two thirds of
// their links have a destination or a source in common, so no others can share too many.

import { expect, it } from 'vitest';
import { ftreeOrNull } from '../../src/app/routes/algorithms/ftree.js';
import { generatedFabric, routedFabric } from '../../src/app/routes/fabric-input.js';
import { RandomStream } from '../../src/base/random.js';
import { GaloisLanes } from '../../src/reconstruction/galois-lanes.js';
import { PairRows } from '../../src/reconstruction/pair-rows.js';
import { DrawnLevels } from '../../src/routing/service-levels.js';
import { seed } from '../support/seed.js';
import { mostShared } from '../support/shared-hops.js';

it(`ways of quartz1 share at most 4 of 6, 2 of 4, 1 of 2 (WEFT_SEED=${seed})`, () => {
  const source = routedFabric(generatedFabric('quartz1', {})!);
  const { fabric, tree } = source;
  const tables = ftreeOrNull(source)!;
  const map = new GaloisLanes(tree, tables, seed);
  const rows = new PairRows(fabric, tables, { levels: new DrawnLevels(1, 1), map });
  const random = new RandomStream(seed, 'sample of hosts');
  for (let i = 0; i < 12; i++) {
    const one = fabric.hosts[random.nextBelow(fabric.hosts.length)]!;
    // every sixth leaf, beginning somewhere: ways to its hosts have most in common
    const first = random.nextBelow(6);
    const others = [...fabric.hosts].filter((host, rank) => host !== one && Math.floor(rank / 32) % 6 === first);
    for (const isTo of [true, false]) {
      const ways = others.map((other) =>
        rows.rows.slice(0, isTo ? rows.open(other, one, null) : rows.open(one, other, null)),
      );
      const most = mostShared(ways);
      expect(most.get('6,6') ?? 0).toBeLessThanOrEqual(4);
      expect(most.get('4,4') ?? 0).toBeLessThanOrEqual(2);
      expect(most.get('2,2') ?? 0).toBeLessThanOrEqual(1);
    }
  }
});
