// CSV as RFC 4180 has it, read back for tests: rows by the names of the first line.

export function csvRows(text: string): Record<string, string>[] {
  const [names, ...rows] = csvCells(text);
  return rows.map((row) => Object.fromEntries(names!.map((name, i) => [name, row[i]!])));
}

function csvCells(text: string): string[][] {
  const rows: string[][] = [];
  let row: string[] = [];
  const cell = /(?:"((?:[^"]|"")*)"|([^",\n]*))(,|\n)/gy;
  for (let match = cell.exec(text); match !== null; match = cell.exec(text)) {
    row.push(match[1]?.replaceAll('""', '"') ?? match[2]!);
    if (match[3] === '\n') {
      rows.push(row);
      row = [];
    }
  }
  return rows;
}
