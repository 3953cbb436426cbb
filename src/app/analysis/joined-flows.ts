// Flows of a stored run with the paths that they took: completion records joined with path records.
//   By number of the flow where the records have one; of a text fct.txt by sender, receiver and source port, the k-th
//   such flow by its start with the k-th such path (a source port is given again once it is free).
// Invariant: flows come in the order of their numbers; what has no partner is counted, never dropped in silence.
// Memory: about 80 bytes a flow and 24 a row of the hops.

import { Float64List, Int32List } from '../../base/columns.js';
import { InputError } from '../../base/diagnostics.js';
import type { Fabric } from '../../fabric/fabric.js';
import { linkTiers } from '../../fabric/link-tiers.js';
import { linksBetweenSwitches } from '../../measurement/collisions.js';
import type { CountedTiers, FlowPaths } from '../../measurement/flow-overlap.js';
import { firstSourcePort } from '../../execution/admission.js';
import { requireTable, wholeColumns, type RunTables } from '../../records/run-tables.js';

const flowColumns = [
  'flowId',
  'source',
  'destination',
  'sourcePort',
  'sizeBytes',
  'startPs',
  'finishPs',
  'idealPs',
] as const;
/** Finished flows in columns, in the order of their numbers. */
export type StoredFlows = { readonly flows: number } & Readonly<Record<(typeof flowColumns)[number], Float64Array>>;

const hopColumns = ['hop', 'node', 'interface', 'sourcePort'] as const;
type HopColumn = (typeof hopColumns)[number];
type HopColumns = Readonly<Record<HopColumn, Int32Array>>;

/** Rows of the hops by flow: rows of flow i are from offsets[i] to offsets[i + 1] - 1, in their order. */
export interface FlowHops extends HopColumns {
  readonly offsets: Int32Array;
  /** paths without a finished flow */
  readonly unmatchedPaths: number;
}

/** How many flows took more than one way: a link failed, they were moved, or paths were chosen packet by packet. */
export function flowsOnSeveralWays({ offsets, hop }: FlowHops): number {
  let flows = 0;
  for (let flow = 0; flow + 1 < offsets.length; flow++) {
    const own = hop.subarray(offsets[flow], offsets[flow + 1]);
    if (new Set(own).size < own.length) flows++;
  }
  return flows;
}

/** The finished flows of a run. @throws InputError, HostFileError */
export async function storedFlows(run: RunTables): Promise<StoredFlows> {
  const table = requireTable(run, 'flows', 'give a run of weft run --out, or an fct.txt with --fct');
  const columns = await wholeColumns(table, flowColumns);
  const ids = columns.get('flowId')!;
  const order = Int32Array.from({ length: ids.length }, (_, i) => i).sort((a, b) => ids[a]! - ids[b]!);
  const inOrder = flowColumns.map((name) => {
    const column = columns.get(name)!;
    return [name, Float64Array.from(order, (place) => column[place]!)] as const;
  });
  return { flows: ids.length, ...(Object.fromEntries(inOrder) as Omit<StoredFlows, 'flows'>) };
}

/**
 * The paths of flows.
 * @param isNumbered whether numbers of flows mean the same in both: not in a text fct.txt, which has none
 * @throws InputError, HostFileError
 */
