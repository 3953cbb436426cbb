// The lines of a text file of any size, one at a time.
// Invariants: memory is one piece of the file and one line, whatever the file holds; nothing but regular files is read;
// a byte order mark and carriage returns at line ends are left out. Bytes beyond ASCII come as Latin-1: the formats
// that are read this way are ASCII, and positions stay those of bytes.

import { Buffer } from 'node:buffer';
import { InputError } from '../base/diagnostics.js';
import { fileError, openRegularFile } from './regular-file.js';

/** The longest line that is read, in bytes: a path with thousands of ports has a few tens of kilobytes. */
const longestLine = 4 << 20;
const pieceBytes = 256 * 1024;
const newline = 10;

/** A line without its end, and its number from 1. */
export interface TextLine {
  readonly text: string;
  readonly line: number;
}

/**
 * The bytes of a regular file, in pieces of whole lines; only the last may have no end. A piece is written over once the
 * next one is asked for.
 * @param lineNow number of the last line that was read, for messages
 * @throws HostFileError, and InputError where a byte is 0 or a line is longer than 4 MiB
 */
export async function* linePieces(path: string, lineNow: () => number): AsyncGenerator<Uint8Array> {
  const { handle } = await openRegularFile(path);
  try {
    let piece = Buffer.allocUnsafe(pieceBytes);
    let carried = 0;
    let isBegin = true;
    for (;;) {
      if (carried === piece.length) piece = Buffer.concat([piece], 2 * piece.length);
      const { bytesRead } = await handle.read(piece, carried, piece.length - carried, null).catch((error: unknown) => {
        throw fileError(path, error);
      });
      if (bytesRead === 0) break;
      const length = carried + bytesRead;
      if (piece.subarray(carried, length).includes(0)) throw notText(path, lineNow() + 1);
      const end = piece.subarray(carried, length).lastIndexOf(newline) + carried + 1;
      const begin = isBegin && hasMark(piece, length) ? 3 : 0;
      isBegin = false;
      if (end > carried) {
        yield piece.subarray(begin, end);
        piece.copyWithin(0, end, length);
        carried = length - end;
      } else {
        piece.copyWithin(0, begin, length);
        carried = length - begin;
      }
      if (carried > longestLine) throw tooLong(path, lineNow() + 1);
    }
    if (carried > 0) yield piece.subarray(0, carried);
  } finally {
    await handle.close();
  }
}

/** The lines of a regular file, some thousands at a time; blank ones too. @throws as linePieces does */
export async function* textLines(path: string): AsyncGenerator<readonly TextLine[]> {
  let line = 0;
  for await (const piece of linePieces(path, () => line)) {
    const parts = Buffer.from(piece.buffer, piece.byteOffset, piece.length).toString('latin1').split('\n');
    if (parts.at(-1) === '') parts.pop();
    yield parts.map((part) => ({ text: withoutReturn(part), line: ++line }));
  }
}

/** Whether a file begins with a byte order mark. */
function hasMark(bytes: Uint8Array, length: number): boolean {
  return length >= 3 && bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf;
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

/** A line without the carriage return at its end. */
export function withoutReturn(text: string): string {
  return text.endsWith('\r') ? text.slice(0, -1) : text;
}
