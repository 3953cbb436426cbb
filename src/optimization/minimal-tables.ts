// Tables in which every entry that can be minimal is: what an optimizer may mix its own entries into. Entries on
// minimal ports stay as they are, others and missing ones become minimal ports, chosen by the destination.
// Invariant: any two tables of minimal ports can be mixed entry by entry without loops (routing/minimal-ports.ts). Not
// touched: entries of a switch that no minimal way leads from; no host sends over them.

import type { FatTree } from '../fabric/fat-tree.js';
import { hostsByLeaf } from '../routing/fill-minimal.js';
import type { ForwardingTables } from '../routing/forwarding-tables.js';
import { MinimalPorts } from '../routing/minimal-ports.js';

/** A copy with minimal entries for all hosts. Linear in switches times hosts. */
export function withMinimalEntries(tree: FatTree, given: ForwardingTables): ForwardingTables {
  const { fabric } = tree;
  const tables = given.copy();
  const minimal = new MinimalPorts(tree);
  const allowed = new Uint8Array(fabric.portCount);
  for (const [leaf, hosts] of hostsByLeaf(tree)) {
    minimal.towards(leaf);
    const candidates = minimal.ports.subarray(0, minimal.offset[fabric.nodeCount]);
    allowed.fill(0);
    for (const port of candidates) allowed[port] = 1;
    for (const host of hosts) {
      for (const node of tables.switches) {
        const first = minimal.offset[node]!;
        const count = minimal.offset[node + 1]! - first;
        const port = tables.port(node, host);
        if (count > 0 && (port === -1 || allowed[port] === 0))
          tables.setPort(node, host, minimal.ports[first + (tree.hostRank[host]! % count)]!);
      }
      tables.setPort(leaf, host, fabric.portPeer[fabric.portOffset[host]!]!);
    }
  }
  return tables;
}
