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

function csvLine(cells: readonly (string | number | null)[]): string {
  return `${cells.map(csvCell).join(',')}\n`;
}

/** The table of a figure. */
export function figureCsv(figure: Figure): string {
  switch (figure.kind) {
    case 'lines':
      return (
        csvLine(['series', axisTitle(figure.x), axisTitle(figure.y), 'up to']) +
        figure.series
          .flatMap(({ name, x, y, upTo }) => x.map((at, i) => csvLine([name, at, y[i] ?? null, upTo?.[i] ?? null])))
          .join('')
      );
    case 'bars':
      return (
        csvLine([
          axisTitle(figure.x),
          ...figure.series.flatMap(({ name, from }) => {
            const own = `${name}: ${axisTitle(figure.y)}`;
            return from === undefined ? [own] : [own, `${own}, least`, `${own}, most`];
          }),
        ]) +
        figure.x.names
          .map((name, i) =>
            csvLine([
              name,
              ...figure.series.flatMap(({ y, from, to }) =>
                from === undefined ? [y[i] ?? null] : [y[i] ?? null, from[i] ?? null, to?.[i] ?? null],
              ),
            ]),
          )
          .join('')
      );
    case 'matrix': {
      const { rows, columns, values } = figure;
      const lines = [csvLine([rows.name, columns.name, axisTitle(figure.value)])];
      values.forEach((value, i) => {
        if (value !== null)
          lines.push(
            csvLine([
              rows.names[Math.floor(i / columns.names.length)]!,
              columns.names[i % columns.names.length]!,
              value,
            ]),
          );
      });
      return lines.join('');
    }
    case 'spans':
      return (
        csvLine(['row', 'kind', `from (${figure.x.unit})`, `to (${figure.x.unit})`, 'what']) +
        figure.row
          .map((row, i) =>
            csvLine([
              figure.rows[row]!,
              figure.kinds[figure.kindOf[i]!]!,
              figure.from[i]!,
              figure.to[i]!,
              figure.text[i]!,
            ]),
          )
          .join('')
      );
  }
}
