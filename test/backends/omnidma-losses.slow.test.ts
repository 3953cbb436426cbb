// OmniDMA over a long link that loses data, twenty seeds each: what it sends again, what it loses of the link's rate, and
// that it is no slower than IRN where a round trip is long. Bounds: issue of the model (docs/models/omnidma.md).

import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { simulate } from '../../src/app/simulate.js';
import type { RunSummary } from '../../src/app/run-progress.js';
import { MemorySink } from '../../src/records/memory-sink.js';
import { makePlan } from '../../src/scenario/make-plan.js';
import { nodeHost } from '../../src/storage/node-host.js';

const scenario = fileURLToPath(new URL('../../examples/wan-dumbbell/wan.yaml', import.meta.url));
const seeds = Array.from({ length: 20 }, (_, i) => i + 1);

async function run(transport: string, delay: string, rate: number, seed: number): Promise<RunSummary> {
  const host = nodeHost();
  const plan = await makePlan(scenario, {
    host,
    overrides: [
      `transport.algorithm=${transport}`,
      `fabric.bottleneckLatency=${delay}`,
      `loss.rate=${rate}`,
      `seed=${seed}`,
    ],
  });
  const summary = await simulate(plan, { host, sink: new MemorySink() });
  expect(summary.verdicts.filter(({ ok }) => !ok)).toEqual([]);
  expect([summary.outcome, summary.counters.payloadBytesDelivered]).toEqual(['finished', 30e6]);
  return summary;
}

const median = (values: readonly number[]): number => [...values].sort((a, b) => a - b)[values.length >> 1]!;

describe('at 10 us one way', () => {
  it.each([0.001, 0.01, 0.05])('sends again what is lost and no more, at a loss of %f', async (rate) => {
    const excess: number[] = [];
    for (const seed of seeds) {
      const { counters } = await run('omnidma', '10us', rate, seed);
      excess.push(counters['retransmittedPackets']! - 1.01 * counters['packetsLost']!);
      // whatever was lost has been sent again
      expect(counters['retransmittedPackets']).toBeGreaterThanOrEqual(counters['packetsLost']!);
    }
    expect(median(excess)).toBeLessThanOrEqual(2);
  });

  it('loses less than 3 % of its rate at a loss of 1 %, whatever the seed', async () => {
    // 30,000 packets and one round trip
    const clean = (await run('omnidma', '10us', 0, 1)).fct.meanNs;
    expect(clean).toBeCloseTo(30_001 * 84.48 + 22_000 + 2 * 8.64, 1);
    for (const seed of seeds) expect((await run('omnidma', '10us', 0.01, seed)).fct.meanNs).toBeLessThan(clean / 0.97);
  });
});

it.each([0.001, 0.01, 0.05])(
  'at 5 ms and a loss of %f it is no slower than IRN, but for a map of packets',
  async (rate) => {
    const times: Record<string, number[]> = { omnidma: [], irn: [] };
    for (const transport of ['omnidma', 'irn'])
      for (const seed of seeds.slice(0, 6))
        times[transport]!.push((await run(transport, '5ms', rate, seed)).fct.meanNs);
    // where every packet is answered with what came, a lone loss is known 15 packets earlier (the first that tells of it, and
    // the 16th), its NACK waits for no DMA (200 ns and 34 B at 64 Gb/s) and is 24 B shorter on two links
    const laterNs = 15 * 84.48 + 204.25 + 2 * 24 * 0.08;
    expect(median(times['omnidma']!)).toBeLessThanOrEqual(median(times['irn']!) + laterNs + 0.01);
  },
);
