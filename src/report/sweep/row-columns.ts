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

/** What columns need of a setting that is swept. */
export interface SettingOfColumn {
  readonly path: string;
  readonly values: readonly string[];
  readonly kind: 'number' | 'flag' | 'quantity' | 'word';
  readonly numbers: readonly (number | null)[] | null;
  readonly unit: string | null;
}

/** A run of a sweep with what it was given. */
export interface SweepRow extends RunRow {
  readonly run: number;
  /** which value of each setting */
  readonly choices: readonly number[];
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
  list(): readonly RowColumn[] {
    return [
      { name: 'run', role: 'run', type: 'whole', unit: '1' },
      ...this.settings.flatMap(settingColumns),
      { name: 'seed', role: 'seed', type: 'whole', unit: '1' },
      { name: 'outcome', role: 'outcome', type: 'word', unit: null },
      { name: 'verdict', role: 'outcome', type: 'word', unit: null },
      { name: 'failedChecks', role: 'outcome', type: 'word', unit: null },
      { name: 'error', role: 'outcome', type: 'word', unit: null },
      ...(this.ignoresSome ? [{ name: 'noEffect', role: 'outcome', type: 'word', unit: null } as const] : []),
      ...[...this.figures].map(([name, type]): RowColumn => ({ name, role: 'figure', type, unit: unitOf(name, type) })),
      ...[...this.checks].map((name): RowColumn => ({
        name: `check.${name}`,
        role: 'check',
        type: 'word',
        unit: null,
      })),
      { name: 'digest', role: 'digest', type: 'word', unit: null },
    ];
  }
}

/** What a run has in each of the columns. */
export function valuesOf(
  row: SweepRow,
  settings: readonly SettingOfColumn[],
  columns: readonly RowColumn[],
): RowValue[] {
  const ofSettings = settings.flatMap((setting, i) => settingValues(setting, row.choices[i]!));
  const known: Readonly<Record<string, RowValue>> = {
    run: row.run,
    seed: row.seed,
    outcome: row.outcome,
    verdict: row.verdict,
    failedChecks: row.failedChecks,
    error: row.error,
    noEffect: row.noEffect?.join(' ') ?? null,
    digest: row.digest,
  };
  let setting = 0;
  return columns.map(({ name, role }) => {
    switch (role) {
      case 'setting':
        return ofSettings[setting++]!;
      case 'figure':
        return row.figures.get(name) ?? null;
      case 'check':
        return row.checks.get(name.slice('check.'.length)) ?? null;
      default:
        return known[name] ?? null;
    }
  });
}

function settingColumns({ path, kind, unit }: SettingOfColumn): RowColumn[] {
  const name = `set.${path}`;
  if (kind !== 'quantity') return [{ name, role: 'setting', type: kind, unit: kind === 'number' ? '1' : null }];
  const suffix = suffixes[unit ?? ''] ?? fail(`no column is named after the unit ${unit ?? 'null'}`);
  return [
    { name, role: 'setting', type: 'word', unit: null },
    { name: `${name}${suffix}`, role: 'setting', type: 'number', unit },
  ];
}

function settingValues({ kind, values, numbers }: SettingOfColumn, choice: number): RowValue[] {
  const text = values[choice]!;
  switch (kind) {
    case 'number':
      return [numbers![choice]!];
    case 'flag':
      return [text === 'true'];
    case 'quantity':
      return [text, numbers![choice]!];
    case 'word':
      return [text];
  }
}

function typeOf(name: string, value: RowValue): RowColumnType {
  if (typeof value === 'boolean') return 'flag';
  if (typeof value === 'string') return 'word';
  return Number.isSafeInteger(value) && figureAt(name).entry.isWhole ? 'whole' : 'number';
}

function unitOf(name: string, type: RowColumnType): string | null {
  return type === 'flag' || type === 'word' ? null : (figureAt(name).entry.unit ?? '1');
}
