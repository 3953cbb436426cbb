// ftree against OpenSM's own tables: captured on a tree of two levels and on quartz1; elsewhere, what its description
// says must hold.

import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { Diagnostics } from '../../src/base/diagnostics.js';
import { recogniseFatTree } from '../../src/fabric/fat-tree.js';
import { withColdStartLids } from '../../src/fabric/identity.js';
import { readIbnetdiscover } from '../../src/formats/ibnetdiscover.js';
import type { IdentifiedFabric } from '../../src/formats/subnet-records.js';
import { ForwardingTables, ownPort } from '../../src/routing/forwarding-tables.js';
import { routeFtree } from '../../src/routing/ftree.js';
import { referencePath } from '../reference.js';
import { damaged, identifiedTree, infinibandText } from '../support/infiniband.js';

function mustRoute({ fabric, identity }: IdentifiedFabric, roots: readonly number[] = []): ForwardingTables {
  const tables = routeFtree(fabric, identity, roots);
  if (!(tables instanceof ForwardingTables)) throw new Error(tables.refusal);
  return tables;
}

/** Entries of a dump by `switch GUID > port GUID`. */
function dumpEntries(dump: string): Map<string, number> {
  const entries = new Map<string, number>();
  let own = 0n;
  for (const line of dump.split('\n')) {
    if (line.startsWith('Unicast')) own = BigInt(/guid (0x[0-9a-f]+)/.exec(line)![1]!);
    const match = /^0x[0-9a-f]{4} (\d{3}) .* portguid (0x[0-9a-f]+)/.exec(line);
    if (match !== null) entries.set(`${own} > ${BigInt(match[2]!)}`, Number(match[1]));
  }
  return entries;
}

function tableEntries({ fabric, identity }: IdentifiedFabric, tables: ForwardingTables): Map<string, number> {
  const entries = new Map<string, number>();
  for (const own of tables.switches) {
    for (let node = 0; node < fabric.nodeCount; node++) {
      const port = tables.port(own, node);
      if (port !== -1 || own === node)
        entries.set(
          `${identity.nodeGuid[own]} > ${identity.portGuid[node]}`,
          port === -1 ? 0 : identity.portNumber[port]!,
        );
    }
  }
  return entries;
}

function differences(a: ReadonlyMap<string, number>, b: ReadonlyMap<string, number>): string[] {
  return [...new Set([...a.keys(), ...b.keys()])].filter((key) => a.get(key) !== b.get(key));
}

describe.skipIf(referencePath('infiniband') === null)('captured tables', () => {
  // quartz1: test/formats/opensm-lfts.slow.test.ts
  it('small: no entry differs', () => {
    const read = readIbnetdiscover(infinibandText('small', 'small.net'), 'f', new Diagnostics())!;
    const tree = { ...read, identity: withColdStartLids(read.fabric, read.identity)! };
    const expected = dumpEntries(infinibandText('small', 'opensm-lfts.dump'));
    // all but the ways between spines
    expect(expected.size).toBe(12 * 44 - 4 * 3);
    expect(differences(tableEntries(tree, mustRoute(tree)), expected)).toEqual([]);
  });
});

describe('trees whose top level is named: OpenSM’s own tables (opensm 3.3.23, -R ftree -a), fixtures of lost links', () => {
  it.each([
    // the first leaf of the order has a switch below, but no hosts: the tuples start at the first with hosts
    ['leaf-without-hosts-first', 0x68e44ec06708a166n],
    // two spines hang below a leaf and have no tuple: they keep their order
    ['switch-below-leaf-switch', 0x1144f0ef56458a18n],
  ])('%s: no entry differs', (name, root) => {
    const fixture = (suffix: string): string =>
      readFileSync(new URL(`../fixtures/opensm/${name}.${suffix}`, import.meta.url), 'utf8');
    const tree = readIbnetdiscover(fixture('net'), name, new Diagnostics())!;
    const expected = dumpEntries(fixture('lfts'));
    expect(expected.size).toBeGreaterThan(100);
    expect(differences(tableEntries(tree, mustRoute(tree, [tree.identity.nodeGuid.indexOf(root)])), expected)).toEqual(
      [],
    );
  });
});

