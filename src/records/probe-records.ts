// The tables of the probes. A run writes those that it was asked for (docs/models/probes.md); without probes it writes
// none of them. A port is named by its node and its interface (from 1 in the order of the node's links); nodeKind says
// whether the node is a host.

import type { ColumnSchema, TableSchema } from './schema.js';

const nodeKinds = { 0: 'host', 1: 'switch', 2: 'nvswitch' } as const;
const timePs: ColumnSchema = { name: 'timePs', type: 'float64', integer: true, unit: 'ps', description: 'when' };
/** Which port a row is about. @param node @param port what they are, in words */
export function portColumnsOf(
  node: string,
  port = "the port, from 1 in the order of the node's links",
): ColumnSchema[] {
  return [
    { name: 'node', type: 'int32', unit: 'node', description: node },
    { name: 'nodeKind', type: 'uint8', unit: '1', description: 'what the node is', categories: nodeKinds },
    { name: 'interface', type: 'int32', unit: '1', description: port },
  ];
}
export const portColumns: readonly ColumnSchema[] = portColumnsOf('owner of the port');
const priority: ColumnSchema = { name: 'priority', type: 'uint8', unit: '1', description: 'queue of the port, 0 to 7' };
const flow: readonly ColumnSchema[] = [
  {
    name: 'flowId',
    type: 'float64',
    integer: true,
    unit: '1',
    description: 'number of the transfer in its source, from 0',
  },
  { name: 'source', type: 'int32', unit: 'node', description: 'sending host' },
  { name: 'destination', type: 'int32', unit: 'node', description: 'receiving host' },
  { name: 'sourcePort', type: 'uint16', unit: '1', description: 'UDP source port of the queue pair' },
  { name: 'destinationPort', type: 'uint16', unit: '1', description: 'UDP destination port' },
];
const size: ColumnSchema = {
  name: 'sizeBytes',
  type: 'float64',
  integer: true,
  unit: 'B',
  description: 'payload of the queue pair',
};

const bytes = (name: string, description: string): ColumnSchema => ({
  name,
  type: 'float64',
  integer: true,
  unit: 'B',
  description,
});
const count = (name: string, description: string): ColumnSchema => ({
  name,
  type: 'float64',
  integer: true,
  unit: '1',
  description,
});

/** Column indices of {@link queueTable}. */
export const QueueColumn = { time: 0, node: 1, nodeKind: 2, interface: 3, priority: 4, queue: 5, port: 6 } as const;

export const queueTable: TableSchema = {
  name: 'queues',
  columns: [
    timePs,
    ...portColumns,
    priority,
    bytes('queueBytes', 'bytes that wait in the queue'),
    bytes('portBytes', 'bytes that wait in all queues of the port'),
  ],
};

/** Column indices of {@link bandwidthTable}. */
export const BandwidthColumn = {
  time: 0,
  interval: 1,
  node: 2,
  nodeKind: 3,
  interface: 4,
  sent: 5,
  rate: 6,
  utilisation: 7,
} as const;

export const bandwidthTable: TableSchema = {
  name: 'bandwidth',
  columns: [
    { ...timePs, description: 'end of the interval' },
    { name: 'intervalPs', type: 'float64', integer: true, unit: 'ps', description: 'length of the interval' },
    ...portColumns,
    bytes('sentBytes', 'bytes of the packets whose transmission began in the interval'),
    { name: 'rateBps', type: 'float64', unit: 'bit/s', description: 'sentBytes x 8 / interval' },
    {
      name: 'utilisation',
      type: 'float64',
      unit: '1',
      description: 'share of the interval in which the port was sending',
    },
  ],
};

/** Column indices of {@link reorderTable}. */
export const ReorderColumn = { time: 0, node: 1, queues: 2, packets: 3, bytes: 4 } as const;

export const reorderTable: TableSchema = {
  name: 'reorder_queues',
  columns: [
    { ...timePs, description: 'when it was looked at' },
    { name: 'node', type: 'int32', unit: 'node', description: 'a switch with hosts' },
    { name: 'queues', type: 'int32', unit: '1', description: 'queues in which packets wait for earlier ones' },
    { name: 'packets', type: 'int32', unit: '1', description: 'packets in them' },
    bytes('heldBytes', 'bytes of these packets'),
  ],
};

/** Column indices of {@link rateTable}. */
export const RateColumn = {
  time: 0,
  flow: 1,
  source: 2,
  destination: 3,
  sourcePort: 4,
  destinationPort: 5,
  size: 6,
  rate: 7,
} as const;

export const rateTable: TableSchema = {
  name: 'rates',
  columns: [
    timePs,
    ...flow,
    size,
    {
      name: 'rateBps',
      type: 'float64',
      unit: 'bit/s',
      description: 'rate that the congestion control allows the queue pair',
    },
  ],
};

/** Column indices of {@link notificationTable}. */
export const NotificationColumn = {
  time: 0,
  flow: 1,
  source: 2,
  destination: 3,
  sourcePort: 4,
  destinationPort: 5,
  size: 6,
  notifications: 7,
} as const;

export const notificationTable: TableSchema = {
  name: 'notifications',
  columns: [
    timePs,
    ...flow,
    size,
    count('notifications', 'notifications of marks (CNPs) for the queue pair since its start'),
  ],
};

