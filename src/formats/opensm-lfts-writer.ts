// Forwarding tables -> the text that OpenSM's file engine reads (-R file -U) and OpenSM itself dumps.
// Invariants: on the same tables the text is OpenSM's own dump, byte for byte; every entry carries the GUID of its
// port, so that OpenSM finds it whatever LID it has by then. OpenSM does not check a file for omissions: omittedEntries
// does. Format: docs/formats/infiniband.md.

import { fail } from '../base/fail.js';
import { switchGroups } from '../fabric/connectivity.js';
import { NodeKind } from '../fabric/fabric.js';
import type { FatTree } from '../fabric/fat-tree.js';
import { guidText, hostLidCount, lidCount, tableOrder, type AttachedPort } from '../fabric/identity.js';
import { forEachWithoutPort, noPort, ownPort } from '../routing/forwarding-tables.js';
import { UpwardSets } from '../routing/up-down-reach.js';
import type { TablesByOffset } from '../routing/lid-offsets.js';
import type { IdentifiedFabric } from './subnet-records.js';

/**
 * The tables as OpenSM's file engine reads them and OpenSM dumps them, switch after switch: a text of each. Hosts and
 * switches without a way have no line.
 * @param offsets tables by LID offset: a set for each LID of a host
 * @throws InvariantError if a node has no LID, or hosts have not as many LIDs as there are tables
 */
export function* lftTexts({ fabric, identity }: IdentifiedFabric, offsets: TablesByOffset): Generator<string> {
  const tables = offsets[0]!;
  if (offsets.length !== hostLidCount(fabric, identity)) fail(`${offsets.length} tables for the LIDs of hosts`);
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
      const { node, attached, offset } = byLid[k]!;
      // an attached port is reached as its switch is
      const entry = attached === null ? offsets[offset]!.entry(own, node) : tables.entry(own, attached.switchNode);
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
  /** LID offset: distance to the base LID of the port */
  readonly offset: number;
  readonly lid: number;
  readonly guid: bigint;
  readonly name: string;
}

/** Every LID of every end port, ascending. */
function destinationsByLid({ fabric, identity }: IdentifiedFabric): Destination[] {
  const nodes = Array.from({ length: fabric.nodeCount }, (_, node): Destination => ({
    node,
    attached: null,
    offset: 0,
    lid: identity.lid[node]!,
    guid: identity.portGuid[node]!,
    name: identity.nodeName[node]!,
  })).flatMap((end) => withOffsets(end, lidCount(identity, end.node)));
  const attached = (identity.attached ?? []).flatMap((port) =>
    withOffsets(
      { node: -1, attached: port, offset: 0, lid: port.lid, guid: port.portGuid, name: port.name },
      hostLidCount(fabric, identity),
    ),
  );
  return [...nodes, ...attached].sort((a, b) => a.lid - b.lid);
}

/** An end port once for each of its LIDs. */
function withOffsets(end: Destination, lids: number): Destination[] {
  return Array.from({ length: lids }, (_, offset) => (offset === 0 ? end : { ...end, offset, lid: end.lid + offset }));
}

/** A switch and a destination that it should reach and does not. */
export interface Omission {
  readonly node: number;
  readonly destination: number;
}

/**
 * What tables leave out: switches without an entry for a node to which a path leads, in trees an up-down path. Where no
 * entry is missing that is a look at the bytes alone.
 * @param offsets tables by LID offset; of the offsets above 0 entries for hosts are looked at alone
 * @returns how many, and the first of them
 */
export function omittedEntries(
  tree: FatTree,
  offsets: TablesByOffset,
): { readonly count: number; readonly first: Omission | null } {
  const sets = tree.isTree ? new UpwardSets(tree) : null;
  const { groupOf } = switchGroups(tree.fabric);
  let count = 0;
  let first: Omission | null = null;
  offsets.forEach((tables, offset) => {
    forEachWithoutPort(tables, (node, destination) => {
      const rank = tree.hostRank[destination]!;
      if (rank === -1 && offset > 0) return;
      const target = rank === -1 ? destination : tree.hostLeaf[rank]!;
      if (sets !== null ? !sets.meet(node, target) : groupOf[node] !== groupOf[target]) return;
      count++;
      first ??= { node, destination };
    });
  });
  return { count, first };
}
