// Rows of a sweep as CSV. Source: RFC 4180, but lines end with a line feed.
// Invariant: what is read back with any reader of CSV are the values, to the last digit; no control character but line
// breaks and tabs gets into the file.

import { printableLines } from '../../base/printable.js';
import type { RowValue } from '../../report/sweep/run-row.js';

/** A line with its end. A run's missing value is empty; an empty word is `""`. */
export function csvLine(values: readonly RowValue[]): string {
  return `${values.map(csvValue).join(',')}\n`;
}

function csvValue(value: RowValue): string {
  if (value === null) return '';
  if (typeof value !== 'string') return String(value);
  const text = printableLines(value);
  return text === '' || /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
