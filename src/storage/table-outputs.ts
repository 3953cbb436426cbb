// What becomes of the batches of one table: the outputs of a run directory. Each takes batches in order and appends to
// its file.

import { fail } from '../base/fail.js';
import { fctText } from '../formats/simai-fct.js';
import {
  bandwidthHeader,
  bandwidthText,
  notificationHeader,
  notificationText,
  pfcText,
  QueueLengthFormatter,
  queueLengthHeader,
  rateHeader,
  rateMonitorText,
} from '../formats/simai-monitors.js';
import {
  adamapEventText,
  hitRateText,
  memoryUsageText,
  rnicDmaOperationHeader,
  rnicDmaOperationText,
  rnicDmaStatisticsText,
  switchDropText,
} from '../formats/omnidma-monitors.js';
import { reorderQueuesText } from '../formats/conweave-monitors.js';
import { LaneText, PerfqueryText } from '../formats/perfquery-text.js';
import { pathsCsvHeader, PathsCsvFormatter } from '../formats/paths-csv.js';
import { flowTable, hopTable, unfinishedTable } from '../records/flow-records.js';
import { collectiveTable, moveTable, timelineTable } from '../records/job-records.js';
import {
  bandwidthTable,
  latencyHistogramTable,
  notificationTable,
  packetLatencyTable,
  pauseTable,
  pfcEventTable,
  portCounterTable,
  queueTable,
  rateTable,
  reorderTable,
} from '../records/probe-records.js';
import {
  adamapCacheTable,
  adamapEventTable,
  memoryUsageTable,
  rnicDmaOperationTable,
  rnicDmaStatisticsTable,
} from '../records/rnic-records.js';
import { packetLossTable } from '../records/loss-records.js';
import { messageTable } from '../records/message-records.js';
import { requestTable } from '../records/request-records.js';
import { lanePollTable, portPollTable } from '../records/poll-records.js';
import { linkCountTable, linkSampleTable } from '../sampling/sample-records.js';
import type { Batch, TableSchema } from '../records/schema.js';
import { timelineSvg } from '../report/timeline-figure.js';
import type { TimelineJob } from '../report/timeline-jobs.js';
import { TimelineRows } from '../report/timeline-rows.js';
import type { OutputFile } from './output-file.js';
import { ParquetOutput } from './parquet-output.js';
import type { TableOutput } from './table-output.js';

/** One file of a run directory that is made from a table. */
export interface TableFile {
  readonly fileName: string;
  readonly table: TableSchema;
  /** @param jobs of the run, by their numbers */
  open(file: OutputFile, jobs: readonly TimelineJob[]): TableOutput;
}

