// What checkRoutes says of tables of all kinds, right ones and entries drawn at random, beside a walk of every pair;
// and which entries are left out, beside distances of up-down ways.

import { expect, it } from 'vitest';
import { RandomStream } from '../../src/base/random.js';
import { failLinks } from '../../src/fabric/failed-links.js';
import { oneLevel, recogniseFatTree, type FatTree } from '../../src/fabric/fat-tree.js';
import { generateFabric } from '../../src/fabric/generators/catalogue.js';
import { generatedIdentity } from '../../src/fabric/identity.js';
import { omittedEntries } from '../../src/formats/opensm-lfts-writer.js';
import { checkRoutes } from '../../src/optimization/route-validity.js';
import { changedEntries, changesBySwitch, noPort, type ForwardingTables } from '../../src/routing/forwarding-tables.js';
import { MinimalPorts } from '../../src/routing/minimal-ports.js';
import { routeRandom } from '../../src/routing/random-minimal.js';
import { seed } from '../support/seed.js';

type Fate = 'fine' | 'unreachable' | 'loop' | 'down-up';

/** What becomes of a packet from a switch to a host, step by step. */
function fateOf({ fabric, nodeLevel }: FatTree, tables: ForwardingTables, from: number, to: number): Fate {
  const passed = new Set<number>();
  let wentDown = false;
  let upAgain = false;
  for (let node = from; node !== to;) {
    if (nodeLevel[node] === -1) return 'unreachable';
    if (passed.has(node)) return 'loop';
    passed.add(node);
    const port = tables.port(node, to);
    if (port === -1) return 'unreachable';
    const next = fabric.portNode[fabric.portPeer[port]!]!;
    if (nodeLevel[next]! > nodeLevel[node]!) upAgain ||= wentDown;
    else wentDown = true;
    node = next;
  }
  return upAgain ? 'down-up' : 'fine';
}

function drawnTree(draw: number): FatTree {
  if (draw % 4 === 3) {
    const torus = generateFabric('torus', { width: 3, height: 3, hostsPerSwitch: 2 });
    const share = draw % 8 === 3 ? 0 : 0.6;
    return oneLevel(
      failLinks({ fabric: torus, identity: generatedIdentity(torus, oneLevel(torus)!.nodeLevel)! }, share, seed + draw)
        .fabric,
    )!;
  }
  const shape = { pods: 3, edgesPerPod: 2, hostsPerEdge: 2, aggregationPerPod: 2, cores: 4 };
  const fabric = generateFabric('fat-tree', shape);
  const { tree: whole } = recogniseFatTree(fabric);
  const identity = generatedIdentity(fabric, whole!.nodeLevel)!;
  const { fabric: left } = failLinks({ fabric, identity }, [0, 0.05, 0.15][draw % 3]!, seed + draw);
  return recogniseFatTree(left).tree ?? whole!;
}

it(`says of every pair what a walk of it comes to (WEFT_SEED=${seed})`, () => {
  const random = new RandomStream(seed, 'tables to be checked');
  const met = new Set<Fate>();
  for (let draw = 0; draw < 24; draw++) {
    const tree = drawnTree(draw);
    const { fabric } = tree;
    const tables = routeRandom(tree, seed + draw);
    const before = tables.copy();
    const share = [0.02, 0.2, 1][draw % 3]!;
    for (const node of tables.switches) {
      for (const host of fabric.hosts) {
        if (random.nextFraction() >= share) continue;
        const first = fabric.portOffset[node]!;
        const port = first + random.nextBelow(fabric.portOffset[node + 1]! - first + 1);
        if (port < fabric.portOffset[node + 1]!) tables.setPort(node, host, port);
        else tables.entries[tables.rowOf[node]! * tables.columns + host] = noPort;
      }
    }
    const wanted = { unreachable: 0, loop: 0, 'down-up': 0 };
    let otherSwitches = 0;
    const leaves = new Set(tree.hostLeaf);
    for (const host of fabric.hosts) {
      for (const from of tables.switches) {
        const fate = fateOf(tree, tables, from, host);
        met.add(fate);
        if (fate === 'fine') continue;
        if (leaves.has(from)) wanted[fate]++;
        else otherSwitches++;
      }
    }
    const found = checkRoutes(tree, [tables]);
    expect({ ...found.faults, otherSwitches: found.otherSwitches }).toEqual({ ...wanted, otherSwitches });
    expect(found.valid).toBe(Object.values(wanted).every((count) => count === 0));
    for (const [fault, example] of Object.entries(found.examples))
      expect(fateOf(tree, tables, example.from, example.destination)).toBe(fault);
    const differing = tables.entries.filter((entry, cell) => entry !== before.entries[cell]).length;
    expect(changedEntries(before, tables)).toBe(differing);
    expect(changesBySwitch(before, tables).reduce((sum, { entries }) => sum + entries, 0)).toBe(differing);
    expectOmissions(tree, tables);
  }
  expect([...met].sort()).toEqual(['down-up', 'fine', 'loop', 'unreachable']);
});

/** Switches from which links between switches lead to a switch. */
function switchesAround({ fabric, nodeLevel }: FatTree, to: number): Set<number> {
  const met = new Set([to]);
  for (const node of met)
    for (let port = fabric.portOffset[node]!; port < fabric.portOffset[node + 1]!; port++) {
      const next = fabric.portNode[fabric.portPeer[port]!]!;
      if (nodeLevel[next] !== -1) met.add(next);
    }
  return met;
}

/** Left out is what has no entry and a way: in a tree one that goes up and down, elsewhere any. */
function expectOmissions(tree: FatTree, tables: ForwardingTables): void {
  const minimal = new MinimalPorts(tree);
  let count = 0;
  for (let to = 0; to < tree.fabric.nodeCount; to++) {
    const target = tree.hostRank[to] === -1 ? to : tree.hostLeaf[tree.hostRank[to]!]!;
    minimal.measure(target);
    const around = switchesAround(tree, target);
    const leads = (from: number): boolean => (tree.isTree ? minimal.distance[from] !== -1 : around.has(from));
    for (const from of tables.switches) if (tables.entry(from, to) === noPort && leads(from)) count++;
  }
  const { count: found, first } = omittedEntries(tree, [tables]);
  expect(found).toBe(count);
  if (first !== null) expect(tables.entry(first.node, first.destination)).toBe(noPort);
}
