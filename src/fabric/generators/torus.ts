// Torus: switches on a grid, each linked to the next one on every side, the last to the first. A side of two has one
// link and not two. Source of the shape: W. Dally, "Performance analysis of k-ary n-cube interconnection networks", IEEE
// Transactions on Computers 39, 1990.

import { rateName, defineFamily } from './family.js';
import { gridFabric, gridName, gridProblems, gridSettings, gridSize, sidesOf, gridSwitches } from './grid.js';

export const torus = defineFamily({
  name: 'torus',
  description: 'switches on a ring along every side of a grid',
  settings: gridSettings,
  size: (values) =>
    gridSize(
      values,
      sidesOf(values).reduce((sum, side) => sum + (gridSwitches(values) / side) * ringLinks(side), 0),
    ),
  check: gridProblems,
  generate: (values) =>
    gridFabric(values, (place, side) => {
      if (place < side - 1) return [place + 1];
      return side > 2 ? [0] : [];
    }),
  fileName: (values) => `Torus_${gridName(values)}_${values.hostsPerSwitch}h_${rateName(values.hostRate)}`,
});

function ringLinks(side: number): number {
  return side > 2 ? side : side - 1;
}
