// Tables of text: the first column to the left, the others to the right, two blanks between.
// Invariant: every line is as wide as its cells need; nothing is cut.

/** Lines of a table. @param rows of as many cells each; the first is the head */
export function alignedTable(rows: readonly (readonly string[])[]): string[] {
  const widths: number[] = [];
  for (const row of rows) for (const [i, cell] of row.entries()) widths[i] = Math.max(widths[i] ?? 0, cell.length);
  return rows.map((row) =>
    row
      .map((cell, i) => (i === 0 ? cell.padEnd(widths[i]!) : cell.padStart(widths[i]!)))
      .join('  ')
      .trimEnd(),
  );
}
