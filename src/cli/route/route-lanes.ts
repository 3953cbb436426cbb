// SL2VL tables of a running fabric: which there are, and whether they are those that weft route export wrote.
// Invariant: tables are as exported only if every switch was read and every pair of ports deals service levels out in
// the same way.

import type { Diagnostics } from '../../base/diagnostics.js';
import type { Host } from '../../base/host.js';
import { slToVl } from '../../formats/opensm-options.js';
import { readLaneTables, type LaneTables } from '../../formats/opensm-sl2vl.js';
import type { RoutedFabric } from './route-inputs.js';

export interface LoadedLanes {
  readonly found: LaneTables;
  /** whether they deal service levels out to so many lanes, null if that was not asked */
  readonly asExported: boolean | null;
}

/**
 * Reads SL2VL tables.
 * @param lanes lanes that they should deal service levels out to
 * @throws InputError, HostFileError
 */
export async function loadLanes(
  host: Host,
  file: string,
  lanes: number | undefined,
  source: RoutedFabric,
  diagnostics: Diagnostics,
): Promise<LoadedLanes> {
  const found = readLaneTables(await host.readText(file), file, source, diagnostics);
  diagnostics.throwIfErrors();
  const [first] = found.tables;
  const asExported =
    lanes === undefined
      ? null
      : found.missingSwitches.length === 0 &&
        found.tables.length === 1 &&
        first!.lanes.every((lane, level) => lane === slToVl(lanes)[level]);
  return { found, asExported };
}

/** Lanes as JSON. */
export function lanesObject({ identity }: RoutedFabric, { found, asExported }: LoadedLanes): Record<string, unknown> {
  return {
    tables: found.tables.map(({ lanes, pairs, nodes }) => ({
      lanes,
      portPairs: pairs,
      nodes: nodes.length,
      example: identity.nodeName[nodes[0]!],
    })),
    switchesWithout: found.missingSwitches.map((node) => identity.nodeName[node]),
    asExported,
  };
}

/** Lanes for people. */
export function laneLines({ identity }: RoutedFabric, { found, asExported }: LoadedLanes): string[] {
  const lines = [`  lanes          of service levels 0 to 15 (15: dropped)`];
  for (const { lanes, pairs, nodes } of found.tables)
    lines.push(
      `    ${lanes.join(' ')}`,
      `      ${pairs} pairs of ports on ${nodes.length} nodes, as ${identity.nodeName[nodes[0]!]!.slice(0, 40)}`,
    );
  if (found.missingSwitches.length > 0)
    lines.push(
      `    no table of ${found.missingSwitches.length} switches, as ${identity.nodeName[found.missingSwitches[0]!]!.slice(0, 40)}`,
    );
  if (asExported !== null) lines.push(asExported ? '    as exported' : '    NOT as exported');
  return lines;
}
