// Runs whose packets carry samples, on both backends: estimates against what ports counted, and what they must not change.

import { describe, expect, it } from 'vitest';
import { RandomStream } from '#weft/base/random.js';
import { flowTable } from '#weft/records/flow-records.js';
import { GeneratorDraws, RegisterDraws, shiftRegister } from '#weft/sampling/draws.js';
import { readSampleByte, sampleByte } from '../../src/sampling/ds-field.js';
import { linkCountTable, linkSampleTable } from '#weft/sampling/sample-records.js';
import { scenarioRun } from '../support/scenario-run.js';
import { seed } from '../support/seed.js';
import { tableRows } from '../support/table-rows.js';

/** A link that no packet has sampled: of 49 packets over 6 links that happens once in 8,000 times. */
const unseen: Readonly<Record<string, number>> = { traffic: 0, trafficError: 0, congested: 0, congestedError: 0 };

/** Hosts of a fat tree send to one another; three of them to host 0. */
function scenario(): string {
  const random = new RandomStream(seed, 'who sends to whom');
  const shift = 1 + random.nextBelow(15);
  const transfers = Array.from(
    { length: 16 },
    (_, host) => `    - { source: ${host}, destination: ${(host + shift) % 16}, size: 300kB, start: 0us }\n`,
  );
  for (const host of [5, 9, 13]) transfers.push(`    - { source: ${host}, destination: 0, size: 200kB, start: 1us }\n`);
  return `seed: ${seed}\nfabric: { generate: fat-tree, k: 4 }\ntraffic:\n  transfers:\n${transfers.join('')}`;
}

const text = scenario();
const key = ({ node, interface: port }: Record<string, unknown>): string => `${String(node)}:${String(port)}`;

describe(`seed ${seed}`, () => {
  it.each([
    ['packet', 'standard'],
    ['packet', 'one-bit'],
    ['credit', 'standard'],
    ['credit', 'one-bit'],
  ])('on the %s backend %s finds what ports counted', async (backend, variant) => {
    const own = [`backend=${backend}`, 'pfc.enabled=true'].slice(0, backend === 'packet' ? 2 : 1);
    const sets = [...own, `sampling.variant=${variant}`, 'sampling.exact=true'];
    const plain = await scenarioRun(text, own, {});
    const run = await scenarioRun(text, sets, {});
    const windows = await scenarioRun(text, [...sets, 'sampling.window=20us'], {});
    expect(tableRows(run.sink, flowTable)).toEqual(tableRows(plain.sink, flowTable));
    const rows = tableRows(run.sink, linkSampleTable) as Record<string, number>[];
    const estimates = new Map(rows.map((row) => [key(row), row]));
    let packets = 0;
    for (const count of tableRows(run.sink, linkCountTable) as Record<string, number>[]) {
      const row = estimates.get(key(count)) ?? unseen;
      packets += count['packets']!;
      // 6 standard errors; with no retransmissions what was sent has arrived
      const spread = Math.max(row['trafficError']!, Math.sqrt(5 * count['packets']!));
      expect(Math.abs(row['traffic']! - count['packets']!)).toBeLessThan(6 * spread + 1e-9);
      // standard: at most M (l - 1) is its variance, paths have 6 links; few samples estimate that badly
      const error = Math.max(row['congestedError']!, Math.sqrt(5 * count['congestedPackets']!));
      expect(Math.abs(row['congested']! - count['congestedPackets']!)).toBeLessThan(6 * error + 1e-9);
    }
    // each packet charges the links of its path to one of them
    if (variant === 'standard') expect(rows.reduce((sum, row) => sum + row['traffic']!, 0)).toBe(packets);
    // the credit backend has no acknowledgements as packets
    if (backend === 'credit') expect(packets).toBe(run.summary.counters['packetHops']);
    // windows add up to the whole
    const sums = new Map<string, number>();
    for (const row of tableRows(windows.sink, linkSampleTable) as Record<string, number>[])
      sums.set(key(row), (sums.get(key(row)) ?? 0) + row['traffic']!);
    for (const [port, row] of estimates) expect(sums.get(port)).toBe(row['traffic']);
    expect(tableRows(windows.sink, linkSampleTable).length).toBeGreaterThan(rows.length);
  });
});

