// Tables of a request: by the name of an algorithm, for those who have no file of them; from a file; or none, where
// switches hash.

import { InputError, type Diagnostic } from '../../base/diagnostics.js';
import type { Host } from '../../base/host.js';
import type { RoutedFabric } from '../../fabric/routed-fabric.js';
import { hostLidCount } from '../../fabric/identity.js';
import { routeDmodK } from '../../routing/d-mod-k.js';
import type { TablesByOffset } from '../../routing/lid-offsets.js';
import { ftreeOrNull } from '../routes/algorithms/ftree.js';
import { requireTree } from '../routes/fabric-input.js';
import { readTables, type TablesRequest } from '../routes/tables-input.js';

/** Switches hash over equal-cost paths. */
const byHash = 'ecmp';

/** Tables of a request, by LID offset; null: switches choose. @throws InputError, HostFileError */
export async function requestedTables(
  request: TablesRequest,
  files: Host,
  source: RoutedFabric,
): Promise<{ readonly tables: TablesByOffset | null; readonly warnings: readonly Diagnostic[] }> {
  if (request === byHash) return { tables: null, warnings: [] };
  return tablesNamed(request, source) ?? (await readTables(files, request, source));
}

/** Tables by a name; null where a file or tables are meant. @throws InputError if the algorithm does not route it */
function tablesNamed(
  request: TablesRequest,
  source: RoutedFabric,
): { readonly tables: TablesByOffset; readonly warnings: readonly Diagnostic[] } | null {
  if (request !== 'ftree' && request !== 'dmodk') return null;
  requireTree(source);
  const lids = hostLidCount(source.fabric, source.identity);
  const offsets = Array.from({ length: lids }, (_, offset) => offset);
  if (request === 'dmodk') return { tables: offsets.map((offset) => routeDmodK(source.tree, offset)), warnings: [] };
  const tables = ftreeOrNull(source);
  if (tables === null || lids > 1)
    throw InputError.about(
      'no-tables',
      '--tables',
      tables === null ? 'ftree does not route this fabric' : 'ftree has ways to one LID of each host',
      {
        ...(lids > 1 ? { got: `${lids} LIDs` } : {}),
        wanted: lids > 1 ? 'dmodk, a file, or --lmc 0' : 'dmodk, or a file',
        hint: 'weft route compute --out FILE writes tables for any fabric that it routes',
      },
    );
  return { tables: [tables], warnings: [] };
}
