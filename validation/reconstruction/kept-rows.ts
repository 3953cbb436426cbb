// Tables with rows for each application, of which some are measured anew: rows of the others stay as the page has them.

/** Rows with those that the page has of other applications. @param block the table of the page @param rows anew */
export function withKeptRows(block: string, rows: readonly (readonly string[])[]): (readonly string[])[] {
  const [, , ...lines] = block.trim().split('\n');
  const kept = lines.filter((line) => line.startsWith('|')).map((line) => line.slice(2, -2).split(' | '));
  const applications = new Set([...kept, ...rows].map(([application]) => application));
  const made = new Set(rows.map(([application]) => application));
  return [...applications].flatMap((own) => (made.has(own) ? rows : kept).filter(([first]) => first === own));
}
