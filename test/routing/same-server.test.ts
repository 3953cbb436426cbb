// Which port a GPU sends by, case by case: NVLink wherever NVSwitches alone lead to the other GPU, else the network.
// The expected ports are written out by hand; choices among several are hashed with the MurmurHash3 that shares nothing
// with the engine's.

import { describe, expect, it } from 'vitest';
import { type Fabric, FabricBuilder, interfaceIndex, NodeKind } from '../../src/fabric/fabric.js';
import { generateFabric } from '../../src/fabric/generators/catalogue.js';
import { equalCostRoutes, type WayWithinServers } from '../../src/routing/equal-cost.js';
import { PathTracer } from '../../src/routing/path.js';
import { headerKey, murmur3 } from '../../validation/murmur3.js';
import { broken, engineRun } from '../support/engine-run.js';
import { scenarioRun } from '../support/scenario-run.js';

const nicSeed = 0x8badf00d;

const tracers: Readonly<Record<WayWithinServers, WeakMap<Fabric, PathTracer>>> = {
  nvlink: new WeakMap(),
  network: new WeakMap(),
};

/** The output ports that a header takes, from the NIC on. */
function portsBetween(
  fabric: Fabric,
  source: number,
  destination: number,
  sourcePort: number,
  destinationPort: number,
  withinServers: WayWithinServers = 'nvlink',
): number[] {
  const known = tracers[withinServers];
  const rules = { nextHopOrder: 'descending-node-id', withinServers } as const;
  const tracer = known.get(fabric) ?? new PathTracer(equalCostRoutes(fabric, rules));
  known.set(fabric, tracer);
  const out = new Int32Array(tracer.maxLength);
  const length = tracer.trace(source, destination, sourcePort, destinationPort, out);
  expect(length).toBeGreaterThan(0);
  return [...out.subarray(0, length)];
}

/** The nodes that a header crosses, without source and destination. */
function nodesBetween(
  fabric: Fabric,
  source: number,
  destination: number,
  sourcePort = 10_000,
  destinationPort = 100,
  withinServers: WayWithinServers = 'nvlink',
): number[] {
  return portsBetween(fabric, source, destination, sourcePort, destinationPort, withinServers)
    .slice(1)
    .map((port) => fabric.portNode[port]!);
}

/** Interface by which a header leaves its source. */
function nicOf(fabric: Fabric, source: number, destination: number): number {
  return interfaceIndex(fabric, portsBetween(fabric, source, destination, 10_000, 100)[0]!);
}

function hashOf(source: number, destination: number, sourcePort: number, destinationPort = 100): number {
  return murmur3(
    headerKey(0x0b000001 + source * 256, 0x0b000001 + destination * 256, sourcePort, destinationPort),
    nicSeed,
  );
}

/**
 * A server of `hosts` GPUs on one leaf; each pair of `links` joins two nodes by NVLink: hosts first, then NVSwitches,
 * then the leaf.
 */
function server(hosts: number, nvswitches: number, links: readonly (readonly [number, number])[]): Fabric {
  const builder = new FabricBuilder(hosts);
  builder.addNodes(NodeKind.host, hosts);
  builder.addNodes(NodeKind.nvswitch, nvswitches);
  const leaf = builder.addNode(NodeKind.switch);
  for (const [a, b] of links) builder.addLink(a, b, 2400e9, 25_000);
  for (let host = 0; host < hosts; host++) builder.addLink(host, leaf, 400e9, 500_000);
  return builder.build();
}

/** every ordered pair of numbers below n */
const pairs = (n: number): [number, number][] =>
  Array.from({ length: n * n }, (_, i): [number, number] => [Math.floor(i / n), i % n]).filter(([a, b]) => a !== b);

