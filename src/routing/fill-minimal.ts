// Tables from a rule that chooses among minimal ports, for every switch and destination.

import type { FatTree } from '../fabric/fat-tree.js';
import { ForwardingTables } from './forwarding-tables.js';
import { MinimalPorts } from './minimal-ports.js';

/**
 * Chooses one of the candidates of a switch, ports of the fabric in ascending order, one or more, for a destination
 * node.
 */
type PortChoice = (destination: number) => number;

/** Prepares the choice of a switch among its candidates for the destinations at one switch. */
export type PortRule = (node: number, candidates: Int32Array) => PortChoice;

/**
 * Fills tables: destinations leaf by leaf, switches in order, of a leaf itself first and then of its hosts in order.
 */
export function fillMinimal(tree: FatTree, rule: PortRule): ForwardingTables {
  const { fabric } = tree;
  const tables = new ForwardingTables(fabric);
  const minimal = new MinimalPorts(tree);
  const hosts = hostsByLeaf(tree);
  for (const target of tables.switches) {
    minimal.towards(target);
    const own = hosts.get(target) ?? [];
    for (const node of tables.switches) {
      const first = minimal.offset[node]!;
      const end = minimal.offset[node + 1]!;
      if (end === first) continue;
      const choose = rule(node, minimal.ports.subarray(first, end));
      tables.setPort(node, target, choose(target));
      for (const host of own) tables.setPort(node, host, choose(host));
    }
    for (const host of own) tables.setPort(target, host, fabric.portPeer[fabric.portOffset[host]!]!);
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
