// Buffers of the credit backend and the round trip of credits: what is derived keeps every link busy, what is typed and
// too small is told with the rate that a link reaches.

import { describe, expect, it } from 'vitest';
import { FlowColumn, flowTable } from '../../src/records/flow-records.js';
import { RandomStream } from '../../src/base/random.js';
import { parseSizeBytes } from '../../src/base/units.js';
import { scenarioRun } from '../support/scenario-run.js';
import { seed } from '../support/seed.js';

const scenario = (rate: string, latency: string, rest = ''): string => `
fabric: { generate: leaf-spine, leaves: 2, spines: 1, hostsPerLeaf: 2, hostRate: ${rate}, spineRate: ${rate}, hostLatency: ${latency}, spineLatency: ${latency} }
packet: { payload: 1000B, header: 50B, acknowledgement: 60B, gap: 2B }
backend: credit
${rest}`;
const tenMegabytes = (destination: number): string =>
  `traffic: { transfers: [ { source: 0, destination: ${destination}, size: 10MB } ] }`;

async function run(text: string, set: readonly string[] = []) {
  const { summary, sink, warnings } = await scenarioRun(text, set);
  expect(summary.verdicts.filter(({ ok }) => !ok)).toEqual([]);
  return {
    us: sink.column(flowTable, FlowColumn.finish)[0]! / 1e6,
    stalls: summary.counters['creditStalls'],
    warnings,
  };
}

describe('a derived buffer', () => {
  it.each([
    // 10,000 packets of 1,052 B; the last crosses four cables, as an acknowledgement does; three headers
    ['800Gbps', '500ns', 2, 10_000 * 0.01052 + 3 * 0.0005 + 8 * 0.5 + 4 * 0.00062],
    // 10,000 packets; two cables of 20 us there and back; one header
    ['400Gbps', '20us', 1, 10_000 * 0.02104 + 0.001 + 4 * 20 + 2 * 0.00124],
    ['100Gbps', '1ms', 2, 10_000 * 0.08416 + 3 * 0.004 + 8 * 1000 + 4 * 0.00496],
  ])('lets 10 MB over %s and cables of %s take the time of the wire', async (rate, latency, destination, expected) => {
    const { us, stalls, warnings } = await run(scenario(rate, latency, tenMegabytes(destination)));
    expect(us).toBeCloseTo(expected, 6);
    expect({ stalls, warnings }).toEqual({ stalls: 0, warnings: [] });
  });

  it('counts what switches and returning credits take', async () => {
    const slow = ['switch.latency=3us', 'credit.returnLatency=7us', 'credit.switching=store-and-forward'];
    const { stalls } = await run(scenario('400Gbps', '2us', tenMegabytes(2)), slow);
    expect(stalls).toBe(0);
  });
});

describe('a buffer by hand', () => {
  it(`is needed to the packet: one more holds nobody back, one less does (WEFT_SEED=${seed})`, async () => {
    const draw = new RandomStream(seed, 'credit buffers');
    for (let i = 0; i < 8; i++) {
      const latency = `${1 + draw.nextBelow(9000)}ns`;
      const switching = ['cut-through', 'store-and-forward'][i % 2]!;
      const acceptance = ['input-buffer', 'output-queue', 'output-buffer'][(i >> 1) % 3]!;
      const set = [`credit.switching=${switching}`, `credit.acceptance=${acceptance}`];
      const text = scenario('400Gbps', latency, tenMegabytes(2));
      const told = await run(text, [...set, 'credit.buffer=1052B']);
      const needed = parseSizeBytes(/needs ([\d.]+[kKM]?i?B)/.exec(told.warnings[0]!)![1]!)!;
      const enough = await run(text, [...set, `credit.buffer=${needed}B`]);
      expect({ latency, stalls: enough.stalls, warnings: enough.warnings }).toEqual({
        latency,
        stalls: 0,
        warnings: [],
      });
      const less = await run(text, [...set, `credit.buffer=${needed - 1052}B`]);
      expect(less.stalls, latency).toBeGreaterThan(0);
      expect(less.warnings).toHaveLength(1);
    }
  });

  it('is told with the rate that is reached, and the run reaches that rate', async () => {
    const { us, warnings } = await run(scenario('100Gbps', '1us', tenMegabytes(1)), [
      'credit.switching=store-and-forward',
      'credit.buffer=3156B',
    ]);
    // three packets of 1,052 B in a round of two transmissions and two cables (docs/models/credit.md)
    const reachedBps = (3 * 1052 * 8) / (2 * (0.08416e-6 + 1e-6));
    expect(warnings).toEqual([
      `credit.buffer of 3156B is less than links send in a round trip of its credits: a lane reaches at most ${(reachedBps / 1e9).toFixed(3)}Gbps of 100Gbps, and needs ${26 * 1052}B`,
    ]);
    expect((10_000 * 1052 * 8) / (us * 1e-6)).toBeLessThan(reachedBps * 1.001);
    expect((10_000 * 1052 * 8) / (us * 1e-6)).toBeGreaterThan(reachedBps * 0.99);
  });
});
