// The bus-bandwidth model by hand: what a group's bandwidth is, and the time of a collective at it.

import { describe, expect, it } from 'vitest';
import { busBandwidthBps, busBandwidthPs } from '../../src/collectives/bus-bandwidth-model.js';
import { groupFacts } from '../../src/collectives/build-schedule.js';
import { placementOf } from '../support/placements.js';

const mib = 2 ** 20;
/** one NVSwitch per server, 2.4 Tb/s per GPU; a NIC of 100 Gb/s per GPU */
const facts = (ranks: number, gpus: number, servers = {}) => groupFacts(placementOf(ranks, gpus, servers));

describe('the bandwidth of a group', () => {
  it.each([
    ['8 GPUs of a server: NVLink', 'allreduce', facts(8, 8), 2.4e12],
    ['2 GPUs of a server without NVLink: their NICs', 'allreduce', facts(2, 2, { nvswitches: 0 }), 100e9],
    ['4 servers of 8: all NICs of a server', 'allreduce', facts(32, 8), 800e9],
    ['16 servers of one GPU: its NIC', 'allgather', facts(16, 1), 100e9],
    ['2 servers of 32: NVLink is the lesser', 'reducescatter', facts(64, 32), 2.4e12],
    ['all-to-all of 32 over 4 servers: 31 blocks, 24 of them over a NIC', 'alltoall', facts(32, 8), (100e9 * 31) / 24],
  ] as const)('%s', (_, kind, group, expectedBps) => {
    expect(busBandwidthBps(kind, group)).toBeCloseTo(expectedBps, 0);
  });
});

it.each([
  ['allreduce', (2 * 7 * 16 * mib) / 8],
  ['allgather', (7 * 16 * mib) / 8],
  ['alltoall', (7 * 16 * mib) / 8],
  ['broadcast', 16 * mib],
] as const)('%s of 16 MiB takes what nccl-tests counts over the bandwidth', (kind, busBytes) => {
  expect(busBandwidthPs(kind, 16 * mib, facts(8, 8))).toBeCloseTo((busBytes * 8e12) / 2.4e12, 0);
});

it('a group of one takes no time', () => {
  expect(busBandwidthPs('allreduce', mib, facts(1, 8))).toBe(0);
});
