// The dragonfly of Kim, Dally, Scott and Abts (ISCA 2008): counts by the paper's formulas, degrees, groups and diameter
// by a search of its own; minimal routes of a local, a global and a local link wait in a circle on one lane, not on two.

import { describe, expect, it } from 'vitest';
import { computeRoutes } from '../../src/app/routes/compute-routes.js';
import type { Fabric } from '../../src/fabric/fabric.js';
import { findFamily, generateFabric, resolveParameters } from '../../src/fabric/generators/catalogue.js';

/** Switches of a dragonfly as a graph: neighbours of each, with as many entries as links. */
function switchGraph(fabric: Fabric): number[][] {
  const first = fabric.hosts.length;
  return Array.from({ length: fabric.nodeCount - first }, (_, place) => {
    const { portOffset, portNeighbour } = fabric;
    const peers = Array.from(portNeighbour.slice(portOffset[first + place], portOffset[first + place + 1]!));
    return peers.filter((peer) => peer >= first).map((peer) => peer - first);
  });
}

/** Links from one switch to all others, breadth first. */
function distances(graph: readonly number[][], from: number): number[] {
  const found = graph.map(() => -1);
  found[from] = 0;
  for (const queue = [from]; queue.length > 0;) {
    const own = queue.shift()!;
    for (const peer of graph[own]!)
      if (found[peer] === -1) {
        found[peer] = found[own]! + 1;
        queue.push(peer);
      }
  }
  return found;
}

describe.each([1, 2, 3])('balanced, with %i hosts per switch', (p) => {
  const fabric = generateFabric('dragonfly', { hostsPerSwitch: p });
  const [a, h] = [2 * p, p];
  const groups = a * h + 1;
  const graph = switchGraph(fabric);
  const groupOf = (place: number): number => Math.floor(place / a);

  it('has a p (a h + 1) hosts, a (a h + 1) switches, and the links of the definition', () => {
    expect(fabric.hosts.length).toBe(a * p * (a * h + 1));
    expect(graph).toHaveLength(a * (a * h + 1));
    // hosts, all to all in each group, one between each two groups
    const links = fabric.hosts.length + (groups * a * (a - 1)) / 2 + (groups * (groups - 1)) / 2;
    expect(fabric.linkCount).toBe(links);
  });

  it('every switch has p + a - 1 + h ports, its whole group, and every pair of groups one link', () => {
    const first = fabric.hosts.length;
    const pairs = new Map<string, number>();
    graph.forEach((peers, own) => {
      expect(fabric.portOffset[first + own + 1]! - fabric.portOffset[first + own]!).toBe(p + a - 1 + h);
      const local = peers.filter((peer) => groupOf(peer) === groupOf(own));
      expect(new Set(local).size).toBe(a - 1);
      for (const peer of peers)
        if (groupOf(peer) > groupOf(own)) {
          const pair = `${groupOf(own)} ${groupOf(peer)}`;
          pairs.set(pair, (pairs.get(pair) ?? 0) + 1);
        }
    });
    expect(pairs.size).toBe((groups * (groups - 1)) / 2);
    expect(new Set(pairs.values())).toEqual(new Set([1]));
  });

  it('has a diameter of three links', () => {
    expect(Math.max(...graph.flatMap((_, from) => distances(graph, from)))).toBe(3);
  });
});

it('the consecutive arrangement: port k of group 0 leads to group k + 1, of group 3 of 9 to k below 3, to k + 1 from it on', () => {
  const graph = switchGraph(generateFabric('dragonfly'));
  // a = 4, h = 2: a switch has two of the eight global ports of its group
  const reached = (group: number): number[][] =>
    [0, 1, 2, 3].map((own) =>
      graph[4 * group + own]!.map((peer) => Math.floor(peer / 4))
        .filter((other) => other !== group)
        .sort((x, y) => x - y),
    );
  expect(reached(0)).toEqual([
    [1, 2],
    [3, 4],
    [5, 6],
    [7, 8],
  ]);
  expect(reached(3)).toEqual([
    [0, 1],
    [2, 4],
    [5, 6],
    [7, 8],
  ]);
});

