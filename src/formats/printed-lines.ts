// Lines that a program printed, word by word with their columns, without the tags that launchers put before them:
// `[1,0]<stdout>:` of mpirun, `3: ` of srun, `(worker1, rank=1, pid=7)` of SkyPilot.
// Invariant: linear in the text; columns count UTF-16 units of the line as it stands in the file.

import { linesOf, type PlacedWord } from './lines.js';

/** One line: its number, its text without a launcher's tag, the column at which that begins, and the tag. */
export interface PrintedLine {
  readonly line: number;
  readonly column: number;
  readonly text: string;
  /** without blanks around it; empty: there is none */
  readonly tag: string;
}

const tag = /^\s{0,99}(?:\[\d{1,9},\d{1,9}\]<std(?:out|err)>:|\d{1,9}:(?=\s)|\([^()]{1,200}\)(?=\s))/;

/** The lines of a text; a byte order mark and carriage returns are left out. */
export function* printedLines(text: string): Generator<PrintedLine> {
  for (const { line, text: whole } of linesOf(text)) {
    const own = tag.exec(whole)?.[0] ?? '';
    yield { line, column: own.length + 1, text: whole.slice(own.length), tag: own.trim() };
  }
}

/** The words of a line, at most `limit`. */
export function wordsOf({ line, column, text }: PrintedLine, limit: number): PlacedWord[] {
  const words: PlacedWord[] = [];
  for (const match of text.matchAll(/\S+/g)) {
    if (words.length === limit) break;
    words.push({ line, column: column + match.index, text: match[0] });
  }
  return words;
}
