// Figure 3.3 of the dissertation under every algorithm: 20 if the small flows are balanced first, 15 at best (optimal
// by hand: the large flow is 15, and so is what h1 receives on its host's link). From two starts: ftree's tables, and
// those of Figure 3.3a.

import { describe, expect, it } from 'vitest';
import { routeBasicMcf, routeCombined } from '../../src/exact/combined.js';
import { routePartitioned } from '../../src/exact/partitioned-binary.js';
import type { FatTree } from '../../src/fabric/fat-tree.js';
import { routeAfar } from '../../src/optimization/afar.js';
import { evaluateRoutes } from '../../src/optimization/evaluate-routes.js';
import { aggregateByLeaf } from '../../src/optimization/leaf-traffic.js';
import { optimizeRoutes } from '../../src/optimization/optimize-routes.js';
import { routeDmodK } from '../../src/routing/d-mod-k.js';
import type { ForwardingTables } from '../../src/routing/forwarding-tables.js';
import { routeRandom } from '../../src/routing/random-minimal.js';
import { highsSolver } from '../../src/solvers/highs-solver.js';
import { highsHere } from '../support/exact-routes.js';
import {
  figure33Balanced,
  figure33Ftree,
  figure33OneGroup,
  figure33Traffic,
  figure33Tree,
} from '../support/figure-3-3.js';

const traffic = figure33Traffic();
const fabrics = { 'a core group per spine': figure33Tree, 'one core group': figure33OneGroup };

type FabricName = keyof typeof fabrics;

interface Expected {
  /** what it comes to from ftree's tables, and from those of Figure 3.3a; one number where it begins with nothing */
  readonly ftree: number;
  readonly balanced: number;
  readonly why: string;
}

interface Algorithm {
  readonly name: string;
  readonly run: (tree: FatTree, start: ForwardingTables) => ForwardingTables | Promise<ForwardingTables>;
  readonly reaches: (fabric: FabricName) => Expected;
}

const best = (why: string) => (): Expected => ({ ftree: 15, balanced: 15, why });

const algorithms: readonly Algorithm[] = [
  {
    name: 'ftree',
    run: (_, start) => start,
    reaches: () => ({ ftree: 15, balanced: 20, why: 'h1, h2 and h3 have a spine each; the start itself' }),
  },
  { name: 'dmodk', run: (tree) => routeDmodK(tree), reaches: best('destinations of a leaf have a spine each') },
  {
    name: 'afar',
    run: (tree, start) =>
      routeAfar(start, aggregateByLeaf(tree, traffic.phases[0]!.matrix), { mostMoves: 1000, patience: 100 }).tables,
    reaches: () => ({
      ftree: 15,
      balanced: 20,
      why: 'the hot link leads down from a spine that has no other to the leaf, so it is stuck',
    }),
  },
  {
    name: 'weft',
    run: (tree, start) => optimizeRoutes(tree, traffic, [start], { seed: 1, mostWork: 1e6 }).tables,
    reaches: best('it is an optimizer'),
  },
  {
    name: 'basic-mcf',
    run: async (tree, start) => (await routeBasicMcf(tree, traffic, start, highsHere, 20)).tables,
    reaches: best('it is exact'),
  },
  {
    name: 'partitioned-binary',
    run: async (tree, start) => {
      const found = await routePartitioned(tree, traffic, start, highsHere, {
        interpodSeconds: 20,
        objectiveSeconds: 20,
        secondsLeft: () => 400,
      });
      return found.tables;
    },
    // section 3.3.3, "Discussion": "the small flows will be balanced across the leaf to spine links ... making maxval =
    // 20"
    reaches: (fabric) =>
      fabric === 'one core group'
        ? { ftree: 20, balanced: 20, why: 'as the text says: it balances the small flows before it sees the large one' }
        : { ftree: 15, balanced: 15, why: 'its first step chooses among core groups knowing all flows' },
  },
];

const wallSeconds = (): number => performance.now() / 1000;

async function largestLoad(algorithm: Algorithm, fabric: FabricName, from: 'ftree' | 'balanced'): Promise<number> {
  const { tree, tables: balanced } = figure33Balanced(fabrics[fabric]);
  const result = evaluateRoutes(
    tree,
    [await algorithm.run(tree, from === 'ftree' ? figure33Ftree(fabrics[fabric]) : balanced)],
    traffic,
  );
  expect(result.validity.valid).toBe(true);
  return result.phases[0]!.loads.netMaxLoad;
}

for (const fabric of ['a core group per spine', 'one core group'] as const) {
  describe(`Figure 3.3 with ${fabric}`, () => {
    for (const algorithm of algorithms) {
      const { ftree, balanced, why } = algorithm.reaches(fabric);
      it(`${algorithm.name}: ${ftree} from ftree, ${balanced} from Figure 3.3a: ${why}`, async () => {
        expect(await largestLoad(algorithm, fabric, 'ftree')).toBe(ftree);
        expect(await largestLoad(algorithm, fabric, 'balanced')).toBe(balanced);
      });
    }

    it('random: between 15 and all 35 on one link, and not always 15', () => {
      const { tree } = figure33Balanced(fabrics[fabric]);
      const loads = Array.from(
        { length: 20 },
        (_, seed) => evaluateRoutes(tree, [routeRandom(tree, seed)], traffic).phases[0]!.loads.netMaxLoad,
      );
      expect(Math.min(...loads)).toBeGreaterThanOrEqual(15);
      expect(Math.max(...loads)).toBeLessThanOrEqual(35);
      expect(Math.max(...loads)).toBeGreaterThan(15);
    });
  });
}

it('combined: 15, proven, though its Partitioned Binary half comes to 20', async () => {
  const { tree, tables } = figure33Balanced(figure33OneGroup);
  const routes = await routeCombined(tree, traffic, tables, highsSolver(), highsSolver(), {
    seconds: 30,
    clock: wallSeconds,
  });
  expect(routes.status).toBe('optimal');
  expect(routes.bound).toBeCloseTo(15, 5);
  expect(evaluateRoutes(tree, [routes.tables], traffic)).toMatchObject({
    maxLoad: 15,
    provenOptimal: true,
    validity: { valid: true },
  });
});
