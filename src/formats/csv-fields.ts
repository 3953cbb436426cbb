// One line of CSV as its fields (RFC 4180, quotes within a line).

import type { Field } from './lines.js';

/** More fields than any line of counters has. */
const mostFields = 512;

/** The fields of a line without the blanks around them, and their columns; null: a quote is left open, or too many. */
export function csvFields(line: string): Field[] | null {
  const fields: Field[] = [];
  let at = 0;
  while (at <= line.length) {
    if (fields.length === mostFields) return null;
    const start = at;
    let text: string;
    if (line[at] === '"') {
      let end = at + 1;
      while (end < line.length && (line[end] !== '"' || line[end + 1] === '"')) end += line[end] === '"' ? 2 : 1;
      if (end >= line.length) return null;
      text = line.slice(at + 1, end).replaceAll('""', '"');
      const comma = line.indexOf(',', end);
      if (line.slice(end + 1, comma === -1 ? line.length : comma).trim() !== '') return null;
      at = comma === -1 ? line.length + 1 : comma + 1;
    } else {
      const comma = line.indexOf(',', at);
      text = line.slice(at, comma === -1 ? line.length : comma);
      at = comma === -1 ? line.length + 1 : comma + 1;
    }
    fields.push({ text: text.trim(), column: start + 1 });
  }
  return fields;
}