/** Column indices of {@link packetLatencyTable}. */
export const PacketLatencyColumn = {
  flow: 0,
  source: 1,
  destination: 2,
  sourcePort: 3,
  destinationPort: 4,
  packets: 5,
  mean: 6,
  maximum: 7,
} as const;

export const packetLatencyTable: TableSchema = {
  name: 'packet_latency',
  columns: [
    ...flow,
    count('packets', 'data packets of the queue pair that arrived before it finished'),
    {
      name: 'meanPs',
      type: 'float64',
      unit: 'ps',
      description: 'mean time from the start of transmission at the NIC to the arrival of the last bit',
    },
    { name: 'maximumPs', type: 'float64', integer: true, unit: 'ps', description: 'longest such time' },
  ],
};

/** Column indices of {@link latencyHistogramTable}. */
export const LatencyHistogramColumn = { from: 0, below: 1, packets: 2 } as const;

export const latencyHistogramTable: TableSchema = {
  name: 'latency_histogram',
  columns: [
    {
      name: 'fromPs',
      type: 'float64',
      integer: true,
      unit: 'ps',
      description: 'shortest latency that the bucket takes',
    },
    { name: 'belowPs', type: 'float64', integer: true, unit: 'ps', description: 'shortest latency beyond the bucket' },
    count('packets', 'data packets of the run in the bucket'),
  ],
};

/** Column indices of {@link pfcEventTable}. */
export const PfcEventColumn = { time: 0, node: 1, nodeKind: 2, interface: 3, priority: 4, isPause: 5 } as const;

export const pfcEventTable: TableSchema = {
  name: 'pfc_events',
  columns: [
    { ...timePs, description: 'when the frame arrived' },
    ...portColumns,
    { ...priority, description: 'queue that is paused or resumed' },
    { name: 'isPause', type: 'uint8', unit: '1', description: '1 pause, 0 resume' },
  ],
};

/** Column indices of {@link portCounterTable}. */
export const PortCounterColumn = {
  node: 0,
  nodeKind: 1,
  interface: 2,
  priority: 3,
  packetsSent: 4,
  bytesSent: 5,
  packetsDropped: 6,
  packetsMarked: 7,
  pausesSent: 8,
  resumesSent: 9,
  pausesReceived: 10,
  resumesReceived: 11,
  peakQueue: 12,
} as const;

export const portCounterTable: TableSchema = {
  name: 'port_counters',
  columns: [
    ...portColumns,
    priority,
    count('packetsSent', 'packets and control frames whose transmission began'),
    bytes('bytesSent', 'their bytes'),
    count('packetsDropped', "packets for this queue that found no room in the switch's buffer"),
    count('packetsMarked', 'packets that got an ECN mark here'),
    count('pausesSent', 'PFC pauses sent out of this port for this priority'),
    count('resumesSent', 'PFC resumes sent out of this port for this priority'),
    count('pausesReceived', 'PFC pauses received for this queue'),
    count('resumesReceived', 'PFC resumes received for this queue'),
    bytes('peakQueueBytes', 'most bytes that ever waited in the queue'),
  ],
};

/** Column indices of {@link pauseTable}. */
export const PauseColumn = {
  pause: 0,
  begin: 1,
  end: 2,
  node: 3,
  interface: 4,
  priority: 5,
  pausedNode: 6,
  pausedNodeKind: 7,
  pausedInterface: 8,
  causeNode: 9,
  causeInterface: 10,
  parent: 11,
  root: 12,
  depth: 13,
} as const;

export const pauseTable: TableSchema = {
  name: 'pauses',
  columns: [
    count('pauseId', 'number of the pause, from 0 in the order in which pauses began'),
    {
      name: 'beginPs',
      type: 'float64',
      integer: true,
      unit: 'ps',
      description: 'when the switch decided to pause its upstream',
    },
    {
      name: 'endPs',
      type: 'float64',
      integer: true,
      unit: 'ps',
      description: 'when it decided to resume it; -1 if the run ended before',
    },
    { name: 'node', type: 'int32', unit: 'node', description: 'the switch' },
    {
      name: 'interface',
      type: 'int32',
      unit: '1',
      description: "its port towards the upstream, from 1 in the order of the node's links",
    },
    priority,
    { name: 'pausedNode', type: 'int32', unit: 'node', description: 'the upstream' },
    { name: 'pausedNodeKind', type: 'uint8', unit: '1', description: 'what it is', categories: nodeKinds },
    { name: 'pausedInterface', type: 'int32', unit: '1', description: 'the port of the upstream that was paused' },
    {
      name: 'causeNode',
      type: 'int32',
      unit: 'node',
      description: 'the switch with the queue that set the pause off: the same, or, of messages to sources, any',
    },
    {
      name: 'causeInterface',
      type: 'int32',
      unit: '1',
      description: 'output port of that switch for which the packet was that set the pause off',
    },
    {
      name: 'parentId',
      type: 'float64',
      integer: true,
      unit: '1',
      description: 'pause that held this output port; -1: none did, it is a congestion point',
    },
    count('rootId', 'pause at the root of the tree'),
    { name: 'depth', type: 'int32', unit: '1', description: 'pauses on the way from the root, which counts' },
  ],
};
