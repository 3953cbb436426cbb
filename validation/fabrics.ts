// The small fabrics that closed forms speak of.

import { type Fabric, FabricBuilder, NodeKind } from '#weft/fabric/fabric.js';

/** A cable in a row of cables. */
export interface Cable {
  readonly rateBps: number;
  readonly latencyPs: number;
}

/** Host 0, a chain of switches, host 1: the given cables in a row. */
export function line(cables: readonly Cable[]): Fabric {
  const builder = new FabricBuilder();
  builder.addNodes(NodeKind.host, 2);
  const switches = builder.addNodes(NodeKind.switch, cables.length - 1);
  const node = (i: number): number => (i === 0 ? 0 : i === cables.length ? 1 : switches + i - 1);
  for (const [i, { rateBps, latencyPs }] of cables.entries()) builder.addLink(node(i), node(i + 1), rateBps, latencyPs);
  return builder.build();
}

/** Hosts on one switch, which is the last node. @param rateOf rate of a host's link, all 100 Gb/s if left out */
export function star(hosts: number, latencyPs: number, rateOf: (host: number) => number = () => 100e9): Fabric {
  const builder = new FabricBuilder();
  builder.addNodes(NodeKind.host, hosts);
  const node = builder.addNode(NodeKind.switch);
  for (let host = 0; host < hosts; host++) builder.addLink(host, node, rateOf(host), latencyPs);
  return builder.build();
}

/** Host i on one switch, its receiver, host pairs + i, on another; the link between the switches is shared by all. */
export function dumbbell(pairs: number, hostBps: number, middleBps: number, latencyPs: number): Fabric {
  const builder = new FabricBuilder();
  builder.addNodes(NodeKind.host, 2 * pairs);
  const [a, b] = [builder.addNode(NodeKind.switch), builder.addNode(NodeKind.switch)];
  for (let host = 0; host < 2 * pairs; host++) builder.addLink(host, host < pairs ? a : b, hostBps, latencyPs);
  builder.addLink(a, b, middleBps, latencyPs);
  return builder.build();
}
