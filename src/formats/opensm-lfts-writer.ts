// Forwarding tables -> the text that OpenSM's file engine reads (-R file -U) and OpenSM itself dumps.
// Invariants: on the same tables the text is OpenSM's own dump, byte for byte; every entry carries the GUID of its
// port, so that OpenSM finds it whatever LID it has by then. OpenSM does not check a file for omissions: omittedEntries
// does. Format: docs/formats/infiniband.md.

import { fail } from '../base/fail.js';
import { NodeKind } from '../fabric/fabric.js';
import type { FatTree } from '../fabric/fat-tree.js';
import { guidText, tableOrder, type AttachedPort } from '../fabric/identity.js';
import { noPort, ownPort, type ForwardingTables } from '../routing/forwarding-tables.js';
import { UpwardSets } from '../routing/up-down-reach.js';
import type { IdentifiedFabric } from './subnet-records.js';

/**
 * The tables as OpenSM's file engine reads them and OpenSM dumps them, switch after switch: a text of each. Hosts and
 * switches without a way have no line. @throws InvariantError if a node has no LID
 */
export function* lftTexts({ fabric, identity }: IdentifiedFabric, tables: ForwardingTables): Generator<string> {
  const order = tableOrder(identity.nodeGuid).filter((node) => fabric.nodeKind[node] !== NodeKind.host);
  const byLid = destinationsByLid({ fabric, identity });
  if (byLid.length > 0 && byLid[0]!.lid === 0) fail('tables written for nodes without LIDs');
  const ends = byLid.map(
    ({ node, name, guid }) =>
      ` # ${node === -1 || tables.rowOf[node] === -1 ? 'Channel Adapter' : 'Switch'} portguid ${guidText(guid)}: '${name}'\n`,
  );
  const starts = byLid.map(({ lid }) => `0x${lid.toString(16).padStart(4, '0')} `);
  const largest = byLid.at(-1)?.lid ?? 0;
  for (const own of order) {
    let text = `Unicast lids [0-${largest}] of switch Lid ${identity.lid[own]!} guid ${guidText(identity.nodeGuid[own]!)} ('${identity.nodeName[own]!}'):\n`;
    for (let k = 0; k < byLid.length; k++) {
      const { node, attached } = byLid[k]!;
      // an attached port is reached as its switch is
      const entry = tables.entry(own, attached === null ? node : attached.switchNode);
      if (entry === noPort) continue;
      const number =
        entry !== ownPort
          ? identity.portNumber[fabric.portOffset[own]! + entry]!
          : attached === null
            ? 0
            : attached.switchPort;
      text += starts[k]! + String(number).padStart(3, '0') + ends[k]!;
    }
    yield `${text}${largest} lids dumped\n`;
  }
}

interface Destination {
  /** -1 for an attached port */
  readonly node: number;
  readonly attached: AttachedPort | null;
  readonly lid: number;
  readonly guid: bigint;
  readonly name: string;
}

/** Every end port, ascending by LID. */
function destinationsByLid({ fabric, identity }: IdentifiedFabric): Destination[] {
  const nodes = Array.from({ length: fabric.nodeCount }, (_, node): Destination => ({
    node,
    attached: null,
    lid: identity.lid[node]!,
    guid: identity.portGuid[node]!,
    name: identity.nodeName[node]!,
  }));
  const attached = (identity.attached ?? []).map((port): Destination => ({
    node: -1,
    attached: port,
    lid: port.lid,
    guid: port.portGuid,
    name: port.name,
  }));
  return [...nodes, ...attached].sort((a, b) => a.lid - b.lid);
}

/** A switch and a destination that it should reach and does not. */
export interface Omission {
  readonly node: number;
  readonly destination: number;
}

/**
 * What tables leave out: switches without an entry for a node to which an up-down path leads. Where no entry is missing
 * that is a look at the bytes alone.
 * @returns how many, and the first of them
 */
export function omittedEntries(
  tree: FatTree,
  tables: ForwardingTables,
): { readonly count: number; readonly first: Omission | null } {
  const { switches, entries, columns } = tables;
  const sets = tree.isTree ? new UpwardSets(tree) : null;
  let count = 0;
  let first: Omission | null = null;
  for (let cell = entries.indexOf(noPort); cell !== -1; cell = entries.indexOf(noPort, cell + 1)) {
    const destination = cell % columns;
    const node = switches[(cell - destination) / columns]!;
    const rank = tree.hostRank[destination]!;
    const target = rank === -1 ? destination : tree.hostLeaf[rank]!;
    if (sets !== null && !sets.meet(node, target)) continue;
    count++;
    first ??= { node, destination };
  }
  return { count, first };
}
