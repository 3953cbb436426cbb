// The tables about RNICs that keep adamaps in host memory (docs/models/omnidma.md). A run writes those that it was
// asked for. A host is named by its node.

import type { ColumnSchema, TableSchema } from './schema.js';

const whole = (name: string, unit: string, description: string): ColumnSchema => ({
  name,
  type: 'float64',
  integer: true,
  unit,
  description,
});
const timePs = whole('timePs', 'ps', 'when');
const host: ColumnSchema = { name: 'host', type: 'int32', unit: 'node', description: 'host of the RNIC' };
const flowId = whole('flowId', '1', 'number of the transfer in its source, from 0; -1: it has ended');

/** Names of DMA operations by their numbers. */
const dmaOperationNames = {
  1: 'listAppend',
  2: 'listToTable',
  3: 'listPrefetch',
  4: 'listMiss',
  5: 'tableMiss',
} as const;

/** Column indices of {@link rnicDmaOperationTable}. */
export const RnicDmaOperationColumn = {
  time: 0,
  host: 1,
  flow: 2,
  operation: 3,
  bytes: 4,
  wait: 5,
  service: 6,
  backlog: 7,
  depth: 8,
} as const;

export const rnicDmaOperationTable: TableSchema = {
  name: 'rnic_dma_ops',
  columns: [
    timePs,
    host,
    flowId,
    {
      name: 'operation',
      type: 'uint8',
      unit: '1',
      description: 'what was read or written',
      categories: dmaOperationNames,
    },
    whole('bytes', 'B', 'bytes on the bus'),
    whole('waitPs', 'ps', 'until it was served'),
    whole('servicePs', 'ps', 'from then until it was done, without others'),
    whole('backlogPs', 'ps', 'from now until it is done'),
    whole('depth', '1', 'operations of the host under way, this one included'),
  ],
};

/** Column indices of {@link rnicDmaStatisticsTable}. */
export const RnicDmaStatisticsColumn = {
  time: 0,
  host: 1,
  inFlight: 2,
  backlog: 3,
  submitted: 4,
  completed: 5,
  submittedBytes: 6,
  completedBytes: 7,
  reads: 8,
  writes: 9,
  meanWait: 10,
  maximumWait: 11,
  maximumDepth: 12,
} as const;

export const rnicDmaStatisticsTable: TableSchema = {
  name: 'rnic_dma_stats',
  columns: [
    timePs,
    host,
    whole('inFlight', '1', 'operations under way'),
    whole('backlogPs', 'ps', 'until all of them are done'),
    whole('submitted', '1', 'operations since the start'),
    whole('completed', '1', 'those of them that are done'),
    whole('submittedBytes', 'B', 'bytes on the bus of operations since the start'),
    whole('completedBytes', 'B', 'those of operations that are done'),
    whole('reads', '1', 'reads since the start'),
    whole('writes', '1', 'writes since the start'),
    { name: 'meanWaitPs', type: 'float64', unit: 'ps', description: 'mean time until an operation was served' },
    whole('maximumWaitPs', 'ps', 'longest time until one was served'),
    whole('maximumDepth', '1', 'most operations under way so far'),
  ],
};

/** Column indices of {@link memoryUsageTable}. */
export const MemoryUsageColumn = { time: 0, host: 1, list: 2, table: 3 } as const;

export const memoryUsageTable: TableSchema = {
  name: 'memory_usage',
  columns: [
    timePs,
    host,
    whole('listEntries', '1', 'adamaps in the lists of all queue pairs that it receives'),
    whole('tableEntries', '1', 'entries in their lookup tables'),
  ],
};

/** Column indices of {@link adamapCacheTable}. */
export const AdamapCacheColumn = {
  source: 0,
  destination: 1,
  flow: 2,
  listLooks: 3,
  listHits: 4,
  tableLooks: 5,
  tableHits: 6,
} as const;

export const adamapCacheTable: TableSchema = {
  name: 'adamap_cache',
  columns: [
    { name: 'source', type: 'int32', unit: 'node', description: 'sending host' },
    { name: 'destination', type: 'int32', unit: 'node', description: 'receiving host' },
    flowId,
    whole('listLooks', '1', 'maps of the list that were looked for'),
    whole('listHits', '1', 'those of them that the RNIC held'),
    whole('tableLooks', '1', 'entries of the table that were looked for'),
    whole('tableHits', '1', 'those of them that the RNIC held'),
  ],
};

/** Names of events of adamaps by their numbers. */
export const adamapEventNames = {
  1: 'closed',
  2: 'entered',
  3: 'nodeComplete',
  4: 'entryComplete',
  5: 'told',
  6: 'timedOut',
  7: 'overtaken',
  8: 'expanded',
} as const;

/** Column indices of {@link adamapEventTable}; the words of the bitmap follow. */
export const AdamapEventColumn = {
  time: 0,
  host: 1,
  flow: 2,
  event: 3,
  tier: 4,
  nack: 5,
  start: 6,
  length: 7,
  bits: 8,
} as const;

/** words of 32 bits of the longest bitmap */
export const adamapWords = 8;

export const adamapEventTable: TableSchema = {
  name: 'adamap_events',
  columns: [
    timePs,
    host,
    flowId,
    { name: 'event', type: 'uint8', unit: '1', description: 'what happened', categories: adamapEventNames },
    { name: 'tier', type: 'uint8', unit: '1', description: 'how often the map was told of; 0: never yet' },
    whole('nack', '1', 'number of the OmniNACK that told of it last; 0: none yet'),
    whole('start', '1', 'packet before its first slot'),
    whole('length', '1', 'its slots'),
    ...Array.from({ length: adamapWords }, (_, word) =>
      whole(`bits${word}`, '1', `slots ${32 * word} to ${32 * word + 31} of the bitmap, the first in the lowest bit`),
    ),
  ],
};
