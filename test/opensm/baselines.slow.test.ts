// Baselines of routes beside the engines of OpenSM whose names they have: minhop and updn entry by entry, sssp and
// dfsssp by loads, on random trees and on fabrics that are none. The oracle is OpenSM itself. Skipped, and said, where
// the packages are missing.

import { afterEach, describe, expect, it } from 'vitest';
import { Diagnostics } from '../../src/base/diagnostics.js';
import { RandomStream } from '../../src/base/random.js';
import { switchGroups, unreachablePair } from '../../src/fabric/connectivity.js';
import { NodeKind } from '../../src/fabric/fabric.js';
import { guidText } from '../../src/fabric/identity.js';
import { writeIbnetdiscover } from '../../src/formats/ibnetdiscover-writer.js';
import { readIbnetdiscover } from '../../src/formats/ibnetdiscover.js';
import type { IdentifiedFabric } from '../../src/formats/subnet-records.js';
import { lftTexts } from '../../src/formats/opensm-lfts-writer.js';
import { LftReader } from '../../src/formats/opensm-lfts.js';
import { UniformTraffic } from '../../src/flows/traffic/matrix.js';
import { oneLevel } from '../../src/fabric/fat-tree.js';
import { searchLayered } from '../../src/optimization/layered-search.js';
import { checkDeadlock } from '../../src/routing/channel-dependencies.js';
import { changedEntries, type ForwardingTables } from '../../src/routing/forwarding-tables.js';
import { layeredLanes } from '../../src/routing/lane-layers.js';
import { routeMinhop, routeUpDown } from '../../src/routing/minhop.js';
import { routeSssp } from '../../src/routing/sssp.js';
import { damaged, withoutUnlinked } from '../support/infiniband.js';
import { LiveFabric, missingPrograms } from '../support/live-opensm.js';
import { randomTree, type TreeShape } from '../support/random-tree.js';
import { seed } from '../support/seed.js';
import { dragonflyPlusLinks, hyperxLinks, identifiedSwitches, torusLinks } from '../support/switch-fabrics.js';

const skipped = missingPrograms().length > 0;

let live: LiveFabric | null = null;
afterEach(() => {
  live?.stop();
  live = null;
});

/** Serves a fabric. @returns it as ibnetdiscover prints it, with LIDs, after OpenSM gave them */
async function serve(given: IdentifiedFabric): Promise<IdentifiedFabric> {
  live?.stop();
  const { fabric, identity } = given;
  const unnumbered = { fabric, identity: { ...identity, lid: new Uint16Array(fabric.nodeCount) } };
  live = await LiveFabric.start(
    writeIbnetdiscover(unnumbered),
    `H-${guidText(identity.nodeGuid[fabric.hosts[0]!]!).slice(2)}`,
  );
  live.sweep('-R', 'minhop');
  return readIbnetdiscover(live.tool('ibnetdiscover').stdout, 'ibnetdiscover', new Diagnostics())!;
}

/** Tables of an engine. */
function tablesOf(source: IdentifiedFabric, engine: string, ...words: string[]): ForwardingTables {
  const sweep = live!.sweep('-R', engine, ...words);
  expect(sweep.engine).toBe(engine);
  const reader = new LftReader(source, engine, new Diagnostics());
  reader.push(new TextEncoder().encode(sweep.dump('opensm-lfts.dump')));
  return reader.end()!;
}

function drawnTree(random: RandomStream): IdentifiedFabric {
  const shape: TreeShape = {
    pods: 2 + random.nextBelow(3),
    edgesPerPod: 1 + random.nextBelow(3),
    hostsPerEdge: 1 + random.nextBelow(4),
    groups: 1 + random.nextBelow(2),
    spinesPerGroup: 1 + random.nextBelow(2),
    coresPerGroup: 1 + random.nextBelow(3),
    parallel: 1 + random.nextBelow(2),
    missing: 0.3 * random.nextFraction(),
    draw: random.nextUint32(),
  };
  return randomTree(shape, 0);
}

/** Loads of links between switches if every host sends to every other, in falling order. */
function allToAllLoads({ fabric }: IdentifiedFabric, tables: ForwardingTables): number[] {
  const { hosts, portOffset, portNode, portPeer } = fabric;
  const load = new Float64Array(fabric.portCount);
  for (const source of hosts)
    for (const destination of hosts) {
      if (source === destination) continue;
      let node = portNode[portPeer[portOffset[source]!]!]!;
      for (let steps = 0; steps < fabric.nodeCount; steps++) {
        const port = tables.port(node, destination);
        node = portNode[portPeer[port]!]!;
        if (node === destination) break;
        load[port]!++;
      }
    }
  return Array.from(load).sort((a, b) => b - a);
}

/** How many switches a packet passes. */
function switchesOnWay(tables: ForwardingTables, from: number, to: number): number {
  const { portOffset, portNode, portPeer } = tables.fabric;
  let passed = 0;
  for (let node = portNode[portPeer[portOffset[from]!]!]!; node !== to; passed++)
    node = portNode[portPeer[tables.port(node, to)]!]!;
  return passed;
}

