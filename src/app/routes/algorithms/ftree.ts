// ftree: OpenSM's own, entry for entry (routing/ftree.ts).

import { shownName } from '../../../fabric/port-identity.js';
import { InputError, wholeFile } from '../../../base/diagnostics.js';
import type { RoutedFabric } from '../../../fabric/routed-fabric.js';
import { ForwardingTables } from '../../../routing/forwarding-tables.js';
import { routeFtree } from '../../../routing/ftree.js';
import { refuseSeveralLids, type FabricAlgorithm } from '../route-algorithm.js';

export const ftree = {
  kind: 'fabric',
  name: 'ftree',
  about: "OpenSM's, entry for entry",
  make: (source) => {
    refuseSeveralLids(source, 'ftree', 'OpenSM routes by minhop where LMC is above 0');
    const { fabric, identity, roots, name } = source;
    const made = routeFtree(fabric, identity, roots);
    if (made instanceof ForwardingTables) return { tables: [made], notes: [] };
    throw InputError.at('ftree-refuses', name, wholeFile, `ftree does not route this fabric: ${made.refusal}`, {
      ...(made.nodes.length > 0 ? { got: made.nodes.map((node) => shownName(identity, node)).join(', ') } : {}),
      hint: 'OpenSM would fall back to minhop; give --roots FILE with the GUIDs of the top level, or another --algorithm',
    });
  },
} as const satisfies FabricAlgorithm;

/** ftree's tables, with the recognised top level as roots where it refuses otherwise; null if it still does. */
export function ftreeOrNull({ fabric, identity, roots, tree }: RoutedFabric): ForwardingTables | null {
  if (!tree.isTree) return null;
  for (const top of [roots, Array.from(tree.switches[tree.levels - 1]!)]) {
    const made = routeFtree(fabric, identity, top);
    if (made instanceof ForwardingTables) return made;
  }
  return null;
}
