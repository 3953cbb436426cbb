// Flows that are known at one time: the batch policy against an exhaustive search over every path that some source port
// gives, on small random fabrics of two tiers with links missing, links in parallel and flows under way; and by Koenig's
// bound on large ones.

import { describe, expect, it } from 'vitest';
import { RandomStream } from '../../src/base/random.js';
import { CentralController, type PlacedFlow } from '../../src/controller/central-controller.js';
import { type Fabric, FabricBuilder, NodeKind } from '../../src/fabric/fabric.js';
import { generateFabric } from '../../src/library/fabrics.js';
import { EqualCostRoutes } from '../../src/routing/equal-cost.js';
import { PathTracer } from '../../src/routing/path.js';
import { seed } from '../support/seed.js';

const fallback = 10_000;

function tracerOf(fabric: Fabric): PathTracer {
  return new PathTracer(new EqualCostRoutes(fabric, 'descending-node-id'));
}

function flowOf(flow: number, source: number, destination: number, sizeBytes = 1): PlacedFlow {
  return { flow, source, destination, sizeBytes, destinationPort: 100, pinned: null };
}

/** The hops between switches of a port's path. */
function hopsOf(tracer: PathTracer, { source, destination }: PlacedFlow, port: number): number[] {
  const out = new Int32Array(tracer.maxLength);
  const length = tracer.trace(source, destination, port, 100, out);
  return [...out.subarray(1, Math.max(1, length - 1))];
}

/** Links that flows share. */
function sharedHops(tracer: PathTracer, flows: readonly PlacedFlow[], ports: readonly number[]): number {
  const on = new Map<number, number>();
  for (const [i, flow] of flows.entries())
    for (const hop of hopsOf(tracer, flow, ports[i]!)) on.set(hop, (on.get(hop) ?? 0) + 1);
  return [...on.values()].filter((count) => count > 1).length;
}

/** Whether flows can be apart: every path of every flow is tried, one flow after the other, with no rule of thumb. */
function canBeApart(tracer: PathTracer, flows: readonly PlacedFlow[], taken: ReadonlySet<number>): boolean {
  const paths = flows.map((flow) => {
    const seen = new Map<string, number[]>();
    for (let port = 1; port <= 2000; port++) {
      const hops = hopsOf(tracer, flow, port);
      seen.set(hops.join(' '), hops);
    }
    return [...seen.values()];
  });
  const used = new Set(taken);
  const place = (flow: number): boolean => {
    if (flow === flows.length) return true;
    for (const hops of paths[flow]!) {
      if (hops.some((hop) => used.has(hop))) continue;
      for (const hop of hops) used.add(hop);
      if (place(flow + 1)) return true;
      for (const hop of hops) used.delete(hop);
    }
    return false;
  };
  return place(0);
}

/** Leaves and spines with one or two links between them, or none; hosts on one leaf or two. */
function randomTwoTiers(random: RandomStream): Fabric {
  const [leaves, spines, hostsPerLeaf] = [2 + random.nextBelow(3), 2 + random.nextBelow(3), 2 + random.nextBelow(2)];
  const isRegular = random.nextBelow(3) === 0;
  const builder = new FabricBuilder(1);
  const hosts = builder.addNodes(NodeKind.host, leaves * hostsPerLeaf);
  const leaf = builder.addNodes(NodeKind.switch, leaves);
  const spine = builder.addNodes(NodeKind.switch, spines);
  for (let host = 0; host < leaves * hostsPerLeaf; host++)
    builder.addLink(hosts + host, leaf + Math.floor(host / hostsPerLeaf), 100e9, 500_000);
  // some hosts on two leaves: then colours say nothing, and paths are searched
  if (random.nextBelow(4) === 0)
    for (let host = 0; host < leaves * hostsPerLeaf; host++)
      builder.addLink(hosts + host, leaf + ((Math.floor(host / hostsPerLeaf) + 1) % leaves), 100e9, 500_000);
  for (let l = 0; l < leaves; l++)
    for (let s = 0; s < spines; s++) {
      // the first spine joins all
      const links = isRegular ? 1 : [0, 1, 1, 2][random.nextBelow(4)]!;
      for (let i = 0; i < Math.max(links, s === 0 ? 1 : 0); i++) builder.addLink(leaf + l, spine + s, 100e9, 500_000);
    }
  return builder.build();
}

