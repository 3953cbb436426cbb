// When the controller answers: after its delay, one request after the other, and together where it places together. On
// whole runs; times by hand.

import { describe, expect, it } from 'vitest';
import { simulate } from '../../src/app/simulate.js';
import { controllerPolicies } from '../../src/controller/central-controller.js';
import { MemorySink } from '../../src/records/memory-sink.js';
import { makePlan } from '../../src/scenario/make-plan.js';
import { memoryHost } from '../memory-host.js';
import { flowRows } from '../support/engine-run.js';

/** Every host of six leaves sends to another leaf and receives once: as many flows as links between switches. */
const shifts = `fabric: { generate: leaf-spine, leaves: 6, spines: 6, hostsPerLeaf: 6 }
controller: { enabled: true }
traffic:
  transfers:
${Array.from({ length: 36 }, (_, host) => {
  const [leaf, place] = [Math.floor(host / 6), host % 6];
  return `    - { source: ${host}, destination: ${((leaf + 1 + ((3 * place) % 5)) % 6) * 6 + ((place + leaf) % 6)}, size: 1MB }`;
}).join('\n')}
`;

async function runOf(text: string, overrides: readonly string[]) {
  const host = memoryHost({ 's.yaml': text });
  const plan = await makePlan('s.yaml', { host, overrides });
  const sink = new MemorySink();
  const summary = await simulate(plan, { host, sink });
  expect(summary.verdicts.filter(({ ok }) => !ok)).toEqual([]);
  return { summary, flows: flowRows(sink) };
}

const mean = (summary: { fct: { meanNs: number } }): number => summary.fct.meanNs;

describe.each(['packet', 'fluid'])('on %s', (name) => {
  const backend = `backend=${name}`;

  it('flows of one instant are placed apart where one by one they meet', async () => {
    const batch = await runOf(shifts, [backend, 'controller.policy=batch']);
    expect([batch.summary.collisions.links, batch.summary.controller!.assigned]).toEqual([0, 36]);
    const firstFit = await runOf(shifts, [backend]);
    expect(firstFit.summary.collisions.links).toBeGreaterThan(0);
    expect(mean(batch.summary)).toBeLessThan(mean(firstFit.summary));
  });

  it.each(controllerPolicies)('a flow waits for its answer (%s)', async (policy) => {
    const lone = shifts.slice(0, shifts.indexOf('    - { source: 1,'));
    const policies = [backend, `controller.policy=${policy}`];
    const at = await runOf(lone, policies);
    const late = await runOf(lone, [...policies, 'controller.delay=5us']);
    expect(mean(late.summary) - mean(at.summary)).toBeCloseTo(5000, 6);
    expect(at.summary.controller!.wait).toBe(null);
    expect(late.summary.controller!.wait).toEqual({ medianNs: 5000, maxNs: 5000 });
    // the software's latency, from whose end a flow's time counts, goes by meanwhile
    const both = await runOf(lone, [...policies, 'controller.delay=5us', 'sendLatency=3us']);
    expect(mean(both.summary) - mean(at.summary)).toBeCloseTo(2000, 6);
  });

  it('requests are taken one after the other', async () => {
    // 36 at one instant, one a microsecond: 0 to 35 us, and 2 us until each answer is there
    const settings = [backend, 'controller.requestRate=1000000', 'controller.delay=2us'];
    const { summary } = await runOf(shifts, settings);
    expect(summary.controller!.wait).toEqual({ medianNs: 19_000, maxNs: 37_000 });
    // placed together, all have theirs with the last
    const together = await runOf(shifts, [...settings, 'controller.policy=batch']);
    expect(together.summary.controller!.wait).toEqual({ medianNs: 37_000, maxNs: 37_000 });
    expect(together.summary.collisions.links).toBe(0);
  });

  it('what stays in its server or has one path does not ask', async () => {
    const local = `fabric: { generate: leaf-spine, leaves: 2, spines: 2, hostsPerLeaf: 2 }
controller: { enabled: true, delay: 1ms }
traffic: { transfers: [ { source: 0, destination: 1, size: 1MB } ] }
`;
    const { summary } = await runOf(local, [backend]);
    expect(summary.controller).toMatchObject({ assigned: 0, wait: { medianNs: 0, maxNs: 0 } });
    expect(summary.fct.maxNs).toBeLessThan(1e6);
  });

  it.each(controllerPolicies)('transfers over one connection wait for one answer (%s)', async (policy) => {
    const ring = `fabric: { generate: leaf-spine, leaves: 2, spines: 4, hostsPerLeaf: 4 }
collectives: { profile: nccl, algorithm: ring, channels: 1 }
controller: { enabled: true, policy: ${policy}, delay: 3us, requestRate: 500000 }
jobs:
  - name: ring
    ranks: '0,4,1,5'
    iterations: 2
    layers: [ { name: sum, forward: { compute: 1us, collective: allreduce, group: dp, size: 2MiB } } ]
`;
    const { flows } = await runOf(ring, [backend]);
    const ports = new Set(flows.map(({ source, destination, sourcePort }) => `${source} ${destination} ${sourcePort}`));
    expect([flows.length, ports.size]).toEqual([48, 4]);
  });
});
