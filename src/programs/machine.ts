// What a message costs besides the network: the settings of the machine on which ranks run.
// Source of the defaults: eager limit, 16-byte handshake and 8-byte barriers as the simulator of Taffet's dissertation has
// them (2.4, 5.4; docs/SOURCES.md). Half a microsecond on either side is a guess of ours: its barriers of 2048 ranks take
// 5.7 ms per 100 rounds with it on Quartz1 without latencies, where the source has 4.19 ms.

import type { SettingGroup, SettingValues } from '../base/settings.js';

/** Most ranks on a node. */
const maxRanksPerNode = 4096;

/** Bytes of a request to send, and of its answer. */
export const handshakeBytes = 16;

/** Bytes of a message of a barrier. */
export const barrierBytes = 8;

export const machineSettings = {
  ranksPerNode: {
    kind: 'count',
    default: 1,
    minimum: 1,
    maximum: maxRanksPerNode,
    description: 'ranks on a node; messages between them do not leave it',
  },
  eagerLimit: {
    kind: 'size',
    default: '64000B',
    description:
      'messages up to this size leave at once and are kept where no receive waits (eager); longer ones ask first, with 16 bytes each way (rendezvous)',
  },
  sendOverhead: {
    kind: 'time',
    default: '500ns',
    description: 'time of the sending rank for every message, before it leaves',
  },
  receiveOverhead: {
    kind: 'time',
    default: '500ns',
    description: 'time of the receiving rank for every message, after it has arrived',
  },
  memoryLatency: {
    kind: 'time',
    default: '300ns',
    description: 'a message within a node takes so long, and its bytes at memoryRate',
  },
  memoryRate: {
    kind: 'rate',
    default: '80Gbps',
    description: 'rate of a message within a node, each by itself',
  },
  sendQueue: {
    kind: 'count',
    default: 128,
    minimum: 1,
    maximum: 1_000_000,
    description: 'messages of a rank that its NIC takes at a time; more wait their turn in order',
  },
} as const satisfies SettingGroup;

/** The machine of a program: bytes, picoseconds, bit/s. */
export type Machine = SettingValues<typeof machineSettings>;
