// A text file of any size in pieces of whole lines.
// Invariants: memory is one piece and one line, whatever the file holds; a byte order mark is left out.

import { InputError } from '../base/diagnostics.js';
import { asciiOf } from '../formats/byte-lines.js';
import type { RunFiles } from './run-files.js';

/** The longest line that is read, in bytes: a path with thousands of ports has a few tens of kilobytes. */
const longestLine = 4 << 20;
const pieceBytes = 256 * 1024;
const newline = 10;

/**
 * The bytes of a file, in pieces of whole lines; only the last may have no end.
 * @param lineNow number of the last line that was read, for messages
 * @throws HostFileError, and InputError where a byte is 0 or a line is longer than 4 MiB
 */
export async function* linePieces(files: RunFiles, path: string, lineNow: () => number): AsyncGenerator<Uint8Array> {
  const file = await files.open(path);
  try {
    let carried = new Uint8Array(0);
    for (let from = 0; from < file.sizeBytes;) {
      const until = Math.min(file.sizeBytes, from + pieceBytes);
      const read = await file.read(from, until);
      if (read.includes(0)) throw notText(path, lineNow() + 1);
      const begin = from === 0 && hasMark(read) ? 3 : 0;
      from = until;
      const end = read.lastIndexOf(newline) + 1;
      if (end > 0) {
        yield joined(carried, read.subarray(begin, end));
        carried = read.slice(end);
      } else carried = joined(carried, read.subarray(begin));
      if (carried.length > longestLine) throw tooLong(path, lineNow() + 1);
    }
    if (carried.length > 0) yield carried;
  } finally {
    await file.close();
  }
}

/** The first line with content of a text file, and its number; null if it has none. @throws as linePieces does */
export async function firstLine(
  files: RunFiles,
  path: string,
): Promise<{ readonly text: string; readonly line: number } | null> {
  let line = 0;
  for await (const piece of linePieces(files, path, () => line))
    for (let at = 0; at < piece.length;) {
      const end = piece.indexOf(newline, at);
      const until = end < 0 ? piece.length : end;
      const text = withoutReturn(asciiOf(piece, at, until));
      line++;
      if (text.trim() !== '') return { text, line };
      at = until + 1;
    }
  return null;
}

/** A line without the carriage return at its end. */
export function withoutReturn(text: string): string {
  return text.endsWith('\r') ? text.slice(0, -1) : text;
}

function joined(first: Uint8Array<ArrayBuffer>, second: Uint8Array<ArrayBuffer>): Uint8Array<ArrayBuffer> {
  if (first.length === 0) return second;
  const both = new Uint8Array(first.length + second.length);
  both.set(first);
  both.set(second, first.length);
  return both;
}

/** Whether a file begins with a byte order mark. */
function hasMark(bytes: Uint8Array): boolean {
  return bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf;
}

function notText(path: string, line: number): InputError {
  return InputError.at('not-text', path, { line, column: 1 }, 'this is not a text file', {
    got: 'a byte that is 0',
    wanted: 'ASCII or UTF-8 text',
  });
}

function tooLong(path: string, line: number): InputError {
  return InputError.at('line-too-long', path, { line, column: 1 }, 'a line is too long', {
    wanted: `lines of up to ${longestLine} bytes`,
    hint: 'is this the file that you mean?',
  });
}
