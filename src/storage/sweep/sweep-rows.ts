// The rows of a sweep, in the order of its runs, from its journal.
// Invariant: one row is in memory at a time.

import type { FilledColumn, SweepRow } from '../../report/sweep/row-columns.js';
import { IgnoredSettings } from '../../report/sweep/ignored-settings.js';
import { RowColumns } from '../../report/sweep/row-columns.js';
import type { Combinations } from '../../scenario/sweep/combinations.js';
import type { JournalEntry, SweepJournal } from './sweep-journal.js';

/** A row with what its run took, and where it ran. */
export interface TimedRow {
  readonly row: SweepRow;
  readonly timing: JournalEntry['timing'];
  readonly place: JournalEntry['place'];
}

/** Every run that has ended, one after the other. @throws OutputError */
export function* rowsOf(journal: SweepJournal, combinations: Combinations): Generator<TimedRow> {
  for (let run = 0; run < combinations.runs; run++) {
    const entry = journal.entryOf(run);
    if (entry === null) continue;
    const { row, timing, place } = entry;
    const choices = combinations.choicesOf(run);
    yield { row: { ...row, run, choices, values: combinations.valuesOf(run) }, timing, place };
  }
}

/** The settings that change nothing in some of the runs. @throws OutputError */
export function ignoredOf(journal: SweepJournal, combinations: Combinations): IgnoredSettings {
  // of a sample nobody has the same values but for one
  const ignored = new IgnoredSettings(combinations.sample === null ? combinations.settings : []);
  for (const { row } of rowsOf(journal, combinations)) ignored.add(row);
  return ignored;
}

/** The columns of all rows. @throws OutputError */
export function columnsOf(journal: SweepJournal, combinations: Combinations): readonly FilledColumn[] {
  const columns = new RowColumns(combinations.settings);
  for (const { row } of rowsOf(journal, combinations)) columns.add(row);
  return columns.list();
}
