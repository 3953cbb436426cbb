// The order in which the switches of a tree are looked at to follow all ways to a destination.

import type { FatTree } from '../fabric/fat-tree.js';

/** Rows of switches, those of higher levels first: most ways lead up to them, so that these are known then. */
export function highestFirst({ nodeLevel }: FatTree, switches: Int32Array): Int32Array {
  return Int32Array.from(switches, (_, row) => row).sort(
    (a, b) => nodeLevel[switches[b]!]! - nodeLevel[switches[a]!]! || a - b,
  );
}
