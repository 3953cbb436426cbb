// SL2VL tables as `weft route import` prints them: for people and as JSON.
// Invariant: tables that are the same on several nodes are one, with one of them as the example.

import { endGuid, shownName } from '../../fabric/port-identity.js';
import type { RoutedFabric } from '../../fabric/routed-fabric.js';
import type { LaneTables } from '../../formats/opensm-sl2vl.js';

/** SL2VL tables that were read. */
export interface LoadedLanes {
  readonly found: LaneTables;
  /** whether they deal service levels out to so many lanes, null if that was not asked */
  readonly asExported: boolean | null;
}

/** Lanes as JSON. */
export function lanesObject({ identity }: RoutedFabric, { found, asExported }: LoadedLanes): Record<string, unknown> {
  return {
    tables: found.tables.map(({ lanes, pairs, nodes }) => ({
      lanes,
      portPairs: pairs,
      nodes: nodes.length,
      example: shownName(identity, nodes[0]!),
      exampleGuid: endGuid(identity, nodes[0]!),
    })),
    switchesWithout: found.missingSwitches.map((node) => shownName(identity, node)),
    switchGuidsWithout: found.missingSwitches.map((node) => endGuid(identity, node)),
    asExported,
  };
}

/** Lanes for people. */
export function laneLines({ identity }: RoutedFabric, { found, asExported }: LoadedLanes): string[] {
  const lines = [`  lanes          of service levels 0 to 15 (15: dropped)`];
  for (const { lanes, pairs, nodes } of found.tables)
    lines.push(
      `    ${lanes.join(' ')}`,
      `      ${pairs} pairs of ports on ${nodes.length} nodes, as ${shownName(identity, nodes[0]!).slice(0, 40)}`,
    );
  if (found.missingSwitches.length > 0)
    lines.push(
      `    no table of ${found.missingSwitches.length} switches, as ${shownName(identity, found.missingSwitches[0]!).slice(0, 40)}`,
    );
  if (asExported !== null) lines.push(asExported ? '    as exported' : '    NOT as exported');
  return lines;
}
