// Forwarding tables from files, as OpenSM dumps them.
// Invariant: what `loadTables` returns leads nowhere in circles: a loop is a mistake with its place. `readTables` returns
// any ways, and `loadCurrent` mends circles.

import { shownName } from '../../fabric/port-identity.js';
import { Diagnostics, InputError, type Diagnostic, type Position } from '../../base/diagnostics.js';
import type { Host } from '../../base/host.js';
import type { RoutedFabric } from '../../fabric/routed-fabric.js';
import { LftReader } from '../../formats/opensm-lfts.js';
import { checkRoutes, type FaultExample, type RouteValidity } from '../../optimization/route-validity.js';
import { ForwardingTables } from '../../routing/forwarding-tables.js';
import type { TablesByOffset } from '../../routing/lid-offsets.js';
import { withEveryWay } from './make-tables.js';
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
  if (ways.examples.loop === undefined) return { ...loaded, ways };
  const { at, message, got } = loopFound(reader, ways.examples.loop, source);
  throw InputError.at('loop', loaded.name, at, message, {
    got,
    wanted: 'a way that ends at the host',
    hint: 'weft route repair mends it; OpenSM does not check files for loops and would load these tables',
  });
}

/** Tables in use, and those that a search begins with: without circles. */
export interface CurrentTables extends LoadedTables {
  readonly start: TablesByOffset;
}

/**
 * Reads tables in use. Where they lead in circles what leads nowhere is mended before a search begins, and a warning
 * says so.
 * @param mostChanges entries that may change; with a limit a loop is a mistake, for what mends it has none
 * @throws InputError, HostFileError
 */
export async function loadCurrent(
  host: Host,
  from: TablesRequest,
  source: RoutedFabric,
  mostChanges: number | null,
): Promise<CurrentTables> {
  if (mostChanges !== null) {
    const loaded = await loadTables(host, from, source);
    return { ...loaded, start: loaded.tables };
  }
  const { reader, ...loaded } = await readTables(host, from, source);
  if (reader === null) return { ...loaded, start: loaded.tables };
  const ways = checkRoutes(source.tree, reader.offsets);
  if (ways.examples.loop === undefined) return { ...loaded, ways, start: loaded.tables };
  const { at, message, got } = loopFound(reader, ways.examples.loop, source);
  const told = new Diagnostics();
  told.warning('loop', loaded.name, at, `${message} by the tables in use`, {
    got,
    hint: 'a search that begins with these tables mends such ways first',
  });
  return {
    ...loaded,
    ways,
    warnings: [...loaded.warnings, ...told.warnings],
    start: searchStart(source, loaded.tables, ways),
  };
}

/** Tables that a search begins with: those in use, or where packets go round in circles those with such ways mended. */
export function searchStart(source: RoutedFabric, tables: TablesByOffset, ways: RouteValidity): TablesByOffset {
  return ways.examples.loop === undefined ? tables : tables.map((own) => withEveryWay(source, own));
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

/** The arguments of a diagnostic: packets go round in circles. */
function loopFound(
  { offsets, entryLines }: LftReader,
  loop: FaultExample,
  { identity }: RoutedFabric,
): { readonly at: Position; readonly message: string; readonly got: string } {
  const { offset = 0 } = loop;
  const tables = offsets[offset]!;
  const names = loop.path.map((node) => shownName(identity, node));
  const again = loop.path.findIndex((node, i) => loop.path.indexOf(node) !== i);
  const node = loop.path[again === -1 ? 0 : again]!;
  const which = offsets.length === 1 ? '' : `, LID offset ${offset},`;
  return {
    at: { line: entryLines.line(offset, tables.rowOf[node]!, loop.destination), column: 1 },
    message: `packets for ${shownName(identity, loop.destination)}${which} go round in circles`,
    got: names.slice(0, again === -1 ? names.length : again + 1).join(' -> '),
  };
}
