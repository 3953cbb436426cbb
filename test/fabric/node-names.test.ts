// Names of nodes: every family's nodes have names that lead back to them, and what a name means follows from how the
// family says that it numbers and wires nodes.

import { describe, expect, it } from 'vitest';
import { FabricBuilder, NodeKind, type Fabric } from '../../src/fabric/fabric.js';
import { generateFabric } from '../../src/fabric/generators/catalogue.js';
import { idRanges, looksLikeNodeName, NodeNames, type NodeNameProblem } from '../../src/fabric/node-names.js';

const node = (fabric: Fabric, name: string): number => {
  const found = new NodeNames(fabric).find(name);
  return 'node' in found ? found.node : -1;
};
const problem = (fabric: Fabric, name: string): NodeNameProblem => {
  const found = new NodeNames(fabric).find(name);
  if ('node' in found) throw new Error(`${name} is node ${found.node}`);
  return found;
};

describe.each([
  ['spectrum-x', { gpus: 32, nicsPerAsw: 2, pswSwitches: 4 }],
  ['alibaba-hpn', { gpus: 32, pswSwitches: 4, dualPlane: true }],
  ['dcn+', { gpus: 32, nicsPerAsw: 8, nvswitchesPerServer: 2 }],
  ['fat-tree', { k: 4 }],
  ['fat-tree', { pods: 2, edgesPerPod: 2, hostsPerEdge: 2, cores: 2 }],
  ['leaf-spine', { leaves: 3, spines: 2, hostsPerLeaf: 2 }],
  ['dumbbell', {}],
])('%s %j', (family, parameters) => {
  const fabric = generateFabric(family, parameters);
  const names = new NodeNames(fabric);

  it('each node has one name, which leads back to it', () => {
    const all = Array.from({ length: fabric.nodeCount }, (_, id) => names.nameOf(id));
    expect(new Set(all).size).toBe(fabric.nodeCount);
    expect(all.map((name) => names.find(name))).toEqual(all.map((_, id) => ({ node: id, port: -1 })));
  });

  it('hosts count in order of their ids, and their servers hold them in turn', () => {
    fabric.hosts.forEach((host, rank) => {
      const { gpusPerServer } = fabric;
      expect(node(fabric, `host[${rank}]`)).toBe(host);
      expect(node(fabric, `server[${Math.floor(rank / gpusPerServer)}].gpu[${rank % gpusPerServer}]`)).toBe(host);
    });
  });
});

const words = (fabric: Fabric): string[] =>
  new NodeNames(fabric).tiers.map(({ word, nodes }) => `${word} ${idRanges(nodes)}`);

describe('tiers', () => {
  it('are those of the families', () => {
    // ids count up over hosts, NVSwitches, leaves, spines, cores: the families' invariants
    expect(words(generateFabric('fat-tree', { k: 4 }))).toEqual([
      'host 0-15',
      'leaf 16-23',
      'spine 24-31',
      'core 32-35',
    ]);
    expect(words(generateFabric('dumbbell'))).toEqual(['host 0-7', 'leaf 8-9']);
    expect(words(generateFabric('dcn+', { gpus: 16, nicsPerAsw: 8, pswSwitches: 2 }))).toEqual([
      'host 0-15',
      'nvswitch 16-17',
      'leaf 18-19',
      'spine 20-21',
    ]);
  });

  it('come from the links, not from the order of ids; switches that no host reaches are a tier of their own', () => {
    const builder = new FabricBuilder();
    const spine = builder.addNode(NodeKind.switch);
    const leaf = builder.addNode(NodeKind.switch);
    const host = builder.addNode(NodeKind.host);
    const alone = builder.addNode(NodeKind.switch);
    builder.addLink(host, leaf, 1e9, 0);
    builder.addLink(leaf, spine, 1e9, 0);
    const fabric = builder.build();
    expect(words(fabric)).toEqual([`host ${host}`, `leaf ${leaf}`, `spine ${spine}`, `switch ${alone}`]);
  });

  it('a fifth level and beyond are numbered', () => {
    const builder = new FabricBuilder();
    builder.addNode(NodeKind.host);
    builder.addNodes(NodeKind.switch, 5);
    for (let i = 0; i < 5; i++) builder.addLink(i, i + 1, 1e9, 0);
    expect(words(builder.build())).toEqual(['host 0', 'leaf 1', 'spine 2', 'core 3', 'tier4 4', 'tier5 5']);
  });
});

