// Forwarding tables: for every switch and every destination the port that packets leave by. One byte per entry.
// Invariants: rows stand in the order of `switches`, columns are nodes (hosts and switches: each has a LID); an entry
// is the place of a port among the ports of its switch, from 0, or `ownPort` for the switch itself, or `noPort`. A
// table never names a port that is not there.
// With several LIDs per host there is such a set for each LID offset (lid-offsets.ts).
// Not modelled: multicast, paths that depend on the port of arrival.

import { fail } from '../base/fail.js';
import { NodeKind, type Fabric } from '../fabric/fabric.js';

/** The entry of a switch without a way to a destination. */
export const noPort = 255;
/** The entry of a switch for itself. */
export const ownPort = 254;
/** The most ports of a switch that entries can name. */
export const maxTablePorts = 254;

export class ForwardingTables {
  /** node of each row, ascending */
  readonly switches: Int32Array;
  /** row of each node, -1 for hosts */
  readonly rowOf: Int32Array;
  /** nodes per row */
  readonly columns: number;
  /** entries, row after row */
  readonly entries: Uint8Array;

  /** @param entries those of tables of the same fabric, which are taken, not copied; left out: no ways at all */
  constructor(
    readonly fabric: Fabric,
    entries?: Uint8Array,
  ) {
    const { nodeCount, nodeKind, portOffset } = fabric;
    this.rowOf = new Int32Array(nodeCount).fill(-1);
    const switches: number[] = [];
    for (let node = 0; node < nodeCount; node++) {
      if (nodeKind[node] === NodeKind.host) continue;
      if (portOffset[node + 1]! - portOffset[node]! > maxTablePorts)
        fail(`switch ${node} has more than ${maxTablePorts} ports`);
      this.rowOf[node] = switches.push(node) - 1;
    }
    this.switches = Int32Array.from(switches);
    this.columns = nodeCount;
    if (entries !== undefined && entries.length !== switches.length * nodeCount)
      fail('entries of tables of another fabric');
    this.entries = entries ?? new Uint8Array(switches.length * nodeCount).fill(noPort);
    if (entries !== undefined) return;
    for (const node of switches) this.entries[this.rowOf[node]! * nodeCount + node] = ownPort;
  }

  /** The entry of a switch for a destination: place of the port from 0, `ownPort` or `noPort`. */
  entry(node: number, destination: number): number {
    return this.entries[this.rowOf[node]! * this.columns + destination]!;
  }

  /**
   * The port of the fabric by which a switch sends to a destination; -1 if there is none or the switch is the
   * destination.
   */
  port(node: number, destination: number): number {
    const entry = this.entries[this.rowOf[node]! * this.columns + destination]!;
    return entry >= ownPort ? -1 : this.fabric.portOffset[node]! + entry;
  }

  /** Lets a switch send to a destination by one of its ports (a port of the fabric). */
  setPort(node: number, destination: number, port: number): void {
    this.entries[this.rowOf[node]! * this.columns + destination] = port - this.fabric.portOffset[node]!;
  }

  /** A copy that shares nothing that changes. */
  copy(): ForwardingTables {
    return new ForwardingTables(this.fabric, this.entries.slice());
  }
}

/** Number of entries in which two tables of one fabric differ: what an operator would change. */
export function changedEntries(from: ForwardingTables, to: ForwardingTables): number {
  if (from.fabric !== to.fabric) fail('tables of two fabrics compared');
  let changed = 0;
  forEachChange(from.entries, to.entries, () => {
    changed++;
  });
  return changed;
}

/** Entries four at a time; none if they do not begin at a multiple of four bytes. */
function wordsOf({ buffer, byteOffset, length }: Uint8Array): Int32Array {
  return byteOffset % 4 === 0 ? new Int32Array(buffer, byteOffset, length >> 2) : new Int32Array(0);
}

/** Calls for every switch and destination without a port, in the order of the entries. */
export function forEachWithoutPort(
  { entries, switches, columns }: ForwardingTables,
  visit: (node: number, destination: number) => void,
): void {
  for (let cell = entries.indexOf(noPort); cell !== -1; cell = entries.indexOf(noPort, cell + 1))
    visit(switches[Math.floor(cell / columns)]!, cell % columns);
}

/** Calls for every entry that differs, by its place among the entries; four are compared at once. */
function forEachChange(before: Uint8Array, after: Uint8Array, visit: (cell: number) => void): void {
  const look = (from: number, end: number): void => {
    for (let cell = from; cell < end; cell++) if (before[cell] !== after[cell]) visit(cell);
  };
  const [wordsBefore, wordsAfter] = [wordsOf(before), wordsOf(after)];
  const words = Math.min(wordsBefore.length, wordsAfter.length);
  for (let word = 0; word < words; word++) if (wordsBefore[word] !== wordsAfter[word]) look(4 * word, 4 * word + 4);
  look(4 * words, before.length);
}

/** A switch, and how many of its entries differ. */
export interface SwitchChanges {
  readonly node: number;
  readonly entries: number;
}

/** The switches whose tables differ, ascending. */
export function changesBySwitch(from: ForwardingTables, to: ForwardingTables): SwitchChanges[] {
  if (from.fabric !== to.fabric) fail('tables of two fabrics compared');
  const { switches, columns } = from;
  const changed = new Int32Array(switches.length);
  forEachChange(from.entries, to.entries, (cell) => {
    changed[Math.floor(cell / columns)]!++;
  });
  return Array.from(switches, (node, row): SwitchChanges => ({ node, entries: changed[row]! })).filter(
    ({ entries }) => entries > 0,
  );
}
