// The tables of polled port counters (docs/models/port-counters.md): a row for every reading of a port, and one for
// each of its lanes. A port is named as in the tables of the probes, and by LID and number as perfquery asks for it.

import type { ColumnSchema, TableSchema } from './schema.js';
import { portColumns } from './probe-records.js';

const whole = (name: string, unit: string, description: string): ColumnSchema => ({
  name,
  type: 'float64',
  integer: true,
  unit,
  description,
});

/** What every reading begins with. */
const reading: readonly ColumnSchema[] = [
  whole('timePs', 'ps', 'when the port was read'),
  { name: 'poll', type: 'int32', unit: '1', description: 'round of readings, from 0' },
  ...portColumns,
  { name: 'lid', type: 'uint16', unit: '1', description: 'LID of the end port; 0: the fabric fits no subnet' },
  { name: 'port', type: 'uint8', unit: '1', description: 'number of the port on its node, as ibnetdiscover prints it' },
];

/** Column indices of {@link portPollTable}. */
export const PortPollColumn = {
  time: 0,
  poll: 1,
  node: 2,
  nodeKind: 3,
  interface: 4,
  lid: 5,
  port: 6,
  transmitBytes: 7,
  receiveBytes: 8,
  transmitPackets: 9,
  receivePackets: 10,
  waitTicks: 11,
  isWide: 12,
} as const;

export const portPollTable: TableSchema = {
  name: 'port_polls',
  columns: [
    ...reading,
    whole('transmitBytes', 'B', 'PortXmitData in bytes, which counts words of 4: headers and payload, no gaps'),
    whole('receiveBytes', 'B', 'PortRcvData in bytes'),
    whole('transmitPackets', '1', 'PortXmitPkts: packets whose transmission had begun, no PFC frames'),
    whole('receivePackets', '1', 'PortRcvPkts: packets that had arrived'),
    whole('waitTicks', 'tick', 'PortXmitWait: ticks of polling.tick in which the port had packets and sent nothing'),
    {
      name: 'isWide',
      type: 'uint8',
      unit: '1',
      description: '1: counters of 64 bits; 0: of 32, which stop at the top',
    },
  ],
};

/** Column indices of {@link lanePollTable}. */
export const LanePollColumn = {
  time: 0,
  poll: 1,
  node: 2,
  nodeKind: 3,
  interface: 4,
  lid: 5,
  port: 6,
  lane: 7,
  transmitBytes: 8,
  transmitPackets: 9,
  waitTicks: 10,
} as const;

export const lanePollTable: TableSchema = {
  name: 'lane_polls',
  columns: [
    ...reading,
    { name: 'lane', type: 'uint8', unit: '1', description: 'virtual lane; on packets the priority' },
    whole('transmitBytes', 'B', 'bytes that the port has sent on the lane'),
    whole('transmitPackets', '1', 'packets that the port has sent on the lane'),
    whole('waitTicks', 'tick', 'PortVLXmitWait: ticks in which the lane had packets and was held back'),
  ],
};
