// The dumbbell: hosts on the left and on the right of one link, the bottleneck. The bench of congestion control.
// Invariant: ids count up over the left hosts, the right hosts, the left switch and the right one; the bottleneck is
// the last link.

import { rate, time, type SettingGroup, type SettingValues } from '../../base/settings.js';
import { FabricBuilder, NodeKind, type Fabric } from '../fabric.js';
import { howMany, errorRate } from './parameters.js';
import { defineFamily, rateName } from './family.js';

const settings = {
  leftHosts: howMany('hosts on the left', 4),
  rightHosts: howMany('hosts on the right', 4),
  hostRate: rate('100Gbps', "rate of the hosts' links"),
  hostLatency: time('1us', "delay of the hosts' links"),
  bottleneckRate: rate('100Gbps', 'rate of the link in the middle'),
  bottleneckLatency: time('1us', 'delay of the link in the middle'),
  errorRate,
} satisfies SettingGroup;

function generate(values: SettingValues<typeof settings>): Fabric {
  const { leftHosts, rightHosts } = values;
  const builder = new FabricBuilder();
  builder.addNodes(NodeKind.host, leftHosts + rightHosts);
  const left = builder.addNode(NodeKind.switch);
  const right = builder.addNode(NodeKind.switch);
  for (let host = 0; host < leftHosts + rightHosts; host++)
    builder.addLink(host, host < leftHosts ? left : right, values.hostRate, values.hostLatency, values.errorRate);
  builder.addLink(left, right, values.bottleneckRate, values.bottleneckLatency, values.errorRate);
  return builder.build();
}

export const dumbbell = defineFamily({
  name: 'dumbbell',
  description: 'hosts on both sides of one bottleneck link',
  settings,
  size: ({ leftHosts, rightHosts }) => ({ nodes: leftHosts + rightHosts + 2, links: leftHosts + rightHosts + 1 }),
  check: () => [],
  generate,
  fileName: ({ leftHosts, rightHosts, bottleneckRate }) =>
    `Dumbbell_${leftHosts}l_${rightHosts}r_${rateName(bottleneckRate)}`,
});
