// Tables of text: columns as wide as their cells need, or of widths that are given.
// Invariant: nothing is cut.

/** Lines of a table, the first column to the left, two blanks between. @param rows of as many cells each; the first is the head */
export function alignedTable(rows: readonly (readonly string[])[], indent = 2): string[] {
  const widths: number[] = [];
  for (const row of rows) for (const [i, cell] of row.entries()) widths[i] = Math.max(widths[i] ?? 0, cell.length);
  return rows.map((row) => {
    const cells = row.map((cell, i) => (i === 0 ? cell.padEnd(widths[i]!) : cell.padStart(widths[i]!)));
    return `${' '.repeat(indent)}${cells.join('  ')}`.trimEnd();
  });
}

/** Cells side by side: to the right of columns of `widths`, to the left of those below 0. */
export function cellsText(cells: readonly string[], widths: readonly number[], between = ''): string {
  return cells.map((cell, i) => (widths[i]! < 0 ? cell.padEnd(-widths[i]!) : cell.padStart(widths[i]!))).join(between);
}

/**
 * The two lines of comments above a table: names, and below them units.
 * @param heads `size (B)`: name, blank, unit @param last what stands behind the columns in each line
 */
export function headOfTwoLines(
  heads: readonly string[],
  widths: readonly number[],
  last: readonly [string, string] = ['', ''],
): string {
  const parts = heads.map((head) => /^(\S*) ?(.*)$/.exec(head)!);
  return last
    .map((text, i) => {
      const names = parts.map((part) => part[i + 1]!);
      return `#${cellsText(names, widths, ' ').slice(1)}${text}\n`;
    })
    .join('');
}
