// The tables of a sweep's folder: runs.csv, runs.parquet and timings.csv, made from its journal. Of many rows there are
// several Parquet files, which are read as one table where they lie.
// Invariants: rows in the order of the runs; each table appears whole or not at all, beside an earlier one until then;
// no row is in two Parquet files, also where an earlier call wrote others; the same runs give the same bytes of all but
// timings.csv; memory does not grow with the runs.

import { readdir, rename, unlink } from 'node:fs/promises';
import { join } from 'node:path';
import type { RowColumn, SweepRow } from '../../report/sweep/row-columns.js';
import type { Combinations } from '../../scenario/sweep/combinations.js';
import { outputError } from '../output-error.js';
import { OutputFile } from '../output-file.js';
import { csvLine } from './row-csv.js';
import { RowParquet } from './row-parquet.js';
import { csvName, isParquetName, newName, parquetShards, timingsName } from './sweep-files.js';
import type { SweepJournal } from './sweep-journal.js';
import { columnsOf, rowsOf, type TimedRow } from './sweep-rows.js';

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
  const shards = parquetShards(journal.count);
  const names = [csvName, timingsName, ...shards.map(({ name }) => name)];
  const place = (name: string): string => join(folder, name);
  const open = new Set<OutputFile>();
  const create = async (name: string): Promise<OutputFile> => {
    // of a sweep that was killed
    await unlink(place(newName(name))).catch(() => {});
    const file = await OutputFile.create(place(newName(name)));
    open.add(file);
    return file;
  };
  try {
    const [csv, timings] = [await create(csvName), await create(timingsName)];
    csv.append(csvLine(columns.map(({ name }) => name)));
    timings.append(csvLine(['run', 'cpuSeconds', 'wallSeconds', 'startedAt', 'host', 'weftVersion']));
    const rows = rowsOf(journal, combinations);
    for (const { name, count } of shards) {
      const file = await create(name);
      const parquet = new RowParquet(columns, file);
      for (let rest = count; rest > 0; rest--) {
        const { row, timing, place: where } = rows.next().value as TimedRow;
        const values = columns.map(({ read }) => read(row));
        csv.append(csvLine(values));
        parquet.put(values);
        const took = [timing?.cpuSeconds, timing?.wallSeconds, where?.startedAt, where?.host, where?.weftVersion];
        timings.append(csvLine([row.run, ...took.map((value) => value ?? null)]));
        onRow(row);
        if (rest % rowsAtOnce === 0) for (const each of open) await each.drain();
      }
      parquet.end();
      open.delete(file);
      await file.close();
    }
    for (const file of open) await file.close();
    await removeOthers(folder, names);
    for (const name of names)
      await rename(place(newName(name)), place(name)).catch((error: unknown) => {
        throw outputError(place(name), error);
      });
    return columns;
  } catch (error) {
    for (const file of open) await file.abandon();
    for (const name of names) await unlink(place(newName(name))).catch(() => {});
    throw error;
  }
}

/** Removes Parquet files of an earlier call that had fewer rows or more. @throws OutputError */
async function removeOthers(folder: string, names: readonly string[]): Promise<void> {
  for (const name of await readdir(folder))
    if (isParquetName(name) && !names.includes(name))
      await unlink(join(folder, name)).catch((error: unknown) => {
        throw outputError(join(folder, name), error);
      });
}
