// Fat trees: k-ary ones (k pods, k^3/4 hosts, full bisection) and general ones of two or three levels with any taper.
// Invariants: ids count up over hosts, NVSwitches, edge, aggregation and core switches. The aggregation switches of a
// pod and the cores are divided into the same number of core groups, in order; an aggregation switch has a link to
// every core of its group and to no other. By default every aggregation switch of a pod is in a group of its own, so
// that every core has exactly one link to every pod.
// Sources: M. Al-Fares, A. Loukissas, A. Vahdat, "A scalable, commodity data center network architecture", SIGCOMM
// 2008; core groups and quartz1: Taffet's dissertation (docs/SOURCES.md), sections 3.3.1 and 3.5.3.

import { rate, time, type SettingGroup, type SettingValues } from '../../base/settings.js';
import { type FabricBuilder, NodeKind } from '../fabric.js';
import { rateName, type FabricSize, type ParameterProblem } from './family.js';
import { defineHostFamily } from './host-family.js';
import { howMany } from './parameters.js';

const settings = {
  k: howMany('ports per switch of a k-ary fat tree (even): k pods, k^3/4 hosts; 0 = give the shape below', 4, 0),
  pods: howMany('pods', 0, 0),
  edgesPerPod: howMany('edge switches per pod', 0, 0),
  hostsPerEdge: howMany('hosts per edge switch', 0, 0),
  aggregationPerPod: howMany('aggregation switches per pod; 0 = two levels, every edge linked to every core', 0, 0),
  cores: howMany('core switches, a multiple of the aggregation switches per pod; 0 = none, for one pod', 0, 0),
  coreGroups: howMany(
    'groups of cores, each linked to its share of the aggregation switches of every pod; 0 = one per aggregation switch',
    0,
    0,
  ),
  hostRate: rate('100Gbps', 'rate of the links between hosts and edge switches'),
  aggregationRate: rate('100Gbps', 'rate of the links between edge and aggregation switches'),
  coreRate: rate('100Gbps', 'rate of the links to core switches'),
  hostLatency: time('1us', 'delay of the links between hosts and edge switches'),
  aggregationLatency: time('1us', 'delay of the links between edge and aggregation switches'),
  coreLatency: time('1us', 'delay of the links to core switches'),
} satisfies SettingGroup;

type Values = SettingValues<typeof settings>;

const shapeKeys = ['pods', 'edgesPerPod', 'hostsPerEdge', 'aggregationPerPod', 'cores', 'coreGroups'] as const;

interface Shape {
  readonly pods: number;
  readonly edgesPerPod: number;
  readonly hostsPerEdge: number;
  readonly aggregationPerPod: number;
  readonly cores: number;
  readonly coreGroups: number;
}

function shapeOf(values: Values): Shape {
  const { k } = values;
  if (k === 0) return { ...values, coreGroups: values.coreGroups === 0 ? values.aggregationPerPod : values.coreGroups };
  const half = k / 2;
  return {
    pods: k,
    edgesPerPod: half,
    hostsPerEdge: half,
    aggregationPerPod: half,
    cores: half * half,
    coreGroups: half,
  };
}

function hosts(values: Values): number {
  const { pods, edgesPerPod, hostsPerEdge } = shapeOf(values);
  return pods * edgesPerPod * hostsPerEdge;
}

function outside(values: Values): FabricSize {
  const { pods, edgesPerPod, aggregationPerPod, cores, coreGroups } = shapeOf(values);
  const edges = pods * edgesPerPod;
  const upperLinks =
    aggregationPerPod === 0
      ? edges * cores
      : edges * aggregationPerPod + (pods * aggregationPerPod * cores) / coreGroups;
  return { nodes: edges + pods * aggregationPerPod + cores, links: hosts(values) + upperLinks };
}

function check(values: Values): ParameterProblem[] {
  const { k } = values;
  const problems: ParameterProblem[] = [];
  if (k > 0) {
    if (k % 2 !== 0)
      problems.push({
        parameter: 'k',
        code: 'bad-parameter',
        message: `a k-ary fat tree has switches with an even number of ports`,
        got: String(k),
        wanted: 'an even number',
      });
    for (const key of shapeKeys) {
      if (values[key] !== 0)
        problems.push({
          parameter: key,
          code: 'conflicting-parameters',
          message: 'k alone gives the whole shape of the tree',
          got: String(values[key]),
          wanted: 'either k, or the shape without k',
        });
    }
  } else {
    for (const key of ['pods', 'edgesPerPod', 'hostsPerEdge'] as const) {
      if (values[key] === 0)
        problems.push({
          parameter: key,
          code: 'missing-parameter',
          message: 'a fat tree without k needs its pods, edge switches per pod and hosts per edge switch',
          got: 'none',
          wanted: '1 or more',
        });
    }
    problems.push(...checkUpperLevels(values));
  }
  return problems;
}

