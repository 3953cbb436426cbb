// Dragonfly+: groups of leaves and spines, every leaf linked to every spine of its group, and spines to those of other
// groups. Source: A. Shpiner, Z. Haramaty, S. Eliad, V. Zdornov, B. Gafni and E. Zahavi, "Dragonfly+: low cost topology
// for scaling datacenters", HiPINEB 2017.
// Invariants: ids count up over hosts, NVSwitches, then group by group over leaves and spines; host h is on leaf
// floor(h / hostsPerLeaf), leaves counted through all groups. A group's links to others are dealt out to its spines in
// turn, beginning with the next group, so that two spines of a group differ by one of them at most.

import { rate, time, type SettingGroup, type SettingValues } from '../../base/settings.js';
import { type FabricBuilder, NodeKind } from '../fabric.js';
import { rateName } from './family.js';
import { defineHostFamily } from './host-family.js';
import { howMany } from './parameters.js';

const settings = {
  groups: howMany('groups', 5),
  leavesPerGroup: howMany('leaf switches per group', 2),
  spinesPerGroup: howMany('spine switches per group', 2),
  hostsPerLeaf: howMany('hosts per leaf switch', 2),
  linksPerGroupPair: howMany('links between each two groups', 1),
  hostRate: rate('100Gbps', 'rate of the links between hosts and leaves'),
  spineRate: rate('100Gbps', 'rate of the links between leaves and spines'),
  groupRate: rate('100Gbps', 'rate of the links between groups'),
  hostLatency: time('1us', 'delay of the links between hosts and leaves'),
  spineLatency: time('1us', 'delay of the links between leaves and spines'),
  groupLatency: time('1us', 'delay of the links between groups'),
} satisfies SettingGroup;

function connect(
  builder: FabricBuilder,
  values: SettingValues<typeof settings> & { readonly errorRate: number },
): void {
  const { groups, leavesPerGroup, spinesPerGroup, hostsPerLeaf, linksPerGroupPair } = values;
  const size = leavesPerGroup + spinesPerGroup;
  const hosts = groups * leavesPerGroup * hostsPerLeaf;
  const first = builder.addNodes(NodeKind.switch, groups * size);
  const leaf = (group: number, place: number): number => first + group * size + place;
  const spine = (group: number, place: number): number => leaf(group, leavesPerGroup + (place % spinesPerGroup));
  for (let host = 0; host < hosts; host++) {
    const own = Math.floor(host / hostsPerLeaf);
    builder.addLink(
      host,
      leaf(Math.floor(own / leavesPerGroup), own % leavesPerGroup),
      values.hostRate,
      values.hostLatency,
      values.errorRate,
    );
  }
  for (let group = 0; group < groups; group++)
    for (let low = 0; low < leavesPerGroup; low++)
      for (let high = 0; high < spinesPerGroup; high++)
        builder.addLink(leaf(group, low), spine(group, high), values.spineRate, values.spineLatency, values.errorRate);
  for (let group = 0; group < groups; group++)
    for (let other = group + 1; other < groups; other++)
      for (let i = 0; i < linksPerGroupPair; i++) {
        const own = (other - group - 1) * linksPerGroupPair + i;
        const back = (groups - 1 - (other - group)) * linksPerGroupPair + i;
        builder.addLink(spine(group, own), spine(other, back), values.groupRate, values.groupLatency, values.errorRate);
      }
}

export const dragonflyPlus = defineHostFamily({
  name: 'dragonfly+',
  otherNames: { 'dragonfly-plus': {}, dragonflyplus: {} },
  description: 'groups of leaves and spines, each group linked to every other by its spines',
  settings,
  hosts: ({ groups, leavesPerGroup, hostsPerLeaf }) => groups * leavesPerGroup * hostsPerLeaf,
  outside: ({ groups, leavesPerGroup, spinesPerGroup, hostsPerLeaf, linksPerGroupPair }) => ({
    nodes: groups * (leavesPerGroup + spinesPerGroup),
    links:
      groups * leavesPerGroup * (hostsPerLeaf + spinesPerGroup) + ((groups * (groups - 1)) / 2) * linksPerGroupPair,
  }),
  connect,
  fileName: ({ groups, leavesPerGroup, hostsPerLeaf, hostRate }) =>
    `DragonflyPlus_${groups}g_${groups * leavesPerGroup * hostsPerLeaf}h_${rateName(hostRate)}`,
});
