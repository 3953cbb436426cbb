// The tables of reservoir sampling: what receivers estimate of every link, by window and kind of traffic; and, if asked
// for, what ports really forwarded.
// Invariant: traffic and congested add up over rows, and so do the squares of the standard errors and of the noise.

import { portColumnsOf } from '../records/probe-records.js';
import type { ColumnSchema, TableSchema } from '../records/schema.js';
import { labelCollectives, labelGroups } from '../records/transfer-label.js';

/** In place of a number, and of a category: the row puts several together. */
export const several = -2;
export const severalCategory = 254;

const whole = (name: string, unit: string, description: string): ColumnSchema => ({
  name,
  type: 'float64',
  integer: true,
  unit,
  description,
});
const real = (name: string, description: string): ColumnSchema => ({
  name,
  type: 'float64',
  unit: 'packets',
  description,
});
const number = (name: string, description: string): ColumnSchema => ({ name, type: 'int32', unit: '1', description });
const word = (name: string, description: string, categories: Readonly<Record<number, string>>): ColumnSchema => ({
  name,
  type: 'uint8',
  unit: '1',
  description,
  categories: { ...categories, [severalCategory]: 'several' },
});
const port = portColumnsOf('owner of the sending port of the link');

/** Column indices of {@link linkSampleTable}. */
export const LinkSampleColumn = {
  time: 0,
  window: 1,
  job: 2,
  phase: 3,
  collective: 4,
  group: 5,
  tag: 6,
  sourceRank: 7,
  destinationRank: 8,
  classRanks: 9,
  node: 10,
  nodeKind: 11,
  interface: 12,
  tested: 13,
  samples: 14,
  traffic: 15,
  trafficError: 16,
  congested: 17,
  congestedError: 18,
  noise: 19,
} as const;

export const linkSampleTable: TableSchema = {
  name: 'link_samples',
  columns: [
    whole('timePs', 'ps', 'end of the window'),
    whole('windowPs', 'ps', 'its length; packets count where they arrive in it'),
    number('job', 'number of the job in the order of the summary; -1: of none'),
    number('phase', 'phase of the program, or pass of the training job (0 forward to 3 update); -1: none, -2: several'),
    word('collective', 'of what collective it is a part', labelCollectives),
    word('group', 'kind of the group of ranks of a training job', labelGroups),
    number('tag', "tag of a program's message; -1: none, -2: several"),
    number('sourceRank', 'first rank of the class of the sender; -1: not known, -2: several'),
    number('destinationRank', 'first rank of the class of the receiver; -1: not known, -2: several'),
    number('classRanks', 'ranks of a class; the last one of a job may have fewer. 0: not known'),
    ...port,
    whole('testedPackets', 'packets', 'sampled packets that may have taken the link (standard: that name it)'),
    whole('samples', 'packets', 'sampled packets that name the link; one-bit: 0, it is not known'),
    real('traffic', 'estimate of the packets that took the link and arrived'),
    real('trafficError', 'its standard error'),
    real('congested', 'estimate of those that met congestion there'),
    real('congestedError', 'its standard error'),
    real('noise', 'an estimate below it may be chance: 2.33 standard errors of a link without traffic; standard: 0'),
  ],
};

/** Column indices of {@link linkCountTable}. */
export const LinkCountColumn = { node: 0, nodeKind: 1, interface: 2, packets: 3, congested: 4 } as const;

export const linkCountTable: TableSchema = {
  name: 'link_counts',
  columns: [
    ...port,
    whole('packets', 'packets', 'data packets that were to leave by the port, dropped ones among them'),
    whole('congestedPackets', 'packets', 'those for which it was congested'),
  ],
};
