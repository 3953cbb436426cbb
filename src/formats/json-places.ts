// JSON with the place of every value, and any number of values one after the other (JSON lines, or objects over several
// lines). JSON.parse says where a text breaks, but not where a value stands that is no use.
// Invariants: linear in the text; objects are maps, so words of Object.prototype are names like others; of a name that
// stands twice the last value counts, as in JSON.parse.
// Source: RFC 8259. Not done: numbers beyond the range of doubles, which become Infinity.

import type { Position } from '../base/diagnostics.js';
import { markLength } from './lines.js';

/** A value and where it begins. */
export interface PlacedValue extends Position {
  readonly value: string | number | boolean | null | readonly PlacedValue[] | ReadonlyMap<string, PlacedValue>;
}

/** Where a text stops being JSON, and what was wanted there. */
export class JsonMistake extends Error {
  constructor(
    readonly at: Position,
    readonly got: string,
    readonly wanted: string,
  ) {
    super(wanted);
  }
}

/** Levels of arrays and objects. */
const deepest = 200;
const number = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][-+]?\d+)?/y;
const words: ReadonlyMap<string, boolean | null> = new Map<string, boolean | null>([
  ['true', true],
  ['false', false],
  ['null', null],
]);

/** The values of a text, one after the other; commas may stand between them. @throws JsonMistake */
export function* placedValues(text: string): Generator<PlacedValue> {
  const reader = new JsonReader(text);
  while (reader.more()) yield reader.value(0);
}

class JsonReader {
  private at: number;
  private line = 1;
  private lineStart: number;

  constructor(private readonly text: string) {
    this.at = this.lineStart = markLength(text);
  }

  /** Whether another value follows. */
  more(): boolean {
    this.skipBlanks();
    if (this.text[this.at] === ',') {
      this.at++;
      this.skipBlanks();
    }
    return this.at < this.text.length;
  }

  value(depth: number): PlacedValue {
    this.skipBlanks();
    const place = this.place();
    const first = this.text[this.at];
    if (depth > deepest) throw this.mistake(`at most ${deepest} levels of arrays and objects`);
    if (first === '{') return { ...place, value: this.members(depth) };
    if (first === '[') return { ...place, value: this.elements(depth) };
    if (first === '"') return { ...place, value: this.string() };
    for (const [word, value] of words) {
      if (!this.text.startsWith(word, this.at)) continue;
      this.at += word.length;
      return { ...place, value };
    }
    number.lastIndex = this.at;
    const match = number.exec(this.text);
    if (match === null) throw this.mistake('a JSON value');
    this.at += match[0].length;
    return { ...place, value: Number(match[0]) };
  }

  private members(depth: number): Map<string, PlacedValue> {
    const members = new Map<string, PlacedValue>();
    this.at++;
    this.skipBlanks();
    if (this.took('}')) return members;
    for (;;) {
      this.skipBlanks();
      if (this.text[this.at] !== '"') throw this.mistake('the name of a member in quotes');
      const name = this.string();
      this.skipBlanks();
      if (!this.took(':')) throw this.mistake('a colon');
      members.set(name, this.value(depth + 1));
      this.skipBlanks();
      if (this.took('}')) return members;
      if (!this.took(',')) throw this.mistake('a comma, or } at the end of the object');
    }
  }

  private elements(depth: number): PlacedValue[] {
    const elements: PlacedValue[] = [];
    this.at++;
    this.skipBlanks();
    if (this.took(']')) return elements;
    for (;;) {
      elements.push(this.value(depth + 1));
      this.skipBlanks();
      if (this.took(']')) return elements;
      if (!this.took(',')) throw this.mistake('a comma, or ] at the end of the array');
    }
  }

  private string(): string {
    const start = this.at;
    for (let end = start + 1; end < this.text.length; end++) {
      const code = this.text.charCodeAt(end);
      if (code === 92) end++;
      else if (code < 32) break;
      else if (code === 34) {
        try {
          const value = JSON.parse(this.text.slice(start, end + 1)) as string;
          this.at = end + 1;
          return value;
        } catch {
          break;
        }
      }
    }
    throw this.mistake('a string that ends on its line, with escapes that JSON has');
  }

  private took(character: string): boolean {
    if (this.text[this.at] !== character) return false;
    this.at++;
    return true;
  }

  private skipBlanks(): void {
    for (; this.at < this.text.length; this.at++) {
      const code = this.text.charCodeAt(this.at);
      if (code === 10) {
        this.line++;
        this.lineStart = this.at + 1;
      } else if (code !== 32 && code !== 9 && code !== 13) return;
    }
  }

  private place(): Position {
    return { line: this.line, column: this.at - this.lineStart + 1 };
  }

  private mistake(wanted: string): JsonMistake {
    const rest = this.text.slice(this.at, this.at + 40).split('\n', 1)[0]!;
    return new JsonMistake(this.place(), this.at >= this.text.length ? 'the end of the file' : rest, wanted);
  }
}
