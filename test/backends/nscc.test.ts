// NSCC's rules, case by case, with figures worked out by hand: a pair of 100 Gb/s and 12 us, for which the scale a is 1,
// packets of 4,000 B, a delay of 9 us that is aimed at. The largest window is 225,000 B, 1.5 x 150,000.

import { describe, expect, it } from 'vitest';
import { Nscc, NsccWindows } from '../../src/backends/packet/congestion/nscc/nscc.js';

const us = 1e6;
const pair = 1;
const packet = 4000;

/** A sender with a window of so many bytes, at 0 us. */
function sender(windowBytes: number, lineRateBps = 100e9): NsccWindows {
  const windows = new NsccWindows({ targetPs: 9 * us, networkRttPs: 12 * us, packetBytes: packet });
  windows.reserve(2);
  windows.start(pair, 12 * us, lineRateBps, 225_000 * (lineRateBps / 100e9));
  windows.lost(pair, windows.windowOf(pair) - windowBytes);
  return windows;
}

const value = (windows: NsccWindows, name: keyof typeof Nscc): number => windows.values[(pair << 4) + Nscc[name]]!;

/** So many acknowledgements of one packet each with a queueing delay, 0.1 us apart. */
function acknowledge(windows: NsccWindows, count: number, delayUs: number, isMarked = false, fromUs = 1): void {
  for (let i = 0; i < count; i++)
    windows.acknowledged(pair, packet, (12 + delayUs) * us, isMarked, 50_000, (fromUs + i / 10) * us);
}

/** A sender whose mean delay is known. */
function delayed(meanUs: number): NsccWindows {
  const windows = sender(100_000);
  windows.values[(pair << 4) + Nscc.meanDelayPs] = meanUs * us;
  return windows;
}

/** 8,000 B came back since the look at 1 us; the next is due at 22 us. */
function slow(): NsccWindows {
  const windows = sender(200_000);
  acknowledge(windows, 1, 3, false, 1);
  acknowledge(windows, 1, 3, false, 5);
  acknowledge(windows, 1, 3, false, 10);
  return windows;
}

describe('the window', () => {
  it('begins at the largest, and is never less than a packet or more than the largest', () => {
    const windows = sender(225_000);
    expect(windows.windowOf(pair)).toBe(225_000);
    windows.lost(pair, 1e9);
    expect(windows.windowOf(pair)).toBe(4000);
    windows.acknowledged(pair, 1e6, 12 * us, false, 0, us);
    expect(windows.windowOf(pair)).toBe(225_000);
  });

  it('grows in proportion to what is left to the delay aimed at, nine packets at once', () => {
    const windows = sender(100_000);
    // 4 x 4000 x (9 - 3) / 12 x 4000 = 32e6 for each packet
    acknowledge(windows, 8, 3);
    expect(value(windows, 'increase')).toBeCloseTo(256e6, 0);
    expect(windows.windowOf(pair)).toBe(100_000);
    // more than 8 packets: 9 x 32e6 / 100,000 = 2,880
    acknowledge(windows, 1, 3, false, 2);
    expect(windows.windowOf(pair)).toBeCloseTo(102_880, 6);
    expect(value(windows, 'increase')).toBe(0);
  });

  it('grows by a fixed amount where the delay is high and nothing is marked', () => {
    const windows = sender(100_000);
    // 9 x 5 x 4000 x 4000 / 100,000 = 7,200
    acknowledge(windows, 9, 10);
    expect(windows.windowOf(pair)).toBeCloseTo(107_200, 6);
  });

  it('grows four times as fast on a network of four times the product', () => {
    const windows = sender(100_000, 400e9);
    acknowledge(windows, 9, 10);
    expect(windows.windowOf(pair)).toBeCloseTo(128_800, 6);
  });

  it('is taken up once per round trip whatever came, with 0.15 packets on top', () => {
    const windows = sender(100_000);
    acknowledge(windows, 1, 3, false, 12);
    // 32e6 / 100,000 + 0.15 x 4000
    expect(windows.windowOf(pair)).toBeCloseTo(100_000 + 320 + 600, 6);
  });

  it('grows fast once a whole window has come back without delay', () => {
    const windows = sender(100_000);
    acknowledge(windows, 25, 0.5);
    expect(value(windows, 'isFast')).toBe(0);
    const before = windows.windowOf(pair);
    expect(before).toBeGreaterThan(100_000);
    // the window has grown meanwhile: 26 packets are 104,000 B
    acknowledge(windows, 10, 0.5, false, 4);
    expect(value(windows, 'isFast')).toBe(1);
    const fast = windows.windowOf(pair);
    acknowledge(windows, 1, 0.5, false, 5);
    expect(windows.windowOf(pair) - fast).toBeCloseTo(1000, 6);
    // a delay ends it
    acknowledge(windows, 1, 1, false, 6);
    expect(value(windows, 'isFast')).toBe(0);
  });

  it('stays as it is where a packet is marked that has not waited', () => {
    const windows = sender(100_000);
    acknowledge(windows, 5, 3, true);
    expect([windows.windowOf(pair), value(windows, 'increase')]).toEqual([100_000, 0]);
  });
});

