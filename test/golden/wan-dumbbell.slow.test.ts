// examples/wan-dumbbell: without losses its flow takes what the wire gives; with losses everything arrives all the same.

import { describe, expect, it } from 'vitest';
import { simulate } from '../../src/app/simulate.js';
import { MemorySink } from '../../src/records/memory-sink.js';
import { makePlan } from '../../src/scenario/make-plan.js';
import { nodeHost } from '../../src/storage/node-host.js';
import { packetCounters } from '../support/packet-counters.js';
import { seed } from '../support/seed.js';
import type { RunSummary } from '../../src/app/run-progress.js';

async function run(...set: string[]): Promise<RunSummary> {
  const host = nodeHost();
  const plan = await makePlan('examples/wan-dumbbell/wan.yaml', { host, overrides: set, seed });
  return simulate(plan, { host, sink: new MemorySink() });
}

describe(`the wide-area dumbbell (WEFT_SEED=${seed})`, () => {
  it.each([
    ['10us', 10_000],
    ['1000us', 1_000_000],
    ['15ms', 15_000_000],
  ])('takes the time of its bytes and one round trip without losses, at %s', async (delay, delayNs) => {
    const { fct } = await run(`fabric.bottleneckLatency=${delay}`, 'loss.rate=0');
    // 30,000 packets of 1,056 B, the last of them on two links one after the other, and an ACK of 108 B over both
    const packetNs = (1056 * 8) / 100;
    const acknowledgementNs = (108 * 8) / 100;
    expect(fct.meanNs).toBeCloseTo(30_001 * packetNs + 2 * (delayNs + 1000 + acknowledgementNs), 3);
  });

  it.each(['independent', 'amazon', 'gilbert-elliott'])('brings every byte under losses of model %s', async (model) => {
    const { outcome, counters, verdicts } = await run(`loss.model=${model}`, 'loss.rate=0.005');
    expect(outcome).toBe('finished');
    expect(verdicts.filter(({ ok }) => !ok)).toEqual([]);
    const { packetsLost, packetsDropped, retransmittedPackets, dataPacketsSent } = packetCounters({ counters });
    expect(packetsLost).toBeGreaterThan(0);
    expect(packetsDropped).toBe(0);
    expect(retransmittedPackets).toBeGreaterThanOrEqual(packetsLost);
    expect(dataPacketsSent).toBe(30_000 + retransmittedPackets);
  });
});
