// HyperX: switches on a grid, each linked to all others that stand in a line with it. Source: J. Ahn, N. Binkert,
// A. Davis, M. McLaren and R. Schreiber, "HyperX: topology, routing, and packaging of efficient large-scale networks",
// SC 2009.

import { rateName } from './family.js';
import { connectGrid, gridHosts, gridName, gridOutside, gridSettings, sidesOf, gridSwitches } from './grid.js';
import { defineHostFamily } from './host-family.js';

export const hyperX = defineHostFamily({
  name: 'hyperx',
  otherNames: { 'flattened-butterfly': {} },
  description: 'switches on a grid, all of one line linked to each other',
  settings: gridSettings,
  hosts: gridHosts,
  outside: (values) =>
    gridOutside(
      values,
      sidesOf(values).reduce((sum, side) => sum + (gridSwitches(values) * (side - 1)) / 2, 0),
    ),
  connect: (builder, values) =>
    connectGrid(builder, values, (place, side) => Array.from({ length: side - 1 - place }, (_, i) => place + 1 + i)),
  fileName: (values) => `HyperX_${gridName(values)}_${values.hostsPerSwitch}h_${rateName(values.hostRate)}`,
});
