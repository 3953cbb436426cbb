// A run that ends at a time: what happens before that time does not depend on it, what unfinished flows have brought to
// their ends is what their links could carry, and one that is blocked or done before is told so.

import { describe, expect, it } from 'vitest';
import { simulate } from '../../src/app/simulate.js';
import type { RunSummary } from '../../src/app/run-progress.js';
import { UnfinishedColumn, unfinishedTable } from '../../src/records/flow-records.js';
import { MemorySink } from '../../src/records/memory-sink.js';
import { makePlan } from '../../src/scenario/make-plan.js';
import { memoryHost } from '../memory-host.js';
import { flowRows } from '../support/engine-run.js';

const backends = ['packet', 'credit', 'fluid', 'analytical'] as const;

/** Two hosts behind one switch, cables of 1 us, one flow at 100 Gb/s without a window or a control. */
const alone = {
  fabric: { generate: 'leaf-spine', leaves: 1, spines: 1, hostsPerLeaf: 2, hostRate: '100Gbps', hostLatency: '1us' },
  packet: { payload: 1000, header: 50, gap: 0 },
  queuePair: { window: 'unlimited' },
  congestion: { algorithm: 'none' },
  credit: { buffer: '1MB', switching: 'store-and-forward' },
  traffic: { transfers: [{ source: 0, destination: 1, size: '100GiB' }] },
};

/** Transfers of several sizes and starts over two leaves, some of them into one host. */
const several = {
  fabric: { generate: 'leaf-spine', leaves: 2, spines: 2, hostsPerLeaf: 4 },
  traffic: {
    transfers: Array.from({ length: 24 }, (_, i) => ({
      source: i % 4,
      destination: 4 + (i % 3),
      size: `${100 + 137 * i}kB`,
      start: `${7 * (i % 5)}us`,
    })),
  },
};

interface Ran {
  readonly summary: RunSummary;
  readonly flows: ReturnType<typeof flowRows>;
  readonly sink: MemorySink;
}

async function run(scenario: object, overrides: readonly string[]): Promise<Ran> {
  const host = memoryHost({ 's.yaml': JSON.stringify(scenario) });
  const plan = await makePlan('s.yaml', { host, overrides });
  const sink = new MemorySink();
  const summary = await simulate(plan, { host, sink });
  expect(summary.verdicts.filter(({ ok }) => !ok)).toEqual([]);
  return { summary, flows: flowRows(sink), sink };
}

/** Payload that has arrived after a time in which packets of 84 ns follow each other over two links of 1 us. */
const arrivedBytes = (stopNs: number): number => Math.floor((stopNs - 2000 - 84) / 84) * 1000;

describe('what an endless flow has brought to its end', () => {
  it.each(['packet', 'credit'])('is what has arrived by then, packet by packet, on %s', async (backend) => {
    for (const stopNs of [2_250, 50_000, 123_456]) {
      const { summary } = await run(alone, [`backend=${backend}`, `stopTime=${stopNs}ns`]);
      expect([summary.outcome, summary.simulatedPs]).toEqual(['ended', stopNs * 1000]);
      expect(summary.unfinished).toMatchObject({ flows: 1, deliveredBytes: arrivedBytes(stopNs) });
    }
  });

  it('is what its link has drained, on fluid, and its share of time, on analytical', async () => {
    const [fluid, analytical] = await Promise.all(
      ['fluid', 'analytical'].map((backend) => run(alone, [`backend=${backend}`, 'stopTime=84us'])),
    );
    // 84 us are 1,000 packets of 84 ns
    expect(fluid!.summary.unfinished!.deliveredBytes).toBeCloseTo(1_000_000, -1);
    expect(analytical!.summary.unfinished!.deliveredBytes).toBeCloseTo(1_000_000, -1);
  });

  it('and one that has not begun has brought nothing', async () => {
    const later = { ...alone, traffic: { transfers: [{ ...alone.traffic.transfers[0], start: '1ms' }] } };
    const { summary } = await run(later, ['stopTime=1us']);
    expect([summary.outcome, summary.flows, summary.unfinished]).toEqual(['ended', 0, null]);
    const held = await run(alone, ['sendLatency=1ms', 'stopTime=1us']);
    expect(held.summary.unfinished).toMatchObject({ flows: 1, deliveredBytes: 0, rateBps: null });
  });
});

