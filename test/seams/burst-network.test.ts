// A backend on the kernel, added without a line of src: chosen by a word of the scenario, its times those of the closed
// form of store and forward, its verdicts green.

import { describe, expect, it } from 'vitest';
import { simulate } from '../../src/app/simulate.js';
import type { RunSummary } from '../../src/app/run-progress.js';
import { builtInBackends } from '../../src/backends/catalogue.js';
import { makePlan } from '../../src/scenario/make-plan.js';
import { memoryHost } from '../memory-host.js';
import { burstBackend } from './burst-network.js';

async function run(transfers: string): Promise<RunSummary> {
  const text = `
backend: burst
fabric: { generate: dumbbell, leftHosts: 3, rightHosts: 3 }
packet: { profile: simai, payload: 1000, header: 0, gap: 0, acknowledgement: 1 }
traffic: { transfers: [ ${transfers} ] }`;
  const host = memoryHost({ 's.yaml': text });
  const catalogues = { backends: [...builtInBackends, burstBackend] };
  return simulate(await makePlan('s.yaml', { host, overrides: [], catalogues }), { host });
}

describe('a backend of bursts, added from outside', () => {
  // 1 MB at 100 Gb/s is 80 us; three links of 1 us there, three back
  it('stores and forwards a burst at every port of its way', async () => {
    const { simulatedPs, verdicts, outcome } = await run('{ source: 0, destination: 3, size: 1MB }');
    expect(verdicts.filter(({ ok }) => !ok)).toEqual([]);
    expect([outcome, simulatedPs]).toEqual(['finished', 3 * 80e6 + 3 * 1e6 + 3 * 1e6]);
  });

  it('lets bursts wait for each other at the port that they share', async () => {
    const { simulatedPs, verdicts, counters } = await run(
      [0, 1, 2].map((host) => `{ source: ${host}, destination: ${3 + host}, size: 1MB }`).join(', '),
    );
    expect(verdicts.filter(({ ok }) => !ok)).toEqual([]);
    expect(simulatedPs).toBe(5 * 80e6 + 6e6);
    expect(Object.keys(counters)).toEqual(['events', 'payloadBytesDelivered']);
  });
});
