// Forwarding tables from files, as OpenSM dumps them.
// Invariant: tables that are returned lead nowhere in circles: a loop in them is a mistake with its place.

import { shownName } from '../../fabric/port-identity.js';
import { Diagnostics, InputError, type Diagnostic } from '../../base/diagnostics.js';
import type { Host } from '../../base/host.js';
import type { RoutedFabric } from '../../fabric/routed-fabric.js';
import { LftReader } from '../../formats/opensm-lfts.js';
import { checkRoutes, type FaultExample, type RouteValidity } from '../../optimization/route-validity.js';
import { ForwardingTables } from '../../routing/forwarding-tables.js';
import type { TablesByOffset } from '../../routing/lid-offsets.js';
import { ownPieces, type GivenText } from './file-kinds.js';

/** Tables with what is odd about them. */
export interface LoadedTables {
  readonly tables: TablesByOffset;
  /** what messages and reports call them */
  readonly name: string;
  readonly warnings: readonly Diagnostic[];
  /** whether they lead everywhere; left out: nobody has looked */
  readonly ways?: RouteValidity;
}

/** Where tables come from: a file, its text, or tables that are there. */
export type TablesRequest = string | GivenText | TablesByOffset;

/**
 * Reads tables; a loop in them is a mistake with its place.
 * @throws InputError, HostFileError
 */
export async function loadTables(host: Host, from: TablesRequest, source: RoutedFabric): Promise<LoadedTables> {
  const { reader, ...loaded } = await readTables(host, from, source);
  if (reader === null) return loaded;
  const ways = checkRoutes(source.tree, reader.offsets);
  if (ways.examples.loop !== undefined) refuseLoop(reader, ways.examples.loop, loaded.name, source);
  return { ...loaded, ways };
}

/**
 * Reads tables, whatever ways they have.
 * @returns the tables, and what has read them; null where they were not read from a text
 * @throws InputError, HostFileError
 */
export async function readTables(
  host: Host,
  from: TablesRequest,
  source: RoutedFabric,
): Promise<LoadedTables & { readonly reader: LftReader | null }> {
  if (typeof from !== 'string' && !('text' in from))
    return { tables: from.map((tables) => ofFabric(tables, source)), name: 'tables', warnings: [], reader: null };
  const diagnostics = new Diagnostics();
  const { name, pieces } = ownPieces(host, from, 'tables');
  const reader = new LftReader(source, name, diagnostics);
  for await (const piece of pieces) {
    reader.push(piece);
    if (diagnostics.full) break;
  }
  reader.end();
  diagnostics.throwIfErrors();
  return { tables: reader.offsets, name, warnings: diagnostics.warnings, reader };
}

function isSame(a: Int32Array, b: Int32Array): boolean {
  return a.length === b.length && a.every((value, i) => value === b[i]);
}

/** Tables of a fabric that was read anew. @throws InputError if it has other links */
function ofFabric({ fabric, entries }: ForwardingTables, source: RoutedFabric): ForwardingTables {
  const { portPeer, portOffset } = source.fabric;
  if (isSame(fabric.portPeer, portPeer) && isSame(fabric.portOffset, portOffset))
    return new ForwardingTables(source.fabric, entries);
  throw InputError.about('other-fabric', source.name, 'the tables are of a fabric with other links', {
    hint: 'give them as a text, which names ports: writeForwardingTables',
  });
}

/** @throws InputError: packets go round in circles */
function refuseLoop({ offsets, entryLines }: LftReader, loop: FaultExample, file: string, source: RoutedFabric): never {
  const { offset = 0 } = loop;
  const tables = offsets[offset]!;
  const names = loop.path.map((node) => shownName(source.identity, node));
  const again = loop.path.findIndex((node, i) => loop.path.indexOf(node) !== i);
  const at = loop.path[again === -1 ? 0 : again]!;
  const which = offsets.length === 1 ? '' : `, LID offset ${offset},`;
  throw InputError.at(
    'loop',
    file,
    { line: entryLines[offset]![tables.rowOf[at]! * tables.columns + loop.destination]!, column: 1 },
    `packets for ${shownName(source.identity, loop.destination)}${which} go round in circles`,
    {
      got: names.slice(0, again === -1 ? names.length : again + 1).join(' -> '),
      wanted: 'a way that ends at the host',
      hint: 'OpenSM does not check files for loops: it would load these tables',
    },
  );
}
