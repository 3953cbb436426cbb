// SL2VL tables of a running fabric: which there are, and whether they are those that weft route export wrote.
// Invariant: tables are as exported only if every switch was read and every pair of ports deals service levels out in
// the same way.

import type { Diagnostics } from '../../base/diagnostics.js';
import type { Host } from '../../base/host.js';
import type { RoutedFabric } from '../../fabric/routed-fabric.js';
import { slToVl } from '../../formats/opensm-options.js';
import { readLaneTables } from '../../formats/opensm-sl2vl.js';
import type { LoadedLanes } from '../../report/routes/lane-text.js';

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
