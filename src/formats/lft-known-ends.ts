// Ends of lines of a table file that came before: behind LID and port a line of every switch says the same of one LID,
// so that of a file of gigabytes mostly a few bytes are read as numbers and the others are compared.
// Invariant: an end is known only if all of its bytes are those of a line that was read whole, for the same LID.

import { ownPort } from '../routing/forwarding-tables.js';
import { entryMark, type EntryLines } from './lft-entry-lines.js';
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
const usualStarts: Readonly<Float64Array> = startsByLid();

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
  /** entries by LID offset */
  readonly entries: readonly Uint8Array[];
  /** line at which the table begins, and where the lines of entries go */
  readonly head: number;
  readonly lines: EntryLines;
}

export class KnownEnds {
  /** node that an entry for the LID is for, by LID */
  readonly destination = new Int32Array(lids);
  /** LID offset of the destination that the LID stands for, by LID */
  readonly offset = new Uint8Array(lids);
  /** where the first line begins that `store` has left */
  next = 0;
  /** bytes of an end by LID, its newline among them; 0: none was kept */
  private readonly length = new Uint8Array(lids);
  /** where the end of a LID begins in `ends`, and how many bytes it may have there: close together, for the cache */
  private readonly place = new Int32Array(lids);
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
   * @param line its bytes without the newline @param destination node that it means @param offset LID offset of that
   */
  keep(lid: number, line: Uint8Array, length: number, destination: number, offset: number): void {
    const count = length + 1 - start;
    if (count < word || count > longest || line[6] !== 32 || line[start]! > 32) return;
    if (!isDecimal(line[7]) || !isDecimal(line[8]) || !isDecimal(line[9])) return;
    // the first end has as many bytes as it needs; should another be longer, any that is kept has room
    if (this.room[lid]! < count) this.make(lid, this.room[lid] === 0 ? count : longest);
    const from = this.place[lid]!;
    for (let i = 0; i < count - 1; i++) this.ends.setUint8(from + i, line[start + i]!);
    this.ends.setUint8(from + count - 1, 10);
    this.length[lid] = count;
    this.destination[lid] = destination;
    this.offset[lid] = offset;
  }

  /**
   * Stores the entries of lines whose ends are known, up to the first line that is another, that has anything odd, or
   * that may go on in the next piece; `next` is where that line begins.
   * @param at where a line of the piece begins @param number of that line
   * @returns how many entries were stored
   */
  store(at: number, number: number, { node, first, entryOf, entries, head, lines }: EntriesOfSwitch): number {
    const { piece, view, ends, length, destination, offset, place } = this;
    const last = piece.length - start - longest;
    const { current } = lines;
    let line = number - head;
    let marks = 0;
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
      const tens = piece[from + 8]! - 48;
      const ones = piece[from + 9]! - 48;
      const port = hundreds * 100 + tens * 10 + ones;
      if (hundreds < 0 || tens < 0 || tens > 9 || ones < 0 || ones > 9 || port > 255) break;
      const count = length[lid]!;
      if (count === 0) break;
      let is = from + start;
      let was = place[lid]!;
      const isLast = is + count - word;
      const wasLast = was + count - word;
      if (view.getFloat64(isLast, true) !== ends.getFloat64(wasLast, true)) break;
      while (
        is + 4 * word <= isLast &&
        view.getFloat64(is, true) === ends.getFloat64(was, true) &&
        view.getFloat64(is + word, true) === ends.getFloat64(was + word, true) &&
        view.getFloat64(is + 2 * word, true) === ends.getFloat64(was + 2 * word, true) &&
        view.getFloat64(is + 3 * word, true) === ends.getFloat64(was + 3 * word, true)
      ) {
        is += 4 * word;
        was += 4 * word;
      }
      while (is < isLast && view.getFloat64(is, true) === ends.getFloat64(was, true)) {
        is += word;
        was += word;
      }
      if (is < isLast) break;
      const own = destination[lid]!;
      const entry = entryOf[port]!;
      const placeLines = current[offset[lid]!]!;
      // without a link, to itself, or a second time: the whole line has to be looked at
      if (entry >= ownPort || own === node || placeLines[own] !== 0) break;
      entries[offset[lid]!]![first + own] = entry;
      marks = (marks + entryMark(own, line)) | 0;
      placeLines[own] = line++;
      from += start + count;
    }
    this.lid = Math.max(0, lid);
    this.next = from;
    const count = line + head - number;
    lines.note(marks);
    return count;
  }

  private make(lid: number, sizeBytes: number): void {
    this.place[lid] = this.taken;
    this.room[lid] = sizeBytes;
    this.taken += sizeBytes;
    if (this.taken <= this.ends.byteLength) return;
    const grown = new Uint8Array(Math.max(2 * this.taken, lids));
    grown.set(new Uint8Array(this.ends.buffer));
    this.ends = new DataView(grown.buffer);
  }
}
