// Lines of a file that comes in pieces of bytes, so that files of gigabytes are read in little memory.
// Invariants: lines end at a newline or the end of the file; a byte order mark is left out; of a longer line only the
// first bytes are kept.

/** The longest line that is kept whole, in bytes. */
export const longestLine = 4096;

const newline = 10;

/** Called for every line with a buffer that is reused, the number of bytes in it, and the number of the line from 1. */
export type ByteLineSink = (line: Uint8Array, length: number, lineNumber: number) => void;

export class ByteLines {
  private readonly line = new Uint8Array(longestLine);
  private length = 0;
  /** number of the line that is being read */
  lineNumber = 1;

  constructor(private readonly sink: ByteLineSink) {}

  /** Whether the next byte is the first of a line. */
  get atStart(): boolean {
    return this.length === 0;
  }

  push(piece: Uint8Array): void {
    const { line } = this;
    let { length } = this;
    for (let i = 0; i < piece.length; i++) {
      const byte = piece[i]!;
      if (byte === newline) {
        this.finish(length);
        length = 0;
      } else if (length < longestLine) line[length++] = byte;
    }
    this.length = length;
  }

  /** Ends the file: a last line without a newline is a line. */
  end(): void {
    if (this.length > 0) this.finish(this.length);
    this.length = 0;
  }

  private finish(length: number): void {
    const { line } = this;
    const mark = this.lineNumber === 1 && length >= 3 && line[0] === 0xef && line[1] === 0xbb && line[2] === 0xbf;
    if (mark) line.copyWithin(0, 3, length);
    this.sink(line, mark ? length - 3 : length, this.lineNumber);
    this.lineNumber++;
  }
}

/** Bytes as text, one character per byte: for messages and ASCII formats. */
export function asciiOf(bytes: Uint8Array, from: number, until: number): string {
  let text = '';
  for (let i = from; i < until; i++) text += String.fromCharCode(bytes[i]!);
  return text;
}

/** Bytes as UTF-8 text; where they are none, one character per byte. */
export function utf8Of(bytes: Uint8Array, from: number, until: number): string {
  let percent = '';
  let isAscii = true;
  for (let i = from; i < until; i++) {
    const byte = bytes[i]!;
    isAscii &&= byte < 0x80;
    percent += `%${byte < 16 ? '0' : ''}${byte.toString(16)}`;
  }
  if (isAscii) return asciiOf(bytes, from, until);
  try {
    return decodeURIComponent(percent);
  } catch {
    return asciiOf(bytes, from, until);
  }
}

/** A text as UTF-8: what readers of bytes take. @throws URIError if it holds half of a surrogate pair */
export function bytesOfUtf8(text: string): Uint8Array {
  const escaped = encodeURIComponent(text);
  const bytes = new Uint8Array(escaped.length);
  let length = 0;
  for (let i = 0; i < escaped.length; i++) {
    const code = escaped.charCodeAt(i);
    const isEscape = code === 37;
    bytes[length++] = isEscape ? parseInt(escaped.slice(i + 1, i + 3), 16) : code;
    if (isEscape) i += 2;
  }
  return bytes.slice(0, length);
}
