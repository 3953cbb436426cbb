// Generated fabrics: SimAI's files to the character where the reference folder exists; everywhere, the shapes by
// formulas of their own.

import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { NodeKind, serverOf, type Fabric } from '../../src/fabric/fabric.js';
import {
  fabricFamilies,
  fabricFileName,
  findFamily,
  generateFabric,
  resolveParameters,
} from '../../src/fabric/generators/catalogue.js';
import { unreachablePair } from '../../src/fabric/connectivity.js';
import { summariseFabric } from '../../src/fabric/summary.js';
import { writeTopology } from '../../src/formats/simai-topology-text.js';
import { referencePath } from '../reference.js';
import { linkEnds, neighbours } from '../support/fabric-links.js';
import { hyperxLinks, torusLinks } from '../support/switch-fabrics.js';

type Given = Readonly<Record<string, unknown>>;

function counts(fabric: Fabric): { hosts: number; nvswitches: number; switches: number; links: number } {
  const { hosts, nvswitches, switches, links } = summariseFabric(fabric);
  return { hosts, nvswitches, switches, links };
}

function problemsOf(name: string, given: Given): string[] {
  const { family, implied } = findFamily(name)!;
  return resolveParameters(family, { ...implied, ...given }).problems.map((problem) => problem.message);
}

/** Rates of the kinds of links of one server, in Gbps. */
function rates(name: string): number[] {
  return summariseFabric(generateFabric(name, { gpus: 8 })).linkClasses.map(({ rateBps }) => rateBps / 1e9);
}

const a100: Given = { gpuType: 'A100', bandwidth: '100Gbps', nvlinkBandwidth: '2400Gbps' };

/** The files of the reference folder, with the parameters that make them. */
const references: [file: string, family: string, given: Given][] = [
  ['Spectrum-X_128g_8gps_100Gbps_A100', 'spectrum-x', { ...a100, gpus: 128 }],
  ['AlibabaHPN_64g_8gps_DualToR_SinglePlane_200Gbps_H100', 'alibaba-hpn', { gpus: 64, pswSwitches: 16 }],
  ['AlibabaHPN_64g_8gps_DualToR_DualPlane_200Gbps_H100', 'alibaba-hpn', { gpus: 64, pswSwitches: 16, dualPlane: true }],
  ['DCN+DualToR_32g_8gps_200Gbps_H100', 'dcn+', { gpus: 32, dualTor: true }],
  ['DCN+SingleToR_16g_8gps_100Gbps_A100', 'dcn+', { ...a100, gpus: 16, nicsPerAsw: 8, aswPswBandwidth: '100Gbps' }],
  ['DCN+SingleToR_16g_8gps_400Gbps_H100', 'dcn+', { gpus: 16, nicsPerAsw: 8, aswSwitches: 2 }],
  ['DCN+SingleToR_8g_8gps_100Gbps_A100', 'dcn+', { ...a100, gpus: 8, nicsPerAsw: 8, aswPswBandwidth: '100Gbps' }],
  ['DCN+SingleToR_8g_8gps_400Gbps_H100', 'dcn+', { gpus: 8 }],
];

describe.each(references)('%s', (file, name, given) => {
  it('has the name that SimAI gives it', () => {
    const { family } = findFamily(name)!;
    expect(fabricFileName(family, resolveParameters(family, given).values!)).toBe(file);
  });

  it.skipIf(referencePath('simai', 'topo') === null)("is SimAI's file, line for line", () => {
    expect(writeTopology(generateFabric(name, given))).toBe(
      readFileSync(referencePath('simai', 'topo', file)!, 'utf8'),
    );
  });
});

