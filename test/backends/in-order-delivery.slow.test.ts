// The reorder buffer of a receiving host: go-back-N under spraying sends nothing twice, its memory is bounded, and with
// losses everything arrives all the same.

import { describe, expect, it } from 'vitest';
import { runWith, type SeamRun } from '../seams/run.js';
import { seed } from '../support/seed.js';

const flows = 6;

function run(more: string, errorRate = 0): Promise<SeamRun> {
  const transfers = Array.from(
    { length: flows },
    (_, i) => `    - { source: ${i}, destination: ${6 + ((i * 5 + 1) % 6)}, size: 1MB }\n`,
  );
  return runWith(
    {},
    `fabric: { generate: leaf-spine, leaves: 2, spines: 6, hostsPerLeaf: 6, errorRate: ${errorRate} }
seed: ${seed % 1000}
routing: { balancing: spray }
packet: { payload: 1000B }
queuePair: { retransmissionTimeout: 200us, retries: 1000 }
traffic:
  transfers:
${transfers.join('')}${more}`,
  );
}

const counter = ({ summary }: SeamRun, name: string): number => summary.counters[name] ?? NaN;

function expectAll({ summary, broken }: SeamRun): void {
  expect(broken).toEqual([]);
  expect([summary.finished, summary.counters.payloadBytesDelivered]).toEqual([flows, flows * 1_000_000]);
}

describe(`a reorder buffer at the receiver (WEFT_SEED=${seed})`, () => {
  it('is not there unless it is asked for, and then go-back-N goes back', async () => {
    const without = await run('');
    expectAll(without);
    expect(Number.isNaN(counter(without, 'reorderedAtHosts'))).toBe(true);
    expect(counter(without, 'retransmittedBytes')).toBeGreaterThan(0);
  });

  it('lets go-back-N see everything in order: nothing is sent twice', async () => {
    const made = await run('reorder: { buffer: 1MB, timeout: 10ms }\n');
    expectAll(made);
    expect(counter(made, 'reorderedAtHosts')).toBeGreaterThan(0);
    expect(counter(made, 'retransmittedBytes') > 0).toBe(false);
    expect(counter(made, 'dataPacketsSent')).toBe(flows * 1000);
    expect(counter(made, 'reorderHostPeakBytes')).toBeGreaterThan(0);
  });

  it('holds no more than its limit, and says how often there was no room', async () => {
    const made = await run('reorder: { buffer: 3000B }\n');
    expectAll(made);
    expect(counter(made, 'reorderHostPeakBytes')).toBeLessThanOrEqual(3000);
    expect(counter(made, 'reorderHostOverflows')).toBeGreaterThan(0);
  });

  it.each([0.001, 0.02])('with a share of %d of all packets lost everything arrives', async (errorRate) => {
    const made = await run('reorder: { buffer: 1MB, timeout: 20us }\n', errorRate);
    expectAll(made);
    expect(counter(made, 'reorderHostTimeouts')).toBeGreaterThan(0);
  });

  it('has no effect before a transport that takes packets out of order', async () => {
    const made = await run('reorder: { buffer: 1MB }\ntransport: { algorithm: irn }\n');
    expectAll(made);
    expect(Number.isNaN(counter(made, 'reorderedAtHosts'))).toBe(true);
  });
});
