// Repaired tables: every way that an up-down path could have is there, and what still led to its host is as it was.
// What still leads is found here by walking all entries, apart from the code under test.

import { expect, it } from 'vitest';
import { generatedFabric, routedFabric } from '../../src/app/routes/fabric-input.js';
import { failLinks } from '../../src/fabric/failed-links.js';
import { recogniseFatTree, type FatTree } from '../../src/fabric/fat-tree.js';
import type { RoutedFabric } from '../../src/fabric/routed-fabric.js';
import { checkRoutes } from '../../src/optimization/route-validity.js';
import { routeDmodK } from '../../src/routing/d-mod-k.js';
import { changesBySwitch, ForwardingTables, noPort } from '../../src/routing/forwarding-tables.js';
import { routeMinhop } from '../../src/routing/minhop.js';
import { routeRandom } from '../../src/routing/random-minimal.js';
import { repairTables } from '../../src/routing/repair-tables.js';
import { UpDownReach } from '../../src/routing/up-down-reach.js';
import { seed } from '../support/seed.js';

const shape = { pods: 3, edgesPerPod: 3, hostsPerEdge: 2, aggregationPerPod: 3, cores: 6 };

/** The tables of a fabric on what is left of it: entries for ports that are gone are no entries. */
function carriedOver(before: ForwardingTables, whole: RoutedFabric, left: RoutedFabric): ForwardingTables {
  const tables = new ForwardingTables(left.fabric);
  const portOf = new Map<string, number>();
  for (let port = 0; port < left.fabric.portCount; port++)
    portOf.set(`${left.fabric.portNode[port]} ${left.identity.portNumber[port]}`, port);
  for (const node of before.switches) {
    for (let to = 0; to < whole.fabric.nodeCount; to++) {
      const port = before.port(node, to);
      const now = port === -1 ? undefined : portOf.get(`${node} ${whole.identity.portNumber[port]}`);
      if (now !== undefined) tables.setPort(node, to, now);
    }
  }
  return tables;
}

/** Whether a switch leads to a node by going up, then down. */
function leads(tree: FatTree, tables: ForwardingTables, from: number, to: number): boolean {
  const { fabric, nodeLevel } = tree;
  let wentDown = false;
  for (let node = from, steps = 0; steps <= 2 * tree.levels; steps++) {
    if (node === to) return true;
    const port = tables.rowOf[node] === -1 ? -1 : tables.port(node, to);
    if (port === -1) return false;
    const next = fabric.portNode[fabric.portPeer[port]!]!;
    const isUp = nodeLevel[next]! > nodeLevel[node]!;
    if (isUp && wentDown) return false;
    wentDown ||= !isUp;
    node = next;
  }
  return false;
}

it(`leads everywhere, and keeps what led there, on broken trees, seed ${seed}`, () => {
  const whole = routedFabric(generatedFabric('fat-tree', shape)!);
  let trees = 0;
  for (let draw = 0; draw < 12; draw++) {
    const own = seed + draw;
    const { fabric, identity } = failLinks(whole, [0, 0.03, 0.06, 0.12][draw % 4]!, own);
    const { tree } = recogniseFatTree(fabric);
    if (tree === null) continue;
    trees++;
    const left: RoutedFabric = { ...whole, fabric, identity, tree };
    const made = [routeDmodK, (on: FatTree) => routeRandom(on, own), () => routeMinhop(whole.fabric, whole.identity)];
    const before = carriedOver(made[draw % 3]!(whole.tree), whole, left);
    const repaired = repairTables(tree, before);
    const reach = UpDownReach.of(tree);
    const place = new Map(Array.from(tree.switches[0]!, (leaf, index) => [leaf, index]));
    for (const to of Array.from({ length: fabric.nodeCount }, (_, node) => node)) {
      for (const from of before.switches) {
        const kept = leads(tree, before, from, to);
        if (kept) expect(leads(tree, repaired, from, to)).toBe(true);
        const leaf = tree.hostRank[to] === -1 ? to : tree.hostLeaf[tree.hostRank[to]!]!;
        if (place.has(from) && place.has(leaf) && reach.joins(place.get(from)!, place.get(leaf)!))
          expect(leads(tree, repaired, from, to)).toBe(true);
      }
    }
    if (reach.complete) expect(checkRoutes(tree, [repaired]).valid).toBe(true);
    // on whole trees all ways are minimal: none of those that lead changes
    if (draw % 3 !== 2)
      for (const node of before.switches)
        for (let to = 0; to < fabric.nodeCount; to++)
          if (leads(tree, before, node, to)) expect(repaired.entry(node, to)).toBe(before.entry(node, to));
  }
  expect(trees).toBeGreaterThan(4);
});

it('leaves tables alone with which nothing is wrong', () => {
  const { tree } = routedFabric(generatedFabric('fat-tree', shape)!);
  const tables = routeDmodK(tree);
  expect(repairTables(tree, tables)).toBe(tables);
});

it('changes nothing but what was lost, and puts it evenly on the ports that are left', () => {
  const { tree } = routedFabric(generatedFabric('fat-tree', { ...shape, hostsPerEdge: 4 })!);
  const { fabric } = tree;
  const before = routeDmodK(tree);
  const leaf = tree.switches[0]![0]!;
  const lostPort = before.port(leaf, fabric.hosts.at(-1)!);
  const broken = before.copy();
  const lost = Array.from(fabric.hosts).filter((host) => before.port(leaf, host) === lostPort);
  for (const host of lost) broken.entries[broken.rowOf[leaf]! * broken.columns + host] = noPort;
  const repaired = repairTables(tree, broken);
  expect(lost.length).toBeGreaterThan(3);
  expect(changesBySwitch(broken, repaired)).toEqual([{ node: leaf, entries: lost.length }]);
  const spread = (tables: ForwardingTables): number => {
    const uses = new Map<number, number>();
    for (let to = 0; to < fabric.nodeCount; to++) {
      const port = tables.port(leaf, to);
      const next = port === -1 ? -1 : fabric.portNode[fabric.portPeer[port]!]!;
      if (next !== -1 && tree.nodeLevel[next] === 1) uses.set(port, (uses.get(port) ?? 0) + 1);
    }
    return Math.max(...uses.values()) - Math.min(...uses.values());
  };
  // lost entries go one by one where the fewest are
  expect(spread(repaired)).toBeLessThanOrEqual(Math.max(1, spread(before)));
});

it('mends entries that send in a circle, and no others', () => {
  const { tree } = routedFabric(generatedFabric('fat-tree', shape)!);
  const before = routeDmodK(tree);
  const [host] = tree.fabric.hosts;
  // the leaf of the first host sends up what is for it, and the switch above sends it back
  const leaf = tree.hostLeaf[0]!;
  const broken = before.copy();
  const up = before.port(leaf, tree.fabric.hosts.at(-1)!);
  broken.setPort(leaf, host!, up);
  const repaired = repairTables(tree, broken);
  expect(changesBySwitch(broken, repaired)).toEqual([{ node: leaf, entries: 1 }]);
  expect(repaired.port(leaf, host!)).toBe(before.port(leaf, host!));
});
