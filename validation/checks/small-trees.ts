// The optimizer of static routes on small random trees, beside an exact solver with a model of its own.

import { evaluateRoutes } from '#weft/optimization/evaluate-routes.js';
import { recogniseFatTree } from '#weft/fabric/fat-tree.js';
import { TrafficBuilder } from '#weft/flows/traffic/matrix.js';
import { optimizeRoutes } from '#weft/optimization/optimize-routes.js';
import { routeDmodK } from '#weft/routing/d-mod-k.js';
import type { Highs } from 'highs';
import type { Check } from '../check.js';
import { exactSolver, ExactRoutes } from '../exact-routes.js';
import { bounded, compared, exact, type Line } from '../line.js';
import { smallTree, treeKinds, type TreeKind } from '../small-trees.js';

/** How routes of a tree compare with the best. */
interface Judged {
  readonly kind: TreeKind;
  readonly best: number;
  readonly load: number;
  readonly bound: number;
  readonly isProven: boolean;
}

const mostWork = 2e7;
const rounding = 1e-6;

/**
 * Routes a small tree and finds its best routes.
 * @param nodes of the solver's tree of cases, twice at most
 * @returns null if the solver was not done; `none` if there is nothing to route, or no tree
 */
function judgeSmallTree(seed: number, index: number, highs: Highs, nodes: number): Judged | null | 'none' {
  const drawn = smallTree(seed, index);
  const { tree } = recogniseFatTree(drawn.fabric);
  const model = new ExactRoutes(drawn);
  if (tree === null || model.flows === 0) return 'none';
  const builder = new TrafficBuilder(drawn.leafOf.length, 'relative');
  for (const { source, destination, weight } of drawn.pairs) builder.add(source, destination, weight);
  const traffic = {
    name: 'small',
    hostCount: drawn.leafOf.length,
    unit: 'relative' as const,
    note: '',
    phases: [{ name: 'all', matrix: builder.build() }],
  };
  const { tables } = optimizeRoutes(tree, traffic, [routeDmodK(tree)], { seed: 1, mostWork });
  const { loads, bounds } = evaluateRoutes(tree, [tables], traffic).collapsed;
  const load = model.loadOf((node, host) => tables.port(node, host));
  if (Math.abs(load - loads.netMaxLoad) > rounding * load)
    throw new Error(`tree ${index} of seed ${seed}: a load of ${load} is told as ${loads.netMaxLoad}`);
  const isLess = model.below(load, highs, nodes);
  const best = isLess === 'none' ? load : isLess === 'some' ? model.least(highs, nodes) : null;
  return best === null
    ? null
    : {
        kind: drawn.kind,
        best,
        load,
        bound: bounds.staticNet,
        isProven: loads.netMaxLoad <= bounds.staticNet * (1 + rounding),
      };
}

function* linesOf(judged: readonly Judged[], what: string, leastProven: number): Iterable<Line> {
  const count = (holds: (own: Judged) => boolean): number => judged.filter(holds).length;
  const oracle = 'HiGHS, every way of every flow a variable';
  const share = (of: number): number => (100 * of) / judged.length;
  yield compared({
    mechanism: `${what}: bounds above the optimum`,
    oracle,
    expected: 0,
    ours: count(({ bound, best }) => bound > best * (1 + 2 * rounding)),
    unit: '',
    tolerance: exact,
  });
  yield compared({
    mechanism: `${what}: proofs of routes that are not the best`,
    oracle,
    expected: 0,
    ours: count(({ isProven, load, best }) => isProven && load > best * (1 + 2 * rounding)),
    unit: '',
    tolerance: exact,
  });
  yield compared({
    mechanism: `${what}: routes more than 1 % above the optimum`,
    oracle,
    expected: 0,
    ours: count(({ load, best }) => load > 1.01 * best),
    unit: '',
    tolerance: exact,
  });
  yield bounded({
    mechanism: `${what}: proven`,
    oracle,
    ours: share(count(({ isProven }) => isProven)),
    least: leastProven,
    unit: '%',
    digits: 1,
  });
}

export const smallTrees: Check = {
  name: 'small-trees',
  title: 'Static routes of small trees',
  about:
    'Random trees of two and three levels, of up to 24 hosts and 18 flows: whole, with links missing, with parallel cables, with cables that fell back to a slower rate, so broken that pairs of leaves have no up-down way. They are drawn until so many are solved by an exact solver in 100 nodes of its tree of cases and 10 seconds; how many are not is the last line.',
  isSampled: true,
  async *run({ isQuick, seed, progress }) {
    const wanted = isQuick ? 20 : 500;
    let highs = await exactSolver();
    const judged: Judged[] = [];
    let unsolved = 0;
    for (let index = 0; judged.length < wanted; index++) {
      // a solver that lives long keeps the memory of its largest problem
      if (index % 100 === 99) highs = await exactSolver();
      const own = judgeSmallTree(seed, index, highs, isQuick ? 50 : 100);
      if (own === null) unsolved++;
      else if (own !== 'none') judged.push(own);
      progress(judged.length, wanted);
    }
    yield* linesOf(judged, `${judged.length} trees`, 95);
    for (const kind of isQuick ? [] : treeKinds)
      yield* linesOf(
        judged.filter((own) => own.kind === kind),
        kind,
        95,
      );
    yield bounded({
      mechanism: 'trees that the solver did not solve',
      oracle: 'left out',
      ours: unsolved,
      most: wanted / 5,
      unit: '',
    });
  },
};
