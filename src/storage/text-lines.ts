// The lines of a text file of any size, one at a time.
// Invariants: those of linePieces; nothing but regular files is read; carriage returns at line ends are left out. Bytes
// beyond ASCII come as Latin-1: the formats that are read this way are ASCII, and positions stay those of bytes.

import { Buffer } from 'node:buffer';
import { linePieces, withoutReturn } from '../stored-runs/line-pieces.js';
import { nodeRunFiles } from './node-run-files.js';

/** A line without its end, and its number from 1. */
export interface TextLine {
  readonly text: string;
  readonly line: number;
}

/** The lines of a regular file, some thousands at a time; blank ones too. @throws as linePieces does */
export async function* textLines(path: string): AsyncGenerator<readonly TextLine[]> {
  let line = 0;
  for await (const piece of linePieces(nodeRunFiles, path, () => line)) {
    const parts = Buffer.from(piece.buffer, piece.byteOffset, piece.length).toString('latin1').split('\n');
    if (parts.at(-1) === '') parts.pop();
    yield parts.map((part) => ({ text: withoutReturn(part), line: ++line }));
  }
}
