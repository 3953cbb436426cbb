// The lines of a text and the words on them: one reader for all formats that are read from a whole text. Files that
// come in pieces have byte-lines.ts; formats whose words matter more than their lines have line-scanner.ts.
// Invariants: linear in the text; a byte order mark is left out; lines and columns count from 1, columns in UTF-16
// units.

import type { FileProblems, Position } from '../base/diagnostics.js';

/** A line without its end, and its number. */
export interface NumberedLine {
  readonly line: number;
  readonly text: string;
  /** a newline follows */
  readonly isEnded: boolean;
}

/** A word, and where it stands. */
export interface PlacedWord extends Position {
  readonly text: string;
}

/** A word of a line, and its column. */
export interface Field {
  readonly text: string;
  readonly column: number;
}

/** The longest word that means anything. */
export const longestWord = 128;

/** UTF-16 units of a byte order mark before a text: 1 or 0. */
export function markLength(text: string): number {
  return text.charCodeAt(0) === 0xfeff ? 1 : 0;
}

/** The lines of a text; a newline at its end begins no further one. Stops once a file has too many errors. */
export function* linesOf(text: string, problems?: FileProblems): Generator<NumberedLine> {
  let start = markLength(text);
  for (let line = 1; start < text.length; line++) {
    if (problems?.full === true) return;
    const newline = text.indexOf('\n', start);
    const end = newline === -1 ? text.length : newline;
    yield { line, text: text.slice(start, end), isEnded: newline !== -1 };
    start = end + 1;
  }
}

/** The lines that have something else than blanks before a comment (#): up to that, blanks kept. */
export function* contentLines(text: string, problems: FileProblems): Generator<NumberedLine> {
  for (const { text: whole, ...at } of linesOf(text, problems)) {
    const row = whole.split('#', 1)[0]!;
    if (row.trim() !== '') yield { ...at, text: row };
  }
}

/** Calls for every line that is not blank, without the blanks around it, until there are too many mistakes. */
export function eachLine(text: string, problems: FileProblems, use: (content: string, at: Position) => void): void {
  for (const { line, text: whole } of linesOf(text, problems)) {
    const content = whole.trim();
    if (content !== '') use(content, { line, column: columnOf(whole) });
  }
}

/** The column at which a line begins, behind its blanks. */
export function columnOf(line: string): number {
  return line.search(/\S/) + 1;
}

/** The words of a line up to a comment (#), with their columns. */
export function fieldsOf(line: string): Field[] {
  const text = line.split('#', 1)[0]!;
  return Array.from(text.matchAll(/[^\s\0]+|\0+/g), (match) => ({ text: match[0], column: match.index + 1 }));
}
