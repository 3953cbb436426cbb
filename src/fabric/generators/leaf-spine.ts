// Leaf and spine: every leaf is linked to every spine, by one link or several parallel ones.
// Invariant: ids count up over hosts, NVSwitches, leaves and spines; host h is on leaf floor(h / hostsPerLeaf).

import { rate, time, type SettingGroup, type SettingValues } from '../../base/settings.js';
import { type FabricBuilder, NodeKind } from '../fabric.js';
import { rateName } from './family.js';
import { defineHostFamily } from './host-family.js';
import { howMany } from './parameters.js';

const settings = {
  leaves: howMany('leaf switches', 4),
  spines: howMany('spine switches', 4),
  hostsPerLeaf: howMany('hosts per leaf switch', 4),
  linksPerSpine: howMany('parallel links from each leaf to each spine', 1),
  hostRate: rate('100Gbps', 'rate of the links between hosts and leaves'),
  spineRate: rate('100Gbps', 'rate of each link between a leaf and a spine'),
  hostLatency: time('1us', 'delay of the links between hosts and leaves'),
  spineLatency: time('1us', 'delay of the links between leaves and spines'),
} satisfies SettingGroup;

function connect(
  builder: FabricBuilder,
  values: SettingValues<typeof settings> & { readonly errorRate: number },
): void {
  const { leaves, spines, hostsPerLeaf, linksPerSpine } = values;
  const firstLeaf = builder.addNodes(NodeKind.switch, leaves);
  const firstSpine = builder.addNodes(NodeKind.switch, spines);
  for (let host = 0; host < leaves * hostsPerLeaf; host++) {
    builder.addLink(
      host,
      firstLeaf + Math.floor(host / hostsPerLeaf),
      values.hostRate,
      values.hostLatency,
      values.errorRate,
    );
  }
  for (let leaf = 0; leaf < leaves; leaf++) {
    for (let spine = 0; spine < spines; spine++) {
      for (let i = 0; i < linksPerSpine; i++)
        builder.addLink(firstLeaf + leaf, firstSpine + spine, values.spineRate, values.spineLatency, values.errorRate);
    }
  }
}

export const leafSpine = defineHostFamily({
  name: 'leaf-spine',
  otherNames: { leafspine: {}, 'spine-leaf': {} },
  description: 'two levels, every leaf linked to every spine',
  settings,
  hosts: ({ leaves, hostsPerLeaf }) => leaves * hostsPerLeaf,
  outside: ({ leaves, spines, hostsPerLeaf, linksPerSpine }) => ({
    nodes: leaves + spines,
    links: leaves * (hostsPerLeaf + spines * linksPerSpine),
  }),
  connect,
  fileName: ({ leaves, spines, hostsPerLeaf, hostRate }) =>
    `LeafSpine_${leaves}l_${spines}s_${leaves * hostsPerLeaf}h_${rateName(hostRate)}`,
});
