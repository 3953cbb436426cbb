// Every parameter of every family of fabrics does something: another value gives another topology file, or, where the
// parameter only checks, is refused.

import { describe, expect, it } from 'vitest';
import {
  fabricFamilies,
  findFamily,
  generateFabric,
  resolveParameters,
} from '../../src/fabric/generators/catalogue.js';
import { writeTopology } from '../../src/formats/simai-topology-text.js';

type Given = Readonly<Record<string, unknown>>;

/** A small fabric of the family, and other values of its parameters. */
interface Family {
  readonly base: Given;
  readonly others: Given;
  /** where a parameter needs others beside it */
  readonly beside?: Readonly<Record<string, Given>>;
  /** parameters that give the fabric nothing: a value that does not fit is refused */
  readonly checks?: Given;
}

const datacenter: Given = { gpus: 16, gpusPerServer: 4, nicsPerAsw: 4, pswSwitches: 4, aswPerPsw: 16 };
const otherDatacenter: Given = {
  gpus: 32,
  gpusPerServer: 2,
  gpuType: 'A800',
  nvswitchesPerServer: 2,
  nicsPerServer: 1,
  nvlinkBandwidth: '100Gbps',
  nvlinkLatency: '1us',
  bandwidth: '25Gbps',
  latency: '3us',
  nicsPerAsw: 2,
  pswSwitches: 2,
  aswPswBandwidth: '50Gbps',
  errorRate: 0.5,
};
const checks: Given = { aswSwitches: 3, aswPerPsw: 1 };

/** What is in servers of a family that counts hosts: without effect until servers have several of them. */
const otherServers: Given = {
  gpuType: 'A800',
  nvswitchesPerServer: 2,
  nvlinkBandwidth: '100Gbps',
  nvlinkLatency: '1us',
};
const inServers = Object.fromEntries(Object.keys(otherServers).map((name) => [name, { gpusPerServer: 2 }]));

const otherGrid: Given = {
  width: 3,
  height: 3,
  depth: 2,
  hostsPerSwitch: 1,
  linksPerNeighbour: 2,
  hostRate: '1Gbps',
  switchRate: '1Gbps',
  hostLatency: '9us',
  switchLatency: '9us',
  gpusPerServer: 2,
  ...otherServers,
  errorRate: 0.5,
};

const families: Readonly<Record<string, Family>> = {
  'spectrum-x': { base: datacenter, others: otherDatacenter, checks },
  'alibaba-hpn': { base: datacenter, others: { ...otherDatacenter, dualPlane: true }, checks },
  'dcn+': { base: datacenter, others: { ...otherDatacenter, dualTor: true }, checks },
  'fat-tree': {
    base: { k: 4 },
    others: {
      k: 6,
      pods: 3,
      edgesPerPod: 3,
      hostsPerEdge: 3,
      aggregationPerPod: 1,
      cores: 4,
      coreGroups: 1,
      hostRate: '1Gbps',
      aggregationRate: '1Gbps',
      coreRate: '1Gbps',
      hostLatency: '9us',
      aggregationLatency: '9us',
      coreLatency: '9us',
      gpusPerServer: 2,
      ...otherServers,
      errorRate: 0.5,
    },
    beside: {
      ...inServers,
      ...Object.fromEntries(
        ['pods', 'edgesPerPod', 'hostsPerEdge', 'aggregationPerPod', 'cores', 'coreGroups'].map((name) => [
          name,
          { k: 0, pods: 2, edgesPerPod: 2, hostsPerEdge: 2, aggregationPerPod: 2, cores: 2 },
        ]),
      ),
    },
  },
  'leaf-spine': {
    base: {},
    others: {
      leaves: 2,
      spines: 2,
      hostsPerLeaf: 2,
      linksPerSpine: 2,
      hostRate: '1Gbps',
      spineRate: '1Gbps',
      hostLatency: '9us',
      spineLatency: '9us',
      gpusPerServer: 2,
      ...otherServers,
      errorRate: 0.5,
    },
    beside: inServers,
  },
  torus: { base: {}, others: otherGrid, beside: inServers },
  hyperx: { base: {}, others: otherGrid, beside: inServers },
  dragonfly: {
    base: { groups: 3 },
    others: {
      groups: 4,
      hostsPerSwitch: 3,
      switchesPerGroup: 3,
      globalLinksPerSwitch: 1,
      linksPerGroupPair: 2,
      hostRate: '1Gbps',
      localRate: '1Gbps',
      globalRate: '1Gbps',
      hostLatency: '9us',
      localLatency: '9us',
      globalLatency: '9us',
      gpusPerServer: 2,
      ...otherServers,
      errorRate: 0.5,
    },
    beside: inServers,
  },
  'dragonfly+': {
    base: { groups: 3 },
    others: {
      groups: 4,
      leavesPerGroup: 3,
      spinesPerGroup: 3,
      hostsPerLeaf: 3,
      linksPerGroupPair: 2,
      hostRate: '1Gbps',
      spineRate: '1Gbps',
      groupRate: '1Gbps',
      hostLatency: '9us',
      spineLatency: '9us',
      groupLatency: '9us',
      gpusPerServer: 2,
      ...otherServers,
      errorRate: 0.5,
    },
    beside: inServers,
  },
  dumbbell: {
    base: {},
    others: {
      leftHosts: 2,
      rightHosts: 2,
      hostRate: '1Gbps',
      hostLatency: '9us',
      bottleneckRate: '1Gbps',
      bottleneckLatency: '9us',
      errorRate: 0.5,
    },
  },
  'wan-dumbbell': {
    base: {},
    others: { rate: '1Gbps', bottleneckLatency: '9us', hostLatency: '9us', errorRate: 0.5 },
  },
};

it('all families are here', () => {
  expect(fabricFamilies.map(({ name }) => name).filter((name) => families[name] === undefined)).toEqual([]);
});

describe.each(Object.entries(families))('%s', (name, { base, others, beside = {}, checks: checking = {} }) => {
  const { family } = findFamily(name)!;

  it.each(Object.keys(family.settings))('%s', (parameter) => {
    if (parameter in checking) {
      expect(resolveParameters(family, base).problems).toEqual([]);
      expect(
        resolveParameters(family, { ...base, [parameter]: checking[parameter] }).problems.map(
          (problem) => problem.parameter,
        ),
      ).toEqual([parameter]);
      return;
    }
    expect(others).toHaveProperty(parameter);
    const given = { ...base, ...beside[parameter] };
    expect(writeTopology(generateFabric(name, { ...given, [parameter]: others[parameter] }))).not.toBe(
      writeTopology(generateFabric(name, given)),
    );
  });
});