describe('the decrease', () => {
  it.each([
    // 1 - 0.8 x (18 - 9) / 18
    [18, 60_000],
    // 1 - 0.8 x (13.5 - 9) / 13.5
    [13.5, 100_000 * (1 - 0.8 / 3)],
    // 1 - 0.8 x (90 - 9) / 90 = 0.28: half at most
    [90, 50_000],
    [9, 100_000],
  ])('follows the mean delay: with %d us the window is %d B', (meanUs, windowBytes) => {
    const windows = delayed(meanUs);
    acknowledge(windows, 1, meanUs, true);
    expect(windows.windowOf(pair)).toBeCloseTo(windowBytes, 6);
  });

  it('comes once per round trip', () => {
    const windows = delayed(18);
    acknowledge(windows, 2, 18, true);
    expect(windows.windowOf(pair)).toBeCloseTo(60_000, 6);
    // 12 us later
    windows.acknowledged(pair, 0, 30 * us, true, 50_000, 13.2 * us);
    // 0.6 again, and 0.15 packets as a round trip of the network has passed
    expect(windows.windowOf(pair)).toBeCloseTo(36_000 + 600, 6);
  });

  it('takes the bytes of a packet that was lost or trimmed', () => {
    const windows = sender(100_000);
    windows.lost(pair, packet);
    windows.trimmed(pair, packet, 50_000, us);
    expect(windows.windowOf(pair)).toBe(92_000);
    // the mean took it for a delay of 12 us: 12 / 80
    expect(value(windows, 'meanDelayPs')).toBeCloseTo(0.15 * us, 6);
  });
});

describe('the mean delay', () => {
  it('takes an eightieth of each, but doubts a high one without a mark', () => {
    const windows = sender(100_000);
    acknowledge(windows, 1, 4);
    expect(value(windows, 'meanDelayPs')).toBeCloseTo(0.05 * us, 6);
    acknowledge(windows, 1, 20, true, 2);
    expect(value(windows, 'meanDelayPs')).toBeCloseTo((0.05 * (79 / 80) + 20 / 80) * us, 6);
    const doubting = sender(100_000);
    // a quarter of the round trip in its place: 3 us
    acknowledge(doubting, 1, 20);
    expect(value(doubting, 'meanDelayPs')).toBeCloseTo((3 / 80) * us, 6);
    const alarmed = sender(100_000);
    acknowledge(alarmed, 1, 61);
    expect(value(alarmed, 'meanDelayPs')).toBeCloseTo((61 / 80) * us, 6);
  });
});

describe('quick adapt', () => {
  it('makes the window what came back, where packets were trimmed and less than an eighth did', () => {
    const windows = slow();
    windows.trimmed(pair, packet, 96_000, 23 * us);
    expect(windows.windowOf(pair)).toBe(8000);
  });

  it('looks once in a round trip and the delay aimed at', () => {
    const windows = slow();
    windows.trimmed(pair, packet, 96_000, 22 * us);
    expect(windows.windowOf(pair)).toBeGreaterThan(190_000);
  });

  it('does nothing where an eighth of the largest window came back', () => {
    const windows = slow();
    windows.acknowledged(pair, 21_000, 15 * us, false, 50_000, 12 * us);
    const before = windows.windowOf(pair);
    windows.trimmed(pair, packet, 96_000, 23 * us);
    expect(windows.windowOf(pair)).toBeCloseTo(before - packet, 6);
  });

  it('hears no marks of what was in flight', () => {
    const windows = slow();
    windows.trimmed(pair, packet, 12_000, 23 * us);
    windows.values[(pair << 4) + Nscc.meanDelayPs] = 30 * us;
    acknowledge(windows, 2, 30, true, 24);
    expect(windows.windowOf(pair)).toBe(8000);
    // the third: 12,000 B have come
    acknowledge(windows, 1, 30, true, 25);
    expect(windows.windowOf(pair)).toBeLessThan(8000);
  });
});