it.each([
  // eight global ports a group; three other groups take two links each, two ports stay free
  [{ groups: 4 }, 2],
  [{ groups: 4, linksPerGroupPair: 1 }, 1],
  [{ groups: 5 }, 2],
  [{ groups: 2, switchesPerGroup: 3, globalLinksPerSwitch: 1 }, 3],
])('with %o two groups have %i links, and no switch more global ones than it has ports', (given, pairLinks) => {
  const fabric = generateFabric('dragonfly', given);
  const { groups, switchesPerGroup: a = 4, globalLinksPerSwitch: h = 2 } = given as Record<string, number | undefined>;
  const graph = switchGraph(fabric);
  const pairs = new Map<string, number>();
  graph.forEach((peers, own) => {
    const global = peers.map((peer) => Math.floor(peer / a)).filter((other) => other !== Math.floor(own / a));
    expect(global.length).toBeLessThanOrEqual(h);
    for (const other of global) {
      const key = `${Math.floor(own / a)} ${other}`;
      pairs.set(key, (pairs.get(key) ?? 0) + 1);
    }
  });
  expect(pairs.size).toBe(groups! * (groups! - 1));
  expect(new Set(pairs.values())).toEqual(new Set([pairLinks]));
});

it.each([
  [{ groups: 10 }, '4 switches with 2 global links each do not join 10 groups', 'at most 9'],
  [
    { groups: 4, linksPerGroupPair: 3 },
    '4 switches with 2 global links each do not join 4 groups by 3 links',
    'at most 2',
  ],
])('%o is refused', (given, message, wanted) => {
  const { values, problems } = resolveParameters(findFamily('dragonfly')!.family, given);
  expect(values).toBeNull();
  expect(problems).toMatchObject([{ message, wanted }]);
});

/** Group of a switch, of four. */
function group(place: number): number {
  return Math.floor(place / 4);
}

describe('routes', () => {
  const fabric = generateFabric('dragonfly');
  const graph = switchGraph(fabric);

  /** The minimal way of the paper: to the switch with the link to the other group, over it, to the destination. */
  function minimalWay(from: number, to: number): number[] {
    if (group(from) === group(to)) return from === to ? [from] : [from, to];
    const members = [0, 1, 2, 3].map((own) => 4 * group(from) + own);
    const gateway = members.find((own) => graph[own]!.some((peer) => group(peer) === group(to)))!;
    const entry = graph[gateway]!.find((peer) => group(peer) === group(to))!;
    return [from, gateway, entry, to].filter((place, i, way) => place !== way[i - 1]);
  }

  /** Whether channels may wait for each other in a circle. @param laneOf lane by global links passed before */
  function mayDeadlock(laneOf: (globalsBefore: number) => number): boolean {
    const waits = new Map<string, Set<string>>();
    graph.forEach((_, from) =>
      graph.forEach((__, to) => {
        let [before, previous] = [0, ''];
        const way = minimalWay(from, to);
        for (let i = 1; i < way.length; i++) {
          const channel = `${way[i - 1]} ${way[i]} ${laneOf(before)}`;
          if (!waits.has(channel)) waits.set(channel, new Set());
          if (previous !== '') waits.get(previous)!.add(channel);
          previous = channel;
          if (group(way[i - 1]!) !== group(way[i]!)) before++;
        }
      }),
    );
    // without a circle channels that wait for none can be taken away until none is left
    for (let left = waits.size + 1; waits.size < left;) {
      left = waits.size;
      for (const [channel, others] of waits) if (![...others].some((other) => waits.has(other))) waits.delete(channel);
    }
    return waits.size > 0;
  }

  it('minimal ones need two lanes: one for what has not passed a global link, one for what has', () => {
    expect(mayDeadlock(() => 0)).toBe(true);
    expect(mayDeadlock((before) => before)).toBe(false);
  });

  it.each(['minhop', 'dfsssp', 'weft'] as const)('of %s lead everywhere', async (algorithm) => {
    const { evaluation, validity, deadlock } = await computeRoutes({
      fabric: { family: 'dragonfly' },
      algorithm,
      traffic: 'all-to-all',
      mostWork: 1e6,
    });
    expect(validity).toMatchObject({ valid: true, faults: { unreachable: 0, loop: 0 } });
    // no two hosts are further apart than four switches; weft may lengthen ways for their load
    if (algorithm !== 'weft') expect(validity.lengths.mostSwitches).toBe(4);
    // OpenSM's minhop knows no lanes: it waits in a circle, as the paper's minimal routes do on one lane
    expect(deadlock.cycle === null).toBe(algorithm !== 'minhop');
    expect(deadlock.lanes).toBeGreaterThanOrEqual(algorithm === 'minhop' ? 1 : 2);
    // 71 others send to a host, and a host to 71
    expect(evaluation!.maxLoad).toBeGreaterThanOrEqual(71);
  });
});
