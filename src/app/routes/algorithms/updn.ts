// updn: OpenSM's own, entry for entry (routing/minhop.ts); of a tree whose top OpenSM does not find, from its top
// level, and a note says what OpenSM does then.

import { InputError, wholeFile } from '../../../base/diagnostics.js';
import type { RoutedFabric } from '../../../fabric/routed-fabric.js';
import { checkDeadlock } from '../../../routing/channel-dependencies.js';
import { centralSwitches, routeMinhop, upDownByOffset } from '../../../routing/minhop.js';
import type { FabricAlgorithm } from '../route-algorithm.js';

export const updn = {
  kind: 'fabric',
  name: 'updn',
  about: "OpenSM's, entry for entry, on any fabric: up to --roots, then down",
  anyFabric: true,
  make: (source) => {
    const { fabric, identity, roots, tree, name } = source;
    const isFound = roots.length > 0 || centralSwitches(fabric, identity).length > 0;
    if (!isFound && !tree.isTree)
      throw InputError.at('no-roots', name, wholeFile, 'updn finds no switch that looks like the top of a tree', {
        hint: `${withoutTop(source)}; give --roots FILE with the GUIDs of switches to go up to (OpenSM: -a FILE), or --algorithm dfsssp`,
      });
    if (isFound) return { tables: upDownByOffset(fabric, identity, roots)!, notes: [] };
    const top = Array.from(tree.switches[tree.levels - 1]!);
    const note =
      `${withoutTop(source)}; these tables go up to the ${top.length} switches of the top level, as ` +
      "OpenSM's do with their GUIDs in a file (-a FILE; --roots FILE here)";
    return { tables: upDownByOffset(fabric, identity, top)!, notes: [note] };
  },
} as const satisfies FabricAlgorithm;

/** What OpenSM does where it finds no top. */
function withoutTop({ fabric, identity }: RoutedFabric): string {
  const { cycle } = checkDeadlock([routeMinhop(fabric, identity)], null);
  return `OpenSM says "no root nodes were found" and routes by minhop, ${cycle === null ? 'free of deadlock here' : 'which can deadlock here'}`;
}
