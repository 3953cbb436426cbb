// The same scenario and seed give the same digest of the records: again, after another run, however it is sliced,
// whatever the width of the event wheel, and however the trace comes in pieces. Another seed gives another digest where
// chance decides.

import { beforeAll, describe, expect, it } from 'vitest';
import { simulate, type SimulateOptions } from '../src/app/simulate.js';
import type { RunSummary } from '../src/app/run-progress.js';
import { RandomStream } from '../src/base/random.js';
import type { RecordSink } from '../src/records/schema.js';
import { makePlan } from '../src/scenario/make-plan.js';
import { memoryHost, type MemoryFile } from './memory-host.js';

const transfers = randomTransfers(300);
const trace = transfers
  .map(([startNs, source, destination, size]) => `${startNs},${source},${destination},${size}\n`)
  .join('');

/** Congested on purpose: marks, pauses and losses all happen. */
const settings = `
packet: { payload: 1000B }
queuePair: { nackInterval: 50us }
ecn: { thresholds: [{ rate: 100Gbps, minimum: 5kB, maximum: 50kB, probability: 0.5 }] }
pfc: { headroom: delays, headroomDelays: 6 }
switch: { buffer: 600kB }
`;
const fabric = (errorRate: number): string =>
  `fabric: { generate: leaf-spine, leaves: 3, spines: 2, hostsPerLeaf: 4, hostLatency: 500ns, spineLatency: 500ns, errorRate: ${errorRate} }\n`;
const traced = `${fabric(0.0005)}traffic: { trace: t.csv }\n${settings}`;
const inline = `${fabric(0.0005)}traffic:\n  transfers:\n${transfers.map(([startNs, source, destination, size]) => `    - { start: ${startNs}ns, source: ${source}, destination: ${destination}, size: ${size}B }\n`).join('')}${settings}`;

function randomTransfers(count: number): [number, number, number, number][] {
  const random = new RandomStream(99, 'test');
  let startNs = 0;
  return Array.from({ length: count }, () => {
    // bursts: many start at the very same nanosecond
    if (random.nextBelow(4) === 0) startNs += random.nextBelow(5000);
    const source = random.nextBelow(12);
    return [startNs, source, (source + 1 + random.nextBelow(11)) % 12, 1 + random.nextBelow(60_000)];
  });
}

interface RunOptions extends Partial<SimulateOptions> {
  readonly seed?: number;
  readonly trace?: MemoryFile;
}

async function run(scenario: string, options: RunOptions = {}): Promise<RunSummary> {
  const { seed = 5, trace: file = trace, ...rest } = options;
  const host = memoryHost({ 's.yaml': scenario, 't.csv': file });
  return simulate(await makePlan('s.yaml', { host, overrides: [], seed }), { host, ...rest });
}

/** Is full once it holds a batch, until it has drained. */
class SlowSink implements RecordSink {
  drains = 0;
  /** most batches held at once */
  most = 0;
  private batches = 0;

  get full(): boolean {
    return this.batches > 0;
  }

  put(): void {
    this.most = Math.max(this.most, ++this.batches);
  }

  async drain(): Promise<void> {
    this.drains++;
    this.batches = 0;
  }
}

