// The tables of flows. Every run writes two: one row per finished flow, in order of completion, and one row per hop of
// each path that a queue pair took: when it was admitted, and when it came upon another one. Where every packet
// chooses, one row per port that data took, when the queue pair ended; several then stand at one hop.

import type { TableSchema } from './schema.js';

/** Column indices of {@link flowTable}. */
export const FlowColumn = {
  flow: 0,
  source: 1,
  destination: 2,
  sourcePort: 3,
  destinationPort: 4,
  size: 5,
  start: 6,
  finish: 7,
  ideal: 8,
} as const;

export const flowTable: TableSchema = {
  name: 'flows',
  columns: [
    {
      name: 'flowId',
      type: 'float64',
      integer: true,
      unit: '1',
      description: 'number of the transfer in its source, from 0',
    },
    { name: 'source', type: 'int32', unit: 'node', description: 'sending host' },
    { name: 'destination', type: 'int32', unit: 'node', description: 'receiving host' },
    { name: 'sourcePort', type: 'uint16', unit: '1', description: 'UDP source port' },
    { name: 'destinationPort', type: 'uint16', unit: '1', description: 'UDP destination port' },
    { name: 'sizeBytes', type: 'float64', integer: true, unit: 'B', description: 'payload' },
    { name: 'startPs', type: 'float64', integer: true, unit: 'ps', description: 'when the queue pair was created' },
    {
      name: 'finishPs',
      type: 'float64',
      integer: true,
      unit: 'ps',
      description: 'when the sender received the last acknowledgement',
    },
    {
      name: 'idealPs',
      type: 'float64',
      integer: true,
      unit: 'ps',
      description: "completion time alone on an idle fabric, SimAI's estimate",
    },
  ],
};

/** Column indices of {@link hopTable}. */
export const HopColumn = {
  flow: 0,
  source: 1,
  destination: 2,
  sourcePort: 3,
  destinationPort: 4,
  hop: 5,
  node: 6,
  interface: 7,
} as const;

export const hopTable: TableSchema = {
  name: 'hops',
  columns: [
    {
      name: 'flowId',
      type: 'float64',
      integer: true,
      unit: '1',
      description: 'number of the transfer in its source, from 0',
    },
    { name: 'source', type: 'int32', unit: 'node', description: 'sending host' },
    { name: 'destination', type: 'int32', unit: 'node', description: 'receiving host' },
    { name: 'sourcePort', type: 'uint16', unit: '1', description: 'UDP source port' },
    { name: 'destinationPort', type: 'uint16', unit: '1', description: 'UDP destination port' },
    { name: 'hop', type: 'int32', unit: '1', description: 'position on the path, from 0' },
    { name: 'node', type: 'int32', unit: 'node', description: 'switch' },
    { name: 'interface', type: 'int32', unit: '1', description: 'its output port, from 1 in the order of its links' },
  ],
};

/** Column indices of {@link unfinishedTable}. */
export const UnfinishedColumn = {
  flow: 0,
  source: 1,
  destination: 2,
  sourcePort: 3,
  destinationPort: 4,
  size: 5,
  start: 6,
  stop: 7,
  delivered: 8,
} as const;

/** One row per flow that had begun and not finished when the run ended, in order of their numbers; with `stopTime`. */
export const unfinishedTable: TableSchema = {
  name: 'unfinished',
  columns: [
    ...flowTable.columns.slice(0, 7),
    { name: 'stopPs', type: 'float64', integer: true, unit: 'ps', description: 'when the run ended' },
    {
      name: 'deliveredBytes',
      type: 'float64',
      unit: 'B',
      description: 'payload that had reached its receiver, in order where there are packets',
    },
  ],
};
