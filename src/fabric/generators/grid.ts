// Switches on a grid of up to three sides, as tori and HyperX have them: settings, places, and hosts on every switch.
// Invariant: ids count up over hosts, NVSwitches and switches; host h is on switch floor(h / hostsPerSwitch), and
// switch s stands at (s mod width, floor(s / width) mod height, floor(s / (width height))).

import { rate, time, type SettingGroup, type SettingValues } from '../../base/settings.js';
import { type FabricBuilder, NodeKind } from '../fabric.js';
import type { FabricSize } from './family.js';
import { howMany } from './parameters.js';

export const gridSettings = {
  width: howMany('switches along the first side', 4),
  height: howMany('switches along the second side', 4),
  depth: howMany('switches along the third side; 1 = two sides', 1),
  hostsPerSwitch: howMany('hosts on each switch', 2),
  linksPerNeighbour: howMany('parallel links between two switches that are joined', 1),
  hostRate: rate('100Gbps', 'rate of the links between hosts and switches'),
  switchRate: rate('100Gbps', 'rate of each link between two switches'),
  hostLatency: time('1us', 'delay of the links between hosts and switches'),
  switchLatency: time('1us', 'delay of the links between switches'),
} satisfies SettingGroup;

export type GridValues = SettingValues<typeof gridSettings>;

/** The sides of a grid, shortest strides first. */
export function sidesOf({ width, height, depth }: GridValues): readonly [number, number, number] {
  return [width, height, depth];
}

/** How many switches there are. */
export function gridSwitches({ width, height, depth }: GridValues): number {
  return width * height * depth;
}

/** Hosts of a grid. */
export function gridHosts(values: GridValues): number {
  return gridSwitches(values) * values.hostsPerSwitch;
}

/** Nodes and links of a grid outside its servers. @param joined pairs of switches with links */
export function gridOutside(values: GridValues, joined: number): FabricSize {
  return { nodes: gridSwitches(values), links: gridHosts(values) + joined * values.linksPerNeighbour };
}

/**
 * Adds the switches and links of a grid.
 * @param neighbours place on a side -> places on that side that a switch is linked to; each pair is named once
 */
export function connectGrid(
  builder: FabricBuilder,
  values: GridValues & { readonly errorRate: number },
  neighbours: (place: number, side: number) => readonly number[],
): void {
  const { hostsPerSwitch, linksPerNeighbour } = values;
  const count = gridSwitches(values);
  const first = builder.addNodes(NodeKind.switch, count);
  for (let host = 0; host < count * hostsPerSwitch; host++)
    builder.addLink(
      host,
      first + Math.floor(host / hostsPerSwitch),
      values.hostRate,
      values.hostLatency,
      values.errorRate,
    );
  for (let at = 0; at < count; at++) {
    let stride = 1;
    for (const side of sidesOf(values)) {
      const place = Math.floor(at / stride) % side;
      for (const other of neighbours(place, side))
        for (let i = 0; i < linksPerNeighbour; i++)
          builder.addLink(
            first + at,
            first + at + (other - place) * stride,
            values.switchRate,
            values.switchLatency,
            values.errorRate,
          );
      stride *= side;
    }
  }
}

/** `4x4` or `4x4x2`, for names of files. */
export function gridName(values: GridValues): string {
  const { width, height, depth } = values;
  return depth === 1 ? `${width}x${height}` : `${width}x${height}x${depth}`;
}
