// Flows by pairs of links: how many of those that one link holds back cross another. Rows are read as a whole, entry by
// entry, and changed one entry at a time.
// Invariants: a row has at most one entry for a link; an entry without flows may stay until the next tidying.

import { grown } from '../../base/columns.js';

const none = -1;
/** the golden ratio's bits: neighbouring keys fall far apart */
const scatter = 0x9e3779b1;

/** The entries of one row, in no particular order. */
export interface PairRow {
  links: Int32Array;
  flows: Int32Array;
  count: number;
}

export class LinkPairs {
  private readonly rows = new Map<number, PairRow>();
  /** a hash table with open addresses: row and link of an entry, and its place in the row */
  private rowOf = new Int32Array(1024).fill(none);
  private linkOf = new Int32Array(1024);
  private placeOf = new Int32Array(1024);
  private entries = 0;
  /** entries that have lost all flows since the last tidying, roughly */
  private emptied = 0;

  /** The entries of a row; undefined: it has none. */
  row(row: number): PairRow | undefined {
    return this.rows.get(row);
  }

  /** More flows of a row cross a link, or fewer. @param flows negative: so many fewer */
  add(row: number, link: number, flows: number): void {
    const mask = this.rowOf.length - 1;
    let at = hash(row, link) & mask;
    while (this.rowOf[at]! >= 0) {
      if (this.rowOf[at] === row && this.linkOf[at] === link) {
        const column = this.rows.get(row)!.flows;
        const place = this.placeOf[at]!;
        if ((column[place]! += flows) === 0) this.emptied++;
        return;
      }
      at = (at + 1) & mask;
    }
    this.insert(at, row, link, flows);
    if (2 * this.entries > this.rowOf.length) this.rebuild(4 * this.entries);
  }

  /** Forgets everything. */
  clear(): void {
    this.rows.clear();
    this.rowOf.fill(none);
    this.entries = 0;
    this.emptied = 0;
  }

  /** Drops entries without flows, if there are many. Nobody may be reading a row. */
  tidy(): void {
    if (this.emptied < 1024 || 2 * this.emptied < this.entries) return;
    for (const row of this.rows.values()) {
      const { links, flows, count } = row;
      row.count = 0;
      for (let i = 0; i < count; i++) {
        if (flows[i] === 0) continue;
        links[row.count] = links[i]!;
        flows[row.count++] = flows[i]!;
      }
    }
    this.rebuild(this.rowOf.length);
    this.emptied = 0;
  }

  private insert(at: number, row: number, link: number, flows: number): void {
    let entries = this.rows.get(row);
    if (entries === undefined) {
      entries = { links: new Int32Array(16), flows: new Int32Array(16), count: 0 };
      this.rows.set(row, entries);
    }
    const place = entries.count++;
    if (place === entries.links.length) {
      entries.links = grown(entries.links, 2 * place);
      entries.flows = grown(entries.flows, 2 * place);
    }
    entries.links[place] = link;
    entries.flows[place] = flows;
    this.rowOf[at] = row;
    this.linkOf[at] = link;
    this.placeOf[at] = place;
    this.entries++;
  }

  /** Makes the table anew from the rows. @param leastRoom places, at least; more to the next power of two */
  private rebuild(leastRoom: number): void {
    let room = 1024;
    while (room < leastRoom) room *= 2;
    this.rowOf = new Int32Array(room).fill(none);
    this.linkOf = new Int32Array(room);
    this.placeOf = new Int32Array(room);
    this.entries = 0;
    for (const [row, { links, count }] of this.rows) {
      for (let place = 0; place < count; place++) {
        let at = hash(row, links[place]!) & (room - 1);
        while (this.rowOf[at]! >= 0) at = (at + 1) & (room - 1);
        this.rowOf[at] = row;
        this.linkOf[at] = links[place]!;
        this.placeOf[at] = place;
        this.entries++;
      }
    }
  }
}

function hash(row: number, link: number): number {
  const mixed = Math.imul(Math.imul(row, scatter) ^ link, scatter);
  return mixed ^ (mixed >>> 15);
}
