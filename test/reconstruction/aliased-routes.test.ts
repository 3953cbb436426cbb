// Two pairs that count like two others: Figure 4.9 of Taffet's dissertation (docs/SOURCES.md). C sends to A and D to B,
// or C to B and D to A. By hand: they load every link alike, and a link tells them apart only if the two pairs that may
// be on it have different lanes; C's, D's, A's and B's links together have every two pairs with an end in common.

import { expect, it } from 'vitest';
import { searchExactly } from '../../src/app/reconstruct/exact-search.js';
import { memoryHost } from '../../src/app/memory-host.js';
import { generatedFabric, routedFabric } from '../../src/app/routes/fabric-input.js';
import { pairBounds } from '../../src/reconstruction/pair-bounds.js';
import { bases, PairGrid } from '../../src/reconstruction/pair-grid.js';
import { PairRows } from '../../src/reconstruction/pair-rows.js';
import { routeDmodK } from '../../src/routing/d-mod-k.js';
import { SteadyLanes } from '../../src/routing/lane-maps.js';
import { highsHere } from '../support/exact-routes.js';

const { fabric, tree } = routedFabric(generatedFabric('leaf-spine', { leaves: 2, spines: 2, hostsPerLeaf: 2 })!);
const [a, b, c, d] = fabric.hosts as unknown as [number, number, number, number];
const green = [
  [c, a],
  [d, b],
] as const;
const red = [
  [c, b],
  [d, a],
] as const;
const host = {
  ...memoryHost(),
  stopRequested: () => false,
  whenStopped: Promise.race([]),
  report: () => {},
  solver: { solver: () => highsHere, notes: () => [] },
};

/** Counters of one unit of each pair, where pair i of green and red has the lane of bit i. */
function rowsOf(levels: number): PairRows {
  const pairs = [...green, ...red];
  const of = (from: number, to: number): number => {
    const place = pairs.findIndex(([own, other]) => own === from && other === to);
    return place === -1 ? 0 : (levels >> place) & 1;
  };
  return new PairRows(fabric, routeDmodK(tree), { levels: { count: 2, of }, map: new SteadyLanes(2) });
}

function counted(rows: PairRows, pairs: readonly (readonly [number, number])[]): Float64Array {
  const counters = new Float64Array(rows.count);
  for (const [from, to] of pairs)
    for (let i = rows.open(from, to, null) - 1; i >= 0; i--) counters[rows.rows[i]!]! += 1;
  return counters;
}

it.each(Array.from({ length: 16 }, (_, levels) => levels))(
  'levels %i: told apart where lanes differ',
  async (levels) => {
    const rows = rowsOf(levels);
    const counters = counted(rows, green);
    const isAlike = levels === 0 || levels === 15;
    expect(counted(rows, red).every((own, row) => own === counters[row])).toBe(isAlike);
    const grid = new PairGrid([{ hosts: Int32Array.from(fabric.hosts), rows }], counters, [bases.i]);
    const { pairs, residual } = await searchExactly(grid, counters, [bases.i], {}, host);
    expect(residual).toBeLessThan(1e-6);
    const { lower } = pairBounds(grid, counters);
    const proven = lower.reduce((sum, own) => sum + own, 0);
    // of two units that are on their way, none is proven, or both are, and are those that were sent
    expect(proven).toBe(isAlike ? 0 : 2);
    if (isAlike) return;
    const found = new Map<string, number>();
    pairs.forEach((own, pair) => {
      const low = grid.first[pair >> 1]!;
      const ends = [fabric.hosts[low]!, fabric.hosts[low + grid.offset[pair >> 1]!]!];
      const [from, to] = pair % 2 === 0 ? ends : [ends[1], ends[0]];
      if (own > 1e-6) found.set(`${from} ${to}`, Math.round(own * 1e6) / 1e6);
    });
    expect(found).toEqual(new Map(green.map(([from, to]) => [`${from} ${to}`, 1])));
  },
);

it('refuses what is too large to be solved, and what no traffic counts', async () => {
  const rows = rowsOf(0);
  const counters = counted(rows, green);
  const grid = new PairGrid([{ hosts: Int32Array.from(fabric.hosts), rows }], counters, [bases.i]);
  const large = { ...grid, openPairs: 10_001 } as PairGrid;
  await expect(searchExactly(large, counters, [bases.i, bases.s], {}, host)).rejects.toThrow(
    /too large[^]*10001 open pairs by 2 bases[^]*at most 20000[^]*first-order/,
  );
  // C's link counted more than it can have of what the other ends counted
  counters[rows.open(c, a, null) > 0 ? rows.rows[0]! : 0]! += 1;
  await expect(searchExactly(grid, counters, [bases.i], { counters: 'a.txt' }, host)).rejects.toThrow(
    /--counters[^]*no traffic has exactly these counters[^]*first-order/,
  );
});