describe(`where packets know which link they sample (WEFT_SEED=${seed})`, () => {
  // 5 links of a way at most are not its first one: so many packets that a link too many or too few would stand out
  const large = text.replaceAll('300kB', '3MB').replaceAll('200kB', '2MB');

  it.each([
    ['standard', 'ecmp'],
    ['one-bit', 'ecmp'],
    ['standard', 'adaptive'],
    ['one-bit', 'adaptive'],
  ])('%s finds what ports counted, with %s', async (variant, balancing) => {
    const own = ['backend=credit', `routing.balancing=${balancing}`, `sampling.variant=${variant}`];
    // exact counts let every port ask, and change nothing of the run
    const counted = await scenarioRun(large, [...own, 'sampling.exact=true']);
    const run = await scenarioRun(large, own);
    expect(tableRows(run.sink, flowTable)).toEqual(tableRows(counted.sink, flowTable));
    const rows = tableRows(run.sink, linkSampleTable) as Record<string, number>[];
    const estimates = new Map(rows.map((row) => [key(row), row]));
    const squares = { traffic: 0, congested: 0 };
    const counts = tableRows(counted.sink, linkCountTable) as Record<string, number>[];
    for (const count of counts) {
      const row = estimates.get(key(count)) ?? unseen;
      const error = Math.max(row['trafficError']!, Math.sqrt(5 * count['packets']!));
      const congestedError = Math.max(row['congestedError']!, Math.sqrt(5 * count['congestedPackets']!), 1);
      squares.traffic += ((row['traffic']! - count['packets']!) / error) ** 2;
      squares.congested += ((row['congested']! - count['congestedPackets']!) / congestedError) ** 2;
      expect(Math.abs(row['traffic']! - count['packets']!)).toBeLessThan(6 * error + 1e-9);
      expect(Math.abs(row['congested']! - count['congestedPackets']!)).toBeLessThan(6 * congestedError + 1e-9);
    }
    // some 60 links whose errors are at most those: a mean square of 1 at most, but for chance
    expect(counts.length).toBeGreaterThan(40);
    expect(squares.traffic / counts.length).toBeLessThan(1.8);
    expect(squares.congested / counts.length).toBeLessThan(1.8);
  });
});

/** Mean of how often a draw takes a packet, and its variance over blocks of draws beside that of independent ones. */
function blocks(takes: (i: number) => boolean, share: number, count: number, length: number) {
  const squares: number[] = [];
  let sum = 0;
  for (let block = 0; block < count; block++) {
    let taken = 0;
    for (let i = 0; i < length; i++) if (takes(block * length + i)) taken++;
    sum += taken;
    squares.push((taken - share * length) ** 2 / (length * share * (1 - share)));
  }
  return { mean: sum / (count * length), ratio: squares.reduce((a, b) => a + b, 0) / count };
}

describe('random numbers of switches', () => {
  it('the shift register has the longest period', () => {
    let state = 1;
    let steps = 0;
    do {
      state = shiftRegister(state);
      steps++;
    } while (state !== 1);
    expect(steps).toBe(65_535);
  });

  it('with one fresh bit per draw shares are right and counts vary more, by the closed form of the doubling map', () => {
    const count = 6000;
    const length = 100;
    // 1/2: no correlation; 1/4: 1 + 2 (1/8 - 1/16) / (3/16) = 5/3
    for (const [links, ratio] of [
      [1, 1],
      [3, 5 / 3],
    ] as const) {
      const share = 1 / (links + 1);
      // every block at a port of its own: independent states
      const register = new RegisterDraws(seed, count, 8);
      const generator = new GeneratorDraws(seed, 8);
      const registered = blocks((i) => register.takes(Math.floor(i / length), links), share, count, length);
      const independent = blocks(() => generator.takes(0, links), share, count, length);
      // 600,000 draws: the mean is known to 0.001, the ratio of variances to 2 % of itself
      expect(Math.abs(registered.mean - share)).toBeLessThan(0.005);
      expect(Math.abs(independent.mean - share)).toBeLessThan(0.004);
      expect(Math.abs(registered.ratio / ratio - 1)).toBeLessThan(0.12);
      expect(Math.abs(independent.ratio - 1)).toBeLessThan(0.12);
    }
  });
});

it('the byte of IP carries what Fig. 2.11 says, and saturates', () => {
  expect(sampleByte({ hopCount: 1, hash: 1, isCongested: true })).toBe((1 << 7) | (1 << 3) | (1 << 2) | 3);
  for (let hopCount = 1; hopCount <= 15; hopCount++)
    for (const hash of [0, 1] as const)
      for (const isCongested of [false, true])
        expect(readSampleByte(sampleByte({ hopCount, hash, isCongested }))).toEqual({ hopCount, hash, isCongested });
  expect(readSampleByte(sampleByte({ hopCount: 16, hash: 0, isCongested: false }))?.hopCount).toBe(15);
  expect(readSampleByte(0x7f)).toBe(null);
});
