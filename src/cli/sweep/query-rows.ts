// `weft sweep ROWS --where … --sort …`: rows of a sweep that is there, also while it goes on, without another tool.
// Invariants: nothing is run and nothing is written; text has at most 80 columns and says what it leaves out; JSON has all
// rows that were asked for.

import { stat } from 'node:fs/promises';
import { basename, dirname } from 'node:path';
import { InputError } from '../../base/diagnostics.js';
import { printable } from '../../base/printable.js';
import { figureAt } from '../../report/figures/places.js';
import { textInUnit } from '../../report/figures/figure.js';
import type { FilledColumn, SweepRow } from '../../report/sweep/row-columns.js';
import type { RowValue } from '../../report/sweep/run-row.js';
import { counted, grouped, reportColumns, wrapped } from '../../report/text-style.js';
import { figureNamed } from '../../report/sweep/until-target.js';
import { readRowFilter, type RowFilter } from '../../scenario/sweep/row-filter.js';
import { nearest } from '../../scenario/suggest.js';
import { csvName, isParquetName, journalName } from '../../storage/sweep/sweep-files.js';
import { StoredSweep } from '../../storage/sweep/read-sweep.js';
import type { CommandContext } from '../context.js';

const [mostShown, longestCell] = [40, 24];

/** What is asked of rows. */
export interface RowQuery {
  readonly where?: string | undefined;
  /** a column, with - in front: the largest first */
  readonly sort?: string | undefined;
  /** with commas between them */
  readonly columns?: string | undefined;
  readonly limit?: number | undefined;
  readonly json: boolean;
}

/** The folder of a sweep that a path names, by itself or by its table; null: it names none. Never throws. */
export async function sweepFolderAt(path: string): Promise<string | null> {
  const isFolder = await stat(path).then(
    (status) => status.isDirectory(),
    () => false,
  );
  const name = basename(path);
  const isTable = isParquetName(name) || name === csvName || name === journalName;
  const folder = isFolder ? path : isTable ? dirname(path) : null;
  return folder !== null && (await StoredSweep.isSweep(folder)) ? folder : null;
}

/** Prints the rows of a sweep. @throws InputError, OutputError, HostFileError */
export async function queryRows(folder: string, query: RowQuery, { stdout }: CommandContext): Promise<void> {
  const stored = await StoredSweep.open(folder);
  try {
    const all = stored.filledColumns();
    const named = namedIn(all);
    const filter: RowFilter =
      query.where === undefined
        ? () => true
        : readRowFilter(
            query.where,
            named,
            all.map(({ name }) => name),
          );
    const isDescending = query.sort?.startsWith('-') === true;
    const sorted = query.sort === undefined ? null : required(named, query.sort.replace(/^-/, ''), '--sort', all);
    const asked = query.columns?.split(',').map((name) => required(named, name.trim(), '--columns', all));
    const byName = new Map(all.map((column) => [column.name, column]));
    let total = 0;
    const found: SweepRow[] = [];
    for (const row of stored.rows()) {
      total++;
      if (filter((name) => byName.get(name)!.read(row))) found.push(row);
    }
    if (sorted !== null)
      found.sort(
        (a, b) => (isDescending ? -1 : 1) * order(sorted.read(a), sorted.read(b), isDescending) || a.run - b.run,
      );
    const taken = found.slice(0, query.limit ?? (query.json ? found.length : mostShown));
    if (query.json) {
      const columns = asked ?? all;
      stdout.write(
        `${JSON.stringify({
          rows: taken.map((row) => Object.fromEntries(columns.map((column) => [column.name, column.read(row)]))),
          found: found.length,
          ended: total,
          columns: columns.map(({ name, role, type, unit }) => ({ name, role, type, unit })),
        })}\n`,
      );
      return;
    }
    const isAsked = asked !== undefined;
    const shown = asked ?? usual(stored, all, sorted);
    const { lines, leftOut } = table(shown, taken, isAsked);
    const more = found.length - taken.length;
    const notes = [
      `${grouped(found.length)} of ${counted(total, 'row')}${more > 0 ? `, ${grouped(taken.length)} shown (--limit)` : ''}`,
      ...(leftOut.length === 0 ? [] : [`no room for ${leftOut.join(', ')}: name fewer, or give --json`]),
      ...(isAsked ? [] : [`${all.length} columns in all: --columns names others`]),
    ];
    stdout.write(`${[...lines, '', ...notes.flatMap((note) => wrapped(printable(note)))].join('\n')}\n`);
  } finally {
    stored.close();
  }
}

