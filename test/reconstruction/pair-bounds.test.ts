// What counters alone say of pairs: by hand where four hosts share a switch, and never without what was sent.

import { expect, it } from 'vitest';
import { generatedFabric, routedFabric } from '../../src/app/routes/fabric-input.js';
import { RandomStream } from '../../src/base/random.js';
import { bases, PairGrid } from '../../src/reconstruction/pair-grid.js';
import { pairBounds } from '../../src/reconstruction/pair-bounds.js';
import { PairRows } from '../../src/reconstruction/pair-rows.js';
import { routeDmodK } from '../../src/routing/d-mod-k.js';
import { SteadyLanes } from '../../src/routing/lane-maps.js';
import { DrawnLevels } from '../../src/routing/service-levels.js';
import { seed } from '../support/seed.js';

const { fabric, tree } = routedFabric(generatedFabric('leaf-spine', { leaves: 2, spines: 2, hostsPerLeaf: 4 })!);
const rows = new PairRows(fabric, routeDmodK(tree), { levels: new DrawnLevels(1, 1), map: new SteadyLanes(1) });

type Sent = readonly (readonly [from: number, to: number, size: number])[];

/** Bounds by pair, as "from to". */
function boundsOf(sent: Sent): Map<string, [number, number]> {
  const counters = new Float64Array(rows.count);
  for (const [from, to, size] of sent) {
    const count = rows.open(fabric.hosts[from]!, fabric.hosts[to]!, null);
    for (let i = 0; i < count; i++) counters[rows.rows[i]!]! += size;
  }
  const grid = new PairGrid([{ hosts: fabric.hosts.slice(), rows }], counters, [bases.i]);
  const { lower, upper } = pairBounds(grid, counters);
  const bounds = new Map<string, [number, number]>();
  for (let place = 0; place < grid.places; place++) {
    const [low, high] = [grid.first[place]!, grid.first[place]! + grid.offset[place]!];
    bounds.set(`${low} ${high}`, [lower[2 * place]!, upper[2 * place]!]);
    bounds.set(`${high} ${low}`, [lower[2 * place + 1]!, upper[2 * place + 1]!]);
  }
  return bounds;
}

it('two that send 5 each to two that get 7 and 3: at least 2 each of the 7, at most 3 of the 3', () => {
  const bounds = boundsOf([
    [0, 1, 5],
    [2, 1, 2],
    [2, 3, 3],
  ]);
  expect(bounds.get('0 1')).toEqual([2, 5]);
  expect(bounds.get('2 1')).toEqual([2, 5]);
  expect(bounds.get('0 3')).toEqual([0, 3]);
  expect(bounds.get('2 3')).toEqual([0, 3]);
  // the first sends nothing to itself, and nobody else receives
  expect(bounds.get('1 0')).toEqual([0, 0]);
});

it('one that sends alone is told whole, whoever receives', () => {
  const bounds = boundsOf([
    [0, 5, 4],
    [0, 6, 9],
  ]);
  expect([bounds.get('0 5'), bounds.get('0 6')]).toEqual([
    [4, 4],
    [9, 9],
  ]);
});

it(`what was sent is within them (WEFT_SEED=${seed})`, () => {
  const random = new RandomStream(seed, 'bounds');
  const sent: [number, number, number][] = [];
  for (let from = 0; from < 8; from++)
    for (let to = 0; to < 8; to++)
      if (from !== to && random.nextBelow(3) === 0) sent.push([from, to, 1 + random.nextBelow(9)]);
  const bounds = boundsOf(sent);
  for (const [pair, [least, most]] of bounds) {
    const own = sent.find(([from, to]) => `${from} ${to}` === pair)?.[2] ?? 0;
    expect({ pair, isWithin: least - 1e-9 <= own && own <= most + 1e-9 }).toEqual({ pair, isWithin: true });
  }
});
