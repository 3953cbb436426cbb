// Torus: switches on a grid, each linked to the next one on every side, the last to the first. A side of two has one
// link and not two. Source of the shape: W. Dally, "Performance analysis of k-ary n-cube interconnection networks",
// IEEE Transactions on Computers 39, 1990.

import { rateName } from './family.js';
import { connectGrid, gridHosts, gridName, gridOutside, gridSettings, sidesOf, gridSwitches } from './grid.js';
import { defineHostFamily } from './host-family.js';

export const torus = defineHostFamily({
  name: 'torus',
  description: 'switches on a ring along every side of a grid',
  settings: gridSettings,
  hosts: gridHosts,
  outside: (values) =>
    gridOutside(
      values,
      sidesOf(values).reduce((sum, side) => sum + (gridSwitches(values) / side) * ringLinks(side), 0),
    ),
  connect: (builder, values) =>
    connectGrid(builder, values, (place, side) => {
      if (place < side - 1) return [place + 1];
      return side > 2 ? [0] : [];
    }),
  fileName: (values) => `Torus_${gridName(values)}_${values.hostsPerSwitch}h_${rateName(values.hostRate)}`,
});

function ringLinks(side: number): number {
  return side > 2 ? side : side - 1;
}