it('the k-th host of every leaf goes over spine k mod spines, on every leaf alike', () => {
  const tree = identifiedTree('fat-tree', { pods: 1, edgesPerPod: 5, hostsPerEdge: 6, aggregationPerPod: 3 });
  const tables = mustRoute(tree);
  const spineOf = (leaf: number, host: number): number =>
    tree.fabric.portNode[tree.fabric.portPeer[tables.port(leaf, host)]!]!;
  for (let host = 0; host < 30; host++) {
    const chosen = new Set(
      [30, 31, 32, 33, 34].filter((leaf) => leaf !== 30 + Math.floor(host / 6)).map((leaf) => spineOf(leaf, host)),
    );
    expect([...chosen]).toEqual([35 + ((host % 6) % 3)]);
  }
});

it('a missing host leaves its turn at the cores empty', () => {
  // one spine per pod, two cores: hosts of a pod take turns at the cores, a dummy in the place of the missing one
  const tree = damaged(
    identifiedTree('fat-tree', {
      pods: 2,
      edgesPerPod: 2,
      hostsPerEdge: 2,
      aggregationPerPod: 1,
      cores: 2,
      coreGroups: 1,
    }),
    (low) => low.startsWith('node001'),
  );
  const tables = mustRoute(tree);
  const [otherSpine] = tree.identity.nodeName.flatMap((name, node) => (name === 'spine01' ? [node] : []));
  const coreTo = (host: number): string =>
    tree.identity.nodeName[tree.fabric.portNode[tree.fabric.portPeer[tables.port(otherSpine!, host)]!]!]!;
  expect([0, 2, 3].map(coreTo)).toEqual(['core00', 'core00', 'core01']);
});

describe('refuses as OpenSM does', () => {
  const whole = identifiedTree('fat-tree', {
    pods: 2,
    edgesPerPod: 2,
    hostsPerEdge: 2,
    aggregationPerPod: 2,
    cores: 2,
  });
  it('a broken link without a list of roots; with it, the tree is routed', () => {
    const broken = damaged(whole, (low, high) => low === 'leaf00' && high === 'spine00');
    expect(broken.fabric.linkCount).toBe(whole.fabric.linkCount - 1);
    expect(routeFtree(broken.fabric, broken.identity)).toHaveProperty('refusal');
    const named = (prefix: string): number[] =>
      broken.identity.nodeName.flatMap((name, node) => (name.startsWith(prefix) ? [node] : []));
    const tables = mustRoute(broken, named('core'));
    for (const leaf of named('leaf'))
      for (const host of broken.fabric.hosts) expect(tables.port(leaf, host)).not.toBe(-1);
  });

  it('a single leaf', () => {
    const { fabric, identity } = identifiedTree('fat-tree', { pods: 1, edgesPerPod: 1, hostsPerEdge: 4 });
    expect(routeFtree(fabric, identity)).toHaveProperty('refusal');
  });
});

it('a spine that lost its links upwards stands below the leaves: it is no host of theirs, and every switch keeps what is for itself', () => {
  const whole = identifiedTree('fat-tree', {
    pods: 2,
    edgesPerPod: 2,
    hostsPerEdge: 3,
    aggregationPerPod: 2,
    cores: 4,
  });
  const names = whole.identity.nodeName;
  const cores = names.flatMap((name, node) => (name.startsWith('core') ? [node] : []));
  const tree = damaged(whole, (low, high) => low === 'spine03' && high.startsWith('core'));
  const tables = mustRoute(tree, cores);
  for (const node of tables.switches)
    expect({ node: names[node], entry: tables.entry(node, node) }).toEqual({ node: names[node], entry: ownPort });
  // nobody turns at it: the hosts of its pod are reached over the other spine
  for (const host of tree.fabric.hosts) {
    for (const leaf of recogniseFatTree(whole.fabric).tree!.switches[0]!) {
      const port = tables.port(leaf, host);
      expect(names[tree.fabric.portNode[tree.fabric.portPeer[port]!]!]).not.toBe('spine03');
    }
  }
});
