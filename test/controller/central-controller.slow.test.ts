// The central controller against a brute-force one: every port tried in turn, paths and reservations as plain sets of
// strings.

import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { CentralController, type PlacedFlow } from '../../src/controller/central-controller.js';
import { FabricBuilder, NodeKind, serverOf, type Fabric } from '../../src/fabric/fabric.js';
import { generateFabric } from '../../src/fabric/generators/catalogue.js';
import { EqualCostRoutes } from '../../src/routing/equal-cost.js';
import { PathTracer } from '../../src/routing/path.js';
import { engineRun, settingsWith, type HopRow } from '../support/engine-run.js';
import { buildFabric, fabricRecipe, transferRecipe, transfersIn } from '../support/random-fabric.js';
import { seed } from '../support/seed.js';

const fallback = 10_000;

function flowOf(flow: number, source: number, destination: number, sizeBytes = 1): PlacedFlow {
  return { flow, source, destination, sizeBytes, destinationPort: 100, pinned: null };
}

function tracerOf(fabric: Fabric): PathTracer {
  return new PathTracer(new EqualCostRoutes(fabric, 'descending-node-id'));
}

/** The switches' hops of a path, by name. */
function hopsOf(tracer: PathTracer, source: number, destination: number, sourcePort: number): string[] {
  const out = new Int32Array(tracer.maxLength);
  const length = tracer.trace(source, destination, sourcePort, 100, out);
  return Array.from(out.subarray(1, length), (port) => `output ${port}`);
}

/** AssignSport and ReleasePath as the document has them, with both fixes. */
class BruteForce {
  private readonly taken = new Map<string, Set<number>>();
  private readonly pathOf = new Map<number, string[]>();

  constructor(private readonly tracer: PathTracer) {}

  assign(flow: number, source: number, destination: number): number {
    const { fabric } = this.tracer;
    if (serverOf(fabric, source) === serverOf(fabric, destination)) return fallback;
    if (hopsOf(this.tracer, source, destination, fallback).length <= 1) return fallback;
    for (let port = 1; port <= 65_534; port++) {
      const path = hopsOf(this.tracer, source, destination, port);
      if (path.slice(0, -1).some((hop) => (this.taken.get(hop)?.size ?? 0) > 0)) continue;
      for (const hop of path) this.taken.set(hop, (this.taken.get(hop) ?? new Set()).add(flow));
      this.pathOf.set(flow, path);
      return port;
    }
    return fallback;
  }

  release(flow: number): void {
    for (const hop of this.pathOf.get(flow) ?? []) this.taken.get(hop)!.delete(flow);
    this.pathOf.delete(flow);
  }

  get held(): number {
    return [...this.taken.values()].reduce((sum, flows) => sum + flows.size, 0);
  }
}

/**
 * Starts and finishes in any order: an even number starts a flow between two hosts, an odd one finishes one that is
 * under way.
 */
const script = fc.array(fc.tuple(fc.nat(1000), fc.nat(1000), fc.nat(1000)), { minLength: 1, maxLength: 40 });

function expectBruteForce(fabric: Fabric, steps: readonly (readonly [number, number, number])[]): void {
  const tracer = tracerOf(fabric);
  const controller = new CentralController(tracer);
  const brute = new BruteForce(tracer);
  const live: number[] = [];
  const freeNumbers: number[] = [];
  let next = 0;
  for (const [what, a, b] of steps) {
    if (what % 3 !== 0 || live.length === 0) {
      const [source, destination] = transfersIn(fabric, [[a, b, 1, 0]])[0]!;
      // numbers are recycled, as the executor's slots are
      const flow = freeNumbers.pop() ?? next++;
      live.push(flow);
      expect(controller.assignSourcePort(flowOf(flow, source, destination), fallback)).toBe(
        brute.assign(flow, source, destination),
      );
    } else {
      const [flow] = live.splice(a % live.length, 1);
      controller.release(flow!);
      brute.release(flow!);
      freeNumbers.push(flow!);
    }
  }
  for (const flow of live) {
    controller.release(flow);
    brute.release(flow);
  }
  expect(brute.held).toBe(0);
  // everything was given back: a first flow gets what it gets from a new controller
  for (const source of fabric.hosts) {
    for (const destination of fabric.hosts) {
      if (source === destination) continue;
      const flow = next++;
      expect(controller.assignSourcePort(flowOf(flow, source, destination), fallback)).toBe(
        new CentralController(tracer).assignSourcePort(flowOf(0, source, destination), fallback),
      );
      controller.release(flow);
    }
  }
}

