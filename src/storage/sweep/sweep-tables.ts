// The tables of a sweep's folder: runs.csv, runs.parquet and timings.csv, made from its journal.
// Invariants: rows in the order of the runs; each table appears whole or not at all, beside an earlier one until then;
// the same runs give the same bytes of the first two; memory does not grow with the runs.

import { rename, unlink } from 'node:fs/promises';
import { join } from 'node:path';
import type { RowColumn, SweepRow } from '../../report/sweep/row-columns.js';
import type { Combinations } from '../../scenario/sweep/combinations.js';
import { outputError } from '../output-error.js';
import { OutputFile } from '../output-file.js';
import { csvLine } from './row-csv.js';
import { RowParquet } from './row-parquet.js';
import { csvName, newName, parquetName, timingsName } from './sweep-files.js';
import type { SweepJournal } from './sweep-journal.js';
import { columnsOf, rowsOf } from './sweep-rows.js';

/** Rows between two waits for the disk. */
const rowsAtOnce = 256;

/**
 * Writes the tables.
 * @param onRow is told every row
 * @returns their columns
 * @throws OutputError; earlier tables are as they were then
 */
export async function writeTables(
  folder: string,
  journal: SweepJournal,
  combinations: Combinations,
  onRow: (row: SweepRow) => void,
): Promise<readonly RowColumn[]> {
  const columns = columnsOf(journal, combinations);
  const names = [csvName, parquetName, timingsName];
  const files: OutputFile[] = [];
  const place = (name: string): string => join(folder, name);
  try {
    for (const name of names) {
      // of a sweep that was killed
      await unlink(place(newName(name))).catch(() => {});
      files.push(await OutputFile.create(place(newName(name))));
    }
    const [csv, parquetFile, timings] = files as [OutputFile, OutputFile, OutputFile];
    const parquet = new RowParquet(columns, parquetFile);
    csv.append(csvLine(columns.map(({ name }) => name)));
    timings.append(csvLine(['run', 'cpuSeconds', 'wallSeconds', 'startedAt', 'host', 'weftVersion']));
    let rows = 0;
    for (const { row, timing, place } of rowsOf(journal, combinations)) {
      const values = columns.map(({ read }) => read(row));
      csv.append(csvLine(values));
      parquet.put(values);
      const took = [timing?.cpuSeconds, timing?.wallSeconds, place?.startedAt, place?.host, place?.weftVersion];
      timings.append(csvLine([row.run, ...took.map((value) => value ?? null)]));
      onRow(row);
      if (++rows % rowsAtOnce === 0) for (const file of files) await file.drain();
    }
    parquet.end();
    for (const file of files) await file.close();
    for (const name of names)
      await rename(place(newName(name)), place(name)).catch((error: unknown) => {
        throw outputError(place(name), error);
      });
    return columns;
  } catch (error) {
    for (const file of files) await file.abandon();
    for (const name of names) await unlink(place(newName(name))).catch(() => {});
    throw error;
  }
}
