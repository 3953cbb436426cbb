// The table of packets that did not arrive: which, where, when and why (docs/models/losses.md). A run writes it if it
// was asked for. Data and acknowledgement packets alone, as the counters packetsLost and packetsDropped: a row for
// each.

import { portColumnsOf } from './probe-records.js';
import type { ColumnSchema, TableSchema } from './schema.js';

const whole = (name: string, unit: string, description: string): ColumnSchema => ({
  name,
  type: 'float64',
  integer: true,
  unit,
  description,
});

/** Names of causes by their numbers; the first five are those of OmniDMA's simulator. */
export const lossCauseNames = {
  1: 'single',
  2: 'frequent',
  3: 'burst',
  4: 'sequence',
  5: 'time',
  6: 'trace',
  7: 'channel',
  8: 'other',
  9: 'linkError',
  10: 'linkDown',
  11: 'noRoute',
  12: 'buffer',
  13: 'watchdog',
} as const;

/** Column indices of {@link packetLossTable}. */
export const PacketLossColumn = {
  time: 0,
  node: 1,
  nodeKind: 2,
  interface: 3,
  cause: 4,
  index: 5,
  kind: 6,
  flow: 7,
  source: 8,
  destination: 9,
  packet: 10,
  offset: 11,
  bytes: 12,
  tier: 13,
  nack: 14,
  place: 15,
} as const;

export const packetLossTable: TableSchema = {
  name: 'packet_losses',
  columns: [
    whole('timePs', 'ps', 'when'),
    ...portColumnsOf(
      'where',
      "port by which it came in, from 1 in the order of the node's links; of cause buffer the one it was for",
    ),
    { name: 'cause', type: 'uint8', unit: '1', description: 'what took it', categories: lossCauseNames },
    whole(
      'index',
      '1',
      'packets that the loss model was asked about at this port before it; -1: no loss model took it',
    ),
    {
      name: 'kind',
      type: 'uint8',
      unit: '1',
      description: 'what it was',
      categories: { 0: 'data', 1: 'ack', 2: 'nack', 3: 'notification' },
    },
    whole('flowId', '1', 'number of the transfer in its source, from 0; -1: it has ended'),
    { name: 'source', type: 'int32', unit: 'node', description: 'host that sends the data of the flow' },
    { name: 'destination', type: 'int32', unit: 'node', description: 'host that receives them' },
    whole('packet', '1', 'number of a data packet in its flow; of others the next packet that their sender expects'),
    whole('offsetBytes', 'B', 'payload of the flow before that packet'),
    whole('wireBytes', 'B', 'its size, headers included'),
    {
      name: 'tier',
      type: 'uint8',
      unit: '1',
      description: 'under OmniDMA: retransmission, 1 the first; 0: new or unknown',
    },
    whole('nack', '1', 'under OmniDMA: number of the OmniNACK that it answers, or is; 0: none'),
    whole('place', '1', 'under OmniDMA: where its receiver keeps the map that it answers, or tells; -1: nowhere'),
  ],
};
