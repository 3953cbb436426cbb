// Cycles in graphs: found if and only if there are any, also in chains far deeper than a call stack.

import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { findCycle } from '../../src/base/cycle-search.js';
import { seed } from '../support/seed.js';

function graph(edges: Iterable<readonly [number, number]>): Map<number, Set<number>> {
  const successors = new Map<number, Set<number>>();
  for (const [from, to] of edges) successors.set(from, (successors.get(from) ?? new Set()).add(to));
  return successors;
}

/** Whether a graph has a cycle, by taking away nodes that nothing leads to until none is left (Kahn). */
function isCyclic(edges: readonly (readonly [number, number])[]): boolean {
  let left = edges;
  for (;;) {
    const targets = new Set(left.map(([, to]) => to));
    const rest = left.filter(([from]) => targets.has(from));
    if (rest.length === left.length) return left.length > 0;
    left = rest;
  }
}

describe('a cycle', () => {
  it(`is found exactly if there is one, and is one (WEFT_SEED=${seed})`, () => {
    let found = 0;
    fc.assert(
      fc.property(fc.array(fc.tuple(fc.nat(9), fc.nat(9)), { maxLength: 14 }), (edges) => {
        const cycle = findCycle(graph(edges));
        expect(cycle !== null).toBe(isCyclic(edges));
        if (cycle === null) return;
        found++;
        expect(new Set(cycle).size).toBe(cycle.length);
        for (const [i, node] of cycle.entries()) expect(edges).toContainEqual([node, cycle[(i + 1) % cycle.length]]);
      }),
      { seed, numRuns: 500 },
    );
    expect(found).toBeGreaterThan(50);
    expect(found).toBeLessThan(450);
  });
});
