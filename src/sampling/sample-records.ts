// The tables of reservoir sampling: what receivers estimate of every link, by window and owner; and, if asked for, what
// ports really forwarded.
// Invariant: traffic and congested add up over rows, and so do the squares of the standard errors and of the noise.

import type { ColumnSchema, TableSchema } from '../records/schema.js';

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
const port: readonly ColumnSchema[] = [
  { name: 'node', type: 'int32', unit: 'node', description: 'owner of the sending port of the link' },
  {
    name: 'nodeKind',
    type: 'uint8',
    unit: '1',
    description: 'what the node is',
    categories: { 0: 'host', 1: 'switch', 2: 'nvswitch' },
  },
  { name: 'interface', type: 'int32', unit: '1', description: "the port, from 1 in the order of the node's links" },
];

/** Column indices of {@link linkSampleTable}. */
export const LinkSampleColumn = {
  time: 0,
  window: 1,
  owner: 2,
  node: 3,
  nodeKind: 4,
  interface: 5,
  tested: 6,
  samples: 7,
  traffic: 8,
  trafficError: 9,
  congested: 10,
  congestedError: 11,
  noise: 12,
} as const;

export const linkSampleTable: TableSchema = {
  name: 'link_samples',
  columns: [
    whole('timePs', 'ps', 'end of the window'),
    whole('windowPs', 'ps', 'its length; packets count where they arrive in it'),
    {
      name: 'owner',
      type: 'int32',
      unit: '1',
      description: 'whose traffic: number of the job in the order of the summary, -1 of what belongs to none',
    },
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
