// Forwarding tables from files, as OpenSM dumps them.
// Invariant: tables that are returned lead nowhere in circles: a loop in them is a mistake with its place.

import { Diagnostics, InputError, type Diagnostic } from '../../base/diagnostics.js';
import type { Host } from '../../base/host.js';
import type { RoutedFabric } from '../../fabric/routed-fabric.js';
import { LftReader } from '../../formats/opensm-lfts.js';
import { checkRoutes } from '../../optimization/route-validity.js';
import type { ForwardingTables } from '../../routing/forwarding-tables.js';
import type { TablesByOffset } from '../../routing/lid-offsets.js';
import { ownKind } from './file-kinds.js';

/** Tables of a file. */
export interface LoadedTables {
  /** those of the first LIDs of hosts */
  readonly tables: ForwardingTables;
  /** by LID offset: as many as a host has LIDs, `tables` first */
  readonly offsets: TablesByOffset;
  readonly warnings: readonly Diagnostic[];
}

/**
 * Reads tables; a loop in them is a mistake with its place.
 * @throws InputError, HostFileError
 */
export async function loadTables(host: Host, file: string, source: RoutedFabric): Promise<LoadedTables> {
  const diagnostics = new Diagnostics();
  const reader = new LftReader(source, file, diagnostics);
  for await (const piece of ownKind(host.readBytes(file), file, 'tables')) {
    reader.push(piece);
    if (diagnostics.full) break;
  }
  reader.end();
  diagnostics.throwIfErrors();
  reader.offsets.forEach((_, offset) => {
    refuseLoop(reader, offset, file, source);
  });
  return { tables: reader.tables, offsets: reader.offsets, warnings: diagnostics.warnings };
}

/** @throws InputError if packets go round in circles */
function refuseLoop({ offsets, entryLines }: LftReader, offset: number, file: string, source: RoutedFabric): void {
  const tables = offsets[offset]!;
  const loop = checkRoutes(source.tree, tables).examples.loop;
  if (loop === undefined) return;
  const names = loop.path.map((node) => source.identity.nodeName[node]);
  const again = loop.path.findIndex((node, i) => loop.path.indexOf(node) !== i);
  const at = loop.path[again === -1 ? 0 : again]!;
  const which = offsets.length === 1 ? '' : `, LID offset ${offset},`;
  throw InputError.at(
    'loop',
    file,
    { line: entryLines[offset]![tables.rowOf[at]! * tables.columns + loop.destination]!, column: 1 },
    `packets for ${source.identity.nodeName[loop.destination]}${which} go round in circles`,
    {
      got: names.slice(0, again === -1 ? names.length : again + 1).join(' -> '),
      wanted: 'a way that ends at the host',
      hint: 'OpenSM does not check files for loops: it would load these tables',
    },
  );
}
