// What a message costs besides the network: the settings of the machine on which ranks run.
// Source of the defaults: eager limit, 16-byte handshake and 8-byte barriers as the simulator of Taffet's dissertation
// has them (2.4, 5.4; docs/SOURCES.md). Half a microsecond on either side is a guess of ours: its barriers of 2048
// ranks take 5.7 ms per 100 rounds with it on Quartz1 without latencies, where the source has 4.19 ms.

import { count, rate, size, time, type SettingGroup, type SettingValues } from '../base/settings.js';

/** Most ranks on a node. */
const maxRanksPerNode = 4096;

/** Bytes of a request to send, and of its answer. */
export const handshakeBytes = 16;

/** Bytes of a message of a barrier. */
export const barrierBytes = 8;

export const machineSettings = {
  ranksPerNode: count(1, 'ranks on a node; messages between them do not leave it', {
    minimum: 1,
    maximum: maxRanksPerNode,
  }),
  eagerLimit: size(
    '64000B',
    'messages up to this size leave at once and are kept where no receive waits (eager); longer ones ask first, with 16 bytes each way (rendezvous)',
  ),
  sendOverhead: time('500ns', 'time of the sending rank for every message, before it leaves'),
  receiveOverhead: time('500ns', 'time of the receiving rank for every message, after it has arrived'),
  memoryLatency: time('300ns', 'a message within a node takes so long, and its bytes at memoryRate'),
  memoryRate: rate('80Gbps', 'rate of a message within a node, each by itself'),
  sendQueue: count(128, 'messages of a rank that its NIC takes at a time; more wait their turn in order', {
    minimum: 1,
    maximum: 1_000_000,
  }),
} as const satisfies SettingGroup;

/** The machine of a program: bytes, picoseconds, bit/s. */
export type Machine = SettingValues<typeof machineSettings>;
