// Shares of counters of pairs whose traffic is split, by listing all ways of a pair with the share of each.

import { describe, expect, it } from 'vitest';
import { pairBounds } from '../../src/reconstruction/pair-bounds.js';
import { bases, PairGrid } from '../../src/reconstruction/pair-grid.js';
import { splitCounters } from '../../src/app/reconstruct/pair-counters.js';
import { generatedFabric, routedFabric } from '../../src/app/routes/fabric-input.js';
import { NodeKind, type Fabric } from '../../src/fabric/fabric.js';
import { failLinks } from '../../src/fabric/failed-links.js';
import { generateFabric } from '../../src/fabric/generators/catalogue.js';
import { levelIdentity } from '../../src/fabric/level-identity.js';
import type { PairCounters } from '../../src/reconstruction/pair-rows.js';
import { SplitRows, weightsByWaits, type Split } from '../../src/reconstruction/split-rows.js';
import { routeDmodK } from '../../src/routing/d-mod-k.js';
import { EqualCostRoutes } from '../../src/routing/equal-cost.js';
import { DrawnLanes, madeHere, SteadyLanes } from '../../src/routing/lane-maps.js';
import { lidOfPair } from '../../src/routing/lid-offsets.js';
import { DrawnLevels } from '../../src/routing/service-levels.js';
import { seed } from '../support/seed.js';
import { plainDistances } from '../../validation/plain-routes.js';

const oneLane = { levels: new DrawnLevels(1, 1), map: new SteadyLanes(1) };
const threeLanes = { levels: new DrawnLevels(3, 1), map: new DrawnLanes(3, 1) };
const equal: Split = { lidsOf: () => [0], portWeights: null, drawnPorts: null, isExact: true };

/** Shares by row, of all shortest ways, each port of a node weighing as much as is said. */
function sharesByWays(
  fabric: Fabric,
  [from, to]: readonly [number, number],
  { levels, map }: typeof oneLane | typeof threeLanes,
  weightOf: (port: number) => number = () => 1,
): Map<number, number> {
  const distance = plainDistances(fabric, to);
  const shares = new Map<number, number>();
  const follow = (node: number, inPort: number, share: number): void => {
    if (node === to) return;
    const nearer: number[] = [];
    for (let port = fabric.portOffset[node]!; port < fabric.portOffset[node + 1]!; port++) {
      const next = fabric.portNode[fabric.portPeer[port]!]!;
      const leads = next === to || fabric.nodeKind[next] !== NodeKind.host;
      if (leads && distance[next] === distance[node]! - 1) nearer.push(port);
    }
    const all = nearer.reduce((sum, port) => sum + weightOf(port), 0);
    for (const port of nearer) {
      const own = (share * weightOf(port)) / all;
      const row = port * map.count + map.lane(levels.of(from, to), from, to, inPort, port);
      shares.set(row, own + (shares.get(row) ?? 0));
      follow(fabric.portNode[fabric.portPeer[port]!]!, fabric.portPeer[port]!, own);
    }
  };
  if (distance[from] !== Infinity) follow(from, madeHere, 1);
  return shares;
}

function sharesOf(rows: PairCounters, from: number, to: number, counters: Float64Array | null = null) {
  const count = rows.open(from, to, counters);
  return new Map(Array.from({ length: count }, (_, i) => [rows.rows[i]!, rows.shares?.[i] ?? 1]));
}

const inOrder = (own: Map<number, number>) => [...own].sort(([one], [other]) => one - other);

function expectSame(found: Map<number, number>, expected: Map<number, number>): void {
  expect(inOrder(found)).toEqual(inOrder(expected).map(([row, share]) => [row, expect.closeTo(share, 12) as number]));
}

const fatTree = generateFabric('fat-tree', { k: 4 });
const leafSpine = generateFabric('leaf-spine', { leaves: 3, spines: 4, hostsPerLeaf: 2 });
const broken = failLinks({ fabric: fatTree, identity: levelIdentity(fatTree, 'f') }, 0.15, seed).fabric;
const fabrics = [
  ['leaf-spine', leafSpine],
  ['fat tree', fatTree],
  ['fat tree with failed links', broken],
] as const;

function pairsOf({ hosts }: Fabric): (readonly [number, number])[] {
  return Array.from(hosts).flatMap((from) => Array.from(hosts, (to) => [from, to] as const));
}