describe('the topologies of SimAI', () => {
  // GPUs 0..15 in two servers, NVSwitches 16 and 17; a GPU's interface 1 is its NVLink, 2 (and 3) its NICs
  const families = [
    ['dcn+', { nicsPerAsw: 8 }, 'a leaf for each server'],
    ['dcn+', { nicsPerAsw: 16 }, 'both servers on one leaf'],
    ['spectrum-x', {}, 'a leaf for each rail'],
    ['alibaba-hpn', {}, 'two leaves for each rail'],
  ] as const;

  it.each(families)(
    '%s %j, %s: inside a server over its NVSwitch, between servers over the network',
    (family, parameters) => {
      const fabric = generateFabric(family, { gpus: 16, gpusPerServer: 8, ...parameters });
      for (const [a, b] of pairs(16)) {
        const isSameServer = a >> 3 === b >> 3;
        if (isSameServer) {
          expect(nodesBetween(fabric, a, b)).toEqual([16 + (a >> 3)]);
          expect(nicOf(fabric, a, b)).toBe(1);
        } else {
          expect(nicOf(fabric, a, b)).toBeGreaterThan(1);
          for (const node of nodesBetween(fabric, a, b)) expect(fabric.nodeKind[node]).toBe(NodeKind.switch);
        }
      }
    },
  );

  it('hash over the NVSwitches of a server that has several, descending by id, data and acknowledgements each on their own', () => {
    const fabric = generateFabric('dcn+', { gpus: 16, gpusPerServer: 8, nicsPerAsw: 8, nvswitchesPerServer: 4 });
    const used = new Set<number>();
    for (const [a, b] of pairs(8)) {
      // NVSwitches 16..19 serve the first server
      for (let port = 10_000; port < 10_008; port++) {
        const nodes = nodesBetween(fabric, a, b, port);
        expect(nodes).toEqual([19 - (hashOf(a, b, port) % 4)]);
        expect(nodesBetween(fabric, b, a, 100, port)).toEqual([19 - (hashOf(b, a, 100, port) % 4)]);
        used.add(nodes[0]!);
      }
    }
    expect(used.size).toBe(4);
  });
});

describe('a GPU whose NVLink is missing', () => {
  it('uses its NIC, and so do others towards it; those between themselves do not', () => {
    const fabric = server(4, 1, [
      [0, 4],
      [1, 4],
      [2, 4],
    ]);
    for (const [a, b] of pairs(4))
      expect(nodesBetween(fabric, a, b), `${a} to ${b}`).toEqual([a === 3 || b === 3 ? 5 : 4]);
    const run = engineRun(fabric, [
      [3, 0, 100_000],
      [0, 3, 100_000],
      [1, 2, 100_000],
    ]);
    expect([run.state, broken(run)]).toEqual(['finished', []]);
  });

  it('to one of several NVSwitches is reached through the others', () => {
    const fabric = server(3, 2, [
      [0, 3],
      [0, 4],
      [1, 3],
      [1, 4],
      [2, 4],
    ]);
    for (let port = 10_000; port < 10_020; port++) {
      expect(nodesBetween(fabric, 0, 2, port)).toEqual([4]);
      expect(nodesBetween(fabric, 2, 1, port)).toEqual([4]);
      expect(nodesBetween(fabric, 0, 1, port)).toEqual([4 - (hashOf(0, 1, port) % 2)]);
    }
  });
});

describe('where NVLink is the longer way', () => {
  // as in a server of two boards: GPUs 0 and 1 on NVSwitch 4, 2 and 3 on 5, all on one leaf
  const boards = server(4, 2, [
    [0, 4],
    [1, 4],
    [2, 5],
    [3, 5],
    [4, 5],
  ]);

  it('GPUs of one server use it all the same', () => {
    expect(nodesBetween(boards, 0, 1)).toEqual([4]);
    expect(nodesBetween(boards, 0, 3)).toEqual([4, 5]);
    expect(nodesBetween(boards, 3, 0)).toEqual([5, 4]);
  });

  it('over many NVSwitches, too: the packets arrive, data and acknowledgements by NVLink', () => {
    // a chain of six NVSwitches (2..7) beside the leaf (8)
    const chain = server(2, 6, [
      [0, 2],
      [2, 3],
      [3, 4],
      [4, 5],
      [5, 6],
      [6, 7],
      [7, 1],
    ]);
    expect(nodesBetween(chain, 0, 1)).toEqual([2, 3, 4, 5, 6, 7]);
    let onLeaf = 0;
    const run = engineRun(chain, [[0, 1, 50_000]], {
      onArrival: (_, port) => (onLeaf += chain.portNode[port] === 8 ? 1 : 0),
    });
    expect([run.state, broken(run), onLeaf]).toEqual(['finished', [], 0]);
    expect(run.hops.map(({ node }) => node)).toEqual([2, 3, 4, 5, 6, 7]);
  });

  it('GPUs of different servers that NVSwitches alone join use it as well', () => {
    // a rack: two servers of one GPU, an NVSwitch each, a third above them; both GPUs also on one leaf
    const builder = new FabricBuilder(1);
    builder.addNodes(NodeKind.host, 2);
    builder.addNodes(NodeKind.nvswitch, 3);
    builder.addNode(NodeKind.switch);
    for (const [a, b] of [
      [0, 2],
      [1, 3],
      [2, 4],
      [3, 4],
      [0, 5],
      [1, 5],
    ] as const)
      builder.addLink(a, b, 400e9, 1000);
    expect(nodesBetween(builder.build(), 0, 1)).toEqual([2, 4, 3]);
  });

  it('a cable from GPU to GPU is shorter than either', () => {
    expect(
      nodesBetween(
        server(2, 1, [
          [0, 2],
          [1, 2],
          [0, 1],
        ]),
        0,
        1,
      ),
    ).toEqual([]);
  });
});

