// The names of the files of a sweep's folder.

export const descriptionName = 'sweep.json';
export const journalName = 'journal.jsonl';
export const csvName = 'runs.csv';
export const parquetName = 'runs.parquet';
/** folder of the folders of runs */
export const runsName = 'runs';
export const timingsName = 'timings.csv';

/** What belongs to a sweep, in the order of the documentation. */
export const sweepFiles = [descriptionName, csvName, parquetName, timingsName, journalName] as const;

/** Where a file is written before it takes its name. */
export function newName(name: string): string {
  return `${name}.new`;
}
