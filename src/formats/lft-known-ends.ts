// Ends of lines of a table file that came before: behind LID and port a line of every switch says the same of one LID,
// so that of a file of gigabytes mostly a few bytes are read as numbers and the others are compared.
// Invariant: an end is known only if all of its bytes are those of a line that was read whole, for the same LID.

import { ownPort } from '../routing/forwarding-tables.js';
import type { EntryLines } from './lft-entry-lines.js';
import { hexDigit } from './lft-words.js';

/** Hexadecimal digits by their character code, -1: no digit. */
const hexValue = Int8Array.from({ length: 256 }, (_, code) => hexDigit(code));
const isDecimal = (code: number | undefined): boolean => code !== undefined && code >= 48 && code <= 57;

/** Where the end of `0x0004 005 # Channel Adapter ...` begins. */
const start = 10;
/** bytes of an end that are kept, its newline among them; longer ones are read whole each time */
const longest = 128;
const lids = 65536;
/**
 * Bytes that are compared at once, as a floating-point number: the quickest there is. Numbers are equal if their bytes
 * are, but for 0 and -0 (no newline and no GUID has such bytes), and what is no number never is.
 */
const word = 8;

/** The first bytes of a line for a port below 100, such as `0x0004 0`, by LID. */
function startsByLid(): Float64Array {
  const starts = new Float64Array(lids);
  const bytes = new Uint8Array(starts.buffer);
  for (let lid = 0; lid < lids; lid++) {
    const text = `0x${lid.toString(16).padStart(4, '0')} 0`;
    for (let i = 0; i < word; i++) bytes[lid * word + i] = text.charCodeAt(i);
  }
  return starts;
}

/** Where entries of a switch go. */
export interface EntriesOfSwitch {
  readonly node: number;
  /** place of its first entry */
  readonly first: number;
  /** entry by number of port */
  readonly entryOf: Uint8Array;
  /** entries by LID offset, and how many a switch has of each */
  readonly entries: readonly Uint8Array[];
  readonly columns: number;
  /** line at which the table begins, and where the lines of entries go */
  readonly head: number;
  readonly lines: EntryLines;
}

export class KnownEnds {
  private readonly usualStarts: Readonly<Float64Array> = startsByLid();
  /** LID offset x columns + node that an entry for the LID is for, by LID */
  private readonly place = new Int32Array(lids);
  /** where the first line begins that `store` has left */
  next = 0;
  /** bytes of an end by LID, its newline among them; 0: none was kept */
  private readonly length = new Uint8Array(lids);
  /** where the end of a LID begins in `ends`, and how many bytes it may have there: close together, for the cache */
  private readonly begin = new Int32Array(lids);
  private readonly room = new Uint8Array(lids);
  /** bytes of `ends` that are taken */
  private taken = 0;
  /** LID of the last line that was looked at */
  private lid = 0;
  private ends: DataView = new DataView(new ArrayBuffer(0));
  private piece: Uint8Array = new Uint8Array(0);
  private view: DataView = new DataView(new ArrayBuffer(0));

  /** Takes the piece of the file that is looked at next. */
  look(piece: Uint8Array): void {
    this.piece = piece;
    this.view = new DataView(piece.buffer, piece.byteOffset, piece.length);
  }

  /**
   * Keeps what stands behind LID and port of a line, should it have the usual form.
   * @param line its bytes without the newline @param place LID offset x columns + node that it means
   */
  keep(lid: number, line: Uint8Array, length: number, place: number): void {
    const count = length + 1 - start;
    if (count < word || count > longest || line[6] !== 32 || line[start]! > 32) return;
    if (!isDecimal(line[7]) || !isDecimal(line[8]) || !isDecimal(line[9])) return;
    // the first end has as many bytes as it needs; should another be longer, any that is kept has room
    if (this.room[lid]! < count) this.make(lid, this.room[lid] === 0 ? count : longest);
    const from = this.begin[lid]!;
    for (let i = 0; i < count - 1; i++) this.ends.setUint8(from + i, line[start + i]!);
    this.ends.setUint8(from + count - 1, 10);
    this.length[lid] = count;
    this.place[lid] = place;
  }

