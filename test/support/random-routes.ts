// Random connected fabrics of switches with hosts on any of them, and random tables that lead everywhere: every
// destination has a random spanning tree of its own. What checks of routes beyond trees are tried on.

import { RandomStream } from '../../src/base/random.js';
import { FabricBuilder, NodeKind, type Fabric } from '../../src/fabric/fabric.js';
import { ForwardingTables } from '../../src/routing/forwarding-tables.js';

/** A connected fabric; hosts come first, one link each. */
export function randomSwitches(random: RandomStream, mostSwitches = 6, mostHosts = 6): Fabric {
  const switches = 2 + random.nextBelow(mostSwitches - 1);
  const hosts = 2 + random.nextBelow(mostHosts - 1);
  const builder = new FabricBuilder();
  builder.addNodes(NodeKind.host, hosts);
  builder.addNodes(NodeKind.switch, switches);
  for (let host = 0; host < hosts; host++) builder.addLink(host, hosts + random.nextBelow(switches), 100e9, 0);
  for (let i = 1; i < switches; i++) builder.addLink(hosts + i, hosts + random.nextBelow(i), 100e9, 0);
  for (let extra = random.nextBelow(2 * switches); extra > 0; extra--) {
    const [a, b] = [random.nextBelow(switches), random.nextBelow(switches)];
    if (a !== b) builder.addLink(hosts + a, hosts + b, 100e9, 0);
  }
  return builder.build();
}

/**
 * Tables that lead from every switch to every node, over ways that need not be short.
 * @param same tables of which each destination keeps its entries with probability `share`
 */
export function randomTables(
  fabric: Fabric,
  random: RandomStream,
  same: ForwardingTables | null = null,
  share = 0,
): ForwardingTables {
  const { portOffset, portNode, portPeer } = fabric;
  const tables = same === null ? new ForwardingTables(fabric) : same.copy();
  for (let destination = 0; destination < fabric.nodeCount; destination++) {
    if (same !== null && random.nextFraction() < share) continue;
    const isReached = new Set([destination]);
    const open: number[] = [];
    const reach = (node: number): void => {
      isReached.add(node);
      for (let port = portOffset[node]!; port < portOffset[node + 1]!; port++) open.push(portPeer[port]!);
    };
    reach(destination);
    while (open.length > 0) {
      const [port] = open.splice(random.nextBelow(open.length), 1);
      const node = portNode[port!]!;
      if (isReached.has(node) || tables.rowOf[node] === -1) continue;
      tables.setPort(node, destination, port!);
      reach(node);
    }
  }
  return tables;
}

/** Whether a graph of names has a circle: what nothing points to is taken away until nothing changes. */
export function hasCircle(edges: ReadonlySet<string>): boolean {
  let left = [...edges].map((edge) => edge.split('>') as [string, string]);
  for (;;) {
    const targets = new Set(left.map(([, to]) => to));
    const rest = left.filter(([from]) => targets.has(from));
    if (rest.length === left.length) return left.length > 0;
    left = rest;
  }
}
