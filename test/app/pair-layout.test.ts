// Groups of hosts by what counters say that each sent, and the pairs that are laid out by them.

import { expect, it } from 'vitest';
import { activeHosts, volumeGroups } from '../../src/app/reconstruct/host-volumes.js';
import { pairsOfTraffic } from '../../src/app/reconstruct/grid-traffic.js';
import { oneLane } from '../../src/app/reconstruct/lane-strategies.js';
import { countersOf, type Counted } from '../../src/app/reconstruct/made-counters.js';
import { layOutPairs } from '../../src/app/reconstruct/pair-layout.js';
import { generatedFabric, routedFabric } from '../../src/app/routes/fabric-input.js';
import { TrafficBuilder, type TrafficMatrix } from '../../src/flows/traffic/matrix.js';
import { PairRows } from '../../src/reconstruction/pair-rows.js';
import { routeDmodK } from '../../src/routing/d-mod-k.js';

const source = routedFabric(generatedFabric('leaf-spine', { leaves: 8, spines: 4, hostsPerLeaf: 8 })!);
const { fabric, tree } = source;
const rows = new PairRows(fabric, routeDmodK(tree), oneLane);

type Sent = readonly (readonly [from: number, to: number, amount: number])[];

/** Each host of a ring sends to the next one. */
function ring(hosts: readonly number[], amount: number): Sent {
  return hosts.map((host, i) => [host, hosts[(i + 1) % hosts.length]!, amount]);
}

/** Each host sends to all others. */
function allOf(hosts: readonly number[], amount: number): Sent {
  return hosts.flatMap((from) => hosts.filter((to) => to !== from).map((to) => [from, to, amount] as const));
}

function matrixOf(sent: Sent): TrafficMatrix {
  const builder = new TrafficBuilder(fabric.hosts.length, 'bytes');
  for (const [from, to, amount] of sent) builder.add(from, to, amount);
  return builder.build();
}

function countedOf(sent: Sent): Counted {
  const { counters } = countersOf(matrixOf(sent), source, rows);
  return { counters, received: counters };
}

function groupsOf(counted: Counted, inexact = 0): number[][] {
  return volumeGroups(activeHosts(source, counted), source, counted, inexact).map((own) => Array.from(own));
}

const few = [3, 12, 21, 40];
const many = [1, 17, 33, 49, 57];

it('tells jobs apart whose volumes are far apart, each in the order of ranks', () => {
  const sent = [...ring(few, 10), ...ring(many, 640)];
  expect(groupsOf(countedOf(sent))).toEqual([few, many]);
});

it.each([
  ['volumes are near', [...ring(few, 10), ...ring(many, 639)]],
  ['there are too few hosts', [...ring(few.slice(1), 10), ...ring(many, 640)]],
  // 10 of 50 that the small ones send go to others
  ['one sends to the other', [...ring(few, 10), ...ring(many, 640), [few[0]!, many[0]!, 10] as const]],
])('has one group where %s', (_, sent) => {
  expect(groupsOf(countedOf(sent))).toEqual([[...new Set(sent.map(([from]) => from))].sort((a, b) => a - b)]);
});

it('lets noisy counters differ by their noise', () => {
  // the small ones send 40 and take in 41
  const sent = [...ring(few, 10), ...ring(many, 1280), [many[0]!, few[0]!, 1] as const];
  expect([0.001, 0.02].map((inexact) => groupsOf(countedOf(sent), inexact).length)).toEqual([1, 2]);
});

it('has one group where a host was not read', () => {
  const { counters, received } = countedOf([...ring(few, 10), ...ring(many, 640)]);
  const port = fabric.portOffset[fabric.hosts[few[1]!]!]!;
  const unread = counters.map((own, row) => (row === port ? NaN : own));
  expect(groupsOf({ counters: unread, received: unread })).toHaveLength(1);
  // what the other end received stands for it
  expect(groupsOf({ counters: unread, received })).toHaveLength(2);
});

it('gives every pair of hosts one place, within a group or between two', () => {
  // of both groups hosts are on both leaves, and send to all of their group: counters leave no pair out
  const [small, large] = [
    [0, 1, 8, 9],
    [2, 3, 10, 11, 12],
  ];
  const sent = [...allOf(small!, 10), ...allOf(large!, 1000)];
  const counted = countedOf(sent);
  const layout = layOutPairs({ source, byClass: [rows], counted, jobs: null }, { dictionary: 'scd' });
  const { grid, ranks } = layout;
  expect(layout).toMatchObject({ groups: [4, 5], rankCount: 9, pairs: 72 });
  expect(grid.openPairs).toBe(72);
  // others are kept behind them in the basis, and move no counter
  const open = [...grid.first.keys()].filter((place) => grid.rowStart[2 * place]! < grid.rowStart[2 * place + 2]!);
  const places = open.map((place) => {
    const first = grid.first[place]!;
    return [ranks[first]!, ranks[first + grid.offset[place]!]!].sort((a, b) => a - b);
  });
  expect(new Set(places.map((pair) => pair.join())).size).toBe(36);
  // pairs within groups first: 4 x 3 / 2 and 5 x 4 / 2
  const isWithin = places.map(([one, other]) => small!.includes(one!) === small!.includes(other!));
  expect(isWithin).toEqual([...Array<boolean>(16).fill(true), ...Array<boolean>(20).fill(false)]);
  // what was sent is in one place each: 12 x 10 and 20 x 1000
  const amounts = pairsOfTraffic([matrixOf(sent)], grid, ranks);
  expect(amounts.reduce((sum, own) => sum + own, 0)).toBe(20_120);
});

it('has one group where counters are moved by pairs between groups alone', () => {
  // the small ones are of one leaf, whose uplinks only what they exchange with others can have moved
  const leaf = [0, 1, 2, 3];
  const across: Sent = [
    [0, 17, 10],
    [17, 0, 10],
  ];
  const counted = countedOf([...ring(leaf, 10), ...ring(many.slice(1), 1280), ...across]);
  expect(groupsOf(counted)).toHaveLength(2);
  const layout = layOutPairs({ source, byClass: [rows], counted, jobs: null }, { dictionary: 'scd' });
  expect(layout).toMatchObject({ groups: null, rankCount: 8, pairs: 56 });
});
