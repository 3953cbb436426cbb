// Servers are servers in every family: tensor parallelism takes NVLink, whatever stands outside.
// Oracle: Spectrum-X, whose servers the trials found right.

import { describe, expect, it } from 'vitest';
import { type Fabric, NodeKind } from '../../src/fabric/fabric.js';
import { fabricFamilies, generateFabric } from '../../src/fabric/generators/catalogue.js';
import { nvswitchEnds } from '../support/nvswitch-ends.js';
import { expectSameTimes, shapes } from '../support/within-server.js';

describe('a server of eight GPUs', () => {
  it('is in every family that has servers', () => {
    const withServers = fabricFamilies.filter(({ settings }) => Object.hasOwn(settings, 'gpusPerServer'));
    expect(withServers.map(({ name }) => name).sort()).toEqual(Object.keys(shapes).sort());
  });

  // with NVLink and without; others: servers.slow.test.ts
  it.each(['H100', 'L40S'])('of %s reduces in the same time in all of them', expectSameTimes);
});

/** GPUs of a server of GB200s. */
function sized(name: string, given: object): number {
  return generateFabric(name, { ...given, gpuType: 'GB200' }).gpusPerServer;
}

describe('a family that counts hosts', () => {
  it('has an NVSwitch and H100s where it has servers', () => {
    const fabric = generateFabric('leaf-spine', { gpusPerServer: 4 });
    expect([fabric.gpuType, fabric.gpusPerServer, nvswitchEnds(fabric)]).toEqual([
      'H100',
      4,
      // 16 hosts, then their four NVSwitches
      [16, 17, 18, 19].flatMap((nvswitch) => Array.from({ length: 4 }, (_, i) => [(nvswitch - 16) * 4 + i, nvswitch])),
    ]);
  });

  it('has servers where it has a type of GPU', () => {
    const fabric = generateFabric('fat-tree', { k: 8, gpuType: 'A100' });
    expect([fabric.gpuType, fabric.gpusPerServer, nvswitchEnds(fabric).length]).toEqual(['A100', 8, 128]);
  });

  it('has racks as large as its hosts fill, as the datacenter families have', () => {
    expect(sized('leaf-spine', { leaves: 8, hostsPerLeaf: 16 })).toBe(64);
    expect(sized('spectrum-x', { gpus: 128, nicsPerAsw: 128 })).toBe(64);
    expect(sized('fat-tree', { pods: 2, edgesPerPod: 4, hostsPerEdge: 18, aggregationPerPod: 2, cores: 2 })).toBe(72);
    expect(sized('leaf-spine', {})).toBe(16);
  });

  it('takes what is typed: plain hosts, servers without NVSwitches', () => {
    expect(generateFabric('leaf-spine')).toMatchObject({ gpuType: '', gpusPerServer: 1 });
    const plain = generateFabric('leaf-spine', { gpusPerServer: 4, nvswitchesPerServer: 0 });
    expect(nvswitchEnds(plain)).toEqual([]);
    const one = generateFabric('torus', { gpuType: 'B200', gpusPerServer: 1 });
    expect([one.gpuType, nvswitchEnds(one)]).toEqual(['B200', []]);
  });
});

/** Rates of the links between hosts and switches, and between switches, in Gb/s. */
function rates(fabric: Fabric): { readonly host: number[]; readonly beyond: number[] } {
  const [host, beyond] = [new Set<number>(), new Set<number>()];
  for (let link = 0; link < fabric.linkCount; link++) {
    const kinds = new Set([0, 1].map((end) => fabric.nodeKind[fabric.portNode[fabric.linkPorts[2 * link + end]!]!]));
    if (kinds.has(NodeKind.nvswitch)) continue;
    (kinds.has(NodeKind.host) ? host : beyond).add(fabric.linkRateBps[link]! / 1e9);
  }
  return { host: [...host], beyond: [...beyond] };
}

describe('the NIC of a GPU', () => {
  // DGX-2, DGX A100, DGX H100, DGX B200, DGX B300 (NVIDIA's data sheets)
  it.each([
    ['V100', 100],
    ['A100', 200],
    ['H100', 400],
    ['B200', 400],
    ['B300', 800],
  ])('comes with its name: %s has %d Gb/s in every family', (gpuType, nic) => {
    const upTo400 = Math.max(400, nic);
    for (const name of ['spectrum-x', 'dcn+'])
      expect(rates(generateFabric(name, { gpus: 16, gpuType })), name).toEqual({ host: [nic], beyond: [upTo400] });
    // two ports share a NIC
    for (const [name, ports] of [
      ['alibaba-hpn', {}],
      ['dcn+', { dualTor: true }],
    ] as const)
      expect(rates(generateFabric(name, { gpus: 16, gpuType, ...ports })).host, name).toEqual([nic / 2]);
    const twoRacks = { leaves: 2, spines: 2, hostsPerLeaf: 8 };
    expect(rates(generateFabric('leaf-spine', { ...twoRacks, gpuType }))).toEqual({
      host: [nic],
      beyond: [Math.max(100, nic)],
    });
    expect(rates(generateFabric('fat-tree', { k: 4, gpuType, gpusPerServer: 8 })).host).toEqual([nic]);
    expect(rates(generateFabric('torus', { gpuType, gpusPerServer: 1 })).host).toEqual([nic]);
  });

  it('gives way to a rate that is given, and then nothing behind it moves', () => {
    const given = { gpus: 16, gpuType: 'B300', bandwidth: '200Gbps' };
    expect(rates(generateFabric('spectrum-x', given))).toEqual({ host: [200], beyond: [400] });
    const hosts = { leaves: 2, spines: 2, hostsPerLeaf: 8, gpuType: 'B300', hostRate: '50Gbps' };
    expect(rates(generateFabric('leaf-spine', hosts))).toEqual({ host: [50], beyond: [100] });
  });

  it('is the default of the family where nobody names a GPU, and of PCIe cards', () => {
    expect(rates(generateFabric('spectrum-x', { gpus: 16 })).host).toEqual([400]);
    expect(rates(generateFabric('spectrum-x', { gpus: 16, gpuType: 'L40S' })).host).toEqual([400]);
    expect(rates(generateFabric('leaf-spine')).host).toEqual([100]);
  });
});
