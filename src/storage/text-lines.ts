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

/** A line without its end, and its number from 1. */
export interface TextLine {
  readonly text: string;
  readonly line: number;
}

/**
 * The lines of a regular file, in pieces of as many as a read of 256 KiB holds; blank ones too.
 * @throws HostFileError, and InputError where a byte is 0 or a line is longer than 4 MiB
 */
export async function* textLines(path: string): AsyncGenerator<readonly TextLine[]> {
  const { handle } = await openRegularFile(path);
  try {
    const piece = Buffer.allocUnsafe(pieceBytes);
    let carried = '';
    let line = 0;
    for (;;) {
      const { bytesRead } = await handle.read(piece, 0, pieceBytes, null).catch((error: unknown) => {
        throw fileError(path, error);
      });
      if (bytesRead === 0) break;
      const bytes = piece.subarray(0, bytesRead);
      if (bytes.includes(0))
        throw InputError.at('not-text', path, { line: line + 1, column: 1 }, 'this is not a text file', {
          got: 'a byte that is 0',
          wanted: 'ASCII or UTF-8 text',
        });
      let text = carried + bytes.toString('latin1');
      if (line === 0 && text.startsWith('\u00ef\u00bb\u00bf')) text = text.slice(3);
      const parts = text.split('\n');
      carried = parts.pop()!;
      if (carried.length > longestLine)
        throw InputError.at('line-too-long', path, { line: line + parts.length + 1, column: 1 }, 'a line is too long', {
          wanted: `lines of up to ${longestLine} bytes`,
          hint: 'is this the file that you mean?',
        });
      yield parts.map((part) => ({ text: withoutReturn(part), line: ++line }));
    }
    if (carried !== '') yield [{ text: withoutReturn(carried), line: line + 1 }];
  } finally {
    await handle.close();
  }
}

function withoutReturn(text: string): string {
  return text.endsWith('\r') ? text.slice(0, -1) : text;
}