describe('datacenter families', () => {
  it('give NICs to every other GPU, if there are half as many, and a leaf to each', () => {
    const rails = generateFabric('spectrum-x', { gpus: 32, nicsPerServer: 4, pswSwitches: 2 });
    // ids: 32 GPUs, 4 NVSwitches, 4 leaves (one per rail), 2 spines
    expect(counts(rails)).toEqual({ hosts: 32, nvswitches: 4, switches: 6, links: 32 + 16 + 8 });
    for (let gpu = 0; gpu < 32; gpu++)
      expect(neighbours(rails, gpu)).toEqual([32 + (gpu >> 3), ...(gpu % 2 === 0 ? [36 + (gpu % 8) / 2] : [])]);
    const three = generateFabric('alibaba-hpn', { gpus: 16, nicsPerServer: 3, pswSwitches: 2 });
    expect([...Array(16).keys()].filter((gpu) => neighbours(three, gpu).length === 3)).toEqual([0, 2, 5, 8, 10, 13]);
    // twelve NICs over leaves of eight
    const blocks = generateFabric('dcn+', { gpus: 24, nicsPerServer: 4, nicsPerAsw: 8, pswSwitches: 1 });
    expect([0, 14, 16, 22].map((gpu) => neighbours(blocks, gpu)[1])).toEqual([27, 27, 28, 28]);
    expect(problemsOf('dcn+', { gpus: 8, nicsPerServer: 9 })).toEqual(['9 NICs for 8 GPUs: a GPU has one at most']);
    expect(resolveParameters(findFamily('spectrum-x')!.family, { gpus: 32, nicsPerServer: 8 }).problems).toEqual([]);
  });

  it('Spectrum-X puts GPU r of every server on leaf r of its segment', () => {
    const fabric = generateFabric('spectrum-x', { gpus: 48, gpusPerServer: 4, nicsPerAsw: 4, pswSwitches: 3 });
    // 12 servers in 3 segments of 4, 4 leaves each; ids: 48 GPUs, 12 NVSwitches, 12 leaves, 3 spines
    expect(counts(fabric)).toEqual({ hosts: 48, nvswitches: 12, switches: 15, links: 48 * 2 + 12 * 3 });
    for (let gpu = 0; gpu < 48; gpu++)
      expect(neighbours(fabric, gpu)).toEqual([48 + Math.floor(gpu / 4), 60 + 4 * Math.floor(gpu / 16) + (gpu % 4)]);
    for (let leaf = 60; leaf < 72; leaf++) expect(neighbours(fabric, leaf).slice(-3)).toEqual([72, 73, 74]);
    expect(serverOf(fabric, 47)).toBe(11);
  });

  it('HPN puts every GPU on two leaves, and two planes never meet', () => {
    const given = { gpus: 32, pswSwitches: 6 };
    const single = generateFabric('alibaba-hpn', given);
    const dual = generateFabric('alibaba-hpn', { ...given, dualPlane: true });
    // ids: 32 GPUs, 4 NVSwitches, leaves 36..43 and 44..51, spines 52..57
    expect(counts(single)).toEqual({ hosts: 32, nvswitches: 4, switches: 22, links: 32 * 3 + 16 * 6 });
    expect(counts(dual)).toEqual({ hosts: 32, nvswitches: 4, switches: 22, links: 32 * 3 + 16 * 3 });
    for (let gpu = 0; gpu < 32; gpu++)
      expect(neighbours(dual, gpu)).toEqual([32 + Math.floor(gpu / 8), 36 + (gpu % 8), 44 + (gpu % 8)]);
    expect(neighbours(dual, 43).slice(-3)).toEqual([52, 53, 54]);
    expect(neighbours(dual, 44).slice(-3)).toEqual([55, 56, 57]);
    expect(neighbours(single, 44).slice(-6)).toEqual([52, 53, 54, 55, 56, 57]);
    expect(unreachablePair(dual)).toBeNull();
  });

  it('DCN+ fills leaves in blocks, two leaves per block with dual ToR', () => {
    const single = generateFabric('dcn+', { gpus: 40, nicsPerAsw: 16, pswSwitches: 2 });
    for (let gpu = 0; gpu < 40; gpu++) expect(neighbours(single, gpu)[1]).toBe(45 + Math.floor(gpu / 16));
    const dual = generateFabric('dcn+', { gpus: 40, nicsPerAsw: 16, pswSwitches: 2, dualTor: true });
    for (let gpu = 0; gpu < 40; gpu++)
      expect(neighbours(dual, gpu).slice(1)).toEqual([45 + Math.floor(gpu / 16), 48 + Math.floor(gpu / 16)]);
  });

  it('several NVSwitches per server are each linked to all of its GPUs', () => {
    const fabric = generateFabric('spectrum-x', { gpus: 128, nvswitchesPerServer: 4, pswSwitches: 1 });
    expect(counts(fabric)).toEqual({ hosts: 128, nvswitches: 64, switches: 9, links: 128 * 5 + 8 });
    expect(neighbours(fabric, 13).slice(0, 4)).toEqual([132, 133, 134, 135]);
    expect(neighbours(fabric, 135)).toEqual([8, 9, 10, 11, 12, 13, 14, 15]);
    expect([...fabric.nodeKind.subarray(128, 192)].every((kind) => kind === NodeKind.nvswitch)).toBe(true);
  });

  it.each([
    ['spectrum-x', {}, 4096, 512, 64 + 64],
    ['alibaba-hpn', {}, 15360, 1920, 240 + 120],
    ['AlibabaHPN-DualPlane', {}, 15360, 1920, 240 + 120],
    ['dcn+', {}, 512, 64, 8 + 8],
    ['DCN-DualToR', {}, 512, 64, 8 + 8],
  ] as const)("%s has the source's size by default", (name, given, hosts, nvswitches, switches) => {
    expect(counts(generateFabric(name, given))).toMatchObject({ hosts, nvswitches, switches });
  });

  it('defaults follow the flags', () => {
    expect(rates('dcn+')).toEqual([2880, 400, 400]);
    expect(rates('dcn-dualtor')).toEqual([2880, 200, 400]);
    expect(rates('alibaba-hpn')).toEqual([2880, 200, 400]);
  });
});

