// The dumbbell of a wide area: two hosts on one switch, the first behind a long cable. The bench of transports over
// long, lossy paths.
// Invariant: ids are sender 0, receiver 1, switch 2; the long link is the first.
// Source: OmniDMA's topo_simple_dumbbell, whose switch is node 0 and whose hosts are 1 and 2.

import { rate, time, type SettingGroup, type SettingValues } from '../../base/settings.js';
import { FabricBuilder, NodeKind, type Fabric } from '../fabric.js';
import { errorRate } from './parameters.js';
import { defineFamily, rateName } from './family.js';

const settings = {
  rate: rate('100Gbps', 'rate of both links'),
  bottleneckLatency: time('10us', 'delay of the long link, from the first host to the switch'),
  hostLatency: time('1us', 'delay of the link from the switch to the second host'),
  errorRate,
} satisfies SettingGroup;

function generate(values: SettingValues<typeof settings>): Fabric {
  const builder = new FabricBuilder();
  builder.addNodes(NodeKind.host, 2);
  const middle = builder.addNode(NodeKind.switch);
  builder.addLink(0, middle, values.rate, values.bottleneckLatency, values.errorRate);
  builder.addLink(1, middle, values.rate, values.hostLatency, values.errorRate);
  return builder.build();
}

export const wanDumbbell = defineFamily({
  name: 'wan-dumbbell',
  description: 'two hosts on one switch, the first behind a long link',
  settings,
  size: () => ({ nodes: 3, links: 2 }),
  check: () => [],
  generate,
  fileName: ({ rate: linkRate }) => `WanDumbbell_${rateName(linkRate)}`,
});