  /**
   * Stores the entries of lines whose ends are known, up to the first line that is another, that has anything odd, or
   * that may go on in the next piece; `next` is where that line begins.
   * @param at where a line of the piece begins @param number of that line
   * @returns how many entries were stored
   */
  store(at: number, number: number, { node, first, entryOf, entries, columns, head, lines }: EntriesOfSwitch): number {
    const { piece, view, ends, length, place, begin, usualStarts } = this;
    const last = piece.length - start - longest;
    const { own } = lines;
    let line = number - head;
    let { lastLid } = lines;
    let byLid = lines.byLid && line === lines.count + 1;
    let from = at;
    let { lid } = this;
    while (from <= last) {
      // mostly that behind the one before
      lid = (lid + 1) & (lids - 1);
      let hundreds = 0;
      if (view.getFloat64(from, true) !== usualStarts[lid]) {
        lid =
          (hexValue[piece[from + 2]!]! << 12) |
          (hexValue[piece[from + 3]!]! << 8) |
          (hexValue[piece[from + 4]!]! << 4) |
          hexValue[piece[from + 5]!]!;
        // 0x before the LID and a blank behind it
        if (lid < 0 || piece[from] !== 48 || piece[from + 1] !== 120 || piece[from + 6] !== 32) break;
        hundreds = piece[from + 7]! - 48;
      }
      const tens = piece[(from + 8) | 0]! - 48;
      const ones = piece[(from + 9) | 0]! - 48;
      const port = hundreds * 100 + tens * 10 + ones;
      if (hundreds < 0 || tens < 0 || tens > 9 || ones < 0 || ones > 9 || port > 255) break;
      const count = length[lid]!;
      if (count === 0) break;
      // `| 0`: sums that are known to be small need no look at whether they are
      let is = (from + start) | 0;
      let was = begin[lid]!;
      const isLast = (is + count - word) | 0;
      const wasLast = (was + count - word) | 0;
      if (view.getFloat64(isLast, true) !== ends.getFloat64(wasLast, true)) break;
      while (
        ((is + 3 * word) | 0) < isLast &&
        view.getFloat64(is, true) === ends.getFloat64(was, true) &&
        view.getFloat64((is + word) | 0, true) === ends.getFloat64((was + word) | 0, true) &&
        view.getFloat64((is + 2 * word) | 0, true) === ends.getFloat64((was + 2 * word) | 0, true) &&
        view.getFloat64((is + 3 * word) | 0, true) === ends.getFloat64((was + 3 * word) | 0, true)
      ) {
        is = (is + 4 * word) | 0;
        was = (was + 4 * word) | 0;
      }
      while (is < isLast && view.getFloat64(is, true) === ends.getFloat64(was, true)) {
        is = (is + word) | 0;
        was = (was + word) | 0;
      }
      if (is < isLast) break;
      const to = place[lid]!;
      const offset = to < columns ? 0 : Math.floor(to / columns);
      const destination = to - offset * columns;
      const entry = entryOf[port]!;
      // without a link or to itself: the whole line has to be looked at
      if (entry >= ownPort || destination === node) break;
      if (byLid && lid > lastLid) lastLid = lid;
      else {
        if (byLid) lines.note(lastLid, line - 1);
        byLid = false;
        lines.leave();
        // a second time
        if (own[to] !== 0) break;
        own[to] = line;
      }
      entries[offset]![first + destination] = entry;
      line = (line + 1) | 0;
      from = (from + start + count) | 0;
    }
    this.lid = Math.max(0, lid);
    this.next = from;
    if (byLid) lines.note(lastLid, line - 1);
    return line + head - number;
  }

  private make(lid: number, sizeBytes: number): void {
    this.begin[lid] = this.taken;
    this.room[lid] = sizeBytes;
    this.taken += sizeBytes;
    if (this.taken <= this.ends.byteLength) return;
    const grown = new Uint8Array(Math.max(2 * this.taken, lids));
    grown.set(new Uint8Array(this.ends.buffer));
    this.ends = new DataView(grown.buffer);
  }
}