describe('parameters that do not fit are refused', () => {
  it.each<[string, Given, string]>([
    ['spectrum-x', { aswSwitches: 8 }, '4096 GPUs need 64 leaf switches with 64 NICs each, 8 were asked for'],
    ['spectrum-x', { gpus: 8192 }, 'every spine switch has to take 128 leaf switches, it takes 64'],
    ['spectrum-x', { gpus: 20 }, '20 GPUs do not fill servers of 8'],
    ['alibaba-hpn', { pswSwitches: 121, dualPlane: true }, '121 spine switches cannot be divided into two planes'],
    ['fat-tree', { k: 5 }, 'a k-ary fat tree has switches with an even number of ports'],
    ['fat-tree', { k: 4, cores: 2 }, 'k alone gives the whole shape of the tree'],
    [
      'fat-tree',
      { pods: 2, edgesPerPod: 2, hostsPerEdge: 2, aggregationPerPod: 2 },
      '2 pods need core switches between them',
    ],
    [
      'fat-tree',
      { pods: 2, edgesPerPod: 2, hostsPerEdge: 2 },
      '4 edge switches need aggregation or core switches between them',
    ],
    [
      'fat-tree',
      { pods: 2, edgesPerPod: 2, hostsPerEdge: 2, aggregationPerPod: 2, cores: 3 },
      '3 core switches cannot be shared out among 2 aggregation switches per pod',
    ],
    ['fat-tree', { k: 1_000_000 }, 'the fabric would be larger than Weft can hold'],
    ['leaf-spine', { leaves: 3, hostsPerLeaf: 3, gpusPerServer: 2 }, '9 hosts do not fill servers of 2'],
    ['torus', { width: 3, height: 3, hostsPerSwitch: 1, gpusPerServer: 2 }, '9 hosts do not fill servers of 2'],
    ['hyperx', { width: 1_000_000 }, 'the fabric would be larger than Weft can hold'],
    ['dragonfly+', { groups: 3, gpusPerServer: 5 }, '12 hosts do not fill servers of 5'],
    ['dumbbell', { leftHosts: 1_000_000, rightHosts: 1_000_000 }, 'the fabric would be larger than Weft can hold'],
    ['dumbbell', { leftHost: 1 }, 'dumbbell has no parameter leftHost'],
    ['dumbbell', { leftHosts: 1.5 }, 'the parameter has no usable value'],
    ['dumbbell', { hostRate: '0.5bps' }, 'the rate is out of range'],
    ['dcn+', { gpuType: 'TPU' }, 'the parameter has no usable value'],
  ])('%s %o', (name, given, message) => {
    expect(problemsOf(name, given)).toEqual([message]);
  });
});

