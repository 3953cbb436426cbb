// The columns of the table of a sweep: names, types and units, and what each run has in them.
// Invariants: a type follows from the name of a column, so that tables of different sweeps go together; columns are
// those that at least one run has, in the order in which the runs bring them; categories are words.
// docs/formats/sweep.md describes them.

import { fail } from '../../base/fail.js';
import { figureAt } from '../figures/places.js';
import type { RowValue, RunRow } from './run-row.js';

export type RowColumnType = 'whole' | 'number' | 'flag' | 'word';

/** A column of runs.csv and runs.parquet. */
export interface RowColumn {
  readonly name: string;
  readonly role: 'run' | 'setting' | 'seed' | 'outcome' | 'figure' | 'check' | 'digest';
  readonly type: RowColumnType;
  /** null: it has none */
  readonly unit: string | null;
}

/** A column that knows what a run has in it. */
export interface FilledColumn extends RowColumn {
  readonly read: (row: SweepRow) => RowValue;
}

/** What columns need of a setting that is swept. */
export interface SettingOfColumn {
  readonly path: string;
  readonly values: readonly string[];
  readonly kind: 'number' | 'flag' | 'quantity' | 'word' | 'formula';
  readonly numbers: readonly (number | null)[] | null;
  readonly unit: string | null;
}

/** A run of a sweep with what it was given. */
export interface SweepRow extends RunRow {
  readonly run: number;
  /** which value of each setting */
  readonly choices: readonly number[];
  /** the value of each setting as it runs with it; null: a formula has none there */
  readonly values: readonly (string | null)[];
}

const suffixes: Readonly<Record<string, string>> = { B: 'Bytes', 'bit/s': 'Bps', ns: 'Ns' };

/** Learns what columns a table has from its rows, one after the other. */
export class RowColumns {
  private readonly figures = new Map<string, RowColumnType>();
  private readonly checks = new Set<string>();
  private ignoresSome = false;

  constructor(private readonly settings: readonly SettingOfColumn[]) {}

  add({ figures, checks, noEffect }: RunRow): void {
    if (noEffect !== undefined) this.ignoresSome = true;
    for (const [name, value] of figures) {
      const type = typeOf(name, value);
      const before = this.figures.get(name);
      if (before !== type && !(before === 'number' && type === 'whole')) this.figures.set(name, type);
    }
    for (const name of checks.keys()) this.checks.add(name);
  }

  /** In the order of the table. */
  list(): readonly FilledColumn[] {
    return [
      { name: 'run', role: 'run', type: 'whole', unit: '1', read: ({ run }) => run },
      ...this.settings.flatMap(settingColumns),
      { name: 'seed', role: 'seed', type: 'whole', unit: '1', read: ({ seed }) => seed },
      wordColumn('outcome', 'outcome', ({ outcome }) => outcome),
      wordColumn('verdict', 'outcome', ({ verdict }) => verdict),
      wordColumn('failedChecks', 'outcome', ({ failedChecks }) => failedChecks),
      wordColumn('error', 'outcome', ({ error }) => error),
      ...(this.ignoresSome ? [wordColumn('noEffect', 'outcome', ({ noEffect }) => noEffect?.join(' ') ?? null)] : []),
      ...[...this.figures].map(([name, type]): FilledColumn => ({
        name,
        role: 'figure',
        type,
        unit: unitOf(name, type),
        read: ({ figures }) => figures.get(name) ?? null,
      })),
      ...[...this.checks].map((name) => wordColumn(`check.${name}`, 'check', ({ checks }) => checks.get(name) ?? null)),
      wordColumn('digest', 'digest', ({ digest }) => digest),
    ];
  }
}

function wordColumn(name: string, role: RowColumn['role'], read: FilledColumn['read']): FilledColumn {
  return { name, role, type: 'word', unit: null, read };
}

function settingColumns({ path, kind, unit, numbers }: SettingOfColumn, place: number): FilledColumn[] {
  const name = `set.${path}`;
  const text = ({ values }: SweepRow): string | null => values[place]!;
  const number = ({ choices }: SweepRow): RowValue => numbers![choices[place]!]!;
  const ofFormula = (row: SweepRow): RowValue => (text(row) === null ? null : Number(text(row)));
  if (kind === 'word') return [wordColumn(name, 'setting', text)];
  if (kind === 'flag') return [{ name, role: 'setting', type: kind, unit: null, read: (row) => text(row) === 'true' }];
  if (kind === 'number') return [{ name, role: 'setting', type: kind, unit: '1', read: number }];
  if (kind === 'formula') return [{ name, role: 'setting', type: 'number', unit: '1', read: ofFormula }];
  const suffix = suffixes[unit ?? ''] ?? fail(`no column is named after the unit ${unit ?? 'null'}`);
  return [
    wordColumn(name, 'setting', text),
    { name: `${name}${suffix}`, role: 'setting', type: 'number', unit, read: number },
  ];
}

function typeOf(name: string, value: RowValue): RowColumnType {
  if (typeof value === 'boolean') return 'flag';
  if (typeof value === 'string') return 'word';
  return Number.isSafeInteger(value) && figureAt(name).entry.isWhole ? 'whole' : 'number';
}

function unitOf(name: string, type: RowColumnType): string | null {
  return type === 'flag' || type === 'word' ? null : (figureAt(name).entry.unit ?? '1');
}