describe.each(backends)('on %s', (backend) => {
  it('what has finished by then is what a run without the time has finished by then', async () => {
    const whole = await run(several, [`backend=${backend}`]);
    for (const stopUs of [60, 130, 200.5]) {
      const { summary, flows } = await run(several, [`backend=${backend}`, `stopTime=${stopUs}us`]);
      const before = whole.flows.filter(({ finishPs }) => finishPs < stopUs * 1e6);
      expect(flows).toEqual(before);
      expect(summary.outcome).toBe('ended');
      expect(summary.unfinished!.flows).toBe(summary.flows - flows.length);
    }
  });

  it('a run that is done before is as if no time were given', async () => {
    const whole = await run(several, [`backend=${backend}`]);
    const { summary } = await run(several, [`backend=${backend}`, 'stopTime=1s']);
    expect([summary.outcome, summary.digest, summary.simulatedPs]).toEqual([
      'finished',
      whole.summary.digest,
      whole.summary.simulatedPs,
    ]);
  });

  it('what has arrived grows with the time and is never more than was sent', async () => {
    let before = 0;
    for (const stopUs of [20, 60, 100, 140]) {
      const { summary, flows } = await run(several, [`backend=${backend}`, `stopTime=${stopUs}us`]);
      const { unfinished } = summary;
      for (const { deliveredBytes, sizeBytes } of unfinished!.first)
        expect([deliveredBytes! >= 0, deliveredBytes! <= sizeBytes]).toEqual([true, true]);
      const arrived = flows.reduce((sum, { sizeBytes }) => sum + sizeBytes, unfinished!.deliveredBytes!);
      expect(arrived).toBeGreaterThan(before);
      before = arrived;
    }
  });
});

it('payload that was delivered is that of finished flows and what has arrived of the others', async () => {
  const { summary, flows } = await run(several, ['stopTime=100us', 'pfc.enabled=true']);
  const finished = flows.reduce((sum, { sizeBytes }) => sum + sizeBytes, 0);
  expect(summary.counters.payloadBytesDelivered).toBe(finished + summary.unfinished!.deliveredBytes!);
});

it('a flow of several queue pairs has brought what all of them have', async () => {
  const { summary, flows } = await run(several, ['stopTime=100us', 'queuePair.perFlow=3']);
  const finished = flows.reduce((sum, { sizeBytes }) => sum + sizeBytes, 0);
  expect(summary.counters.payloadBytesDelivered).toBe(finished + summary.unfinished!.deliveredBytes!);
});

it('a run that is blocked before is blocked', async () => {
  const host = memoryHost({ 's.yaml': JSON.stringify(several) });
  const plan = await makePlan('s.yaml', {
    host,
    overrides: [
      'failures.events=[{ at: 10us, switch: "leaf[0]" }]',
      'queuePair.retransmissionTimeout=20us',
      'stopTime=1s',
    ],
  });
  const { outcome, simulatedPs } = await simulate(plan, { host });
  expect([outcome, simulatedPs]).toEqual(['blocked', 1e12]);
});

it('a workload that is cut off is no failure', async () => {
  const training = {
    fabric: { generate: 'spectrum-x', gpus: 16 },
    workload: { generate: 'transformer', model: 'gpt3-13b', tensorParallel: 8 },
  };
  const { summary } = await run(training, ['stopTime=5ms', 'backend=fluid']);
  expect([summary.outcome, summary.jobs[0]!.isFinished]).toEqual(['ended', false]);
});

it('the table holds a row for every unfinished flow', async () => {
  const { summary, sink } = await run(several, ['stopTime=60us']);
  expect(summary.unfinished!.flows).toBeGreaterThan(0);
  expect(sink.rowCount(unfinishedTable)).toBe(summary.unfinished!.flows);
  const { first } = summary.unfinished!;
  expect([...sink.column(unfinishedTable, UnfinishedColumn.delivered)]).toEqual(
    first.map(({ deliveredBytes }) => deliveredBytes),
  );
});
