// minhop: OpenSM's own, entry for entry (routing/minhop.ts).

import { minhopByOffset } from '../../../routing/minhop.js';
import type { FabricAlgorithm } from '../route-algorithm.js';

export const minhop = {
  kind: 'fabric',
  name: 'minhop',
  about: "OpenSM's, entry for entry, on any fabric: shortest ways, evenly; may deadlock where there are circles",
  anyFabric: true,
  make: ({ fabric, identity }) => ({ tables: minhopByOffset(fabric, identity), notes: [] }),
} as const satisfies FabricAlgorithm;
