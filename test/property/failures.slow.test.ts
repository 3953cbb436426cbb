// Random failures on random fabrics: routes around failed links are those of a fabric that was built without them,
// hop-by-hop routing is path-by-path routing while nothing changes, and whatever breaks and is repaired, every byte
// arrives and every counter is in order.

import * as fc from 'fast-check';
import { expect, it } from 'vitest';
import { type Fabric, FabricBuilder, NodeKind } from '../../src/fabric/fabric.js';
import { EqualCostRoutes } from '../../src/routing/equal-cost.js';
import { PathTracer } from '../../src/routing/path.js';
import { broken, engineRun, settingsWith } from '../support/engine-run.js';
import { failuresOf, type LinkChange } from '../support/link-changes.js';
import { buildFabric, fabricRecipe, incastOf, transferRecipe, transfersIn } from '../support/random-fabric.js';
import { seed } from '../support/seed.js';
import { withPool } from '../support/small-buffer.js';
import { fasterAgain } from '../support/faster-again.js';
import { turningBack } from '../support/turning-back.js';

const limits = { ratesBps: [25e9, 100e9], latenciesPs: [500e3, 1e6] };
const transfers = transferRecipe(fc.integer({ min: 1, max: 300_000 }), 8);

/** The same nodes without some links, and what each remaining port was before. */
function without(fabric: Fabric, isUp: Uint8Array): { fabric: Fabric; portBefore: Map<number, number> } {
  const builder = new FabricBuilder(fabric.gpusPerServer);
  for (const kind of fabric.nodeKind) builder.addNode(kind as NodeKind);
  const kept: number[] = [];
  for (let link = 0; link < fabric.linkCount; link++) {
    if (isUp[link] === 0) continue;
    kept.push(link);
    builder.addLink(
      fabric.portNode[fabric.linkPorts[2 * link]!]!,
      fabric.portNode[fabric.linkPorts[2 * link + 1]!]!,
      fabric.linkRateBps[link]!,
      fabric.linkLatencyPs[link]!,
    );
  }
  const built = builder.build();
  const portBefore = new Map<number, number>();
  kept.forEach((link, i) => {
    for (let end = 0; end < 2; end++) portBefore.set(built.linkPorts[2 * i + end]!, fabric.linkPorts[2 * link + end]!);
  });
  return { fabric: built, portBefore };
}

it(`routes around failed links are those of a fabric without them (WEFT_SEED=${seed})`, () => {
  let detours = 0;
  fc.assert(
    fc.property(
      fabricRecipe({ ...limits, mostExtraLinks: 12 }),
      fc.infiniteStream(fc.boolean()),
      fc.nat(65_535),
      (recipe, coins, sourcePort) => {
        const fabric = buildFabric(recipe);
        // three links of four stay up
        const isUp = Uint8Array.from({ length: fabric.linkCount }, () =>
          coins.next().value || coins.next().value ? 1 : 0,
        );
        const reduced = without(fabric, isUp);
        const ours = new PathTracer(new EqualCostRoutes(fabric, 'descending-node-id', { isUp, mostLinks: 254 }), 254);
        const theirs = new PathTracer(new EqualCostRoutes(reduced.fabric, 'descending-node-id'), 254);
        const path = new Int32Array(254);
        for (const source of fabric.hosts) {
          for (const destination of fabric.hosts) {
            if (source === destination) continue;
            const length = ours.trace(source, destination, sourcePort, 100, path);
            const own = Array.from(path.subarray(0, length));
            const other = Array.from(
              path.subarray(0, theirs.trace(source, destination, sourcePort, 100, path)),
              (port) => reduced.portBefore.get(port)!,
            );
            expect(own).toEqual(other);
            if (length > 0 && isUp.includes(0)) detours++;
          }
        }
      },
    ),
    { seed, numRuns: 150 },
  );
  expect(detours).toBeGreaterThan(100);
});

