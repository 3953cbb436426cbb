// Populations of events for the queue alone: what traffic does to it at its worst, and one that is easy, to compare with.
// Each holds so many events; for each that is taken one is put in, a delay from now.
// Source: the hold model (R. Brown, CACM 31(10), 1988); which delays are hard was measured (docs/models/engine.md).

import { RandomStream } from '#weft/base/random.js';

export interface QueueWorkload {
  readonly name: string;
  readonly about: string;
  /** events that wait, by how many were taken so far; never 0 */
  readonly held: (taken: number) => number;
  /** picoseconds from now to the next event */
  readonly delayPs: (random: RandomStream, taken: number) => number;
}

const nvlinkPs = 14_000;
const cablePs = 500_000;
const computePs = 3_000_000_000;

/** events between two changes of on-off traffic */
const phaseEvents = 400_000;
const isOn = (taken: number): boolean => Math.floor(taken / phaseEvents) % 2 === 0;

export const queueWorkloads: readonly QueueWorkload[] = [
  {
    name: 'even',
    about: '4,000 events at random times within 1 us: the easy one',
    held: () => 4000,
    delayPs: (random) => 1 + random.nextBelow(1_000_000),
  },
  {
    name: 'all-ties',
    about: '4,000 events at one instant, every 500 ns: ranks in lockstep',
    held: () => 4000,
    delayPs: () => cablePs,
  },
  {
    name: 'one-bucket',
    about: '4,000 events within half a nanosecond, every 500 ns',
    held: () => 4000,
    delayPs: (random) => cablePs + random.nextBelow(500),
  },
  {
    name: 'two-scales',
    about: '4,000 events, half after 14 ns (NVLink), half after 500 ns (cables)',
    held: () => 4000,
    delayPs: (random) => (random.nextBelow(2) === 0 ? nvlinkPs : cablePs),
  },
  {
    name: 'three-scales',
    about: '4,000 events after 14 ns, 500 ns or 3 ms (computing), a few picoseconds apart',
    held: () => 4000,
    delayPs: (random) => [nvlinkPs, cablePs, computePs][random.nextBelow(3)]! + random.nextBelow(3),
  },
  {
    name: 'on-off',
    about: `phases of ${phaseEvents / 1000},000 events: 4,000 within 100 ns, then 8 within 1 ms`,
    held: (taken) => (isOn(taken) ? 4000 : 8),
    delayPs: (random, taken) => 1 + random.nextBelow(isOn(taken) ? 100_000 : 1_000_000_000),
  },
];
