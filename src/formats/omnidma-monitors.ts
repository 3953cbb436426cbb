// The text files of OmniDMA's simulator about its RNICs (docs/models/omnidma.md): its columns, times in nanoseconds.
//   out_rnic_dma_ops.txt     time,host,flow,op_type,op_name,bytes,queue_delay,service,backlog,queue_depth_after
//   out_rnic_dma_stats.txt
// time,host,inflight,backlog,submitted,completed,submitted_bytes,completed_bytes,read_ops,write_ops,avg_qdelay,max_qdelay,max_depth
// out_memory_usage.txt     time,host,list entries,table entries   out_hit_rate.txt         src, dst, flow, list looks
// and hits, table looks and hits   omniDMA_event_output.txt a line for each event with its map   switch_drop_output.txt
// time,switch,node type,if,packet,drop type,packet type,flow,seq,tier,adamap,table Only the first has a header.
// Picoseconds are rounded to whole nanoseconds. Nodes, and flows by their numbers from 0, are Weft's.

import { PacketLossColumn } from '../records/loss-records.js';
import {
  AdamapCacheColumn,
  AdamapEventColumn,
  adamapEventNames,
  adamapWords,
  MemoryUsageColumn,
  RnicDmaOperationColumn,
  RnicDmaStatisticsColumn,
} from '../records/rnic-records.js';
import type { Batch } from '../records/schema.js';

export const rnicDmaOperationHeader =
  'time_ns,host,flow,op_type,op_name,bytes,queue_delay_ns,service_ns,backlog_ns,queue_depth_after\n';

const operationNames: Readonly<Record<number, string>> = {
  1: 'LL_APPEND_WRITE',
  2: 'LL_TO_TABLE_WRITE',
  3: 'LL_PREFETCH_READ',
  4: 'LL_MISS_READ',
  5: 'TABLE_MISS_READ',
};

/** The rows of a batch of `rnic_dma_ops` as lines. */
export function rnicDmaOperationText(batch: Batch): string {
  const at = cells(batch);
  return lines(batch, (row) => {
    const operation = at(RnicDmaOperationColumn.operation, row);
    return [
      toNs(at(RnicDmaOperationColumn.time, row)),
      at(RnicDmaOperationColumn.host, row),
      at(RnicDmaOperationColumn.flow, row),
      operation,
      operationNames[operation]!,
      at(RnicDmaOperationColumn.bytes, row),
      toNs(at(RnicDmaOperationColumn.wait, row)),
      toNs(at(RnicDmaOperationColumn.service, row)),
      toNs(at(RnicDmaOperationColumn.backlog, row)),
      at(RnicDmaOperationColumn.depth, row),
    ].join(',');
  });
}

/** The rows of a batch of `rnic_dma_stats` as lines. */
export function rnicDmaStatisticsText(batch: Batch): string {
  const at = cells(batch);
  const inTime = new Set<number>([
    RnicDmaStatisticsColumn.time,
    RnicDmaStatisticsColumn.backlog,
    RnicDmaStatisticsColumn.meanWait,
    RnicDmaStatisticsColumn.maximumWait,
  ]);
  const columns = Object.values(RnicDmaStatisticsColumn);
  return lines(batch, (row) =>
    columns.map((column) => (inTime.has(column) ? toNs(at(column, row)) : at(column, row))).join(','),
  );
}

/** The rows of a batch of `memory_usage` as lines. */
export function memoryUsageText(batch: Batch): string {
  const at = cells(batch);
  return lines(batch, (row) =>
    [
      toNs(at(MemoryUsageColumn.time, row)),
      at(MemoryUsageColumn.host, row),
      at(MemoryUsageColumn.list, row),
      at(MemoryUsageColumn.table, row),
    ].join(','),
  );
}

/** The rows of a batch of `adamap_cache` as lines. */
export function hitRateText(batch: Batch): string {
  const at = cells(batch);
  const columns = Object.values(AdamapCacheColumn);
  return lines(batch, (row) => columns.map((column) => at(column, row)).join(', '));
}

/** The rows of a batch of `adamap_events` as lines. */
export function adamapEventText(batch: Batch): string {
  const at = cells(batch);
  return lines(batch, (row) => {
    const event = at(AdamapEventColumn.event, row) as keyof typeof adamapEventNames;
    const start = at(AdamapEventColumn.start, row);
    const length = at(AdamapEventColumn.length, row);
    let bits = '';
    for (let slot = 0; slot < Math.min(length, 32 * adamapWords); slot++)
      bits += (at(AdamapEventColumn.bits + (slot >> 5), row) >>> (slot & 31)) & 1;
    return (
      `[Event ${at(AdamapEventColumn.tier, row)}] ${toNs(at(AdamapEventColumn.time, row))}: ` +
      `host ${at(AdamapEventColumn.host, row)} flowid ${at(AdamapEventColumn.flow, row)} seq=${start + 1} | ` +
      `${adamapEventNames[event]} Adamap. id ${at(AdamapEventColumn.nack, row)} startSeq ${start} reprLength ${length} bitmap ${bits}`
    );
  });
}

/** Packet types by kind: the protocol numbers of their packets; an OmniNACK has one of its own. */
const packetTypes = [0x11, 0xfc, 0xfd, 0xff] as const;
const omniNackType = 0xfa;
/** the last cause that is a loss model's */
const lastModelCause = 8;

/**
 * The rows of a batch of `packet_losses` that a loss model took as lines: there, as here, the file has nothing of
 * buffers, of failed links and of error rates.
 */
export function switchDropText(batch: Batch): string {
  const at = cells(batch);
  let text = '';
  for (let row = 0; row < batch.rows; row++) {
    const cause = at(PacketLossColumn.cause, row);
    if (cause > lastModelCause) continue;
    const kind = at(PacketLossColumn.kind, row);
    const nack = at(PacketLossColumn.nack, row);
    const type = kind === 2 && nack > 0 ? omniNackType : packetTypes[kind]!;
    text += `${[
      toNs(at(PacketLossColumn.time, row)),
      at(PacketLossColumn.node, row),
      at(PacketLossColumn.nodeKind, row),
      at(PacketLossColumn.interface, row),
      at(PacketLossColumn.index, row),
      cause,
      type,
      at(PacketLossColumn.flow, row),
      at(PacketLossColumn.offset, row),
      at(PacketLossColumn.tier, row),
      nack,
      Math.max(0, at(PacketLossColumn.place, row)),
    ].join(',')}\n`;
  }
  return text;
}

function cells(batch: Batch): (column: number, row: number) => number {
  return (column, row) => batch.columns[column]![row]!;
}

function lines(batch: Batch, line: (row: number) => string): string {
  let text = '';
  for (let row = 0; row < batch.rows; row++) text += `${line(row)}\n`;
  return text;
}

const toNs = (timePs: number): number => Math.round(timePs / 1000);