describe('parts', () => {
  // 32 GPUs in 4 servers; two leaves (sets) for each of 8 GPUs; ids 0-31, NVSwitches 32-35, leaves 36-51, spines 52-55
  const hpn = generateFabric('alibaba-hpn', { gpus: 32, pswSwitches: 4, dualPlane: true });

  it('NICs of a server count over its GPUs and their links, NVLink not counted', () => {
    const names = new NodeNames(hpn);
    for (const [name, gpu, leaf] of [
      ['server[1].nic[0]', 8, 36],
      ['server[1].nic[1]', 8, 44],
      ['server[1].nic[2]', 9, 37],
      ['server[3].nic[15]', 31, 51],
      ['host[9].nic[1]', 9, 45],
      ['gpu[9].nic[1]', 9, 45],
    ] as const) {
      const found = names.find(name);
      expect('node' in found && [found.node, hpn.portNode[hpn.portPeer[found.port]!]]).toEqual([gpu, leaf]);
    }
    // servers with fewer NICs than GPUs: NIC 1 of 2 is that of GPU 4
    const few = generateFabric('spectrum-x', { gpus: 16, nicsPerServer: 2 });
    expect([node(few, 'server[1].nic[0]'), node(few, 'server[1].nic[1]')]).toEqual([8, 12]);
    expect(problem(few, 'host[1].nic[0]').wanted).toBe('a host with NICs');
  });

  it('planes and NVSwitches', () => {
    expect(node(hpn, 'plane[0].leaf[0]')).toBe(36);
    expect(node(hpn, 'plane[1].leaf[0]')).toBe(44);
    expect(node(hpn, 'plane[1].spine[1]')).toBe(55);
    expect(node(hpn, 'server[3].nvswitch[0]')).toBe(35);
    expect(node(hpn, 'nvswitch[3]')).toBe(35);
  });

  it('other words for the same, in any case', () => {
    const tree = generateFabric('fat-tree', { k: 4 });
    for (const name of ['leaf[3]', 'edge[3]', 'ToR[3]', 'asw[3]']) expect(node(tree, name)).toBe(19);
    for (const name of ['spine[1]', 'aggregation[1]', 'PSW[1]']) expect(node(tree, name)).toBe(25);
    for (const name of ['host[2]', 'rank[2]', 'GPU[2]', ' gpu[2] ']) expect(node(tree, name)).toBe(2);
  });

  it.each([
    ['spine[4]', 'spine[0] to spine[3]'],
    ['plane[2].leaf[0]', 'plane[0] to plane[1]'],
    ['plane[0].spine[2]', 'plane[0].spine[0] to plane[0].spine[1]'],
    ['server[4].gpu[0]', 'server[0] to server[3]'],
    ['server[0].gpu[8]', 'server[0].gpu[0] to server[0].gpu[7]'],
    ['server[0].nic[16]', 'server[0].nic[0] to server[0].nic[15]'],
    ['server[0].nvswitch[1]', 'server[0].nvswitch[0], the only one'],
    ['host[3].nic[2]', 'nic[0] to nic[1]'],
    ['server[0]', 'a part of the server, such as server[0].gpu[0]'],
    ['leaf[-1]', 'a name such as host[0], nvswitch[0], leaf[0] or spine[0], counted from 0'],
    ['leaf[0].nic[0].gpu[1]', 'a name such as host[0], nvswitch[0], leaf[0] or spine[0], counted from 0'],
    ['leaf[0].nic[0]', 'host[i].nic[j] where two words follow each other'],
  ])('%s: %s', (name, wanted) => {
    expect(problem(hpn, name)).toEqual({ got: name, wanted });
  });

  it('a word that is not known comes with those that are', () => {
    for (const word of ['spin', 'constructor', '__proto__'])
      expect(problem(hpn, `${word}[0]`)).toMatchObject(
        word.startsWith('_')
          ? { got: '__proto__[0]' }
          : { unknown: { word, known: ['host', 'nvswitch', 'leaf', 'spine', 'server'] } },
      );
    expect(problem(hpn, 'server[0].nik[0]').unknown).toEqual({ word: 'nik', known: ['gpu', 'nvswitch', 'nic'] });
  });
});

it('a name is known by its bracket', () => {
  for (const text of ['leaf[3]', ' a[', 'server[1].nic[0]', 'leaf[']) expect(looksLikeNodeName(text)).toBe(true);
  for (const text of ['16', '16-20', 'leaf', '[3]', '16:3', '']) expect(looksLikeNodeName(text)).toBe(false);
});

it('ids are written as ranges', () => {
  expect(idRanges([1, 2, 3, 7, 9, 10])).toBe('1-3, 7, 9-10');
  expect(idRanges([1, 3, 5, 7, 9, 11])).toBe('1, 3, 5, 7, and 2 more ranges');
  expect(idRanges([])).toBe('');
});
