// Fat trees are recognised whatever the order of nodes, with hosts, links and whole switches missing; what is none is
// told why.

import { describe, expect, it } from 'vitest';
import { FabricBuilder, NodeKind, type Fabric } from '../../src/fabric/fabric.js';
import { hopCount, irregularity, recogniseFatTree, type FatTree } from '../../src/fabric/fat-tree.js';
import { generateFabric } from '../../src/fabric/generators/catalogue.js';
import { failLinks } from '../../src/fabric/failed-links.js';
import { generatedIdentity } from '../../src/fabric/identity.js';
import { RandomStream } from '../../src/base/random.js';
import { seed } from '../support/seed.js';

function mustRecognise(fabric: Fabric, roots: readonly number[] = []): FatTree {
  const { tree, problem } = recogniseFatTree(fabric, roots);
  expect(problem).toBeNull();
  return tree!;
}

/** The fabric without the links that `drop` chooses; hosts that lose theirs lose nothing else. */
function without(
  fabric: Fabric,
  drop: (a: number, b: number, link: number) => boolean,
  order: readonly number[] = Array.from({ length: fabric.nodeCount }, (_, node) => node),
): Fabric {
  const builder = new FabricBuilder();
  const renamed: number[] = [];
  for (const node of order) renamed[node] = builder.addNode(fabric.nodeKind[node] as NodeKind);
  for (let link = 0; link < fabric.linkCount; link++) {
    const a = fabric.portNode[fabric.linkPorts[2 * link]!]!;
    const b = fabric.portNode[fabric.linkPorts[2 * link + 1]!]!;
    if (!drop(a, b, link)) builder.addLink(renamed[a]!, renamed[b]!, fabric.linkRateBps[link]!, 0);
  }
  return builder.build();
}

describe('quartz1', () => {
  const tree = mustRecognise(generateFabric('quartz1'));
  it("has the dissertation's parts", () => {
    expect(tree).toMatchObject({ levels: 3, podCount: 4, coreGroupCount: 2 });
    expect(tree.switches.map((level) => level.length)).toEqual([96, 64, 48]);
    expect(tree.fabric.portCount).toBe(12_288);
    expect(irregularity(tree)).toBeNull();
  });

  it('counts hops', () => {
    expect([
      hopCount(tree, 5, 5),
      hopCount(tree, 0, 31),
      hopCount(tree, 0, 32),
      hopCount(tree, 0, 767),
      hopCount(tree, 0, 768),
    ]).toEqual([0, 2, 4, 4, 6]);
    // all-to-all: 31 partners on the leaf, 736 in the pod, 2304 elsewhere: 5.48 in Table 3.1
    let hops = 0;
    for (let to = 0; to < 3072; to++) hops += hopCount(tree, 100, to);
    expect(hops / 3071).toBeCloseTo(5.48, 2);
  });
});

it(`the order of nodes has no meaning (WEFT_SEED=${seed})`, () => {
  const fabric = generateFabric('fat-tree', {
    pods: 3,
    edgesPerPod: 4,
    hostsPerEdge: 3,
    aggregationPerPod: 4,
    cores: 6,
    coreGroups: 2,
  });
  const random = new RandomStream(seed, 'order');
  const order = Array.from({ length: fabric.nodeCount }, (_, node) => [random.nextFraction(), node] as const)
    .sort(([a], [b]) => a - b)
    .map(([, node]) => node);
  const tree = mustRecognise(without(fabric, () => false, order));
  expect(tree).toMatchObject({ levels: 3, podCount: 3, coreGroupCount: 2 });
  expect(tree.switches.map((level) => level.length)).toEqual([12, 12, 6]);
  expect(irregularity(tree)).toBeNull();
});

