// Dragonfly: groups of switches that are all linked to each other, and groups all linked to each other by global links.
// Source: J. Kim, W. J. Dally, S. Scott and D. Abts, "Technology-driven, highly-scalable Dragonfly topology", ISCA
// 2008, section 3: p hosts, a - 1 local and h global links per switch, a switches per group, up to g = a h + 1 groups,
// N = a p g hosts; balanced where a = 2 p = 2 h. Which switch a global link hangs on: the consecutive arrangement, also
// called absolute (E. Hastings and others, "Comparing global link arrangements for Dragonfly networks", CLUSTER 2015).
// Invariants: ids count up over hosts, NVSwitches, then group by group over switches; host i is on switch floor(i / p).
// Global port k of a group is on its switch floor(k / h) and leads to the (k mod (g - 1))-th of the other groups in
// ascending order; a switch with ports left over leaves them free, so that every two groups have as many links.

import { rate, time, type SettingGroup, type SettingValues } from '../../base/settings.js';
import { type FabricBuilder, NodeKind } from '../fabric.js';
import { rateName, type ParameterProblem } from './family.js';
import { defineHostFamily } from './host-family.js';
import { howMany } from './parameters.js';

const settings = {
  hostsPerSwitch: howMany('hosts per switch (p)', 2),
  switchesPerGroup: howMany('switches per group (a); 0 = twice the hosts per switch, which is balanced', 0, 0),
  globalLinksPerSwitch: howMany('links to other groups per switch (h); 0 = as many as hosts, which is balanced', 0, 0),
  groups: howMany('groups (g); 0 = as many as one link between each two allows, a h + 1', 0, 0),
  linksPerGroupPair: howMany('links between each two groups; 0 = as many as the switches have', 0, 0),
  hostRate: rate('100Gbps', 'rate of the links between hosts and switches'),
  localRate: rate('100Gbps', 'rate of the links between switches of a group'),
  globalRate: rate('100Gbps', 'rate of the links between groups'),
  hostLatency: time('1us', 'delay of the links between hosts and switches'),
  localLatency: time('1us', 'delay of the links between switches of a group'),
  globalLatency: time('1us', 'delay of the links between groups'),
} satisfies SettingGroup;

type Values = SettingValues<typeof settings>;

/** The shape, with what follows where nothing was given. */
interface Shape {
  readonly p: number;
  readonly a: number;
  readonly h: number;
  readonly g: number;
  /** links between each two groups */
  readonly pairLinks: number;
}

function shapeOf({
  hostsPerSwitch: p,
  switchesPerGroup,
  globalLinksPerSwitch,
  groups,
  linksPerGroupPair,
}: Values): Shape {
  const a = switchesPerGroup === 0 ? 2 * p : switchesPerGroup;
  const h = globalLinksPerSwitch === 0 ? p : globalLinksPerSwitch;
  const g = groups === 0 ? a * h + 1 : groups;
  const pairLinks = linksPerGroupPair === 0 && g > 1 ? Math.floor((a * h) / (g - 1)) : linksPerGroupPair;
  return { p, a, h, g, pairLinks };
}

function check(values: Values): ParameterProblem[] {
  const { a, h, g, pairLinks } = shapeOf(values);
  if (g === 1 || (pairLinks > 0 && pairLinks * (g - 1) <= a * h)) return [];
  const isTooMany = values.linksPerGroupPair > 0;
  return [
    {
      parameter: isTooMany ? 'linksPerGroupPair' : 'groups',
      code: 'conflicting-parameters',
      message: `${a} switches with ${h} global links each do not join ${g} groups${isTooMany ? ` by ${pairLinks} links` : ''}`,
      got: String(isTooMany ? pairLinks : g),
      wanted: isTooMany ? `at most ${Math.floor((a * h) / (g - 1))}` : `at most ${a * h + 1}`,
    },
  ];
}

function connect(builder: FabricBuilder, values: Values & { readonly errorRate: number }): void {
  const { p, a, h, g, pairLinks } = shapeOf(values);
  const { errorRate } = values;
  const first = builder.addNodes(NodeKind.switch, g * a);
  for (let host = 0; host < p * a * g; host++)
    builder.addLink(host, first + Math.floor(host / p), values.hostRate, values.hostLatency, errorRate);
  for (let group = 0; group < g; group++)
    for (let own = 0; own < a; own++)
      for (let other = own + 1; other < a; other++)
        builder.addLink(
          first + group * a + own,
          first + group * a + other,
          values.localRate,
          values.localLatency,
          errorRate,
        );
  /** the switch of a group with its i-th link to another */
  const towards = (group: number, other: number, i: number): number => {
    const port = i * (g - 1) + (other < group ? other : other - 1);
    return first + group * a + Math.floor(port / h);
  };
  for (let group = 0; group < g; group++)
    for (let other = group + 1; other < g; other++)
      for (let i = 0; i < pairLinks; i++)
        builder.addLink(
          towards(group, other, i),
          towards(other, group, i),
          values.globalRate,
          values.globalLatency,
          errorRate,
        );
}

export const dragonfly = defineHostFamily({
  name: 'dragonfly',
  otherNames: {},
  description: 'groups of switches all linked to each other, each group linked to every other',
  settings,
  hosts: (values) => {
    const { p, a, g } = shapeOf(values);
    return p * a * g;
  },
  outside: (values) => {
    const { p, a, g, pairLinks } = shapeOf(values);
    return { nodes: a * g, links: g * (a * p + (a * (a - 1)) / 2) + ((g * (g - 1)) / 2) * pairLinks };
  },
  check,
  connect,
  fileName: (values) => {
    const { p, a, g } = shapeOf(values);
    return `Dragonfly_${g}g_${p * a * g}h_${rateName(values.hostRate)}`;
  },
});
