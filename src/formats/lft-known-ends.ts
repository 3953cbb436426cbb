// Ends of lines of a table file that came before: behind LID and port a line of every switch says the same of one LID,
// so that of a file of gigabytes mostly a few bytes are read as numbers and the others are compared.
// Invariant: an end is known only if all of its bytes are those of a line that was read whole, for the same LID.

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

export class KnownEnds {
  /** node that an entry for the LID is for, by LID */
  readonly destination = new Int32Array(lids);
  /** LID offset of the destination that the LID stands for, by LID */
  readonly offset = new Uint8Array(lids);
  /** port of the line that `lidAt` found */
  port = 0;
  /** where the line behind it begins */
  next = 0;
  /** bytes of an end by LID, its newline among them; 0: none was kept */
  private readonly length = new Uint8Array(lids);
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
    const from = lid * longest;
    if (this.ends.byteLength < from + longest) this.grow(from + longest);
    for (let i = 0; i < count - 1; i++) this.ends.setUint8(from + i, line[start + i]!);
    this.ends.setUint8(from + count - 1, 10);
    this.length[lid] = count;
    this.destination[lid] = destination;
    this.offset[lid] = offset;
  }

  /**
   * The LID of a line whose end is known; `port` and `next` are of the same line.
   * @param at where a line of the piece begins @returns -1: the line is another, or goes on in the next piece
   */
  lidAt(at: number): number {
    const { piece, view, ends } = this;
    if (at + start + longest > piece.length) return -1;
    const lid =
      (hexValue[piece[at + 2]!]! << 12) |
      (hexValue[piece[at + 3]!]! << 8) |
      (hexValue[piece[at + 4]!]! << 4) |
      hexValue[piece[at + 5]!]!;
    const [hundreds, tens, ones] = [piece[at + 7]! - 48, piece[at + 8]! - 48, piece[at + 9]! - 48];
    // 0x before the LID and a blank behind it
    if (lid < 0 || piece[at] !== 48 || piece[at + 1] !== 120 || piece[at + 6] !== 32) return -1;
    const count = this.length[lid]!;
    if (count === 0 || hundreds < 0 || hundreds > 2 || tens < 0 || tens > 9 || ones < 0 || ones > 9) return -1;
    this.port = hundreds * 100 + tens * 10 + ones;
    if (this.port > 255) return -1;
    const from = at + start;
    const first = lid * longest;
    const last = count - word;
    let same = view.getFloat64(from + last, true) === ends.getFloat64(first + last, true);
    for (let i = 0; i < last; i += word)
      same = same && view.getFloat64(from + i, true) === ends.getFloat64(first + i, true);
    if (!same) return -1;
    this.next = from + count;
    return lid;
  }

  private grow(sizeBytes: number): void {
    const grown = new Uint8Array(Math.min(lids * longest, Math.max(2 * sizeBytes, 64 * longest)));
    grown.set(new Uint8Array(this.ends.buffer));
    this.ends = new DataView(grown.buffer);
  }
}
