// Timeouts that are derived: the first wait and those after it by hand, that lossless runs see none, and that a spine
// that fails costs packets little more than it costs flows without packets.

import { describe, expect, it } from 'vitest';
import {
  derivedWaitPs,
  retransmissionWaits,
  senderWaits,
} from '../../src/backends/packet/transport/retransmission-waits.js';
import { generateFabric } from '../../src/fabric/generators/catalogue.js';
import { engineRun, settingsWith, type SettingChanges, type Transfer } from '../support/engine-run.js';
import { failuresOf } from '../support/link-changes.js';

const us = 1e6;
const ms = 1e9;

const byStart = (a: Transfer, b: Transfer): number => (a[3] ?? 0) - (b[3] ?? 0);

describe('the first wait', () => {
  it('is the round trip and the time in which a full buffer leaves by the slowest port', () => {
    // 32 MiB are 268,435,456 bits: 671.08864 us at 400 Gb/s
    expect(derivedWaitPs(10 * us, 32 * 2 ** 20, 400e9)).toBe(681_088_640);
  });
  it.each([
    ['a NACK interval', 10 * us, 1e6, 400e9, 500 * us],
    ['a NACK interval where nothing queues', 10 * us, 1e6, Infinity, 500 * us],
  ])('is at least %s', (_what, roundTripPs, bufferBytes, portBps, expected) => {
    expect(derivedWaitPs(roundTripPs, bufferBytes, portBps)).toBe(expected);
  });
  it('is longer than a round trip where nothing queues', () => {
    expect(derivedWaitPs(10 * ms, 1, Infinity)).toBe(11.25 * ms);
  });
});

describe('the waits of a run', () => {
  const fabric = generateFabric('leaf-spine', { leaves: 2, spines: 2, hostsPerLeaf: 2 });
  const partsOf = (
    queuePair: SettingChanges['queuePair'],
    mayLosePackets = true,
    bufferBytes = 1e6,
    roundTripPs = 10 * us,
  ) => ({
    fabric,
    settings: settingsWith({ queuePair: queuePair ?? {}, switch: { buffer: bufferBytes } }),
    mayLosePackets,
    largestRttPs: () => roundTripPs,
  });
  const waits = (...given: Parameters<typeof partsOf>) => retransmissionWaits(partsOf(...given));

  it('double up to 16 ms, and last together as long as eight of these', () => {
    const { lookIntervalPs, looks } = waits({});
    // 500 us in four looks; 16 ms are 128 of them, eight times that 1,024: 124 up to 64, and 128 eight times
    expect(lookIntervalPs).toBe(125 * us);
    expect([...looks]).toEqual([4, 8, 16, 32, 64, ...Array<number>(8).fill(128)]);
    expect(looks.reduce((sum, wait) => sum + wait) * lookIntervalPs).toBeGreaterThanOrEqual(8 * 16 * ms);
  });
  it('are one time, as often as retries say and once more, if the time is given', () => {
    const { lookIntervalPs, looks } = waits({ retransmissionTimeout: 2 * ms, retries: 3 });
    expect([lookIntervalPs, ...looks]).toEqual([500 * us, 4, 4, 4, 4]);
  });
  it('are 16 ms where nothing can be lost', () => {
    const { lookIntervalPs, looks } = waits({}, false);
    expect([lookIntervalPs, ...looks]).toEqual([4 * ms, 4, 4, 4, 4, 4, 4, 4, 4]);
  });
  it('are none with 0', () => {
    expect(waits({ retransmissionTimeout: 0 }).lookIntervalPs).toBe(0);
    expect(senderWaits(partsOf({ retransmissionTimeout: 0 }), 'auto')).toMatchObject({
      lowPs: Infinity,
      highPs: Infinity,
    });
  });
  it('are at most 16 ms', () => {
    // 400 MB leave in 32 ms at 100 Gb/s
    const { lookIntervalPs, looks } = waits({}, true, 400e6);
    expect([lookIntervalPs, ...looks]).toEqual([4 * ms, 4, 4, 4, 4, 4, 4, 4, 4]);
  });
  it.each([true, false])('are never below the round trip of a long path (packets may be lost: %s)', (mayLose) => {
    for (const roundTripPs of [1 * ms, 10 * ms, 15 * ms, 30 * ms, 100 * ms])
      for (const bufferBytes of [1e3, 1e6, 400e6]) {
        const { lookIntervalPs, looks } = waits({}, mayLose, bufferBytes, roundTripPs);
        expect(lookIntervalPs * looks[0]!).toBeGreaterThanOrEqual(1.125 * roundTripPs);
        expect(looks.reduce((sum, wait) => sum + wait) * lookIntervalPs).toBeGreaterThanOrEqual(8 * 16 * ms);
        const { lowPs, highPs, longestPs } = senderWaits(partsOf({}, mayLose, bufferBytes, roundTripPs), 'auto');
        expect(lowPs).toBeGreaterThanOrEqual(1.125 * roundTripPs);
        expect(highPs).toBeGreaterThanOrEqual(lowPs);
        expect(longestPs).toBeGreaterThanOrEqual(highPs);
      }
  });
  it('of few packets in flight are four round trips, at least 100 us, or what is given', () => {
    expect(senderWaits(partsOf({}), 'auto')).toMatchObject({ lowPs: 100 * us, highPs: 500 * us, isDoubled: true });
    // 8 MB leave in 640 us
    expect(senderWaits(partsOf({}, true, 8e6, 60 * us), 'auto')).toMatchObject({ lowPs: 240 * us, highPs: 700 * us });
    expect(senderWaits(partsOf({ retransmissionTimeout: 1 * ms }), 320 * us)).toMatchObject({
      lowPs: 320 * us,
      highPs: 1 * ms,
      isDoubled: false,
      mostTimeouts: 7,
    });
  });
});

it('is auto, and 16 ms with the profile simai', () => {
  expect(settingsWith().queuePair.retransmissionTimeout).toBe('auto');
  expect(settingsWith({ packet: { profile: 'simai' } }).queuePair.retransmissionTimeout).toBe(16 * ms);
});

it('an incast that fills buffers of 32 MiB sees no timeout unless links might fail', () => {
  // 63 senders without windows, 3 MB each, and small flows beside them that wait behind what PFC holds back
  const fabric = generateFabric('leaf-spine', { leaves: 4, spines: 4, hostsPerLeaf: 16 });
  const { hosts } = fabric;
  const incast = Array.from({ length: 63 }, (_, i): Transfer => [hosts[1 + ((i * 7) % 63)]!, hosts[0]!, 3e6]);
  const beside = Array.from({ length: 20 }, (_, i): Transfer => [hosts[10 + i]!, hosts[40]!, 20_000, i * 300 * us]);
  const settings = settingsWith({ queuePair: { window: 'unlimited' }, congestion: { algorithm: 'none' } });
  const run = engineRun(fabric, [...incast, ...beside].sort(byStart), { settings });
  expect([run.state, run.network.counters.timeouts, run.network.counters.packetsDropped]).toEqual(['finished', 0, 0]);
  // the limit of derived waits: a link that fails long after the end is enough for them
  const wary = engineRun(fabric, [...incast, ...beside].sort(byStart), {
    settings,
    failures: failuresOf([[1000 * ms, 0, 'down']], 0),
  });
  expect(wary.network.counters.timeouts).toBeGreaterThan(0);
  expect(wary.flows).toHaveLength(83);
});
