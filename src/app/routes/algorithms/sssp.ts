// sssp, and dfsssp, which gives its ways lanes (routing/sssp.ts, routing/lane-layers.ts).

import { InputError, wholeFile } from '../../../base/diagnostics.js';
import { ssspByOffset } from '../../../routing/sssp.js';
import { lanesFor, mostLanes, type FabricAlgorithm } from '../route-algorithm.js';

export const sssp = {
  kind: 'fabric',
  name: 'sssp',
  about: 'on any fabric: shortest ways over the links with the fewest pairs',
  anyFabric: true,
  make: ({ fabric, identity }) => ({ tables: ssspByOffset(fabric, identity), notes: [] }),
} as const satisfies FabricAlgorithm;

export const dfsssp = {
  kind: 'fabric',
  name: 'dfsssp',
  about: 'sssp with lanes that free it of deadlock',
  anyFabric: true,
  make: ({ fabric, identity, name }) => {
    const tables = ssspByOffset(fabric, identity);
    const lanes = lanesFor(tables);
    if (lanes !== null) return { tables, ...lanes };
    throw InputError.at('too-few-lanes', name, wholeFile, `dfsssp needs more than ${mostLanes} lanes`, {
      hint: 'updn with --roots FILE needs one',
    });
  },
} as const satisfies FabricAlgorithm;
