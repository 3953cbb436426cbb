// updn: OpenSM's own, entry for entry (routing/minhop.ts); of a tree whose top OpenSM does not find, from its top
// level.

import { InputError, wholeFile } from '../../../base/diagnostics.js';
import { centralSwitches, upDownByOffset } from '../../../routing/minhop.js';
import type { FabricAlgorithm } from '../route-algorithm.js';

export const updn = {
  kind: 'fabric',
  name: 'updn',
  about: "OpenSM's, entry for entry, on any fabric: up to --roots, then down",
  anyFabric: true,
  make: ({ fabric, identity, roots, tree, name }) => {
    const isFound = roots.length > 0 || centralSwitches(fabric).length > 0 || !tree.isTree;
    const top = isFound ? roots : Array.from(tree.switches[tree.levels - 1]!);
    const tables = upDownByOffset(fabric, identity, top);
    if (tables !== null) return { tables, notes: [] };
    throw InputError.at('no-roots', name, wholeFile, 'updn finds no switch that looks like the top of a tree', {
      hint: 'OpenSM would fall back to minhop; give --roots FILE with the GUIDs of switches to go up to, or --algorithm dfsssp',
    });
  },
} as const satisfies FabricAlgorithm;
