// The tables of jobs: what ranks did when (a timeline), and their collectives. A run with jobs writes them for the
// ranks that were asked for.

import type { ColumnSchema, TableSchema } from './schema.js';

const timePs = (name: string, description: string): ColumnSchema => ({
  name,
  type: 'float64',
  integer: true,
  unit: 'ps',
  description,
});
const job: ColumnSchema = { name: 'job', type: 'int32', unit: '1', description: 'number of the job, from 0' };
const layer: ColumnSchema = {
  name: 'layer',
  type: 'int32',
  unit: '1',
  description: 'layer of the workload, from 0; -1: none',
};
/** Passes of a layer, by number. */
export const passCategories = { 0: 'forward', 1: 'inputGradient', 2: 'weightGradient', 3: 'update' } as const;
const pass: ColumnSchema = {
  name: 'pass',
  type: 'uint8',
  unit: '1',
  description: 'pass of the layer',
  categories: passCategories,
};
/** Kinds of groups of ranks, by number. */
export const groupCategories = { 0: 'TP', 1: 'DP', 2: 'EP', 3: 'DP_EP', 4: 'PP', 5: 'all', 6: 'CP' } as const;
/** What a group does together, by number. */
export const collectiveCategories = {
  1: 'allreduce',
  2: 'allgather',
  3: 'reducescatter',
  4: 'alltoall',
  5: 'broadcast',
  6: 'allreduceThenAlltoall',
} as const;
const microBatch: ColumnSchema = { name: 'microBatch', type: 'int32', unit: '1', description: 'micro-batch, from 0' };
const iteration: ColumnSchema = { name: 'iteration', type: 'int32', unit: '1', description: 'iteration, from 0' };

/** What a row of {@link timelineTable} is: the rank computes, waits for a collective, or waits for another stage. */
export const Activity = { compute: 0, wait: 1, receive: 2 } as const;

/** Column indices of {@link timelineTable}. */
export const TimelineColumn = {
  job: 0,
  rank: 1,
  activity: 2,
  group: 3,
  layer: 4,
  pass: 5,
  microBatch: 6,
  iteration: 7,
  start: 8,
  finish: 9,
} as const;

/** A row per computation and wait of a rank, in the order in which they end. */
export const timelineTable: TableSchema = {
  name: 'timeline',
  columns: [
    job,
    { name: 'rank', type: 'int32', unit: '1', description: 'rank of the job' },
    {
      name: 'activity',
      type: 'uint8',
      unit: '1',
      description: 'it computes, waits for a collective, or waits for another stage (receive)',
      categories: { 0: 'compute', 1: 'wait', 2: 'receive' },
    },
    {
      name: 'group',
      type: 'uint8',
      unit: '1',
      description: 'kind of group that a wait is for; of a computation none',
      categories: { ...groupCategories, 255: 'none' },
    },
    layer,
    pass,
    microBatch,
    iteration,
    timePs('startPs', 'when it began'),
    timePs('finishPs', 'when it ended'),
  ],
};

/** Column indices of {@link collectiveTable}. */
export const CollectiveColumn = {
  job: 0,
  group: 1,
  firstRank: 2,
  ranks: 3,
  collective: 4,
  algorithm: 5,
  layer: 6,
  pass: 7,
  microBatch: 8,
  iteration: 9,
  size: 10,
  firstFlow: 11,
  flows: 12,
  firstStart: 13,
  lastStart: 14,
  finish: 15,
} as const;

/** A row per collective of a group, in the order in which they end. */
export const collectiveTable: TableSchema = {
  name: 'collectives',
  columns: [
    job,
    { name: 'group', type: 'uint8', unit: '1', description: 'kind of the group', categories: groupCategories },
    { name: 'firstRank', type: 'int32', unit: '1', description: 'first rank of the group, of the job' },
    { name: 'ranks', type: 'int32', unit: '1', description: 'ranks of the group' },
    {
      name: 'collective',
      type: 'uint8',
      unit: '1',
      description: 'what the group does',
      categories: collectiveCategories,
    },
    {
      name: 'algorithm',
      type: 'uint8',
      unit: '1',
      description: 'how it is done; model: a closed form says how long it takes',
      categories: {
        0: 'ring',
        1: 'tree',
        2: 'nvls',
        3: 'nvls-tree',
        4: 'collnet-direct',
        5: 'collnet-chain',
        6: 'pat',
        7: 'halving-doubling',
        8: 'direct',
        9: 'aggregated',
        255: 'model',
      },
    },
    layer,
    pass,
    microBatch,
    iteration,
    { name: 'sizeBytes', type: 'float64', integer: true, unit: 'B', description: 'buffer of a rank' },
    {
      name: 'firstFlow',
      type: 'float64',
      integer: true,
      unit: '1',
      description: 'number of its first transfer; its transfers are numbered from there; -1: a closed form',
    },
    {
      name: 'flows',
      type: 'float64',
      integer: true,
      unit: '1',
      description: 'transfers, those without bytes included',
    },
    timePs('firstStartPs', 'when its first rank came to it'),
    timePs('lastStartPs', 'when its last rank came to it'),
    timePs('finishPs', 'when its last rank had done with it'),
  ],
};

/** Column indices of {@link moveTable}. */
export const MoveColumn = { flow: 0, job: 1, firstFlow: 2, step: 3, channel: 4, chunk: 5, isReduction: 6 } as const;

/** A row per transfer of a collective, in the order in which they start. */
export const moveTable: TableSchema = {
  name: 'moves',
  columns: [
    { name: 'flowId', type: 'float64', integer: true, unit: '1', description: 'number of the transfer, as in flows' },
    job,
    {
      name: 'firstFlow',
      type: 'float64',
      integer: true,
      unit: '1',
      description: 'number of the first transfer of its collective, as in collectives',
    },
    { name: 'step', type: 'int32', unit: '1', description: 'step of the algorithm, from 0' },
    { name: 'channel', type: 'int32', unit: '1', description: 'channel, from 0' },
    { name: 'chunk', type: 'int32', unit: '1', description: 'chunk of the pipeline, from 0' },
    {
      name: 'isReduction',
      type: 'uint8',
      unit: '1',
      description: '1: the receiver adds the bytes to what it has, 0: it replaces it',
    },
  ],
};
