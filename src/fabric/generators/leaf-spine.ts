// Leaf and spine: every leaf is linked to every spine, by one link or several parallel ones.
// Invariant: ids count up over hosts, leaves and spines; host h is on leaf floor(h / hostsPerLeaf).

import type { SettingGroup, SettingValues } from '../../base/settings.js';
import { FabricBuilder, NodeKind, type Fabric } from '../fabric.js';
import { count, errorRate, rate, time } from './datacenter.js';
import { defineFamily, rateName } from './family.js';

const settings = {
  leaves: count('leaf switches', 4),
  spines: count('spine switches', 4),
  hostsPerLeaf: count('hosts per leaf switch', 4),
  linksPerSpine: count('parallel links from each leaf to each spine', 1),
  hostRate: rate('rate of the links between hosts and leaves', '100Gbps'),
  spineRate: rate('rate of each link between a leaf and a spine', '100Gbps'),
  hostLatency: time('delay of the links between hosts and leaves', '1us'),
  spineLatency: time('delay of the links between leaves and spines', '1us'),
  gpusPerServer: count('hosts that form one server', 1),
  errorRate,
} satisfies SettingGroup;

function generate(values: SettingValues<typeof settings>): Fabric {
  const { leaves, spines, hostsPerLeaf, linksPerSpine } = values;
  const builder = new FabricBuilder(values.gpusPerServer);
  builder.addNodes(NodeKind.host, leaves * hostsPerLeaf);
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
  return builder.build();
}

export const leafSpine = defineFamily({
  name: 'leaf-spine',
  otherNames: { leafspine: {}, 'spine-leaf': {} },
  description: 'two levels, every leaf linked to every spine',
  settings,
  size: ({ leaves, spines, hostsPerLeaf, linksPerSpine }) => ({
    nodes: leaves * (hostsPerLeaf + 1) + spines,
    links: leaves * (hostsPerLeaf + spines * linksPerSpine),
  }),
  check: ({ leaves, hostsPerLeaf, gpusPerServer }) =>
    (leaves * hostsPerLeaf) % gpusPerServer === 0
      ? []
      : [
          {
            parameter: 'gpusPerServer',
            code: 'uneven-servers',
            message: `${leaves * hostsPerLeaf} hosts do not fill servers of ${gpusPerServer}`,
            got: String(gpusPerServer),
            wanted: `a divisor of ${leaves * hostsPerLeaf}`,
          },
        ],
  generate,
  fileName: ({ leaves, spines, hostsPerLeaf, hostRate }) =>
    `LeafSpine_${leaves}l_${spines}s_${leaves * hostsPerLeaf}h_${rateName(hostRate)}`,
});
