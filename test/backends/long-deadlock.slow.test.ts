// A deadlock is found at the end of a long chain of waiting ports.

import { describe, expect, it } from 'vitest';
import { findCycle } from '../../src/base/cycle-search.js';

function graph(edges: Iterable<readonly [number, number]>): Map<number, Set<number>> {
  const successors = new Map<number, Set<number>>();
  for (const [from, to] of edges) successors.set(from, (successors.get(from) ?? new Set()).add(to));
  return successors;
}

describe('a cycle', () => {
  it('is found at the end of a chain of 200,000', () => {
    const length = 200_000;
    const chain = Array.from({ length }, (_, i) => [i, i + 1] as const);
    expect(findCycle(graph(chain))).toBeNull();
    expect(findCycle(graph([...chain, [length, length - 1]]))).toEqual([length - 1, length]);
  });
});