/** The same, where the network goes before NVLink. */
function network(fabric: Fabric, a: number, b: number, port = 10_000): number[] {
  return nodesBetween(fabric, a, b, port, 100, 'network');
}

describe('the network within servers', () => {
  it('takes the ordinary ways: the common leaf, or leaf, spine, leaf', () => {
    // 16 GPUs, NVSwitches 16 and 17, leaves from 18
    const dcn = generateFabric('dcn+', { gpus: 16, gpusPerServer: 8, nicsPerAsw: 8 });
    const rails = generateFabric('spectrum-x', { gpus: 16, gpusPerServer: 8 });
    for (const [a, b] of pairs(16)) {
      if (a >> 3 !== b >> 3) expect(network(dcn, a, b)).toEqual(nodesBetween(dcn, a, b));
      else expect(network(dcn, a, b)).toEqual([18 + (a >> 3)]);
      const nodes = network(rails, a, b);
      const [first, last] = [18 + (a % 8), 18 + (b % 8)];
      if (first === last) expect(nodes).toEqual([first]);
      else {
        expect([nodes[0], nodes[2], nodes.length]).toEqual([first, last, 3]);
        expect(rails.nodeKind[nodes[1]!]).toBe(NodeKind.switch);
      }
    }
  });

  it('leaves NVLink to a GPU without NIC, and NVSwitches to transfers that end there', () => {
    const builder = new FabricBuilder(3);
    builder.addNodes(NodeKind.host, 3);
    builder.addNode(NodeKind.nvswitch);
    builder.addNode(NodeKind.switch);
    for (const host of [0, 1, 2]) builder.addLink(host, 3, 2400e9, 25_000);
    for (const host of [0, 1]) builder.addLink(host, 4, 400e9, 500_000);
    const fabric = builder.build();
    expect([network(fabric, 0, 1), network(fabric, 1, 0)]).toEqual([[4], [4]]);
    expect([network(fabric, 0, 2), network(fabric, 2, 1)]).toEqual([[3], [3]]);
    expect(portsBetween(fabric, 0, 3, 1, 2, 'network').map((port) => fabric.portNode[port])).toEqual([0]);
    expect(portsBetween(fabric, 3, 1, 1, 2, 'network').map((port) => fabric.portNode[port])).toEqual([3]);
  });

  // 100 MB at 100 Gb/s take 8 ms and a little for headers, at NVLink's 2880 Gb/s 0.28 ms
  it.each(['packet', 'fluid', 'analytical'])('is the way of transfers on the backend %s', async (backend) => {
    const scenario = `name: s\nbackend: ${backend}\nfabric: { generate: dcn+, gpus: 8, bandwidth: 100Gbps }\ntraffic: { transfers: [ { source: 0, destination: 5, size: 100MB } ] }\n`;
    const times: number[] = [];
    for (const way of ['nvlink', 'network'])
      times.push((await scenarioRun(scenario, [`routing.withinServers=${way}`])).summary.simulatedPs);
    expect(times[0]! / 1e9).toBeLessThan(0.4);
    expect(times[1]! / 1e9).toBeGreaterThan(8);
    expect(times[1]! / 1e9).toBeLessThan(8.3);
  });

  // two channels share each NIC: 14 steps x 2 x 1 MiB at 400 Gb/s are 587 us, and latencies 56 (8.4 + 14 x 3.4)
  it.each(['packet', 'fluid', 'analytical'])('is the way of collectives on the backend %s', async (backend) => {
    const scenario = `name: s\nbackend: ${backend}\nfabric: { generate: spectrum-x, gpus: 8, gpuType: A100, bandwidth: 400Gbps }\ncollectives: { profile: document }\nworkload: { file: w.txt, tensorParallel: 8 }\n`;
    const file = `HYBRID_TRANSFORMER_FWD_IN_BCKWD model_parallel_NPU_group: 8 ep: 1 pp: 1 vpp: 1 ga: 1 all_gpus: 8 checkpoints: 0 checkpoint_initiates: 0 pp_comm: 0\n1\nlayer -1 1 ALLREDUCE ${2 ** 24} 1 NONE 0 1 NONE 0 1\n`;
    const run = await scenarioRun(scenario, ['routing.withinServers=network'], { 'w.txt': file });
    const microseconds = run.summary.simulatedPs / 1e6;
    expect(microseconds).toBeGreaterThan(587 + 56);
    expect(microseconds).toBeLessThan(1.15 * (587 + 56));
  });
});
