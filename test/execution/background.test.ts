// Flows that the controller does not place: it sees them in port counters, and keeps away from their links once it has
// read them; by hand, and on whole runs with packets and streams.

import { describe, expect, it } from 'vitest';
import { simulate } from '../../src/app/simulate.js';
import { BackgroundLoad } from '../../src/controller/background-load.js';
import { CentralController } from '../../src/controller/central-controller.js';
import { generateFabric } from '../../src/library/fabrics.js';
import { MemorySink } from '../../src/records/memory-sink.js';
import { EqualCostRoutes } from '../../src/routing/equal-cost.js';
import { PathTracer } from '../../src/routing/path.js';
import { makePlan } from '../../src/scenario/make-plan.js';
import { memoryHost } from '../memory-host.js';
import { flowRows, hopRows } from '../support/engine-run.js';

const hosts = 16;

/** Every host of a leaf sends to one of the other; @param startUs of each */
function scenario(startUs: (host: number) => number): string {
  const transfers = Array.from({ length: hosts }, (_, host) => ({
    source: host,
    destination: hosts + host,
    size: '8MB',
    start: `${startUs(host)}us`,
  }));
  return JSON.stringify({
    fabric: { generate: 'leaf-spine', leaves: 2, spines: hosts, hostsPerLeaf: hosts },
    controller: { enabled: true, policy: 'least-loaded', share: 0.5 },
    seed: 3,
    traffic: { transfers },
  });
}

async function runOf(text: string, overrides: readonly string[]) {
  const host = memoryHost({ 's.yaml': text });
  const plan = await makePlan('s.yaml', { host, overrides });
  const sink = new MemorySink();
  const summary = await simulate(plan, { host, sink });
  expect(summary.verdicts.filter(({ ok }) => !ok)).toEqual([]);
  const spineOf = new Map(hopRows(sink).flatMap(({ flow, hop, node }) => (hop === 1 ? [[flow, node]] : [])));
  return { summary, flows: flowRows(sink), spineOf };
}

describe.each(['packet', 'fluid'])('on %s', (name) => {
  const backend = `backend=${name}`;

  it.each(['least-loaded', 'bandwidth-aware', 'batch'])('links of others are left to them (%s)', async (policy) => {
    const settings = [backend, `controller.policy=${policy}`];
    // whoever has the counter's port is not placed
    const { flows } = await runOf(
      scenario(() => 0),
      settings,
    );
    const others = new Set(flows.filter(({ sourcePort }) => sourcePort >= 10_000).map(({ source }) => source));
    expect([others.size > 3, others.size < 13]).toEqual([true, true]);
    const late = scenario((host) => (others.has(host) ? 0 : 150));
    const shared = async (interval: string): Promise<number> => {
      const { spineOf } = await runOf(late, [...settings, `controller.pollInterval=${interval}`]);
      const busy = new Set([...others].map((flow) => spineOf.get(flow)));
      return flows.filter(({ flow }) => !others.has(flow) && busy.has(spineOf.get(flow))).length;
    };
    expect(await shared('50us')).toBe(0);
    expect(await shared('90ms')).toBeGreaterThan(0);
  });

  it('a share of 1 is what there is without one', async () => {
    const text = scenario(() => 0);
    const [one, none] = [
      await runOf(text, [backend, 'controller.share=1']),
      await runOf(text, [backend, 'controller.share=0']),
    ];
    expect([one.summary.controller!.assigned, none.summary.controller!.assigned]).toEqual([hosts, 0]);
    expect(none.flows.every(({ sourcePort }) => sourcePort >= 10_000)).toBe(true);
  });
});

describe('what counters tell', () => {
  it('is what they show less what the own flows may have sent', () => {
    const fabric = generateFabric('leaf-spine', { leaves: 2, spines: 2, hostsPerLeaf: 2 });
    const clock = { nowPs: 0 };
    const load = new BackgroundLoad(fabric, clock, 100e6);
    const rates = new Float64Array(fabric.portCount);
    // an own flow of 40 Gb/s for half of the time: 20 of the 70 Gb/s are its own
    load.ownChanges(9, 40e9);
    clock.nowPs = 50e6;
    load.ownChanges(9, -40e9);
    clock.nowPs = 100e6;
    rates[9] = 70e9;
    rates[8] = 4e9;
    load.polled(rates, 100e6);
    expect(load.rateBps[9]).toBeCloseTo(50e9, 0);
    expect(load.bytesAhead(9)).toBeCloseTo(625_000, 6);
    // less than a twentieth of a link: acknowledgements
    expect(load.rateBps[8]).toBe(0);
    // of now, the own flows of now count
    load.ownChanges(9, 60e9);
    load.polled(rates, 0);
    expect(load.rateBps[9]).toBeCloseTo(10e9, 0);
  });

  it('says nothing to first-fit', () => {
    const fabric = generateFabric('leaf-spine', { leaves: 2, spines: 2, hostsPerLeaf: 2, spineRate: '100Gbps' });
    const tracer = new PathTracer(new EqualCostRoutes(fabric, 'descending-node-id'));
    const ports = (['first-fit', 'least-loaded'] as const).map((policy) => {
      const controller = new CentralController(tracer, policy, new BackgroundLoad(fabric, { nowPs: 0 }, 100e6));
      const flow = { flow: 0, source: 0, destination: 2, sizeBytes: 1, destinationPort: 100, pinned: null };
      const path = new Int32Array(tracer.maxLength);
      tracer.trace(0, 2, 1, 100, path);
      const rates = new Float64Array(fabric.portCount);
      rates[path[1]!] = 90e9;
      controller.portsPolled(rates, 0);
      return controller.assignSourcePort(flow, 10_000);
    });
    expect(ports[0]).toBe(1);
    expect(ports[1]).toBeGreaterThan(1);
  });
});
