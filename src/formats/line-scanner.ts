// Reads a text word by word with the position of every word, without regular expressions: linear in the text whatever
// stands in it. Words are separated by spaces, tabs and carriage returns; a word that begins with # starts a comment up
// to the end of the line. A byte order mark at the start is skipped. Lines and columns count from 1; columns count
// UTF-16 units.

import type { Position } from '../base/diagnostics.js';
import { markLength, type PlacedWord } from './lines.js';

const newline = 10;
const hash = 35;

function isBlank(code: number): boolean {
  return code === 32 || code === 9 || code === 13 || code === 11 || code === 12;
}

export class LineScanner {
  /** line of the current word, or of the end that was met */
  line = 1;
  /** offsets of the current word in the text */
  start = 0;
  end = 0;
  private next = 0;
  private lineStart = 0;

  constructor(private readonly text: string) {
    this.next = this.lineStart = this.start = this.end = markLength(text);
  }

  /** Moves to the next word of the current line. @returns false at the end of the line; then `position` is that end */
  word(): boolean {
    const { text } = this;
    let at = this.next;
    while (at < text.length && isBlank(text.charCodeAt(at))) at++;
    const code = text.charCodeAt(at);
    if (at >= text.length || code === newline || code === hash) {
      this.start = this.end = at;
      if (code === hash) {
        const newlineAt = text.indexOf('\n', at);
        at = newlineAt === -1 ? text.length : newlineAt;
      }
      this.next = at;
      return false;
    }
    this.start = at;
    for (; at < text.length; at++) {
      const c = text.charCodeAt(at);
      if (c === newline || isBlank(c)) break;
    }
    this.end = this.next = at;
    return true;
  }

  /**
   * Moves to the first line at or after the current place that has a further word, and stands before that word.
   * @returns false at the end of the text
   */
  seek(): boolean {
    for (;;) {
      if (this.word()) {
        this.next = this.start;
        return true;
      }
      if (this.next >= this.text.length) return false;
      this.line++;
      this.next++;
      this.lineStart = this.next;
    }
  }

  /** Passes over what is left of the current line. */
  skipLine(): void {
    const newlineAt = this.text.indexOf('\n', this.next);
    this.next = newlineAt === -1 ? this.text.length : newlineAt;
  }

  /** The words that follow on the current line, at most `limit`, without moving. */
  peek(limit: number): string[] {
    const { next, start, end } = this;
    const words: string[] = [];
    while (words.length < limit && this.word()) words.push(this.value(80));
    this.next = next;
    this.start = start;
    this.end = end;
    return words;
  }

  /** The words that follow on the current line, at most `most`, each cut to `longest` characters. */
  words(most: number, longest: number): PlacedWord[] {
    const words: PlacedWord[] = [];
    while (words.length < most && this.word()) words.push({ ...this.position, text: this.value(longest) });
    return words;
  }

  /** The current word, cut to `limit` characters. */
  value(limit: number): string {
    return this.text.slice(this.start, Math.min(this.end, this.start + limit));
  }

  /** Where the current word (or the end that was met) stands. */
  get position(): Position {
    return { line: this.line, column: this.start - this.lineStart + 1 };
  }
}
