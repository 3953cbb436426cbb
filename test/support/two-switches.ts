// The smallest fabric on which pauses go on from switch to switch and hold up a bystander.

import { type Fabric, FabricBuilder, NodeKind } from '../../src/fabric/fabric.js';

/**
 * Hosts 0, 1 and 4 on switch 5, hosts 2 (10 Gb/s) and 3 on switch 6, one link between the switches; 100 Gb/s but for
 * host 2.
 */
export function twoSwitches(latencyPs: number): Fabric {
  const builder = new FabricBuilder();
  builder.addNodes(NodeKind.host, 5);
  builder.addNodes(NodeKind.switch, 2);
  for (const host of [0, 1, 4]) builder.addLink(host, 5, 100e9, latencyPs);
  builder.addLink(2, 6, 10e9, latencyPs);
  builder.addLink(3, 6, 100e9, latencyPs);
  builder.addLink(5, 6, 100e9, latencyPs);
  return builder.build();
}
