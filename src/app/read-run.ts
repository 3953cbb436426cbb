// A stored run as a report takes it: its manifest and summary, its fabric, and the records of the tables that reports
// read.
// Invariants: `flows` is read before all other tables; words become the numbers of our own schemas, so that files of
// other versions mean the same; what a foreign file has not is zero, and of foreign files the summary is counted here.

import { CompletionTimes } from '../measurement/completion.js';
import type { Batch, ColumnSchema, RecordColumn, TableSchema } from '../records/schema.js';
import type { Json, ReportRun } from '../report/page/report-run.js';
import { reportTables, RunRecords } from '../report/page/run-records.js';
import { fabricOfRun, type RunReader } from '../stored-runs/run-reader.js';
import type { TablePiece, TableSource } from '../records/run-tables.js';

/**
 * Reads a run. @param label what it is called in the report
 * @param onRows told the rows that were read so far, now and then
 * @param tables what is read of it, `flows` first
 * @throws HostFileError, InputError
 */
export async function readReportRun(
  run: RunReader,
  label: string,
  onRows: (rows: number) => void = () => {},
  tables: readonly TableSchema[] = reportTables,
): Promise<ReportRun> {
  const records = new RunRecords(await fabricOfRun(run), run.manifest?.jobs ?? []);
  let rows = 0;
  for (const schema of tables) {
    const table = run.tables.get(schema.name);
    if (table === undefined) continue;
    for await (const batch of batchesOf(table, schema)) {
      records.put(batch);
      onRows((rows += batch.rows));
    }
  }
  records.end();
  return {
    label,
    manifest: run.manifest as unknown as Json,
    summary: (run.summary as Json | null) ?? countedSummary(records),
    records,
  };
}

/** The rows of a table in our own columns. */
async function* batchesOf(table: TableSource, schema: TableSchema): AsyncGenerator<Batch> {
  const there = new Set(table.schema.columns.map(({ name }) => name));
  const wanted = schema.columns.filter(({ name }) => there.has(name));
  for await (const piece of table.pieces(wanted.map(({ name }) => name)))
    yield {
      schema,
      rows: piece.rows,
      columns: schema.columns.map((column) =>
        there.has(column.name) ? columnOf(piece, column) : new Float64Array(piece.rows),
      ),
    };
}

function columnOf(piece: TablePiece, { name, categories }: ColumnSchema): RecordColumn {
  if (categories === undefined) return piece.numbers(name);
  const numbers = new Map(Object.entries(categories).map(([number, word]) => [word, Number(number)]));
  return Float64Array.from(piece.words(name), (word) => numbers.get(word) ?? 0);
}

/** What a run without a summary came to, as far as its flows say. */
function countedSummary({ flows }: RunRecords): Json {
  const times = new CompletionTimes();
  for (let i = 0; i < flows.count; i++) times.add(flows.completionPs(i));
  const { meanNs, p50Ns, p99Ns, maxNs } = times.statistics();
  return {
    flows: flows.count,
    finished: flows.count,
    fct: { meanNs, p50Ns, p99Ns, maxNs },
    simulatedNs: flows.lastFinishPs / 1000,
  };
}
