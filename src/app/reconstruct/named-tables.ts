// Tables that a fabric has if it is routed by an algorithm, for those who have no file of them.

import { InputError } from '../../base/diagnostics.js';
import type { RoutedFabric } from '../../fabric/routed-fabric.js';
import { routeDmodK } from '../../routing/d-mod-k.js';
import type { ForwardingTables } from '../../routing/forwarding-tables.js';
import { ftreeOrNull } from '../routes/algorithms/ftree.js';
import { requireTree } from '../routes/fabric-input.js';
import type { TablesRequest } from '../routes/tables-input.js';

/** Tables by a name; null where a file or tables are meant. @throws InputError if the algorithm does not route it */
export function tablesNamed(request: TablesRequest, source: RoutedFabric): ForwardingTables | null {
  if (request !== 'ftree' && request !== 'dmodk') return null;
  requireTree(source);
  if (request === 'dmodk') return routeDmodK(source.tree);
  const tables = ftreeOrNull(source);
  if (tables === null)
    throw InputError.about('no-tables', '--tables', 'ftree does not route this fabric', { wanted: 'dmodk, or a file' });
  return tables;
}
