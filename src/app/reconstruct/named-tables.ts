// Tables of a request: by the name of an algorithm, for those who have no file of them; from a file; or none, where
// switches hash.

import { InputError, type Diagnostic } from '../../base/diagnostics.js';
import type { Host } from '../../base/host.js';
import type { RoutedFabric } from '../../fabric/routed-fabric.js';
import { routeDmodK } from '../../routing/d-mod-k.js';
import type { ForwardingTables } from '../../routing/forwarding-tables.js';
import { ftreeOrNull } from '../routes/algorithms/ftree.js';
import { requireTree } from '../routes/fabric-input.js';
import { readTables, type TablesRequest } from '../routes/tables-input.js';

/** Switches hash over equal-cost paths. */
const byHash = 'ecmp';

/** Tables of a request; null: switches hash. @throws InputError, HostFileError */
export async function requestedTables(
  request: TablesRequest,
  files: Host,
  source: RoutedFabric,
): Promise<{ readonly tables: ForwardingTables | null; readonly warnings: readonly Diagnostic[] }> {
  if (request === byHash) return { tables: null, warnings: [] };
  const named = tablesNamed(request, source);
  if (named !== null) return { tables: named, warnings: [] };
  const { tables, warnings } = await readTables(files, request, source);
  if (tables.length > 1)
    throw InputError.about('several-lids', '--tables', 'hosts have several LIDs, and counters do not tell them apart');
  return { tables: tables[0]!, warnings };
}

/** Tables by a name; null where a file or tables are meant. @throws InputError if the algorithm does not route it */
function tablesNamed(request: TablesRequest, source: RoutedFabric): ForwardingTables | null {
  if (request !== 'ftree' && request !== 'dmodk') return null;
  requireTree(source);
  if (request === 'dmodk') return routeDmodK(source.tree);
  const tables = ftreeOrNull(source);
  if (tables === null)
    throw InputError.about('no-tables', '--tables', 'ftree does not route this fabric', { wanted: 'dmodk, or a file' });
  return tables;
}
