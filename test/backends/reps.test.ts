// REPS: which entropy a queue pair takes next, by hand; and runs on fabrics in which paths differ.

import { describe, expect, it } from 'vitest';
import { RecycledEntropies } from '../../src/backends/packet/balancing/recycled-entropies.js';
import { QueuePairs } from '../../src/backends/packet/queue-pairs.js';
import { RandomStream } from '../../src/base/random.js';
import { runWith, type SeamRun } from '../seams/run.js';

const values = 65_536;

/** A queue pair with a ring of four places, a clock, and the random numbers that it will draw. */
function sender(freezingPs = 1000) {
  const pairs = new QueuePairs();
  const clock = { nowPs: 0 };
  const entropies = new RecycledEntropies({ pairs, clock, seed: 7 }, { values, places: 4, freezingPs });
  const random = new RandomStream(7, 'entropy');
  const pair = pairs.allocate();
  return {
    clock,
    pairs,
    pair,
    entropies,
    drawn: () => random.nextBelow(values),
    next: (count: number) => Array.from({ length: count }, () => entropies.next(pair)),
    worked: (...all: number[]) => all.forEach((entropy) => entropies.worked(pair, entropy)),
  };
}

describe('a sender', () => {
  it('draws while it knows of none', () => {
    const { next, drawn } = sender();
    expect(next(3)).toEqual([drawn(), drawn(), drawn()]);
  });

  it('uses those that worked once each, the oldest first', () => {
    const { next, drawn, worked } = sender();
    worked(10, 20, 30);
    expect(next(4)).toEqual([10, 20, 30, drawn()]);
  });

  it('keeps the newest four', () => {
    const { next, drawn, worked, entropies, pair } = sender();
    worked(1, 2, 3, 4, 5, 6);
    expect(entropies.validOf(pair)).toEqual([3, 4, 5, 6]);
    expect(next(5)).toEqual([3, 4, 5, 6, drawn()]);
  });

  it('keeps the oldest first where the ring has been gone round in parts', () => {
    const { next, worked, entropies, pair } = sender();
    worked(1, 2, 3);
    expect(next(2)).toEqual([1, 2]);
    worked(4, 5);
    expect(entropies.validOf(pair)).toEqual([3, 4, 5]);
    expect(next(3)).toEqual([3, 4, 5]);
  });

  it('goes round all that it has while it is frozen, and takes in what works', () => {
    const { next, worked, entropies, pair } = sender();
    worked(1, 2, 3, 4);
    next(4);
    entropies.failed(pair);
    expect(next(6)).toEqual([1, 2, 3, 4, 1, 2]);
    worked(9);
    expect(next(4)).toEqual([3, 4, 9, 2]);
  });

  it('forgets them when the freezing ends, and explores eight packets', () => {
    const { next, worked, entropies, pair, clock, drawn } = sender();
    worked(1, 2, 3, 4);
    entropies.failed(pair);
    clock.nowPs = 1000;
    expect(next(1)).toEqual([1]);
    clock.nowPs = 1001;
    worked(5);
    expect(next(8)).toEqual(Array.from({ length: 8 }, drawn));
    expect(next(2)).toEqual([5, drawn()]);
    // a timeout while it explored has not frozen it; one now does
    entropies.failed(pair);
    expect(next(2)).toEqual([5, 5]);
  });

  it('is not frozen by a timeout while it explores, nor with a freezing of 0', () => {
    const never = sender(0);
    never.worked(1);
    never.entropies.failed(never.pair);
    expect(never.next(2)).toEqual([1, never.drawn()]);
  });

  it('begins anew with the number of another', () => {
    const { next, worked, pairs, pair, drawn } = sender();
    worked(1, 2);
    pairs.finish(pair);
    expect(pairs.allocate()).toBe(pair);
    expect(next(1)).toEqual([drawn()]);
  });
});

/** Eight pairs of hosts across a leaf-spine fabric of eight spines. @param interval bytes for an ACK; 0: one a packet */
function run(balancing: string, more: string, interval = 0): Promise<SeamRun> {
  return runWith(
    {},
    `
fabric: { generate: leaf-spine, leaves: 2, spines: 8, hostsPerLeaf: 8, hostRate: 100Gbps, spineRate: 100Gbps }
routing: { balancing: ${balancing} }
transport: { algorithm: uec }
uec: { acknowledgementInterval: ${interval}B }
pfc: { enabled: false }
switch: { buffer: 1MB, trimming: true }
ecn: { thresholds: [ { rate: 100Gbps, minimum: 30kB, maximum: 120kB, probability: 1 } ] }
traffic:
  transfers:
${[0, 1, 2, 3, 4, 5, 6, 7].map((host) => `    - { source: ${host}, destination: ${8 + host}, size: 2MB }\n`).join('')}${more}`,
  );
}

const lost = ({ summary }: SeamRun): number => summary.counters['packetsLost']!;
const last = ({ summary }: SeamRun): number => summary.simulatedPs;

describe('a run', () => {
  it('leaves a link alone that has failed, before routing knows of it', async () => {
    // one of 16 links of the spines is down for good from 20 us on; routing learns of it after the run
    const failure = 'failures: { convergenceTime: 50ms, events: [ { at: 20us, link: "leaf[0]-spine[3]" } ] }\n';
    const [random, recycled] = [await run('entropy', failure), await run('reps', failure)];
    for (const { summary, broken } of [random, recycled]) {
      expect(broken).toEqual([]);
      expect(summary.counters.payloadBytesDelivered).toBe(16_000_000);
    }
    expect(lost(random)).toBeGreaterThan(300);
    expect(lost(recycled)).toBeLessThan(lost(random) / 3);
    expect(last(recycled)).toBeLessThan(last(random));
  });

  it('leaves a slow link to itself', async () => {
    const slow = 'failures: { events: [ { at: 0us, rate: 25Gbps, link: "leaf[0]-spine[3]" } ] }\n';
    const [random, recycled] = [await run('entropy', slow), await run('reps', slow)];
    expect([random.broken, recycled.broken]).toEqual([[], []]);
    // seven links of 100 Gb/s and one of 25: eight flows of 2 MB need 16e6 x 8 / 725e9 = 177 us and headers
    expect(last(recycled)).toBeLessThan(240e6);
    expect(last(random)).toBeGreaterThan(1.2 * last(recycled));
  });

  it('knows one way of four where an ACK answers four packets, and loses more', async () => {
    const failure = 'failures: { convergenceTime: 50ms, events: [ { at: 20us, link: "leaf[0]-spine[3]" } ] }\n';
    const [each, fourth] = [await run('reps', failure), await run('reps', failure, 16_384)];
    expect([each.broken, fourth.broken]).toEqual([[], []]);
    expect(lost(fourth)).toBeGreaterThan(2 * lost(each));
    expect(last(fourth)).toBeGreaterThan(last(each));
  });
});
