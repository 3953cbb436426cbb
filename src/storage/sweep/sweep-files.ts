// The names of the files of a sweep's folder.

export const descriptionName = 'sweep.json';
export const journalName = 'journal.jsonl';
export const csvName = 'runs.csv';
/** Rows of a Parquet file: of more there are several, so that each is read or skipped by itself. */
export const mostParquetRows = 4096;
/** folder of the folders of runs */
export const runsName = 'runs';
export const timingsName = 'timings.csv';

/** A Parquet file of a table. */
interface Shard {
  readonly name: string;
  /** rows of it */
  readonly count: number;
}

/** The Parquet files of a table, in the order of the rows: `runs.parquet`, or `runs-00000.parquet` and so on. */
export function parquetShards(rows: number): readonly Shard[] {
  const shards = Math.max(1, Math.ceil(rows / mostParquetRows));
  return Array.from({ length: shards }, (_, i) => ({
    name: shards === 1 ? 'runs.parquet' : `runs-${String(i).padStart(5, '0')}.parquet`,
    count: Math.min(mostParquetRows, rows - i * mostParquetRows),
  }));
}

/** Whether a file of a sweep's folder is one of Parquet's. */
export function isParquetName(name: string): boolean {
  return /^runs(-\d+)?\.parquet$/.test(name);
}

/** What belongs to a sweep of so many rows, in the order of the documentation. */
export function sweepFiles(rows: number): readonly string[] {
  return [descriptionName, csvName, ...parquetShards(rows).map(({ name }) => name), timingsName, journalName];
}

/** Where a file is written before it takes its name. */
export function newName(name: string): string {
  return `${name}.new`;
}