/** Every file that can be made from records, in the order of the documentation. */
const tableFiles: readonly TableFile[] = [
  parquet(flowTable),
  { fileName: 'fct.txt', table: flowTable, open: (file) => textOutput(file, '', fctText) },
  parquet(unfinishedTable),
  { fileName: 'paths.csv', table: hopTable, open: openPathsCsv },
  parquet(queueTable),
  { fileName: 'qlen.txt', table: queueTable, open: openQueueLengths },
  parquet(bandwidthTable),
  { fileName: 'bw.txt', table: bandwidthTable, open: (file) => textOutput(file, bandwidthHeader, bandwidthText) },
  parquet(reorderTable),
  { fileName: 'out_voq.txt', table: reorderTable, open: (file) => textOutput(file, '', reorderQueuesText) },
  parquet(rateTable),
  { fileName: 'rate.txt', table: rateTable, open: (file) => textOutput(file, rateHeader, rateMonitorText) },
  parquet(notificationTable),
  {
    fileName: 'cnp.txt',
    table: notificationTable,
    open: (file) => textOutput(file, notificationHeader, notificationText),
  },
  parquet(packetLatencyTable),
  parquet(latencyHistogramTable),
  parquet(pfcEventTable),
  { fileName: 'pfc.txt', table: pfcEventTable, open: (file) => textOutput(file, '', pfcText) },
  parquet(pauseTable),
  parquet(portCounterTable),
  parquet(packetLossTable),
  {
    fileName: 'switch_drop_output.txt',
    table: packetLossTable,
    open: (file) => textOutput(file, '', switchDropText),
  },
  parquet(rnicDmaOperationTable),
  {
    fileName: 'out_rnic_dma_ops.txt',
    table: rnicDmaOperationTable,
    open: (file) => textOutput(file, rnicDmaOperationHeader, rnicDmaOperationText),
  },
  parquet(rnicDmaStatisticsTable),
  {
    fileName: 'out_rnic_dma_stats.txt',
    table: rnicDmaStatisticsTable,
    open: (file) => textOutput(file, '', rnicDmaStatisticsText),
  },
  parquet(memoryUsageTable),
  {
    fileName: 'out_memory_usage.txt',
    table: memoryUsageTable,
    open: (file) => textOutput(file, '', memoryUsageText),
  },
  parquet(adamapCacheTable),
  { fileName: 'out_hit_rate.txt', table: adamapCacheTable, open: (file) => textOutput(file, '', hitRateText) },
  parquet(adamapEventTable),
  {
    fileName: 'omniDMA_event_output.txt',
    table: adamapEventTable,
    open: (file) => textOutput(file, '', adamapEventText),
  },
  parquet(portPollTable),
  { fileName: 'perfquery.txt', table: portPollTable, open: openPerfquery },
  parquet(lanePollTable),
  { fileName: 'perfquery-lanes.txt', table: lanePollTable, open: openLanes },
  parquet(linkSampleTable),
  parquet(linkCountTable),
  parquet(requestTable),
  parquet(messageTable),
  parquet(timelineTable),
  { fileName: 'timeline.svg', table: timelineTable, open: openTimelineFigure },
  parquet(collectiveTable),
  parquet(moveTable),
];

/** Other names of files, under which the communication-stack document (docs/SOURCES.md), §10, has them. */
export const otherFileNames: ReadonlyMap<string, readonly [string]> = new Map([
  ['qlen.txt', ['queue.txt']],
  ['bw.txt', ['bandwidth.txt']],
]);

/** The files that are made from some tables, in the order of the documentation. */
export function filesOf(tables: readonly TableSchema[]): readonly TableFile[] {
  for (const table of tables)
    if (!tableFiles.some((file) => file.table === table)) fail(`no file is made from the table ${table.name}`);
  return tableFiles.filter(({ table }) => tables.includes(table));
}

function parquet(table: TableSchema): TableFile {
  return { fileName: `${table.name}.parquet`, table, open: (file) => new ParquetOutput(table, file) };
}

/** A text file whose lines depend on their own rows only. */
function textOutput(file: OutputFile, header: string, textOf: (batch: Batch) => string): TableOutput {
  file.append(header);
  return { put: (batch) => file.append(textOf(batch)), end: () => {} };
}

function openPathsCsv(file: OutputFile): TableOutput {
  const formatter = new PathsCsvFormatter();
  file.append(pathsCsvHeader);
  return { put: (batch) => file.append(formatter.push(batch)), end: () => file.append(formatter.end()) };
}

function openQueueLengths(file: OutputFile): TableOutput {
  const formatter = new QueueLengthFormatter();
  file.append(queueLengthHeader);
  return { put: (batch) => file.append(formatter.push(batch)), end: () => file.append(formatter.end()) };
}

function openPerfquery(file: OutputFile): TableOutput {
  const formatter = new PerfqueryText();
  return { put: (batch) => file.append(formatter.push(batch)), end: () => {} };
}

function openLanes(file: OutputFile): TableOutput {
  const formatter = new LaneText();
  return { put: (batch) => file.append(formatter.push(batch)), end: () => file.append(formatter.end()) };
}

function openTimelineFigure(file: OutputFile, jobs: readonly TimelineJob[]): TableOutput {
  const rows = new TimelineRows(jobs);
  return {
    put: (batch) => rows.put(batch),
    end: () => {
      rows.end();
      file.append(timelineSvg('What each rank did', rows));
    },
  };
}