export async function hopsOf(
  run: RunTables,
  flows: StoredFlows,
  isNumbered = run.tables.get('flows')?.file.endsWith('.parquet') === true,
): Promise<FlowHops> {
  const table = requireTable(run, 'hops', 'give a run of weft run --out, or a paths.csv with --paths');
  const placeOf = isNumbered ? byNumber(flows) : byEnds(flows);
  const owner = new Int32List();
  const lists = hopColumns.map((name) => ({ name, list: new Int32List() }));
  let unmatchedPaths = 0;
  let lastId = NaN;
  let place = -1;
  for await (const piece of table.pieces(['flowId', 'source', 'destination', ...hopColumns])) {
    const [ids, sources, destinations, ports] = (['flowId', 'source', 'destination', 'sourcePort'] as const).map(
      (name) => piece.numbers(name),
    ) as [Float64Array, Float64Array, Float64Array, Float64Array];
    const own = lists.map(({ name, list }) => ({ list, column: piece.numbers(name) }));
    for (let row = 0; row < piece.rows; row++) {
      if (ids[row] !== lastId) {
        lastId = ids[row]!;
        place = placeOf(lastId, sources[row]!, destinations[row]!, ports[row]!);
        if (place < 0) unmatchedPaths++;
      }
      if (place < 0) continue;
      owner.push(place);
      for (const { list, column } of own) list.push(column[row]!);
    }
  }
  return { ...grouped(flows.flows, owner, lists), unmatchedPaths };
}

function grouped(
  flows: number,
  owner: Int32List,
  lists: readonly { readonly name: HopColumn; readonly list: Int32List }[],
): Omit<FlowHops, 'unmatchedPaths'> {
  const offsets = new Int32Array(flows + 1);
  for (let row = 0; row < owner.length; row++) offsets[owner.values[row]! + 1]!++;
  for (let flow = 0; flow < flows; flow++) offsets[flow + 1]! += offsets[flow]!;
  const next = offsets.slice();
  const target = Int32Array.from({ length: owner.length }, (_, row) => next[owner.values[row]!]!++);
  const placed = (list: Int32List): Int32Array => {
    const column = new Int32Array(owner.length);
    for (let row = 0; row < owner.length; row++) column[target[row]!] = list.values[row]!;
    return column;
  };
  const columns = Object.fromEntries(lists.map(({ name, list }) => [name, placed(list)])) as HopColumns;
  return { offsets, ...columns };
}

type PlaceOf = (flowId: number, source: number, destination: number, sourcePort: number) => number;

function byNumber({ flowId }: StoredFlows): PlaceOf {
  const places = new Map<number, number>();
  for (const [place, id] of flowId.entries()) places.set(id, place);
  return (id) => places.get(id) ?? -1;
}

function byEnds({ flows, source, destination, sourcePort, startPs }: StoredFlows): PlaceOf {
  const order = Int32Array.from({ length: flows }, (_, i) => i).sort((a, b) => startPs[a]! - startPs[b]! || a - b);
  const waiting = new Map<string, { readonly places: number[]; next: number }>();
  for (const place of order) {
    const key = `${source[place]!} ${destination[place]!} ${sourcePort[place]!}`;
    const known = waiting.get(key);
    if (known === undefined) waiting.set(key, { places: [place], next: 0 });
    else known.places.push(place);
  }
  return (_id, from, to, port) => {
    const known = waiting.get(`${from} ${to} ${port}`);
    return known?.places[known.next++] ?? -1;
  };
}

/** Ports that flows took, and which of them count by tier. */
export interface CountedPaths {
  readonly paths: FlowPaths;
  readonly tiers: CountedTiers;
}

/** Output ports of a fabric that count: links between switches, by tier. */
export function countedTiers(fabric: Fabric): CountedTiers {
  const { tiers, tierOf } = linkTiers(fabric);
  const isCounted = linksBetweenSwitches(fabric);
  const names: string[] = [];
  const number = tiers.map(({ name }, tier) => {
    const counts = tierOf.some((own, port) => own === tier && isCounted[port] === 1);
    return counts ? names.push(name) - 1 : -1;
  });
  return { names, tierOf: Int16Array.from(tierOf, (tier, port) => (isCounted[port] === 1 ? number[tier]! : -1)) };
}

/**
 * The paths of a run for counting collisions.
 * @param fabric null: ports are known by node and interface alone, tiers are places on the way, and the last place (to
 * the receiver) does not count
 * @throws InputError if the fabric has not the ports that the run names
 */
