// Counters of pairs over equal-cost paths: however switches hash, the counters of groups are the sums over pairs that
// the rows say. Ways are drawn by a walk of the test's own, whose distances are its own, too.

import { describe, expect, it } from 'vitest';
import { RandomStream } from '../../src/base/random.js';
import { NodeKind, type Fabric } from '../../src/fabric/fabric.js';
import { failLinks } from '../../src/fabric/failed-links.js';
import { generateFabric } from '../../src/fabric/generators/catalogue.js';
import { levelIdentity } from '../../src/fabric/level-identity.js';
import { EqualCostRows } from '../../src/reconstruction/equal-cost-rows.js';
import { seed } from '../support/seed.js';
import { plainDistances } from '../../validation/plain-routes.js';

const random = new RandomStream(seed, 'equal-cost rows');

/** What ports count of messages, each of which takes any shortest way. */
function hashed(fabric: Fabric, messages: readonly (readonly [number, number, number])[]): Float64Array {
  const counters = new Float64Array(fabric.portCount);
  for (const [from, to, bytes] of messages) {
    const distance = plainDistances(fabric, to);
    for (let node = from; node !== to;) {
      const nearer: number[] = [];
      for (let port = fabric.portOffset[node]!; port < fabric.portOffset[node + 1]!; port++) {
        const next = fabric.portNode[fabric.portPeer[port]!]!;
        const leads = next === to || fabric.nodeKind[next] !== NodeKind.host;
        if (leads && distance[next] === distance[node]! - 1) nearer.push(port);
      }
      const port = nearer[random.nextBelow(nearer.length)]!;
      counters[port]! += bytes;
      node = fabric.portNode[fabric.portPeer[port]!]!;
    }
  }
  return counters;
}

function broken(fabric: Fabric, share: number): Fabric {
  return failLinks({ fabric, identity: levelIdentity(fabric, 'f') }, share, seed).fabric;
}

const leafSpine = generateFabric('leaf-spine', { leaves: 4, spines: 3, hostsPerLeaf: 2 });
const fatTree = generateFabric('fat-tree', { k: 4 });
const rails = generateFabric('spectrum-x', { gpus: 32, nicsPerAsw: 2, pswSwitches: 3 });
const twoLeaves = generateFabric('alibaba-hpn', { gpus: 32, nicsPerAsw: 2, pswSwitches: 3 });
const fabrics: readonly (readonly [string, Fabric])[] = [
  ['leaf-spine', leafSpine],
  ['fat tree', fatTree],
  ['fat tree with failed links', broken(fatTree, 0.15)],
  ['leaf-spine with failed links', broken(leafSpine, 0.1)],
  ['rails', rails],
  ['two leaves for each host', twoLeaves],
];

describe(`counters of groups (WEFT_SEED=${seed})`, () => {
  it.each(fabrics)('%s: are the sums of the rows of pairs, whatever the hash', (_name, fabric) => {
    const { hosts } = fabric;
    const messages = Array.from({ length: 60 }, () => {
      const [from, to] = [random.nextBelow(hosts.length), random.nextBelow(hosts.length)];
      return [hosts[from]!, hosts[to]!, 1 + random.nextBelow(1000)] as const;
    }).filter(([from, to]) => from !== to);
    const rows = new EqualCostRows(fabric);
    // failed links may leave hosts without a way
    const [led, lost] = [true, false].map((isLed) =>
      messages.filter(([from, to]) => (plainDistances(fabric, to)[from] !== Infinity) === isLed),
    ) as [typeof messages, typeof messages];
    for (const [from, to] of lost) expect(rows.open(from, to, null)).toBe(0);
    const expected = new Float64Array(fabric.portCount);
    for (const [from, to, bytes] of led) {
      const count = rows.open(from, to, null);
      expect(count).toBe(plainDistances(fabric, to)[from]);
      for (let i = 0; i < count; i++) expected[rows.rows[i]!]! += bytes;
    }
    const counted = rows.gathered(hashed(fabric, led));
    for (let port = 0; port < fabric.portCount; port++) expect(counted[port]).toBe(expected[rows.rowOf(port)]);
  });

  it('are as small as the hash allows: of a leaf all links up, and all links down to it', () => {
    const rows = new EqualCostRows(leafSpine);
    const groups = new Map<number, number>();
    for (let port = 0; port < leafSpine.portCount; port++)
      groups.set(rows.rowOf(port), (groups.get(rows.rowOf(port)) ?? 0) + 1);
    // 8 hosts with two ports each on their links; 4 leaves with a group of 3 up and one of 3 down
    expect([...groups.values()].sort()).toEqual([...Array(16).fill(1), ...Array(8).fill(3)]);
  });
});
