// On which line of a table file each entry stood. Mostly the entries of a table stand line after line by LID: then how
// many lower LIDs have an entry tells the line, and nothing is kept. Other tables keep their lines, alike ones once.
// A place is a LID offset and a destination: offset x columns + destination.
// Invariants: lines of a table are known when the next one begins, or after `close`, and as long as no entry changes.

import { noPort } from '../routing/forwarding-tables.js';
import type { TablesByOffset } from '../routing/lid-offsets.js';

const lids = 65536;

export class EntryLines {
  /** lines behind the head of the table in hand by place, where they do not go by LID; 0: no entry */
  readonly own: Int32Array;
  /** whether all entries of the table in hand stand line after line by LID */
  byLid = true;
  /** the last LID of the table in hand, while its lines go by LID */
  lastLid = 0;
  /** lines behind the head of the table in hand that have entries, while they go by LID */
  count = 0;
  /** place by LID; -1: none */
  private readonly placeOf: Int32Array;
  /** whether a LID may stand for another place than `placeOf` has */
  private isMixed = false;
  /** lines of closed tables that do not go by LID, by the sum of their marks */
  private readonly kept = new Map<number, Int32Array[]>();
  /** those of each row; undefined: they go by LID */
  private readonly lines: (Int32Array | undefined)[];
  private readonly heads: Int32Array;
  /** by row: 1 if the switch has an entry for itself, which tables have whether it stands there or not */
  private readonly hasOwn: Uint8Array;
  private row = -1;
  private readonly columns: number;
  /** the row whose lines were worked out last, and these */
  private asked: { readonly row: number; readonly lines: Int32Array } | null = null;

  /** @param placeOf the place that a LID stands for, -1: none */
  constructor(
    private readonly offsets: TablesByOffset,
    placeOf: (lid: number) => number,
  ) {
    const { columns, switches } = offsets[0]!;
    this.columns = columns;
    this.placeOf = Int32Array.from({ length: lids }, (_, lid) => placeOf(lid));
    this.own = new Int32Array(columns * offsets.length);
    this.lines = Array.from<Int32Array | undefined>({ length: switches.length });
    this.heads = new Int32Array(switches.length);
    this.hasOwn = new Uint8Array(switches.length);
  }

  /** Begins a table without entries; what was known of an earlier one of the switch is forgotten. @param head its line */
  begin(row: number, head: number): void {
    this.close();
    this.row = row;
    this.heads[row] = head;
    this.hasOwn[row] = 0;
    this.lines[row] = undefined;
    this.asked = null;
    this.count = 0;
    this.lastLid = 0;
    this.byLid = !this.isMixed;
    if (this.isMixed) this.own.fill(0);
  }

  /** The line behind its head on which the table in hand has an entry; 0: none yet. */
  lineOf(place: number): number {
    if (this.byLid && !this.has(this.row, place)) return 0;
    this.leave();
    return this.own[place]!;
  }

  /**
   * Puts an entry of the table in hand, before it is in the table. @param behind line behind the head
   * @param entry what the table will have
   */
  put(lid: number, place: number, behind: number, entry: number): void {
    if (this.placeOf[lid] !== place) this.isMixed = true;
    if (this.isMixed || lid <= this.lastLid || behind !== this.count + 1 || entry === noPort) this.leave();
    if (this.byLid) {
      this.lastLid = lid;
      this.count = behind;
    } else this.own[place] = behind;
    if (place === this.offsets[0]!.switches[this.row]) this.hasOwn[this.row] = 1;
  }

  /** Takes note of entries that are in the tables, line after line by LID. */
  note(lastLid: number, count: number): void {
    this.lastLid = lastLid;
    this.count = count;
  }

  /** Takes note that lines do not go by LID any more in the table in hand, whose entries so far are in the tables. */
  leave(): void {
    if (!this.byLid) return;
    this.byLid = false;
    this.workOut(this.row, this.lastLid, this.own);
  }

  /** Ends the table in hand, if there is one. */
  close(): void {
    const { row } = this;
    this.row = -1;
    if (row !== -1 && !this.byLid) this.lines[row] = this.kindOf(this.own);
  }

  /** The line of an entry; 0 if there was none. */
  line(offset: number, row: number, destination: number): number {
    const behind = this.linesOf(row)[offset * this.columns + destination]!;
    return behind === 0 ? 0 : this.heads[row]! + behind;
  }

  /** The line on which a table begins; 0 if there was none. */
  head(row: number): number {
    return this.heads[row]!;
  }

  /** Whether a table has an entry of a LID offset. */
  hasAny(offset: number): boolean {
    const { columns } = this;
    const range = [offset * columns, (offset + 1) * columns] as const;
    return this.lines.some((_, row) =>
      this.linesOf(row)
        .subarray(...range)
        .some((line) => line !== 0),
    );
  }

  private linesOf(row: number): Int32Array {
    const kept = this.lines[row];
    if (kept !== undefined) return kept;
    if (this.asked?.row !== row)
      this.asked = { row, lines: this.workOut(row, lids, this.asked?.lines ?? new Int32Array(this.own.length)) };
    return this.asked.lines;
  }

  /** Lines of a row that go by LID. @param until the last LID @param lines where they are written @returns these */
  private workOut(row: number, until: number, lines: Int32Array): Int32Array {
    lines.fill(0);
    if (this.heads[row] === 0) return lines;
    let count = 0;
    for (let lid = 0; lid < lids && lid <= until; lid++) {
      const place = this.placeOf[lid]!;
      if (place !== -1 && this.has(row, place)) lines[place] = ++count;
    }
    return lines;
  }

  private has(row: number, place: number): boolean {
    const { offsets, columns } = this;
    const offset = Math.floor(place / columns);
    const { entries, switches } = offsets[offset]!;
    if (place === switches[row]) return this.hasOwn[row] === 1;
    return entries[row * columns + place - offset * columns] !== noPort;
  }

  /** Lines that are these: those of an earlier table if there is one. */
  private kindOf(own: Int32Array): Int32Array {
    let marks = 0;
    for (let place = 0; place < own.length; place++) marks = (marks + Math.imul(place + 1, own[place]!)) | 0;
    const alike = this.kept.get(marks) ?? [];
    const known = alike.find((lines) => isSame(lines, own));
    if (known !== undefined) return known;
    const lines = own.slice();
    this.kept.set(marks, [...alike, lines]);
    return lines;
  }
}

function isSame(a: Int32Array, b: Int32Array): boolean {
  for (let i = 0; i < a.length; i++) if (a[i] !== b[i]) return false;
  return true;
}
