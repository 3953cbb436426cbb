// Lossless means lossless: headroom by cable holds everything that can arrive until a pause does, on cables of any
// length, in buffers that have hardly anything else, with any threshold, response time and packet sizes.

import * as fc from 'fast-check';
import { expect, it } from 'vitest';
import type { Fabric } from '../../src/fabric/fabric.js';
import { broken, engineRun, settingsWith } from '../support/engine-run.js';
import { buildFabric, fabricRecipe, incastOf, transferRecipe, transfersIn } from '../support/random-fabric.js';
import { seed } from '../support/seed.js';
import { withPool } from '../support/small-buffer.js';

/**
 * A pause that is just repeated in time on the slowest link: twice a packet and two frames, and a quantum for the
 * rounding.
 */
function leastPauseTimePs(fabric: Fabric, payload: number): number {
  const { packet } = settingsWith();
  return Math.ceil(
    (2 * (payload + packet.header + 2 * packet.pauseFrame) * 8e12 + 512e12) / Math.min(...fabric.linkRateBps),
  );
}

it(`drops nothing with headroom by cable (WEFT_SEED=${seed})`, () => {
  // trees: no cycles, so no deadlock
  const recipes = fabricRecipe({
    ratesBps: [10e9, 25e9, 100e9, 400e9],
    latenciesPs: [0, 5000, 100_000, 1_500_000],
    mostExtraLinks: 0,
    nvswitches: false,
  });
  const sizes = fc.oneof(fc.integer({ min: 1, max: 100 }), fc.integer({ min: 1, max: 150_000 }));
  const choices = fc.record({
    payload: fc.constantFrom(256, 1000, 4096, 9000),
    acknowledgementPriority: fc.constantFrom(0, 3, 5),
    threshold: fc.constantFrom('dynamic' as const, 'static' as const),
    thresholdShift: fc.nat(4),
    staticThreshold: fc.integer({ min: 1, max: 40_000 }),
    responseTime: fc.constantFrom(0, 0, 614_400, 2_000_000),
    reserve: fc.constantFrom(0, 1500, 4096),
    resumeOffset: fc.constantFrom(0, 3072),
    isTimed: fc.boolean(),
    latency: fc.constantFrom(0, 0, 400_000, 1_500_000),
    poolBytes: fc.oneof(fc.integer({ min: 1, max: 2000 }), fc.integer({ min: 1, max: 100_000 })),
  });
  let pauses = 0;
  let refreshes = 0;
  fc.assert(
    fc.property(
      recipes,
      transferRecipe(sizes, 30),
      fc.nat(),
      choices,
      (recipe, list, sink, { payload, acknowledgementPriority, poolBytes, isTimed, latency, ...pfc }) => {
        const fabric = buildFabric(recipe);
        // most go to one host, so that queues build up, and some come from it, so that pause frames wait behind their
        // data
        const receiver = fabric.hosts[sink % fabric.hosts.length]!;
        const transfers = incastOf(transfersIn(fabric, list), receiver, 3);
        const settings = settingsWith({
          packet: { payload },
          queuePair: { window: 'unlimited', acknowledgementPriority },
          ecn: { enabled: false },
          switch: { latency },
          pfc: { ...pfc, headroom: 'cable', pauseTime: isTimed ? leastPauseTimePs(fabric, payload) : 0 },
        });
        const run = engineRun(fabric, transfers, { settings: withPool(fabric, settings, poolBytes) });
        expect(broken(run)).toEqual([]);
        expect([run.state, run.network.counters.packetsDropped, run.network.counters.pausesExpired]).toEqual([
          'finished',
          0,
          0,
        ]);
        pauses += run.network.counters.pauseFrames;
        refreshes += run.network.counters.pauseRefreshes;
      },
    ),
    { seed, numRuns: 150 },
  );
  expect(pauses).toBeGreaterThan(1000);
  expect(refreshes).toBeGreaterThan(100);
});