describe(`batch on two tiers (WEFT_SEED=${seed})`, () => {
  it('finds an assignment without collisions whenever there is one', () => {
    const random = new RandomStream(seed, 'batch');
    let [found, none] = [0, 0];
    for (let number = 0; number < 600; number++) {
      const fabric = randomTwoTiers(random);
      const tracer = tracerOf(fabric);
      const controller = new CentralController(tracer, 'batch');
      const hosts = fabric.hosts.length;
      const flows: PlacedFlow[] = [];
      for (let i = 2 + random.nextBelow(8); i > 0; i--) {
        const source = random.nextBelow(hosts);
        const flow = flowOf(flows.length, source, (source + 1 + random.nextBelow(hosts - 1)) % hosts);
        if (controller.hasSay(flow, fallback)) flows.push(flow);
      }
      // some of them are under way already
      const before = random.nextBelow(3) === 0 ? flows.splice(0, 1 + random.nextBelow(4)) : [];
      const taken = new Set<number>();
      for (const flow of before) {
        const port = controller.assignSourcePort(flow, fallback + flow.flow);
        for (const hop of hopsOf(tracer, flow, port)) taken.add(hop);
      }
      const ports = controller.assignTogether(
        flows,
        flows.map(({ flow }) => fallback + flow),
      );
      const isApart =
        sharedHops(tracer, flows, ports) === 0 &&
        flows.every((flow, i) => hopsOf(tracer, flow, ports[i]!).every((hop) => !taken.has(hop)));
      expect([number, isApart]).toEqual([number, canBeApart(tracer, flows, taken)]);
      if (isApart) found++;
      else none++;
    }
    // both happen
    expect(Math.min(found, none)).toBeGreaterThan(50);
  });

  it.each([
    [8, 32, 32, 1],
    [16, 16, 64, 4],
    [32, 8, 8, 1],
  ])(
    'reaches the bound of Koenig on %i leaves, %i spines, %i hosts each, %i links',
    (leaves, spines, hostsPerLeaf, parallel) => {
      const random = new RandomStream(seed, `Koenig ${leaves}`);
      const builder = new FabricBuilder(1);
      const hosts = builder.addNodes(NodeKind.host, leaves * hostsPerLeaf);
      const leaf = builder.addNodes(NodeKind.switch, leaves);
      const spine = builder.addNodes(NodeKind.switch, spines);
      for (let host = 0; host < leaves * hostsPerLeaf; host++)
        builder.addLink(hosts + host, leaf + Math.floor(host / hostsPerLeaf), 100e9, 500_000);
      for (let l = 0; l < leaves; l++)
        for (let s = 0; s < spines; s++)
          for (let i = 0; i < parallel; i++) builder.addLink(leaf + l, spine + s, 100e9, 500_000);
      const tracer = tracerOf(builder.build());
      // every host sends to another leaf and receives once, and every leaf has as many links up as hosts: the largest degree
      // is the number of colours
      const flows: PlacedFlow[] = [];
      for (let place = 0; place < hostsPerLeaf; place++) {
        const [leafShift, placeShift] = [1 + random.nextBelow(leaves - 1), random.nextBelow(hostsPerLeaf)];
        for (let l = 0; l < leaves; l++) {
          const destination = ((l + leafShift) % leaves) * hostsPerLeaf + ((place + placeShift) % hostsPerLeaf);
          flows.push(flowOf(flows.length, l * hostsPerLeaf + place, destination));
        }
      }
      shuffle(random, flows);
      const controller = new CentralController(tracer, 'batch');
      const ports = controller.assignTogether(
        flows,
        flows.map(({ flow }) => fallback + flow),
      );
      expect([sharedHops(tracer, flows, ports), controller.unassigned]).toEqual([0, 0]);
      // one by one, first-fit does not get there
      const oneByOne = new CentralController(tracer);
      for (const flow of flows) oneByOne.assignSourcePort(flow, fallback);
      expect(oneByOne.unassigned).toBeGreaterThan(0);
    },
  );
});

function shuffle(random: RandomStream, list: PlacedFlow[]): void {
  for (let i = list.length - 1; i > 0; i--) {
    const j = random.nextBelow(i + 1);
    [list[i], list[j]] = [list[j]!, list[i]!];
  }
}

describe(`the heaviest link (WEFT_SEED=${seed})`, () => {
  it.each(['least-loaded', 'batch'] as const)(
    'has no more bytes than by the hash, in any of 1,000 cases (%s)',
    (policy) => {
      const random = new RandomStream(seed, `heaviest ${policy}`);
      let [lighter, ratios, cases] = [0, 0, 0];
      for (let number = 0; number < 1000; number++) {
        const [leaves, spines, hostsPerLeaf] = [
          2 + random.nextBelow(4),
          2 + random.nextBelow(7),
          4 + random.nextBelow(5),
        ];
        const tracer = tracerOf(generateFabric('leaf-spine', { leaves, spines, hostsPerLeaf }));
        const controller = new CentralController(tracer, policy);
        const hosts = leaves * hostsPerLeaf;
        const flows = Array.from({ length: hosts }, (_, flow) => {
          const source = random.nextBelow(hosts);
          return flowOf(flow, source, (source + 1 + random.nextBelow(hosts - 1)) % hosts, 1 + random.nextBelow(1000));
        }).filter((flow) => controller.hasSay(flow, fallback));
        const hashed = flows.map(({ flow }) => fallback + flow);
        const ports = controller.assignTogether(flows, hashed);
        const heaviest = (given: readonly number[]): number => {
          const bytes = new Map<number, number>();
          for (const [i, flow] of flows.entries())
            for (const hop of hopsOf(tracer, flow, given[i]!)) bytes.set(hop, (bytes.get(hop) ?? 0) + flow.sizeBytes);
          return Math.max(0, ...bytes.values());
        };
        expect([number, heaviest(ports) <= heaviest(hashed)]).toEqual([number, true]);
        if (flows.length === 0) continue;
        cases++;
        if (heaviest(ports) < heaviest(hashed)) lighter++;
        ratios += heaviest(ports) / heaviest(hashed);
      }
      expect(ratios / cases).toBeLessThan(0.75);
      expect(lighter / cases).toBeGreaterThan(0.8);
    },
  );
});
