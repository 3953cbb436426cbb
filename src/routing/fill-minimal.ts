// Tables from a rule that chooses among minimal ports, for every switch and destination.

import type { FatTree } from '../fabric/fat-tree.js';
import { ForwardingTables } from './forwarding-tables.js';
import { MinimalPorts } from './minimal-ports.js';

/** Chooses one of the ports of `minimal` for a switch and a destination node; asked only where there is one. */
export type PortRule = (minimal: MinimalPorts, node: number, destination: number) => number;

/** Fills tables: destinations leaf by leaf (the leaf itself first, then its hosts in order), switches in order. */
export function fillMinimal(tree: FatTree, rule: PortRule): ForwardingTables {
  const { fabric } = tree;
  const tables = new ForwardingTables(fabric);
  const minimal = new MinimalPorts(tree);
  const hosts = hostsByLeaf(tree);
  for (const target of tables.switches) {
    minimal.towards(target);
    for (const destination of [target, ...(hosts.get(target) ?? [])]) {
      for (const node of tables.switches) {
        if (minimal.offset[node + 1]! > minimal.offset[node]!) tables.setPort(node, destination, rule(minimal, node, destination));
      }
    }
    for (const host of hosts.get(target) ?? []) tables.setPort(target, host, fabric.portPeer[fabric.portOffset[host]!]!);
  }
  return tables;
}

/** The hosts (nodes) of each leaf switch, ascending. */
export function hostsByLeaf(tree: FatTree): Map<number, number[]> {
  const hosts = new Map<number, number[]>();
  tree.hostLeaf.forEach((leaf, rank) => {
    const list = hosts.get(leaf);
    if (list === undefined) hosts.set(leaf, [tree.fabric.hosts[rank]!]);
    else list.push(tree.fabric.hosts[rank]!);
  });
  return hosts;
}
