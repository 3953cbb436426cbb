// What becomes of the batches of one table: the outputs of a run directory. Each takes batches in order and appends to its file.

import { fctText } from '../formats/simai-fct.js';
import { pathsCsvHeader, PathsCsvFormatter } from '../formats/paths-csv.js';
import { flowTable, hopTable } from '../records/flow-records.js';
import type { TableSchema } from '../records/schema.js';
import type { OutputFile } from './output-file.js';
import { ParquetOutput } from './parquet-output.js';
import type { TableOutput } from './table-output.js';

/** One file of a run directory that is made from a table. */
export interface TableFile {
  readonly fileName: string;
  readonly table: TableSchema;
  open(file: OutputFile): TableOutput;
}

/** Every file that is made from records, in the order of the documentation. */
export const tableFiles: readonly TableFile[] = [
  { fileName: 'flows.parquet', table: flowTable, open: (file) => new ParquetOutput(flowTable, file) },
  { fileName: 'fct.txt', table: flowTable, open: (file) => ({ put: (batch) => file.append(fctText(batch)), end: () => {} }) },
  { fileName: 'paths.csv', table: hopTable, open: openPathsCsv },
];

function openPathsCsv(file: OutputFile): TableOutput {
  const formatter = new PathsCsvFormatter();
  file.append(pathsCsvHeader);
  return { put: (batch) => file.append(formatter.push(batch)), end: () => file.append(formatter.end()) };
}
