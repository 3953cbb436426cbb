// The table of messages of programs: a row for every transfer that carries one, or its handshake, in order of their
// numbers; flows of the same number say when it began and ended.

import type { TableSchema } from './schema.js';

/** Column indices of {@link messageTable}. */
export const MessageColumn = {
  flow: 0,
  job: 1,
  phase: 2,
  part: 3,
  tag: 4,
  sourceRank: 5,
  destinationRank: 6,
  waits: 7,
} as const;

/** What of a message a transfer carries. */
export const MessagePart = { data: 0, request: 1, answer: 2 } as const;

export const messageTable: TableSchema = {
  name: 'messages',
  columns: [
    { name: 'flow', type: 'float64', integer: true, unit: '1', description: 'number of the transfer' },
    {
      name: 'job',
      type: 'int32',
      unit: '1',
      description: 'program that sends it, from 0 among the programs of the run',
    },
    { name: 'phase', type: 'int32', unit: '1', description: 'part of the program, from 0 among its phases' },
    { name: 'part', type: 'int32', unit: '1', description: '0 data, 1 request of a rendezvous, 2 answer to it' },
    { name: 'tag', type: 'int32', unit: '1', description: 'of the message; -1 barrier, -2 allreduce, -3 alltoall' },
    { name: 'sourceRank', type: 'int32', unit: '1', description: 'rank of the program that sends the message' },
    { name: 'destinationRank', type: 'int32', unit: '1', description: 'rank of the program that receives it' },
    {
      name: 'waits',
      type: 'int32',
      unit: '1',
      description:
        'how often the sending rank had waited before: for all that it began, for a message, a rendezvous, or a step of a collective',
    },
  ],
};