/** Tables that were searched for: everybody sends to everybody. */
function searchedFrom(start: ForwardingTables): ForwardingTables {
  const { hosts } = start.fabric;
  const matrix = new UniformTraffic(hosts.length, 'relative', 1);
  const traffic = { name: 'all', note: '', unit: matrix.unit, hostCount: hosts.length, phases: [{ name: '', matrix }] };
  const limits = { seed, mostWork: 1e7, patience: 0.1 };
  return searchLayered(oneLevel(start.fabric)!, traffic, [start], 8, limits).tables;
}

/** Has OpenSM load tables from a file, and its tool walk some of their ways. */
function walkLive(source: IdentifiedFabric, name: string, tables: ForwardingTables): void {
  const { fabric, identity } = source;
  const out = live!.file(`${name}.lfts`, [...lftTexts(source, [tables])].join(''));
  expect(changedEntries(tablesOf(source, 'file', '-U', out), tables)).toBe(0);
  for (const [from, to] of [
    [0, fabric.hosts.length - 1],
    [1, Math.floor(fabric.hosts.length / 2)],
  ] as const) {
    const [a, b] = [fabric.hosts[from]!, fabric.hosts[to]!];
    const { code, stdout } = live!.tool('ibtracert', String(identity.lid[a]), String(identity.lid[b]));
    expect({ code, hops: stdout.match(/-> switch port/g)?.length }).toEqual({
      code: 0,
      hops: switchesOnWay(tables, a, b),
    });
  }
}

const shapes: Readonly<Record<string, () => IdentifiedFabric>> = {
  'a 3x3 torus': () => identifiedSwitches(Array<number>(9).fill(2), torusLinks([3, 3]), seed),
  'a 4x4 torus': () => identifiedSwitches(Array<number>(16).fill(1), torusLinks([4, 4]), seed),
  'a HyperX of 3x4': () => identifiedSwitches(Array<number>(12).fill(2), hyperxLinks([3, 4]), seed),
  'a dragonfly+': () => {
    const { links, isLeaf } = dragonflyPlusLinks(4, 2, 3);
    return identifiedSwitches(
      isLeaf.map((leaf) => (leaf ? 2 : 0)),
      links,
      seed,
    );
  },
};

describe.skipIf(skipped)(`beside OpenSM (WEFT_SEED=${seed})`, () => {
  it('minhop and updn of random trees, whole and broken, entry for entry', async () => {
    const random = new RandomStream(seed, 'baselines');
    for (let round = 0; round < 4; round++) {
      let tree = drawnTree(random);
      if (round % 2 === 1) {
        const { fabric } = tree;
        const inner = (link: number): boolean =>
          [0, 1].every((end) => fabric.nodeKind[fabric.portNode[fabric.linkPorts[2 * link + end]!]!] !== NodeKind.host);
        const broken = withoutUnlinked(
          damaged(tree, (_low, _high, link) => inner(link) && random.nextFraction() < 0.15),
        );
        if (unreachablePair(broken.fabric) === null && switchGroups(broken.fabric).count === 1) tree = broken;
      }
      const source = await serve(tree);
      expect(changedEntries(tablesOf(source, 'minhop'), routeMinhop(source.fabric, source.identity))).toBe(0);
      const roots = routeUpDown(source.fabric, source.identity);
      if (roots === null) continue;
      expect(changedEntries(tablesOf(source, 'updn'), roots)).toBe(0);
    }
  });

  it.each(Object.entries(shapes))('%s: minhop and updn entry for entry, sssp by loads', async (_, make) => {
    const source = await serve(make());
    const { fabric, identity } = source;
    expect(changedEntries(tablesOf(source, 'minhop'), routeMinhop(fabric, identity))).toBe(0);
    const root = fabric.nodeKind.indexOf(1);
    const file = live!.file('roots', `${guidText(identity.nodeGuid[root]!)}\n`);
    expect(changedEntries(tablesOf(source, 'updn', '-a', file), routeUpDown(fabric, identity, [root])!)).toBe(0);
    const own = routeSssp(fabric, identity);
    const theirs = allToAllLoads(source, tablesOf(source, 'sssp'));
    const ours = allToAllLoads(source, own);
    // shortest ways: the sum of all loads is the same
    expect(ours.reduce((a, b) => a + b, 0)).toBe(theirs.reduce((a, b) => a + b, 0));
    // equal ways are chosen in another order: the largest load differs by a few pairs of hosts
    expect(ours[0]!).toBeLessThanOrEqual(1.25 * theirs[0]! + 1);
    expect(checkDeadlock([own], layeredLanes([own], 8)).cycle).toBeNull();
    // OpenSM loads the tables, those that were searched for as well, and its tool walks them as they are
    const searched = searchedFrom(own);
    expect(allToAllLoads(source, searched)[0]!).toBeLessThanOrEqual(ours[0]!);
    expect(checkDeadlock([searched], layeredLanes([searched], 8)).cycle).toBeNull();
    for (const [name, made] of Object.entries({ dfsssp: own, weft: searched })) walkLive(source, name, made);
  });
});
