// Edge colouring: proper for any bipartite multigraph with as many colours as its degree needs, and exact exchange of
// weights.

import { expect, it } from 'vitest';
import { RandomStream } from '../../src/base/random.js';
import { EdgeColouring } from '../../src/optimization/edge-colouring.js';
import { SearchBudget } from '../../src/optimization/search-budget.js';
import { seed } from '../support/seed.js';

/** Weight and number of edges of each colour at each node. */
function loads(
  nodes: Int32Array,
  colouring: EdgeColouring,
  weight: Float64Array,
): Map<string, { edges: number; weight: number }> {
  const found = new Map<string, { edges: number; weight: number }>();
  nodes.forEach((node, edge) => {
    const key = `${node} ${colouring.colour[edge]}`;
    const own = found.get(key) ?? { edges: 0, weight: 0 };
    found.set(key, { edges: own.edges + 1, weight: own.weight + weight[edge]! });
  });
  return found;
}

it(`no node has more edges of a colour than its degree demands, before and after exchanges (WEFT_SEED=${seed})`, () => {
  for (let trial = 0; trial < 60; trial++) {
    const random = new RandomStream(seed + trial, 'graph');
    const nodes = 2 + random.nextBelow(12);
    const edges = 1 + random.nextBelow(150);
    const colours = 1 + random.nextBelow(9);
    const left = Int32Array.from({ length: edges }, () => random.nextBelow(nodes));
    const right = Int32Array.from({ length: edges }, () => random.nextBelow(nodes));
    const weight = Float64Array.from({ length: edges }, () => 1 + random.nextFraction());
    const degree = Math.max(
      ...[left, right].flatMap((ends) =>
        Array.from({ length: nodes }, (_, node) => ends.filter((own) => own === node).length),
      ),
    );
    const colouring = new EdgeColouring(left, right, weight, nodes, colours);
    const check = (): void => {
      for (const ends of [left, right])
        for (const { edges: own } of loads(ends, colouring, weight).values())
          expect(own).toBeLessThanOrEqual(Math.ceil(degree / colours));
      expect([...colouring.colour].every((colour) => colour >= 0 && colour < colours)).toBe(true);
    };
    check();
    const ceiling = 1.5 * Math.ceil(degree / colours);
    const met = colouring.anneal(ceiling, random, new SearchBudget(1e6), 500);
    check();
    const most = Math.max(
      ...[left, right].flatMap((ends) => [...loads(ends, colouring, weight).values()].map((own) => own.weight)),
    );
    expect(met).toBe(most <= ceiling * (1 + 1e-8));
  }
});

it('exchanges colours until heavy edges stand with light ones', () => {
  // 5 nodes on each side, 3 colours: there is a colouring with 2 everywhere, an edge of 1 + c/10 and one of 1 - c/10 in
  // colour c
  const nodes = 5;
  const edges = [0, 1, 2].flatMap((c) =>
    [1, -1].flatMap((sign) =>
      Array.from({ length: nodes }, (_, node) => ({
        left: node,
        right: (node + 2 * c + (sign === 1 ? 0 : 3)) % nodes,
        weight: 1 + (sign * c) / 10,
      })),
    ),
  );
  const left = Int32Array.from(edges, (edge) => edge.left);
  const right = Int32Array.from(edges, (edge) => edge.right);
  const weight = Float64Array.from(edges, (edge) => edge.weight);
  const colouring = new EdgeColouring(left, right, weight, nodes, 3);
  const most = (): number =>
    Math.max(...[left, right].flatMap((ends) => [...loads(ends, colouring, weight).values()].map((own) => own.weight)));
  expect(colouring.capacity).toBe(2);
  expect(most()).toBeGreaterThan(2.15);
  expect(colouring.anneal(2.1, new RandomStream(1, 'pairs'), new SearchBudget(1e8), 100_000)).toBe(true);
  expect(most()).toBeCloseTo(2.1, 12);
});
