// Forwarding tables -> the text that OpenSM's file engine reads (-R file -U) and OpenSM itself dumps.
// Invariants: on the same tables the text is OpenSM's own dump, byte for byte; every entry carries the GUID of its port, so that OpenSM
// finds it whatever LID it has by then. OpenSM does not check a file for omissions: omittedEntries does. Format: docs/formats/infiniband.md.

import { fail } from '../base/fail.js';
import { NodeKind } from '../fabric/fabric.js';
import type { FatTree } from '../fabric/fat-tree.js';
import { guidText, tableOrder } from '../fabric/identity.js';
import { noPort, ownPort, type ForwardingTables } from '../routing/forwarding-tables.js';
import { MinimalPorts } from '../routing/minimal-ports.js';
import type { IdentifiedFabric } from './ibnetdiscover.js';

/**
 * The tables as OpenSM's file engine reads them and OpenSM dumps them, switch after switch: a text of each. Hosts and switches without a way
 * have no line. @throws InvariantError if a node has no LID
 */
export function* lftTexts({ fabric, identity }: IdentifiedFabric, tables: ForwardingTables): Generator<string> {
  const order = tableOrder(identity.nodeGuid).filter((node) => fabric.nodeKind[node] !== NodeKind.host);
  const byLid = Array.from({ length: fabric.nodeCount }, (_, node) => node).sort((a, b) => identity.lid[a]! - identity.lid[b]!);
  if (fabric.nodeCount > 0 && identity.lid[byLid[0]!] === 0) fail('tables written for nodes without LIDs');
  const ends = byLid.map((node) => ` # ${tables.rowOf[node] === -1 ? 'Channel Adapter' : 'Switch'} portguid ${guidText(identity.portGuid[node]!)}: '${identity.nodeName[node]!}'\n`);
  const starts = byLid.map((node) => `0x${identity.lid[node]!.toString(16).padStart(4, '0')} `);
  const largest = identity.lid[byLid[byLid.length - 1]!]!;
  for (const own of order) {
    let text = `Unicast lids [0-${largest}] of switch Lid ${identity.lid[own]!} guid ${guidText(identity.nodeGuid[own]!)} ('${identity.nodeName[own]!}'):\n`;
    for (let k = 0; k < byLid.length; k++) {
      const entry = tables.entry(own, byLid[k]!);
      if (entry === noPort) continue;
      const number = entry === ownPort ? 0 : identity.portNumber[fabric.portOffset[own]! + entry]!;
      text += starts[k]! + String(number).padStart(3, '0') + ends[k]!;
    }
    yield `${text}${largest} lids dumped\n`;
  }
}

/** A switch and a destination that it should reach and does not. */
export interface Omission {
  readonly node: number;
  readonly destination: number;
}

/**
 * What tables leave out: switches without an entry for a node to which an up-down path leads.
 * @returns how many, and the first of them
 */
export function omittedEntries(tree: FatTree, tables: ForwardingTables): { readonly count: number; readonly first: Omission | null } {
  const { fabric, hostLeaf, hostRank } = tree;
  const minimal = new MinimalPorts(tree);
  const below = new Map<number, number[]>();
  for (const host of fabric.hosts) {
    const leaf = hostLeaf[hostRank[host]!]!;
    below.set(leaf, [...(below.get(leaf) ?? []), host]);
  }
  let count = 0;
  let first: Omission | null = null;
  for (const target of tables.switches) {
    minimal.towards(target);
    for (const node of tables.switches) {
      if (minimal.distance[node] === -1) continue;
      for (const destination of [target, ...(below.get(target) ?? [])]) {
        if (tables.entry(node, destination) !== noPort) continue;
        count++;
        first ??= { node, destination };
      }
    }
  }
  return { count, first };
}
