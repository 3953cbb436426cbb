// ftree on random trees: GUIDs, port numbers, parallel links and missing hosts at random. The tables lead everywhere
// and depend on GUIDs and port numbers alone, never on the numbers or names of nodes here; counters keep the loads of
// equal hosts even.

import * as fc from 'fast-check';
import { expect, it } from 'vitest';
import { recogniseFatTree } from '../../src/fabric/fat-tree.js';
import type { IdentifiedFabric } from '../../src/formats/subnet-records.js';
import { lftTexts, omittedEntries } from '../../src/formats/opensm-lfts-writer.js';
import { checkRoutes } from '../../src/optimization/route-validity.js';
import { ForwardingTables } from '../../src/routing/forwarding-tables.js';
import { routeFtree } from '../../src/routing/ftree.js';
import { randomTree, treeShape } from '../support/random-tree.js';
import { rounds } from '../support/rounds.js';
import { seed } from '../support/seed.js';

function route({ fabric, identity }: IdentifiedFabric): ForwardingTables | null {
  const made = routeFtree(fabric, identity);
  return made instanceof ForwardingTables ? made : null;
}

it(`leads everywhere, whatever the numbers of the nodes (WEFT_SEED=${seed})`, () => {
  let routed = 0;
  fc.assert(
    fc.property(treeShape, (given) => {
      const tree = randomTree(given, 0);
      const tables = route(tree);
      const again = randomTree(given, 1 + given.draw);
      const other = route(again);
      expect(other === null).toBe(tables === null);
      if (tables === null || other === null) return;
      routed++;
      const recognised = recogniseFatTree(tree.fabric).tree!;
      expect(checkRoutes(recognised, [tables])).toMatchObject({ valid: true, otherSwitches: 0 });
      expect(omittedEntries(recognised, [tables]).count).toBe(0);
      expect([...lftTexts(again, [other])].join('')).toBe([...lftTexts(tree, [tables])].join(''));
    }),
    { seed, numRuns: rounds(60) },
  );
  expect(routed).toBeGreaterThan(rounds(30));
});