describe('the digest', () => {
  let reference: RunSummary;
  beforeAll(async () => {
    reference = await run(traced);
  });

  it('is of a run in which everything happens', () => {
    const { ecnMarks, pauseFrames, packetsLost, retransmittedBytes } = reference.counters;
    for (const count of [ecnMarks, pauseFrames, packetsLost, retransmittedBytes]) expect(count).toBeGreaterThan(10);
    expect(reference.finished).toBeGreaterThan(100);
    expect(reference.digest).toMatch(/^[0-9a-f]{64}$/);
  });

  it('is the same again, and after another run in the same process', async () => {
    expect((await run(traced)).digest).toBe(reference.digest);
    await run(`fabric: { generate: dumbbell, leftHosts: 6, rightHosts: 6 }\ntraffic: { trace: t.csv }\n`);
    expect((await run(traced)).digest).toBe(reference.digest);
  });

  it.each([1, 7, 1000, 100_000])('is the same in slices of %i events', async (sliceEvents) => {
    const sliced = await run(traced, { sliceEvents });
    expect([sliced.digest, sliced.counters]).toEqual([reference.digest, reference.counters]);
  });

  it.each([16, 64, 512, 4096, 65_536, 2 ** 24])('is the same with a wheel of %i ps', async (wheelWidthPs) => {
    const widened = await run(traced, { wheelWidthPs });
    expect([widened.digest, widened.counters]).toEqual([reference.digest, reference.counters]);
  });

  it('is the same wherever the trace is cut, and with the transfers written in the scenario', async () => {
    const bytes = new TextEncoder().encode(trace);
    for (const length of [1, 13, 4096]) {
      const pieces = Array.from({ length: Math.ceil(bytes.length / length) }, (_, i) =>
        bytes.subarray(i * length, (i + 1) * length),
      );
      expect((await run(traced, { trace: pieces })).digest).toBe(reference.digest);
    }
    expect((await run(inline)).digest).toBe(reference.digest);
  });

  it('is the same for a long trace that is read in blocks, in any slices', async () => {
    // More than one block of 4,096 rows, with a burst across the edge of the block. Starts, packets (80 ns) and cables
    // keep step, so that transfers start at the very instant of other events; the burst comes after a pause, under
    // load, so that those were scheduled after its wake.
    const inStep = 'packet: { payload: 1000B, header: 0, acknowledgement: 1000B }\n';
    const list = Array.from(
      { length: 9000 },
      (_, i) =>
        [
          i < 4080 ? i * 80 : 327_200 + Math.max(0, i - 4120) * 80,
          i % 12,
          (i + 1 + (i % 11)) % 12,
          1000 * (i >= 4040 && i < 4080 ? 60 : 1 + (i % 3)),
        ] as const,
    );
    const rows = list.map((row) => `${row.join(',')}\n`).join('');
    const links = fabric(0).replaceAll('500ns', '400ns');
    const scenario = `${links}traffic: { trace: t.csv }\n${inStep}`;
    const bytes = new TextEncoder().encode(rows);
    const whole = await run(scenario, { trace: rows });
    const pieces = Array.from({ length: Math.ceil(bytes.length / 777) }, (_, i) =>
      bytes.subarray(i * 777, (i + 1) * 777),
    );
    expect((await run(scenario, { trace: pieces, sliceEvents: 11 })).digest).toBe(whole.digest);
    const written = `${links}traffic:\n  transfers:\n${list.map(([start, source, destination, size]) => `    - { start: ${start}ns, source: ${source}, destination: ${destination}, size: ${size}B }\n`).join('')}${inStep}`;
    expect((await run(written)).digest).toBe(whole.digest);
  });

  it('is the same with probes in any slices and with any wheel, and the flows are those without', async () => {
    const watched = `${traced}probes: { queueInterval: 700ns, bandwidthInterval: 1us, rateInterval: 3us, notificationInterval: 2us, packetLatency: true, pfcEvents: true, pauses: true, portCounters: true, packetLosses: true }\n`;
    const whole = await run(watched);
    expect(whole.probes!.tables.map(({ name }) => name)).toEqual([
      'queues',
      'bandwidth',
      'rates',
      'notifications',
      'packet_latency',
      'latency_histogram',
      'pfc_events',
      'pauses',
      'port_counters',
      'packet_losses',
    ]);
    for (const { rows } of whole.probes!.tables) expect(rows).toBeGreaterThan(10);
    expect(whole.counters).toEqual(reference.counters);
    expect(whole.digest).not.toBe(reference.digest);
    for (const options of [{ sliceEvents: 1 }, { sliceEvents: 7777 }, { wheelWidthPs: 16 }, { wheelWidthPs: 2 ** 24 }])
      expect((await run(watched, options)).digest).toBe(whole.digest);
  });

  it('is the same with a sink that is often full, which then gets no more than one sample', async () => {
    const watched = `${traced}probes: { queueInterval: 5ns }\n`;
    const slow = new SlowSink();
    const whole = await run(watched);
    expect((await run(watched, { sink: slow })).digest).toBe(whole.digest);
    expect(whole.probes!.tables[0]!.rows).toBeGreaterThan(10 * 4096);
    expect(slow.drains).toBeGreaterThan(10);
    // a sample fills a batch at most; at the end each of the three tables hands over its last
    expect(slow.most).toBeLessThanOrEqual(3);
  });

  it('is another for another seed where marks are drawn, and the same where nothing is', async () => {
    const sound = traced.replace('errorRate: 0.0005', 'errorRate: 0');
    const [one, two] = [await run(sound), await run(sound, { seed: 6 })];
    expect(one.counters.packetsLost).toBe(0);
    expect(two.digest).not.toBe(one.digest);
    const calm = `${fabric(0)}traffic: { trace: t.csv }\necn: { enabled: false }\n`;
    expect((await run(calm, { seed: 6 })).digest).toBe((await run(calm)).digest);
  });

  it('tells apart runs that differ in one picosecond of one link', async () => {
    const calm = `${fabric(0)}traffic: { trace: t.csv }\n`;
    expect((await run(calm.replace('spineLatency: 500ns', 'spineLatency: 500001ps'))).digest).not.toBe(
      (await run(calm)).digest,
    );
  });
});