it(`what is repaired arrives in full (WEFT_SEED=${seed})`, () => {
  let lost = 0;
  const changes = fc.array(
    fc.record({
      link: fc.nat(1000),
      at: fc.nat(300),
      long: fc.integer({ min: 1, max: 200 }),
      kind: fc.constantFrom('down', 'rate', 'errorRate'),
    }),
    { maxLength: 6 },
  );
  fc.assert(
    // without cycles of switches: in them PFC may deadlock, by right
    fc.property(
      fabricRecipe({ ...limits, mostExtraLinks: 0, nvswitches: false }),
      transfers,
      changes,
      fc.nat(100),
      (recipe, list, failures, convergenceUs) => {
        const fabric = buildFabric(recipe);
        const work = transfersIn(fabric, list);
        const events = failures.flatMap(({ link, at, long, kind }, i): LinkChange[] => {
          // one failure a link: degradations of a link do not overlap
          const target = link % fabric.linkCount;
          if (failures.findIndex((other) => other.link % fabric.linkCount === target) < i) return [];
          if (kind === 'down')
            return [
              [at * 1e6, target, 'down'],
              [(at + long) * 1e6, target, 'up'],
            ];
          if (kind === 'rate')
            return [
              [at * 1e6, target, 'rate', fabric.linkRateBps[target]! / 4],
              [(at + long) * 1e6, target, 'rate', fabric.linkRateBps[target]!],
            ];
          return [
            [at * 1e6, target, 'errorRate', 0.05],
            [(at + long) * 1e6, target, 'errorRate', 0],
          ];
        });
        const run = engineRun(fabric, work, {
          settings: settingsWith({
            packet: { payload: 2048 },
            queuePair: { retransmissionTimeout: 200e6, retries: 1000 },
            switch: { buffer: 8e6 },
            pfc: { headroomDelays: 6 },
            ecn: { enabled: false },
          }),
          failures: failuresOf(events, convergenceUs * 1e6),
        });
        expect(run.state).toBe('finished');
        expect(broken(run)).toEqual([]);
        lost += run.network.counters.packetsLost;
      },
    ),
    { seed, numRuns: 150 },
  );
  expect(lost).toBeGreaterThan(0);
});

it(`pauses do not outlive their links (WEFT_SEED=${seed})`, () => {
  // small buffers: many ports are paused, or pause, when their links go down, come back or slow down
  const recipes = fabricRecipe({
    ratesBps: [25e9, 100e9],
    latenciesPs: [5000, 500_000],
    mostExtraLinks: 0,
    nvswitches: false,
  });
  const changes = fc.array(
    fc.record({ link: fc.nat(1000), at: fc.nat(100), long: fc.integer({ min: 1, max: 200 }), isDown: fc.boolean() }),
    { minLength: 1, maxLength: 6 },
  );
  let pauses = 0;
  fc.assert(
    fc.property(
      recipes,
      transferRecipe(fc.integer({ min: 1, max: 200_000 }), 20),
      changes,
      fc.nat(100),
      fc.constantFrom(0, 10_000_000),
      (recipe, list, failures, convergenceUs, pauseTime) => {
        const fabric = buildFabric(recipe);
        const work = incastOf(transfersIn(fabric, list), fabric.hosts[0]!, 3);
        const events = failures.flatMap(({ link, at, long, isDown }, i): LinkChange[] => {
          const target = link % fabric.linkCount;
          if (failures.findIndex((other) => other.link % fabric.linkCount === target) < i) return [];
          if (isDown)
            return [
              [at * 1e6, target, 'down'],
              [(at + long) * 1e6, target, 'up'],
            ];
          return [
            [at * 1e6, target, 'rate', fabric.linkRateBps[target]! / 4],
            [(at + long) * 1e6, target, 'rate', fabric.linkRateBps[target]!],
          ];
        });
        const settings = settingsWith({
          packet: { payload: 2048 },
          queuePair: { window: 'unlimited', nackInterval: 20e6, retransmissionTimeout: 200e6, retries: 1000 },
          ecn: { enabled: false },
          pfc: { pauseTime, reserve: 0, thresholdShift: 1 },
        });
        const run = engineRun(fabric, work, {
          settings: withPool(fabric, settings, 10_000),
          failures: failuresOf(events, convergenceUs * 1e6),
        });
        expect(run.state).toBe('finished');
        expect(broken(run)).toEqual([]);
        pauses += run.network.counters.pauseFrames;
      },
    ),
    {
      seed,
      numRuns: 150,
      examples: [
        [turningBack.recipe, turningBack.transfers, turningBack.failures, turningBack.convergenceUs, 0],
        [fasterAgain.recipe, fasterAgain.transfers, fasterAgain.failures, 0, 0],
      ],
    },
  );
  expect(pauses).toBeGreaterThan(500);
});

it(`hop by hop is path by path while nothing changes (WEFT_SEED=${seed})`, () => {
  fc.assert(
    fc.property(fabricRecipe(limits), transfers, (recipe, list) => {
      const fabric = buildFabric(recipe);
      const work = transfersIn(fabric, list);
      const settings = settingsWith({ packet: { payload: 2048 } });
      const fixed = engineRun(fabric, work, { settings });
      const byHop = engineRun(fabric, work, { settings, failures: failuresOf([], 0) });
      expect(byHop.flows).toEqual(fixed.flows);
      expect(byHop.network.counters).toEqual(fixed.network.counters);
    }),
    { seed, numRuns: 60 },
  );
});
