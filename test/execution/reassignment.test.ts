// The central controller after failures: whoever has another path than the one that it holds is placed anew and moved,
// by hand on four spines, and on random fabrics and failures by what it holds after every change of routes.

import { describe, expect, it } from 'vitest';
import { simulate } from '../../src/app/simulate.js';
import { RandomStream } from '../../src/base/random.js';
import { CentralController, controllerPolicies, type PlacedFlow } from '../../src/controller/central-controller.js';
import { generateFabric } from '../../src/library/fabrics.js';
import { MemorySink } from '../../src/records/memory-sink.js';
import { EqualCostRoutes } from '../../src/routing/equal-cost.js';
import { PathTracer } from '../../src/routing/path.js';
import { makePlan } from '../../src/scenario/make-plan.js';
import { memoryHost } from '../memory-host.js';
import { flowRows, hopRows } from '../support/engine-run.js';
import { seed } from '../support/seed.js';

const failing = `fabric: { generate: leaf-spine, leaves: 2, spines: 4, hostsPerLeaf: 4 }
controller: { enabled: true }
queuePair: { retransmissionTimeout: 500us }
traffic:
  transfers:
    - { source: 0, destination: 4, size: 2MB }
    - { source: 1, destination: 5, size: 2MB }
    - { source: 2, destination: 6, size: 2MB }
failures: { convergenceTime: 10us, events: [ { at: 40us, switch: 'spine[0]' } ] }
`;

async function runOf(text: string, overrides: readonly string[]) {
  const host = memoryHost({ 's.yaml': text });
  const plan = await makePlan('s.yaml', { host, overrides });
  const sink = new MemorySink();
  const summary = await simulate(plan, { host, sink });
  expect(summary.verdicts.filter(({ ok }) => !ok)).toEqual([]);
  return { summary, sink };
}

describe.each(['packet', 'fluid'])('a spine that fails, on %s', (backend) => {
  it.each(controllerPolicies)('is left for the spare one (%s)', async (policy) => {
    const { summary, sink } = await runOf(failing, [`backend=${backend}`, `controller.policy=${policy}`]);
    expect([summary.finished, summary.collisions.links]).toEqual([3, 0]);
    expect(summary.controller!.moved).toBeGreaterThan(0);
    // the last spine of each flow: three different ones, none of them the one that failed
    const lastSpine = new Map(hopRows(sink).flatMap(({ flow, hop, node }) => (hop === 1 ? [[flow, node]] : [])));
    const spines = [0, 1, 2].map((flow) => lastSpine.get(flow));
    expect(new Set(spines).size).toBe(3);
    expect(spines).not.toContain(10);
  });

  it('leaves two flows on one spine if nobody is moved', async () => {
    const { summary } = await runOf(failing, [`backend=${backend}`, 'controller.reassign=false']);
    expect([summary.finished, summary.controller!.moved]).toEqual([3, null]);
    expect(summary.collisions.flowPairs).toBeGreaterThan(0);
  });

  it('changes nothing before it fails', async () => {
    const runs = ['true', 'false'].map((reassigns) =>
      runOf(failing, [`backend=${backend}`, `controller.reassign=${reassigns}`, 'failures.events[0].at=90ms']),
    );
    const [moving, staying] = await Promise.all(runs);
    expect(moving!.summary.digest).toBe(staying!.summary.digest);
  });

  it('moves all transfers over a connection together', async () => {
    const ring = `fabric: { generate: leaf-spine, leaves: 2, spines: 4, hostsPerLeaf: 4 }
collectives: { profile: nccl, algorithm: ring, channels: 1 }
controller: { enabled: true }
queuePair: { retransmissionTimeout: 500us }
jobs:
  - name: ring
    ranks: '0,4,1,5,2,6'
    layers: [ { name: sum, forward: { compute: 1us, collective: allreduce, group: dp, size: 8MiB } } ]
failures: { convergenceTime: 10us, events: [ { at: 300us, switch: 'spine[0]' } ] }
`;
    const { summary, sink } = await runOf(ring, [`backend=${backend}`]);
    expect(summary.controller!.moved).toBeGreaterThan(0);
    // by the time at which they start, the ports of a pair's transfers change once, not to and fro
    const byPair = new Map<string, number[]>();
    for (const { source, destination, sourcePort } of flowRows(sink).sort((a, b) => a.startPs - b.startPs)) {
      const ports = byPair.get(`${source} ${destination}`) ?? [];
      if (ports.at(-1) !== sourcePort) ports.push(sourcePort);
      byPair.set(`${source} ${destination}`, ports);
    }
    expect(Math.max(...Array.from(byPair.values(), (ports) => ports.length))).toBe(2);
  });
});

describe(`random failures (WEFT_SEED=${seed})`, () => {
  it.each(controllerPolicies)('leave what is held where it is taken (%s)', (policy) => {
    const random = new RandomStream(seed, `reassignment ${policy}`);
    for (let number = 0; number < 30; number++) {
      const [leaves, spines, hostsPerLeaf] = [
        2 + random.nextBelow(3),
        2 + random.nextBelow(4),
        2 + random.nextBelow(3),
      ];
      const fabric = generateFabric('leaf-spine', { leaves, spines, hostsPerLeaf, spineRate: '100Gbps' });
      const intact = new EqualCostRoutes(fabric, 'descending-node-id');
      const tracer = new PathTracer(intact, 12);
      const controller = new CentralController(tracer, policy);
      const hosts = leaves * hostsPerLeaf;
      const flows: PlacedFlow[] = [];
      const ports: number[] = [];
      for (let flow = 0; flow < 2 * hosts; flow++) {
        const source = random.nextBelow(hosts);
        const destination = (source + 1 + random.nextBelow(hosts - 1)) % hosts;
        const placed = { flow, source, destination, sizeBytes: 100, destinationPort: 100, pinned: null };
        flows.push(placed);
        ports.push(controller.assignSourcePort(placed, 10_000 + flow));
      }
      const isUp = new Uint8Array(fabric.linkCount).fill(1);
      // links between switches alone: every host keeps its leaf
      for (let link = 0; link < fabric.linkCount; link++)
        if (fabric.portNode[fabric.linkPorts[2 * link]!]! >= hosts && random.nextBelow(3) === 0) isUp[link] = 0;
      for (const routes of [new EqualCostRoutes(fabric, 'descending-node-id', { isUp, mostLinks: 12 }), intact]) {
        tracer.use(routes);
        const others = flows.filter((flow) => !controller.isWhereItHolds(flow, ports[flow.flow]!));
        for (const { flow } of others) controller.giveUpHops(flow);
        for (const flow of others) ports[flow.flow] = controller.placeAnew(flow, ports[flow.flow]!);
        const pairs = new Set(flows.map(({ source, destination, flow }) => `${source} ${destination} ${ports[flow]}`));
        expect(pairs.size).toBe(flows.length);
        const unheld = flows.filter((flow) => !controller.isWhereItHolds(flow, ports[flow.flow]!));
        // first-fit leaves whoever finds no free path; the others hold a path unless there is none
        if (policy !== 'first-fit') expect(unheld.filter((flow) => hasRoute(tracer, flow))).toEqual([]);
      }
      for (const { flow } of flows) controller.release(flow);
    }
  });
});

function hasRoute(tracer: PathTracer, { source, destination }: PlacedFlow): boolean {
  return tracer.trace(source, destination, 1, 100, new Int32Array(tracer.maxLength)) > 0;
}