describe('damage', () => {
  const fabric = generateFabric('fat-tree', {
    pods: 3,
    edgesPerPod: 3,
    hostsPerEdge: 2,
    aggregationPerPod: 2,
    cores: 4,
    coreGroups: 1,
  });
  // 18 hosts, leaves 18..26, spines 27..32, cores 33..36
  it('a missing link leaves levels, pods and groups as they are, but not whole', () => {
    for (const [from, to] of [
      [18, 27],
      [27, 33],
    ] as const) {
      const tree = mustRecognise(without(fabric, (a, b) => a === from && b === to));
      expect(tree).toMatchObject({ levels: 3, podCount: 3, coreGroupCount: 1 });
      expect(irregularity(tree)).not.toBeNull();
    }
  });

  it('a leaf without hosts is still a leaf, a spine without leaves a spine', () => {
    const leafless = mustRecognise(removeHosts(fabric, [0, 1]));
    expect(leafless.switches.map((level) => level.length)).toEqual([9, 6, 4]);
    const spineless = mustRecognise(without(fabric, (a, b) => b === 27 && a < 27));
    expect(spineless.switches.map((level) => level.length)).toEqual([9, 6, 4]);
  });

  it('in two levels, too', () => {
    const flat = generateFabric('fat-tree', { pods: 1, edgesPerPod: 4, hostsPerEdge: 2, aggregationPerPod: 2 });
    expect(mustRecognise(removeHosts(flat, [0, 1])).switches.map((level) => level.length)).toEqual([4, 2]);
    expect(mustRecognise(flat)).toMatchObject({ levels: 2, podCount: 1, coreGroupCount: 0 });
  });

  it('roots may be named', () => {
    expect(mustRecognise(fabric, [33, 34, 35, 36]).switches.map((level) => level.length)).toEqual([9, 6, 4]);
  });

  it('with roots, a spine that lost all links upwards stays one, and so does a leaf that hangs on it alone', () => {
    const roots = [33, 34, 35, 36];
    const spine = without(fabric, (a, b) => a === 27 && b >= 33);
    expect(mustRecognise(spine, roots)).toMatchObject({ levels: 3, nodeLevel: mustRecognise(fabric).nodeLevel });
    const leaf = without(spine, (a, b) => a === 18 && b === 28);
    expect(mustRecognise(leaf, roots)).toMatchObject({ levels: 3, nodeLevel: mustRecognise(fabric).nodeLevel });
  });

  it(`with roots, levels stay whatever links fail, as long as the switches hang together (WEFT_SEED=${seed})`, () => {
    const { nodeLevel } = mustRecognise(fabric);
    const identity = generatedIdentity(fabric, nodeLevel)!;
    let orphans = 0;
    let together = 0;
    for (let draw = seed; draw < seed + 300; draw++) {
      const broken = failLinks({ fabric, identity }, 0.35, draw).fabric;
      const { tree, problem } = recogniseFatTree(broken, [33, 34, 35, 36]);
      if (problem !== null) {
        expect(problem.reason).toMatch(/have no way to the rest/);
        continue;
      }
      together++;
      expect(tree.nodeLevel).toEqual(nodeLevel);
      const { portOffset, portNode, portPeer } = broken;
      const isOrphan = (spine: number): boolean =>
        portPeer.subarray(portOffset[spine], portOffset[spine + 1]).every((peer) => portNode[peer]! < 27);
      if ([27, 28, 29, 30, 31, 32].some(isOrphan)) orphans++;
    }
    expect(together).toBeGreaterThan(30);
    expect(orphans).toBeGreaterThan(0);
  });

  it('parallel links are no obstacle', () => {
    const builder = new FabricBuilder();
    builder.addNodes(NodeKind.host, 4);
    builder.addNodes(NodeKind.switch, 3);
    for (const [a, b] of [
      [0, 4],
      [1, 4],
      [2, 5],
      [3, 5],
      [4, 6],
      [4, 6],
      [5, 6],
      [5, 6],
    ] as const)
      builder.addLink(a, b, 100e9, 0);
    expect(irregularity(mustRecognise(builder.build()))).toBeNull();
    builder.addLink(4, 6, 100e9, 0);
    expect(irregularity(mustRecognise(builder.build()))).not.toBeNull();
  });
});

/** The fabric without some hosts. */
function removeHosts(fabric: Fabric, gone: readonly number[]): Fabric {
  const builder = new FabricBuilder();
  const renamed: number[] = [];
  for (let node = 0; node < fabric.nodeCount; node++)
    renamed[node] = gone.includes(node) ? -1 : builder.addNode(fabric.nodeKind[node] as NodeKind);
  for (let link = 0; link < fabric.linkCount; link++) {
    const [a, b] = [0, 1].map((end) => renamed[fabric.portNode[fabric.linkPorts[2 * link + end]!]!]!);
    if (a! >= 0 && b! >= 0) builder.addLink(a!, b!, 100e9, 0);
  }
  return builder.build();
}

function links(hosts: number, switches: number, pairs: readonly (readonly [number, number])[]): Fabric {
  const builder = new FabricBuilder();
  builder.addNodes(NodeKind.host, hosts);
  builder.addNodes(NodeKind.switch, switches);
  for (const [a, b] of pairs) builder.addLink(a, b, 100e9, 0);
  return builder.build();
}

describe('what is no fat tree', () => {
  it.each<[string, Fabric, RegExp]>([
    [
      'leaves in a ring',
      links(3, 3, [
        [0, 3],
        [1, 4],
        [2, 5],
        [3, 4],
        [4, 5],
        [5, 3],
      ]),
      /level 1 are linked to each other/,
    ],
    [
      'a host with two links',
      links(1, 2, [
        [0, 1],
        [0, 2],
      ]),
      /2 links/,
    ],
    ['hosts face to face', links(2, 0, [[0, 1]]), /two hosts are linked/],
    ['a switch apart', links(1, 2, [[0, 1]]), /no way to the rest/],
    [
      'four levels',
      links(2, 7, [
        [0, 2],
        [1, 3],
        [2, 4],
        [3, 5],
        [4, 6],
        [5, 7],
        [6, 8],
        [7, 8],
      ]),
      /4 levels/,
    ],
    ['servers with NVSwitches', generateFabric('spectrum-x', { gpus: 8 }), /NVSwitches/],
    ['no host', links(0, 2, [[0, 1]]), /no host/],
  ])('%s', (_, fabric, reason) => {
    const { tree, problem } = recogniseFatTree(fabric);
    expect(tree).toBeNull();
    expect(problem!.reason).toMatch(reason);
  });
});