describe('general families', () => {
  it.each([2, 4, 8])('a %i-ary fat tree has k^3/4 hosts, 5k^2/4 switches, 3k^3/4 links and full bisection', (k) => {
    const fabric = generateFabric('fat-tree', { k });
    expect(counts(fabric)).toEqual({
      hosts: k ** 3 / 4,
      nvswitches: 0,
      switches: (5 * k * k) / 4,
      links: (3 * k ** 3) / 4,
    });
    const { switchesByTier, unreachable } = summariseFabric(fabric);
    expect(switchesByTier).toEqual([(k * k) / 2, (k * k) / 2, (k * k) / 4]);
    expect(unreachable).toBeNull();
    for (let node = fabric.hosts.length; node < fabric.nodeCount; node++)
      expect(neighbours(fabric, node)).toHaveLength(k);
  });

  it('a core has one link to every pod', () => {
    const fabric = generateFabric('fat-tree', { k: 6 });
    const firstCore = fabric.nodeCount - 9;
    const firstAggregation = firstCore - 18;
    for (let core = firstCore; core < fabric.nodeCount; core++) {
      expect(neighbours(fabric, core).map((node) => Math.floor((node - firstAggregation) / 3))).toEqual([
        0, 1, 2, 3, 4, 5,
      ]);
    }
  });

  it('a tapered tree has the given shape and rates', () => {
    const fabric = generateFabric('fat-tree', {
      pods: 3,
      edgesPerPod: 2,
      hostsPerEdge: 8,
      aggregationPerPod: 2,
      cores: 2,
      hostRate: '25Gbps',
      aggregationRate: '100Gbps',
      coreRate: '400Gbps',
      coreLatency: '3us',
      gpusPerServer: 4,
    });
    // twelve servers of four, each around an NVSwitch
    expect(counts(fabric)).toEqual({ hosts: 48, nvswitches: 12, switches: 6 + 6 + 2, links: 48 + 48 + 12 + 6 });
    expect(
      summariseFabric(fabric).linkClasses.map(({ rateBps, latencyPs, count }) => [
        rateBps / 1e9,
        latencyPs / 1e6,
        count,
      ]),
    ).toEqual([
      [2880, 0.025, 48],
      [25, 1, 48],
      [100, 1, 12],
      [400, 3, 6],
    ]);
    expect(linkEnds(fabric).slice(-6)).toEqual([
      [66, 72],
      [67, 73],
      [68, 72],
      [69, 73],
      [70, 72],
      [71, 73],
    ]);
  });

  it('two levels: one pod without cores, or edges straight to cores', () => {
    const pod = generateFabric('fat-tree', { pods: 1, edgesPerPod: 3, hostsPerEdge: 2, aggregationPerPod: 2 });
    const flat = generateFabric('fat-tree', { pods: 3, edgesPerPod: 1, hostsPerEdge: 2, cores: 2 });
    expect(linkEnds(pod)).toEqual(linkEnds(flat));
    expect(linkEnds(generateFabric('leaf-spine', { leaves: 3, spines: 2, hostsPerLeaf: 2 }))).toEqual(linkEnds(flat));
  });

  it('leaf-spine makes parallel links', () => {
    const fabric = generateFabric('leaf-spine', {
      leaves: 2,
      spines: 2,
      hostsPerLeaf: 1,
      linksPerSpine: 2,
      spineRate: '40Gbps',
    });
    expect(linkEnds(fabric)).toEqual([
      [0, 2],
      [1, 3],
      [2, 4],
      [2, 4],
      [2, 5],
      [2, 5],
      [3, 4],
      [3, 4],
      [3, 5],
      [3, 5],
    ]);
    expect(fabric.linkRateBps[9]).toBe(40e9);
  });

  it.each([
    [2, 1, 1],
    [3, 3, 1],
    [4, 2, 3],
    [5, 1, 2],
  ])('tori and HyperX of %i x %i x %i have the links of their definitions', (width, height, depth) => {
    const given = { width, height, depth, hostsPerSwitch: 1 };
    const switches = width * height * depth;
    for (const [name, links] of [
      ['torus', torusLinks([width, height, depth])],
      ['hyperx', hyperxLinks([width, height, depth])],
    ] as const)
      expect(linkEnds(generateFabric(name, given)).slice(switches).map(ascending).sort(byEnds)).toEqual(
        links.map(([a, b]) => ascending([a + switches, b + switches])).sort(byEnds),
      );
  });

  it.each([
    [3, 2, 2, 1],
    [5, 2, 3, 1],
    [9, 1, 4, 2],
  ])('a dragonfly+ of %i groups, %i leaves, %i spines, %i links a pair', (groups, leaves, spines, pairLinks) => {
    const size = leaves + spines;
    const fabric = generateFabric('dragonfly+', {
      groups,
      leavesPerGroup: leaves,
      spinesPerGroup: spines,
      hostsPerLeaf: 2,
      linksPerGroupPair: pairLinks,
    });
    const first = fabric.hosts.length;
    const between = linkEnds(fabric)
      .map((ends) => ends.map((node) => node - first))
      .filter((ends) => Math.min(...ends) >= 0);
    const groupOf = (at: number): number => Math.floor(at / size);
    const perPair = new Map<string, number>();
    const perSpine = new Map<number, number>();
    for (const [a, b] of between as [number, number][]) {
      if (groupOf(a) === groupOf(b)) {
        expect([a % size < leaves, b % size < leaves]).toEqual([true, false]);
        continue;
      }
      expect(Math.min(a % size, b % size)).toBeGreaterThanOrEqual(leaves);
      perPair.set(`${groupOf(a)} ${groupOf(b)}`, (perPair.get(`${groupOf(a)} ${groupOf(b)}`) ?? 0) + 1);
      for (const spine of [a, b]) perSpine.set(spine, (perSpine.get(spine) ?? 0) + 1);
    }
    expect([...perPair.values()]).toEqual(Array<number>((groups * (groups - 1)) / 2).fill(pairLinks));
    const own = [...perSpine.values()];
    expect(Math.max(...own) - Math.min(...own)).toBeLessThanOrEqual(1);
    expect(perSpine.size).toBe(Math.min(groups * spines, groups * (groups - 1) * pairLinks));
    expect(between.length - pairLinks * perPair.size).toBe(groups * leaves * spines);
  });

  it("the dumbbell's last link is the bottleneck", () => {
    const fabric = generateFabric('dumbbell', {
      leftHosts: 2,
      rightHosts: 1,
      bottleneckRate: '10Gbps',
      bottleneckLatency: '5ms',
    });
    expect(linkEnds(fabric)).toEqual([
      [0, 3],
      [1, 3],
      [2, 4],
      [3, 4],
    ]);
    expect([fabric.linkRateBps[3], fabric.linkLatencyPs[3]]).toEqual([10e9, 5e9]);
  });

  it("the wide-area dumbbell's first link is the long one", () => {
    const fabric = generateFabric('wan-dumbbell', { bottleneckLatency: '5ms' });
    expect(linkEnds(fabric)).toEqual([
      [0, 2],
      [1, 2],
    ]);
    expect(Array.from(fabric.linkLatencyPs)).toEqual([5e9, 1e6]);
  });

  it('every family generates with its defaults, and every alias names a parameter', () => {
    for (const family of fabricFamilies) {
      if (family.name === 'alibaba-hpn' || family.name === 'spectrum-x') continue;
      expect(unreachablePair(generateFabric(family.name))).toBeNull();
      for (const key of Object.values(family.aliases)) expect(Object.keys(family.settings)).toContain(key);
    }
  });
});

function ascending(ends: readonly number[]): number[] {
  return [...ends].sort((a, b) => a - b);
}

function byEnds([a = 0, b = 0]: readonly number[], [c = 0, d = 0]: readonly number[]): number {
  return a - c || b - d;
}
