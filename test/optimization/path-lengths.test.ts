// Lengths of ways against walks hop by hop, on random trees with entries at random: nothing is kept between walks here.

import * as fc from 'fast-check';
import { expect, it } from 'vitest';
import { RandomStream } from '../../src/base/random.js';
import { recogniseFatTree } from '../../src/fabric/fat-tree.js';
import { checkRoutes } from '../../src/optimization/route-validity.js';
import { routeDmodK } from '../../src/routing/d-mod-k.js';
import type { ForwardingTables } from '../../src/routing/forwarding-tables.js';
import { randomTree, treeShape } from '../support/random-tree.js';
import { seed } from '../support/seed.js';

/** Switches on the way, -1 if it does not lead. */
function walked(tables: ForwardingTables, from: number, host: number): number {
  let node = from;
  for (let switches = 1; switches <= tables.switches.length; switches++) {
    const port = tables.port(node, host);
    if (port === -1) return -1;
    node = tables.fabric.portNeighbour[port]!;
    if (node === host) return switches;
    if (tables.rowOf[node] === -1) return -1;
  }
  return -1;
}

/** Fewest switches between two, by widening circles. */
function fewest({ fabric, rowOf }: ForwardingTables, from: number, to: number): number {
  let circle = new Set([from]);
  for (let switches = 1; ; switches++) {
    if (circle.has(to)) return switches;
    const wider = new Set(circle);
    for (const node of circle)
      for (let port = fabric.portOffset[node]!; port < fabric.portOffset[node + 1]!; port++)
        if (rowOf[fabric.portNeighbour[port]!] !== -1) wider.add(fabric.portNeighbour[port]!);
    circle = wider;
  }
}

it(`as walks say (WEFT_SEED=${seed})`, () => {
  let longer = 0;
  for (const shape of fc.sample(treeShape, { seed, numRuns: 30 })) {
    const { fabric } = randomTree(shape, 0);
    const { tree } = recogniseFatTree(fabric);
    if (tree === null) continue;
    const random = new RandomStream(shape.draw, 'lengths');
    const tables = routeDmodK(tree, 0);
    for (const node of tables.switches)
      for (const host of fabric.hosts) {
        if (random.nextFraction() > 0.1) continue;
        tables.setPort(
          node,
          host,
          fabric.portOffset[node]! + random.nextBelow(fabric.portOffset[node + 1]! - fabric.portOffset[node]!),
        );
      }
    const pairs = [...new Set(tree.hostLeaf)].flatMap((leaf) =>
      Array.from(fabric.hosts, (host, rank) => ({
        own: walked(tables, leaf, host),
        least: fewest(tables, leaf, tree.hostLeaf[rank]!),
      })),
    );
    const led = pairs.filter(({ own }) => own !== -1);
    const found = checkRoutes(tree, [tables]).lengths;
    expect({ ...found, averageSwitches: 0 }).toEqual({
      averageSwitches: 0,
      mostSwitches: Math.max(...led.map(({ own }) => own)),
      longerPairs: led.filter(({ own, least }) => own > least).length,
      mostLonger: Math.max(...led.map(({ own, least }) => own - least)),
    });
    expect(found.averageSwitches).toBeCloseTo(led.reduce((sum, { own }) => sum + own, 0) / led.length, 12);
    longer += found.longerPairs;
  }
  expect(longer).toBeGreaterThan(0);
});