describe('the central controller', () => {
  it(`assigns what trying every port assigns, on generated fabrics (WEFT_SEED=${seed})`, () => {
    const fabrics = [
      generateFabric('leaf-spine', { leaves: 3, spines: 3, hostsPerLeaf: 3 }),
      generateFabric('dcn+', { gpus: 16, gpusPerServer: 4, nicsPerAsw: 4, pswSwitches: 5 }),
      generateFabric('fat-tree', { k: 4 }),
    ];
    fc.assert(
      fc.property(fc.constantFrom(...fabrics), script, (fabric, steps) => expectBruteForce(fabric, steps)),
      { seed, numRuns: 12 },
    );
  });

  it(`does so on random fabrics (WEFT_SEED=${seed})`, () => {
    const recipes = fabricRecipe({ ratesBps: [100e9], latenciesPs: [500_000], mostHosts: 7 });
    fc.assert(
      fc.property(recipes, script, (recipe, steps) => expectBruteForce(buildFabric(recipe), steps)),
      { seed, numRuns: 25 },
    );
  });

  it('leaves flows inside a server and below one switch alone, and reserves nothing for them', () => {
    const fabric = generateFabric('leaf-spine', { leaves: 2, spines: 1, hostsPerLeaf: 4, gpusPerServer: 2 });
    const controller = new CentralController(tracerOf(fabric));
    // same server; same leaf, another server
    for (let flow = 0; flow < 20; flow++)
      expect(controller.assignSourcePort(flowOf(flow, 0, 1 + (flow % 3)), fallback + flow)).toBe(fallback + flow);
    expect([controller.assigned, controller.unassigned]).toEqual([0, 0]);
    // across the one spine: free for one at a time and direction
    expect(controller.assignSourcePort(flowOf(30, 0, 4), fallback)).toBe(1);
    expect(controller.assignSourcePort(flowOf(31, 1, 5), fallback)).toBe(fallback);
    expect(controller.assignSourcePort(flowOf(32, 5, 1), fallback)).toBe(1);
    controller.release(31);
    expect(controller.assignSourcePort(flowOf(31, 1, 5), fallback)).toBe(fallback);
    controller.release(30);
    expect(controller.assignSourcePort(flowOf(33, 1, 5), fallback)).toBe(1);
    expect([controller.assigned, controller.unassigned]).toEqual([3, 2]);
  });

  it('lets two flows into one host share the final hop only', () => {
    const fabric = generateFabric('leaf-spine', { leaves: 3, spines: 4, hostsPerLeaf: 1 });
    const tracer = tracerOf(fabric);
    const controller = new CentralController(tracer);
    const ports = [
      controller.assignSourcePort(flowOf(0, 0, 2), fallback),
      controller.assignSourcePort(flowOf(1, 1, 2), fallback),
    ];
    expect(ports.every((port) => port < fallback)).toBe(true);
    const [a, b] = [hopsOf(tracer, 0, 2, ports[0]!), hopsOf(tracer, 1, 2, ports[1]!)];
    expect(a.filter((hop) => b.includes(hop))).toEqual([a[a.length - 1]]);
  });

  it('gives the fallback of a saturated fabric at once', () => {
    const fabric = generateFabric('leaf-spine', { leaves: 2, spines: 64, hostsPerLeaf: 64 });
    const controller = new CentralController(tracerOf(fabric));
    let flow = 0;
    for (; flow < 64; flow++)
      expect(controller.assignSourcePort(flowOf(flow, flow, 64 + flow), fallback)).not.toBe(fallback);
    // trying 65,534 ports takes some 20 ms each: more than five minutes
    for (; flow < 20_064; flow++)
      expect(controller.assignSourcePort(flowOf(flow, flow % 64, 64 + ((flow * 7) % 64)), fallback)).toBe(fallback);
    expect(controller.unassigned).toBe(20_000);
  });

  it(`keeps concurrent flows of a run apart (WEFT_SEED=${seed})`, () => {
    const fabric = generateFabric('leaf-spine', { leaves: 4, spines: 6, hostsPerLeaf: 6 });
    fc.assert(
      fc.property(transferRecipe(fc.integer({ min: 1, max: 40_000 }), 60, fc.nat(30_000_000)), (list) => {
        const transfers = transfersIn(fabric, list);
        const run = engineRun(fabric, transfers, {
          controlled: true,
          settings: settingsWith({ packet: { payload: 1000 } }),
        });
        const innerHops = new Map<number, string[]>();
        for (const { flow } of run.flows) {
          const rows = run.hops.filter((row: HopRow) => row.flow === flow);
          innerHops.set(
            flow,
            rows.slice(0, -1).map(({ node, interface: port }) => `${node}:${port}`),
          );
        }
        // ports below the counter's come from the controller
        const controlled = run.flows.filter(({ sourcePort }) => sourcePort < fallback);
        for (const a of controlled) {
          for (const b of controlled) {
            if (a.flow >= b.flow || a.startPs >= b.finishPs || b.startPs >= a.finishPs) continue;
            expect(
              innerHops.get(a.flow)!.filter((hop) => innerHops.get(b.flow)!.includes(hop)),
              `flows ${a.flow} and ${b.flow}`,
            ).toEqual([]);
          }
        }
        const uncontrolled = run.flows.length - controlled.length;
        if (uncontrolled === 0) expect(run.collisions.count()).toMatchObject({ links: 0, flowPairs: 0 });
      }),
      { seed, numRuns: 25 },
    );
  });

  it('refuses to give one flow two paths', () => {
    const builder = new FabricBuilder();
    builder.addNodes(NodeKind.host, 2);
    builder.addNodes(NodeKind.switch, 4);
    for (const [a, b] of [
      [0, 2],
      [2, 3],
      [2, 4],
      [3, 5],
      [4, 5],
      [5, 1],
    ] as const)
      builder.addLink(a, b, 1e9, 1000);
    const controller = new CentralController(tracerOf(builder.build()));
    controller.assignSourcePort(flowOf(0, 0, 1), fallback);
    expect(() => controller.assignSourcePort(flowOf(0, 0, 1), fallback)).toThrow('already holds a path');
    controller.release(77);
  });
});
