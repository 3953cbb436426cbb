// Source flow control beside packet spraying with a reorder buffer, and beside DCQCN: random incasts, which PFC keeps
// from losses, so that nothing is sent twice, every pause ends and every flow does.

import { expect, it } from 'vitest';
import type { PacketSettings } from '../../src/backends/packet/settings.js';
import { sourcePausedIncast } from '../../validation/checks/source-flow-control.js';
import { rounds } from '../support/rounds.js';
import { seed } from '../support/seed.js';

const most = 25;
const incasts = rounds(most);
type Counted = 'messages' | 'notifications' | 'reorderedPackets';

/** What some incasts come to, and more of them until each of the wanted has been seen. */
function sums(
  wanted: readonly Counted[],
  changed: (settings: PacketSettings) => PacketSettings,
): Record<Counted, number> {
  const sum = { messages: 0, notifications: 0, reorderedPackets: 0 };
  const isSeen = (): boolean => wanted.every((name) => sum[name] > 0);
  for (let number = 1; number <= incasts || (number <= most && !isSeen()); number++) {
    const outcome = sourcePausedIncast(seed, number, changed);
    expect(outcome.problems).toEqual([]);
    // without a loss go-back-N sends again what came out of order, and nothing else
    expect(outcome.retransmittedPackets, `incast ${number} of seed ${seed}`).toBe(0);
    for (const name of ['messages', 'notifications', 'reorderedPackets'] as const) sum[name] += outcome[name];
  }
  return sum;
}

it(`sprayed packets are put in order, whoever pauses (WEFT_SEED=${seed})`, () => {
  const { messages, reorderedPackets } = sums(['messages', 'reorderedPackets'], (settings) => ({
    ...settings,
    balancing: 'spray',
    reorder: { buffer: 1e12, timeout: 1e13 },
  }));
  expect(messages).toBeGreaterThan(0);
  expect(reorderedPackets).toBeGreaterThan(0);
});

it(`DCQCN with CNPs 50 us apart lowers rates, and messages pause (WEFT_SEED=${seed})`, () => {
  const { messages, notifications } = sums(['messages', 'notifications'], (settings) => ({
    ...settings,
    congestion: { algorithm: 'dcqcn' },
    ecn: { enabled: true },
    queuePair: { ...settings.queuePair, notificationInterval: 50e6, notificationDelay: 1e6 },
  }));
  expect(messages).toBeGreaterThan(0);
  expect(notifications).toBeGreaterThan(0);
});
