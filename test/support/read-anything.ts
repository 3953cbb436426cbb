// What every reader of texts owes: a value or errors with a place inside the text, never both, never an exception.

import { expect } from 'vitest';
import { Diagnostics } from '../../src/base/diagnostics.js';

/** Reads a text that may be anything. @returns what the reader made of it; null if it has errors */
export function readAnything<Value>(
  text: string,
  reader: (text: string, diagnostics: Diagnostics) => Value | null,
): Value | null {
  const diagnostics = new Diagnostics();
  const value = reader(text, diagnostics);
  expect(value === null).toBe(diagnostics.hasErrors);
  const lines = text.split('\n');
  for (const { line, column } of diagnostics.list) {
    expect(line).toBeLessThanOrEqual(lines.length);
    if (line > 0) {
      expect(column).toBeGreaterThanOrEqual(1);
      expect(column).toBeLessThanOrEqual(lines[line - 1]!.length + 1);
    }
  }
  return value;
}
