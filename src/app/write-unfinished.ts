// The rows of the flows that a run ended without.

import type { UnfinishedFlow } from '../execution/unfinished-flows.js';
import { UnfinishedColumn, unfinishedTable } from '../records/flow-records.js';
import { type RecordSink, TableWriter } from '../records/schema.js';

/** Writes a row for each flow that is unfinished at a time. Whole sink batches wait in memory until it drains. */
export function writeUnfinished(flows: readonly UnfinishedFlow[], nowPs: number, sink: RecordSink): void {
  const writer = new TableWriter(unfinishedTable, sink);
  for (const flow of flows) {
    const { columns, rows } = writer;
    columns[UnfinishedColumn.flow]![rows] = flow.id;
    columns[UnfinishedColumn.source]![rows] = flow.source;
    columns[UnfinishedColumn.destination]![rows] = flow.destination;
    columns[UnfinishedColumn.sourcePort]![rows] = flow.sourcePort;
    columns[UnfinishedColumn.destinationPort]![rows] = flow.destinationPort;
    columns[UnfinishedColumn.size]![rows] = flow.sizeBytes;
    columns[UnfinishedColumn.start]![rows] = flow.startPs;
    columns[UnfinishedColumn.stop]![rows] = nowPs;
    columns[UnfinishedColumn.delivered]![rows] = flow.deliveredBytes ?? NaN;
    writer.commit();
  }
  writer.flush();
}