/** Which column a name means: its own, that of a setting by its path, that of a figure by its last word. */
function namedIn(columns: readonly FilledColumn[]): (name: string) => FilledColumn | null {
  const byName = new Map(columns.map((column) => [column.name, column]));
  return (name) => {
    const own = byName.get(name) ?? byName.get(`set.${name}`);
    if (own !== undefined) return own;
    try {
      return byName.get(figureNamed(name, '')) ?? null;
    } catch {
      return null;
    }
  };
}

function required(
  named: (name: string) => FilledColumn | null,
  name: string,
  option: string,
  columns: readonly FilledColumn[],
): FilledColumn {
  const column = named(name);
  if (column !== null) return column;
  const near = nearest(
    name,
    columns.map((own) => own.name),
  );
  throw InputError.about('sweep-column', option, 'the rows have no such column', {
    got: name,
    wanted: 'a column of runs.csv, such as fct.p99Ns, or its last word',
    ...(near === null ? {} : { hint: `did you mean ${near}?` }),
  });
}

/** Rows without a value come last, whichever way. */
function order(a: RowValue, b: RowValue, isDescending: boolean): number {
  if (a === null || b === null) return (a === b ? 0 : a === null ? 1 : -1) * (isDescending ? -1 : 1);
  return a < b ? -1 : a > b ? 1 : 0;
}

/** The columns that people look for: what varies of the settings, the seed, how it ended, the first figures. */
function usual(stored: StoredSweep, all: readonly FilledColumn[], sorted: FilledColumn | null): FilledColumn[] {
  const { settings, description } = stored;
  const varied = new Set(settings.flatMap(({ path, values }) => (values.length > 1 ? [`set.${path}`] : [])));
  const isUsual = ({ name, role }: FilledColumn): boolean =>
    name === 'run' ||
    name === 'outcome' ||
    varied.has(name) ||
    (role === 'seed' && description.seeds !== null) ||
    (role === 'figure' && figureAt(name).prominence === 'headline');
  const found = all.filter((column) => isUsual(column) || column === sorted);
  // what rows are sorted by has room before figures
  found.sort((a, b) => Number(a.role === 'figure' && a !== sorted) - Number(b.role === 'figure' && b !== sorted));
  return found;
}

function table(
  columns: readonly FilledColumn[],
  rows: readonly SweepRow[],
  isAsked: boolean,
): { readonly lines: string[]; readonly leftOut: string[] } {
  const lines = ['', ...rows.map(() => '')];
  const leftOut: string[] = [];
  for (const column of columns) {
    const { name, role, type } = column;
    const head = printable(name.replace(/^set\./, ''), longestCell);
    const cells = rows.map((row) => cellText(column, column.read(row)));
    const width = Math.max(head.length, ...cells.map(({ length }) => length));
    if (2 + lines[0]!.length + width > reportColumns) {
      if (isAsked) leftOut.push(name);
      continue;
    }
    const isNumber = type === 'number' || (type === 'whole' && role !== 'run');
    [head, ...cells].forEach((cell, i) => {
      lines[i]! += `  ${isNumber ? cell.padStart(width) : cell.padEnd(width)}`;
    });
  }
  return { lines: lines.map((line) => line.trimEnd()), leftOut };
}

function cellText({ name, role }: FilledColumn, value: RowValue): string {
  if (value === null) return '-';
  const { unit } = figureAt(name).entry;
  if (typeof value === 'number' && role === 'figure' && unit !== null && unit !== '1') return textInUnit(unit, value);
  return printable(String(value).split('\n')[0]!, longestCell);
}
