// Tables in which every entry that can be minimal is: what an optimizer may mix its own entries into. Entries on
// minimal ports stay as they are, others and missing ones become minimal ports, chosen by the destination.
// Invariant: any two tables of minimal ports can be mixed entry by entry without loops (routing/minimal-ports.ts). Not
// touched: entries of a switch that no minimal way leads from; no host sends over them.

import type { FatTree } from '../fabric/fat-tree.js';
import { hostsByLeaf } from '../routing/fill-minimal.js';
import type { ForwardingTables } from '../routing/forwarding-tables.js';
import { MinimalPorts } from '../routing/minimal-ports.js';

/**
 * Tables with minimal entries for all hosts: a copy, or the given ones if they are so already. Linear in switches times
 * hosts.
 */
export function withMinimalEntries(tree: FatTree, given: ForwardingTables): ForwardingTables {
  const { fabric } = tree;
  const { portPeer, portOffset } = fabric;
  let tables = given;
  const set = (node: number, host: number, port: number): void => {
    if (tables === given) tables = given.copy();
    tables.setPort(node, host, port);
  };
  const minimal = new MinimalPorts(tree);
  const allowed = new Uint8Array(fabric.portCount);
  for (const [leaf, hosts] of hostsByLeaf(tree)) {
    minimal.towards(leaf);
    allowed.fill(0);
    for (const port of minimal.ports.subarray(0, minimal.offset[fabric.nodeCount])) allowed[port] = 1;
    for (const node of given.switches) {
      const first = minimal.offset[node]!;
      const count = minimal.offset[node + 1]! - first;
      if (count === 0) continue;
      for (const host of hosts) {
        const port = given.port(node, host);
        if (port === -1 || allowed[port] === 0) set(node, host, minimal.ports[first + (tree.hostRank[host]! % count)]!);
      }
    }
    for (const host of hosts) {
      const port = portPeer[portOffset[host]!]!;
      if (given.port(leaf, host) !== port) set(leaf, host, port);
    }
  }
  return tables;
}
