// Forwarding tables from files, as OpenSM dumps them.
// Invariant: tables that are returned lead nowhere in circles: a loop in them is a mistake with its place.

import { Diagnostics, InputError, type Diagnostic } from '../../base/diagnostics.js';
import type { Host } from '../../base/host.js';
import type { RoutedFabric } from '../../fabric/routed-fabric.js';
import { LftReader } from '../../formats/opensm-lfts.js';
import { checkRoutes } from '../../optimization/route-validity.js';
import type { ForwardingTables } from '../../routing/forwarding-tables.js';
import { ownKind } from './file-kinds.js';

/**
 * Reads tables; a loop in them is a mistake with its place.
 * @throws InputError, HostFileError
 */
export async function loadTables(
  host: Host,
  file: string,
  source: RoutedFabric,
): Promise<{ tables: ForwardingTables; warnings: readonly Diagnostic[] }> {
  const diagnostics = new Diagnostics();
  const reader = new LftReader(source, file, diagnostics);
  for await (const piece of ownKind(host.readBytes(file), file, 'tables')) {
    reader.push(piece);
    if (diagnostics.full) break;
  }
  const tables = reader.end();
  diagnostics.throwIfErrors();
  const loop = checkRoutes(source.tree, tables!).examples.loop;
  if (loop !== undefined) {
    const names = loop.path.map((node) => source.identity.nodeName[node]);
    const again = loop.path.findIndex((node, i) => loop.path.indexOf(node) !== i);
    const at = loop.path[again === -1 ? 0 : again]!;
    throw InputError.at(
      'loop',
      file,
      { line: reader.entryLine[tables!.rowOf[at]! * tables!.columns + loop.destination]!, column: 1 },
      `packets for ${source.identity.nodeName[loop.destination]} go round in circles`,
      {
        got: names.slice(0, again === -1 ? names.length : again + 1).join(' -> '),
        wanted: 'a way that ends at the host',
        hint: 'OpenSM does not check files for loops: it would load these tables',
      },
    );
  }
  return { tables: tables!, warnings: diagnostics.warnings };
}
