// Tables beside the pages of docs/models: all rows as CSV, of which a page tells sums and extremes.

import { renameSync, writeFileSync } from 'node:fs';

/** One line of CSV (RFC 4180): cells with commas, quotes or line ends are quoted. */
export function csvLine(cells: readonly (string | number)[]): string {
  return cells.map((cell) => (/[",\n]/.test(`${cell}`) ? `"${`${cell}`.replaceAll('"', '""')}"` : `${cell}`)).join(',');
}

/** A line of names and a line for each row, each with a line end. */
export function csvText(columns: readonly string[], rows: readonly (readonly (string | number)[])[]): string {
  return [columns, ...rows].map((cells) => `${csvLine(cells)}\n`).join('');
}

/** Writes a file as a whole: who is interrupted leaves the old one. */
export function writeWhole(path: string, text: string): void {
  writeFileSync(`${path}.new`, text);
  renameSync(`${path}.new`, path);
}
