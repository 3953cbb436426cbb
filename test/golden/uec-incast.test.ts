// The example of an incast with trimming, and the figures of its README.

import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { simulate } from '../../src/app/simulate.js';
import type { RunSummary } from '../../src/app/run-progress.js';
import { MemorySink } from '../../src/records/memory-sink.js';
import { makePlan } from '../../src/scenario/make-plan.js';
import { nodeHost } from '../../src/storage/node-host.js';

const path = fileURLToPath(new URL('../../examples/uec-incast/uec-incast.yaml', import.meta.url));

async function run(...overrides: readonly string[]): Promise<RunSummary> {
  const host = nodeHost();
  return simulate(await makePlan(path, { host, overrides }), { host, sink: new MemorySink() });
}

/** 31 x 1 MB in packets of 4,096 B with 82 B of headers and gap, over 100 Gb/s, in microseconds. */
const linkUs = (31 * (1_000_000 + 245 * 82) * 8) / 100_000;

describe('an incast with trimming', () => {
  it.each(['nscc', 'rccc'])('%s keeps the link busy without a timeout', async (control) => {
    const { counters, simulatedPs, verdicts } = await run(`uec.control=${control}`);
    expect(verdicts.filter(({ ok }) => !ok)).toEqual([]);
    expect(counters['packetsTrimmed']).toBeGreaterThan(500);
    expect([counters['timeouts'], counters['packetsDropped']]).toEqual([0, 0]);
    expect(counters['retransmittedPackets']).toBe(counters['packetsTrimmed']);
    expect(simulatedPs / 1e6).toBeGreaterThan(linkUs);
    expect(simulatedPs / 1e6).toBeLessThan(1.02 * linkUs);
  });

  it('waits for timeouts without trimming', async () => {
    const { counters } = await run('switch.trimming=false');
    expect(counters['packetsTrimmed']).toBe(0);
    expect(counters['timeouts']).toBeGreaterThan(0);
    expect(counters['packetsDropped']).toBeGreaterThan(500);
  });
});