describe(`ports of which a switch chooses (WEFT_SEED=${seed})`, () => {
  it.each(fabrics)('%s: every way has its share, on one lane and on three', (_name, fabric) => {
    for (const lanes of [oneLane, threeLanes]) {
      const rows = new SplitRows(fabric, new EqualCostRoutes(fabric, 'descending-node-id'), lanes, equal);
      for (const [from, to] of pairsOf(fabric)) {
        if (from === to) expect(rows.open(from, to, null)).toBe(0);
        else expectSame(sharesOf(rows, from, to), sharesByWays(fabric, [from, to], lanes));
      }
    }
  });

  it('in proportion to weights of ports', () => {
    const portWeights = Float64Array.from({ length: fatTree.portCount }, (_, port) => 1 + (port % 3));
    const routes = new EqualCostRoutes(fatTree, 'descending-node-id');
    const rows = new SplitRows(fatTree, routes, oneLane, { ...equal, portWeights });
    for (const [from, to] of pairsOf(fatTree))
      if (from !== to)
        expectSame(
          sharesOf(rows, from, to),
          sharesByWays(fatTree, [from, to], oneLane, (port) => portWeights[port]!),
        );
  });

  it('which follow from waits: half for one that waited like the mean of those that did', () => {
    // a mean of 20: 20 / 20, 20 / 30, 20 / 40, 20 / 50
    const weights = weightsByWaits(Float64Array.of(0, 10, 20, 30));
    expect([...weights]).toEqual([1, 2 / 3, 1 / 2, 2 / 5].map((own) => expect.closeTo(own, 12) as number));
    expect([...weightsByWaits(new Float64Array(2))]).toEqual([1, 1]);
  });

  it('over some that are drawn: the same for all who send to a host, others for other hosts', () => {
    const routes = new EqualCostRoutes(leafSpine, 'descending-node-id');
    const rows = new SplitRows(leafSpine, routes, oneLane, { ...equal, drawnPorts: { count: 3, seed } });
    const ways = new Map<string, string>();
    const drawn = new Set<string>();
    const leafOf = (host: number): number => leafSpine.portNeighbour[leafSpine.portOffset[host]!]!;
    for (const [from, to] of pairsOf(leafSpine)) {
      if (leafOf(from) === leafOf(to)) continue;
      const shares = sharesOf(rows, from, to);
      // its own link and the last one have all; three of four ways up a third each, and as much down
      expect([...shares.values()].sort()).toEqual([1 / 3, 1 / 3, 1 / 3, 1 / 3, 1 / 3, 1 / 3, 1, 1]);
      const up = [...shares.keys()].filter((port) => leafSpine.portNode[port] === leafOf(from)).sort();
      const key = `${leafOf(from)} ${to}`;
      expect(ways.get(key) ?? `${up}`).toBe(`${up}`);
      ways.set(key, `${up}`);
      drawn.add(`${up}`);
    }
    // 12 draws of one in four subsets, at each of three leaves: all the same with probability 4^-11 at most
    expect(drawn.size).toBeGreaterThan(3);
  });

  it('a share that counted nothing closes a pair where shares are exact, and else only if no way is left', () => {
    const [from, to] = [leafSpine.hosts[0]!, leafSpine.hosts[5]!];
    const routes = new EqualCostRoutes(leafSpine, 'descending-node-id');
    const [exact, loose] = [true, false].map(
      (isExact) => new SplitRows(leafSpine, routes, oneLane, { ...equal, isExact }),
    ) as [SplitRows, SplitRows];
    const ports = [...sharesOf(exact, from, to).keys()];
    expect(ports).toHaveLength(10);
    const counters = new Float64Array(exact.count).fill(1);
    counters[ports[1]!] = 0;
    expect([exact, loose].map((rows) => rows.open(from, to, counters))).toEqual([0, 9]);
    // of four ways the first has no way up, the second was not read, and two more have none down
    counters[ports[2]!] = NaN;
    for (const port of [ports[7]!, ports[8]!]) counters[port] = 0;
    expect(loose.open(from, to, counters)).toBe(6);
    counters[ports[6]!] = 0;
    expect(loose.open(from, to, counters)).toBe(0);
  });
});

describe('LIDs of a host', () => {
  const source = routedFabric(generatedFabric('fat-tree', { k: 4 })!, { lmc: 2 });
  const { fabric, tree } = source;
  const tables = [0, 1, 2, 3].map((offset) => routeDmodK(tree, offset));
  const ways = { tables, split: null, isExact: true };
  /** rows of the one way to a LID */
  const wayTo = (from: number, to: number, lid: number): number[] => {
    const ports: number[] = [];
    for (let node = from; node !== to;) {
      const port = node === from ? fabric.portOffset[node]! : tables[lid]!.port(node, to);
      ports.push(port);
      node = fabric.portNode[fabric.portPeer[port]!]!;
    }
    return ports;
  };

  it('share a pair alike, or one has it all', () => {
    const rows = (['spread', 'hash', 3] as const).map((lidUse) => splitCounters(fabric, { ...ways, lidUse }, oneLane));
    for (const [from, to] of pairsOf(fabric)) {
      if (from === to) continue;
      const spread = new Map<number, number>();
      for (const lid of tables.keys())
        for (const port of wayTo(from, to, lid)) spread.set(port, 0.25 + (spread.get(port) ?? 0));
      const whole = (lid: number) => new Map(wayTo(from, to, lid).map((port) => [port, 1]));
      const hashed = lidOfPair(tree.hostRank[from]!, tree.hostRank[to]!, 4);
      expectSame(sharesOf(rows[0]!, from, to), spread);
      expectSame(sharesOf(rows[1]!, from, to), whole(hashed));
      expectSame(sharesOf(rows[2]!, from, to), whole(3));
    }
  });
});

it('bounds by shares: what each of two ports up counted is half of what was sent', () => {
  const fabric = generateFabric('leaf-spine', { leaves: 2, spines: 2, hostsPerLeaf: 2 });
  const routes = new EqualCostRoutes(fabric, 'descending-node-id');
  const rows = new SplitRows(fabric, routes, oneLane, equal);
  const [one, , far] = fabric.hosts;
  const counters = new Float64Array(rows.count);
  for (const [row, share] of sharesOf(rows, one!, far!)) counters[row]! += 6 * share;
  const grid = new PairGrid([{ hosts: fabric.hosts, rows }], counters, [bases.i]);
  const { lower, upper } = pairBounds(grid, counters);
  expect(grid.openPairs).toBe(1);
  expect([Math.max(...lower), Math.max(...upper)]).toEqual([6, 6]);
  // the same without the counters of both hosts' own links, which have all of it: 3 / (1 / 2)
  for (const port of [fabric.portOffset[one!]!, fabric.portPeer[fabric.portOffset[far!]!]!]) counters[port] = NaN;
  const less = new PairGrid([{ hosts: fabric.hosts, rows }], counters, [bases.i]);
  expect(less.mostOf(0, less.countedBy(counters))).toBe(6);
});
