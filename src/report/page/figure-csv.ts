// The figures behind a chart as CSV: one table for each, with units in its header.
// Invariants: UTF-8, lines end with LF; texts with commas, quotes or line breaks stand in double quotes (RFC 4180); a
// text that a spreadsheet would take for a formula begins with an apostrophe, since names come from scenarios.

import { axisTitle, type Figure } from './figures.js';

/** A cell of a CSV file. */
export function csvCell(value: string | number | null): string {
  if (value === null) return '';
  if (typeof value === 'number') return String(value);
  const safe = /^[=+\-@\t\r]/.test(value) ? `'${value}` : value;
  return /[",\n\r]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}

type Cells = readonly (string | number | null)[];

/** The table of a figure. */
export function figureCsv(figure: Figure): string {
  return rowsOf(figure)
    .map((cells) => `${cells.map(csvCell).join(',')}\n`)
    .join('');
}

/** Head and rows. */
function rowsOf(figure: Figure): readonly Cells[] {
  switch (figure.kind) {
    case 'lines': {
      const rows = figure.series.flatMap(({ name, x, y, upTo }) =>
        x.map((at, i): Cells => [name, at, y[i] ?? null, upTo?.[i] ?? null]),
      );
      return [['series', axisTitle(figure.x), axisTitle(figure.y), 'up to'], ...rows];
    }
    case 'bars': {
      const columns = figure.series.flatMap(({ name, y, from, to }): (readonly [string, Cells])[] => {
        const own = `${name}: ${axisTitle(figure.y)}`;
        if (from === undefined) return [[own, y]];
        return [
          [own, y],
          [`${own}, least`, from],
          [`${own}, most`, to ?? []],
        ];
      });
      const rows = figure.x.names.map((name, i): Cells => [name, ...columns.map(([, values]) => values[i] ?? null)]);
      return [[axisTitle(figure.x), ...columns.map(([head]) => head)], ...rows];
    }
    case 'matrix': {
      const { rows, columns, values, kinds } = figure;
      const count = columns.names.length;
      const kindsOf = kinds?.of.map((kind) => kinds.names[kind]!);
      const cells = values.map((value, i): Cells => {
        const cell = [rows.names[Math.floor(i / count)]!, columns.names[i % count]!, value];
        return kindsOf === undefined ? cell : cell.concat(kindsOf[i]!);
      });
      return [
        [rows.name, columns.name, axisTitle(figure.value), ...(kinds === undefined ? [] : ['kind'])],
        ...cells.filter(([, , value]) => value !== null),
      ];
    }
    case 'spans': {
      const { x, rows, kinds, row, kindOf, from, to, text } = figure;
      const spans = row.map((own, i): Cells => [rows[own]!, kinds[kindOf[i]!]!, from[i]!, to[i]!, text[i]!]);
      return [['row', 'kind', `from (${x.unit})`, `to (${x.unit})`, 'what'], ...spans];
    }
  }
}