function checkUpperLevels({ pods, edgesPerPod, aggregationPerPod, cores, coreGroups }: Values): ParameterProblem[] {
  if (coreGroups > 0) {
    if (aggregationPerPod === 0 || cores === 0)
      return [
        {
          parameter: 'coreGroups',
          code: 'conflicting-parameters',
          message: 'core groups need aggregation and core switches',
          got: String(coreGroups),
          wanted: '0, or three levels',
        },
      ];
    if (aggregationPerPod % coreGroups !== 0 || cores % coreGroups !== 0) {
      return [
        {
          parameter: 'coreGroups',
          code: 'conflicting-parameters',
          message: `${aggregationPerPod} aggregation switches per pod and ${cores} cores cannot be divided into ${coreGroups} groups`,
          got: String(coreGroups),
          wanted: 'a divisor of both',
        },
      ];
    }
    return [];
  }
  if (aggregationPerPod > 0 && cores % aggregationPerPod !== 0) {
    return [
      {
        parameter: 'cores',
        code: 'conflicting-parameters',
        message: `${cores} core switches cannot be shared out among ${aggregationPerPod} aggregation switches per pod`,
        got: String(cores),
        wanted: `a multiple of ${aggregationPerPod}`,
      },
    ];
  }
  if (cores > 0) return [];
  if (aggregationPerPod > 0 && pods > 1)
    return [
      {
        parameter: 'cores',
        code: 'missing-parameter',
        message: `${pods} pods need core switches between them`,
        got: '0',
        wanted: `a multiple of ${aggregationPerPod}`,
      },
    ];
  if (aggregationPerPod === 0 && pods * edgesPerPod > 1)
    return [
      {
        parameter: 'aggregationPerPod',
        code: 'missing-parameter',
        message: `${pods * edgesPerPod} edge switches need aggregation or core switches between them`,
        got: '0 and no core switches',
        wanted: 'one of the two',
      },
    ];
  return [];
}

function connect(builder: FabricBuilder, values: Values & { readonly errorRate: number }): void {
  const { pods, edgesPerPod, hostsPerEdge, aggregationPerPod, cores, coreGroups } = shapeOf(values);
  const edges = pods * edgesPerPod;
  const firstEdge = builder.addNodes(NodeKind.switch, edges);
  const firstAggregation = builder.addNodes(NodeKind.switch, pods * aggregationPerPod);
  const firstCore = builder.addNodes(NodeKind.switch, cores);
  for (let host = 0; host < edges * hostsPerEdge; host++) {
    builder.addLink(
      host,
      firstEdge + Math.floor(host / hostsPerEdge),
      values.hostRate,
      values.hostLatency,
      values.errorRate,
    );
  }
  const linkToCores = (node: number, from: number, to: number): void => {
    for (let core = from; core < to; core++)
      builder.addLink(node, firstCore + core, values.coreRate, values.coreLatency, values.errorRate);
  };
  for (let edge = 0; edge < edges; edge++) {
    const ownAggregation = firstAggregation + Math.floor(edge / edgesPerPod) * aggregationPerPod;
    for (let i = 0; i < aggregationPerPod; i++)
      builder.addLink(
        firstEdge + edge,
        ownAggregation + i,
        values.aggregationRate,
        values.aggregationLatency,
        values.errorRate,
      );
    if (aggregationPerPod === 0) linkToCores(firstEdge + edge, 0, cores);
  }
  const coresPerGroup = aggregationPerPod === 0 ? 0 : cores / coreGroups;
  const aggregationPerGroup = aggregationPerPod / coreGroups;
  for (let i = 0; i < pods * aggregationPerPod; i++) {
    const group = Math.floor((i % aggregationPerPod) / aggregationPerGroup);
    linkToCores(firstAggregation + i, group * coresPerGroup, (group + 1) * coresPerGroup);
  }
}

export const fatTree = defineHostFamily({
  name: 'fat-tree',
  otherNames: {
    fattree: {},
    quartz1: { pods: 4, edgesPerPod: 24, hostsPerEdge: 32, aggregationPerPod: 16, cores: 48, coreGroups: 2 },
  },
  description: 'k-ary fat tree, or two or three levels of any taper',
  settings,
  impliedDefaults: (given) => (shapeKeys.some((key) => given[key] !== undefined) ? { k: 0 } : {}),
  hosts,
  outside,
  check,
  connect,
  fileName: (values) => {
    const { pods, edgesPerPod, hostsPerEdge, aggregationPerPod, cores } = shapeOf(values);
    const groups = values.coreGroups === 0 ? '' : `_${values.coreGroups}g`;
    const shape =
      values.k > 0
        ? `k${values.k}`
        : `${pods}p_${edgesPerPod}e_${hostsPerEdge}h_${aggregationPerPod}a_${cores}c${groups}`;
    return `FatTree_${shape}_${rateName(values.hostRate)}`;
  },
});