export function countedPaths(
  { flows, startPs, finishPs }: StoredFlows,
  hops: FlowHops,
  fabric: Fabric | null,
  shown: string,
): CountedPaths {
  const named = fabric === null ? new NamedPorts() : null;
  const offsets = new Int32Array(flows + 1);
  const ports = new Int32List();
  for (let flow = 0; flow < flows; flow++) {
    const from = offsets[flow]!;
    let last = 0;
    for (let row = hops.offsets[flow]!; row < hops.offsets[flow + 1]!; row++) last = Math.max(last, hops.hop[row]!);
    for (let row = hops.offsets[flow]!; row < hops.offsets[flow + 1]!; row++) {
      const [node, interface_, place] = [hops.node[row]!, hops.interface[row]!, hops.hop[row]!];
      const port =
        named === null
          ? portOf(fabric!, node, interface_, shown)
          : named.portOf(node, interface_, place === last ? -1 : place);
      let known = from;
      while (known < ports.length && ports.values[known] !== port) known++;
      if (known === ports.length) ports.push(port);
    }
    offsets[flow + 1] = ports.length;
  }
  const paths = { flows, startPs, finishPs, offsets, ports: ports.toArray() };
  return { paths, tiers: fabric === null ? named!.tiers() : countedTiers(fabric) };
}

function portOf(fabric: Fabric, node: number, interface_: number, shown: string): number {
  const first = fabric.portOffset[node];
  const end = fabric.portOffset[node + 1];
  if (first !== undefined && end !== undefined && interface_ >= 1 && first + interface_ - 1 < end)
    return first + interface_ - 1;
  throw InputError.about('analyze-topology', shown, 'this run is of another fabric than the topology', {
    got: `port ${interface_} of node ${node}`,
    wanted: 'the topology that it ran on',
  });
}

/** Ports known by name alone, numbered as they come. */
class NamedPorts {
  private readonly numbers = new Map<number, number>();
  private readonly places = new Float64List();

  /** @param place on the way; -1: the last */
  portOf(node: number, interface_: number, place: number): number {
    const key = node * 2 ** 24 + interface_;
    let number = this.numbers.get(key);
    if (number === undefined) {
      number = this.numbers.size;
      this.numbers.set(key, number);
      this.places.push(place);
    }
    return number;
  }

  tiers(): CountedTiers {
    const places = this.places.toArray();
    const most = places.reduce((a, b) => Math.max(a, b), -1);
    return {
      names: Array.from({ length: most + 1 }, (_, place) => `switch ${place + 1} of the path`),
      tierOf: Int16Array.from(places),
    };
  }
}

/** How many switches a flow crossed: those of its longest path; 0 if no path is known. */
export function switchesOf({ offsets, hop }: FlowHops, flow: number): number {
  let most = 0;
  for (let row = offsets[flow]!; row < offsets[flow + 1]!; row++) most = Math.max(most, hop[row]! + 1);
  return most;
}

/** Nodes in the middle of a path of three switches and more, the spine; several where packets or paths differ. */
export function spinesOf(hops: FlowHops, flow: number, switches: number): number[] {
  const spines: number[] = [];
  if (switches < 3) return spines;
  const middle = Math.floor(switches / 2);
  for (let row = hops.offsets[flow]!; row < hops.offsets[flow + 1]!; row++)
    if (hops.hop[row] === middle && !spines.includes(hops.node[row]!)) spines.push(hops.node[row]!);
  return spines;
}

/**
 * Whether the central controller chose a source port: it counts up from 1, the counter from 10,000.
 * @param run that of the flow; one that says that it had no controller had none
 */
export function isChosenPort({ manifest }: RunTables, sourcePort: number): boolean {
  if (sourcePort >= firstSourcePort) return false;
  const controller = manifest?.scenario['controller'];
  return (
    typeof controller !== 'object' || controller === null || !('enabled' in controller) || controller.enabled === true
  );
}
