// Runs on random fabrics whose links lose packets, judged by a checker that shares nothing with the engine: they
// finish, or say what did not.

import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { PacketSettings } from '../../src/backends/packet/settings.js';
import type { Fabric } from '../../src/fabric/fabric.js';
import { problemsOf } from '../../validation/run-checker.js';
import {
  broken,
  engineRun,
  settingsWith,
  type EngineOptions,
  type EngineRun,
  type SettingChanges,
  type Transfer,
} from '../support/engine-run.js';
import { buildFabric, fabricRecipe, transferRecipe, transfersIn } from '../support/random-fabric.js';
import { seed } from '../support/seed.js';

const ratesBps = [10e9, 25e9, 40e9, 100e9, 200e9, 400e9, 73e9];
const latenciesPs = [0, 1, 25_000, 500_000, 500_000, 1_000_000, 7_654_321];
const sizes = fc.oneof(
  fc.integer({ min: 1, max: 100 }),
  fc.integer({ min: 1, max: 200_000 }),
  fc.integer({ min: 1, max: 30 }).map((packets) => packets * 1000),
);

/** Marks early on links of every rate, so that rates are cut all the time. */
const lowThresholds = [...ratesBps, ...ratesBps.map((rate) => rate * 2)].map((rateBps) => ({
  rateBps,
  minimumBytes: 2000,
  maximumBytes: 12_000,
  probability: 0.5,
}));
const nervous: SettingChanges = {
  packet: { payload: 1000 },
  dcqcn: { increaseInterval: 20_000_000, additiveIncrease: 500e6, hyperIncrease: 2e9 },
  ecnThresholds: lowThresholds,
};

/** Runs, applies the checker, and gives the run back. */
function checkedRun(
  fabric: Fabric,
  transfers: readonly Transfer[],
  settings: PacketSettings,
  options: EngineOptions = {},
): EngineRun {
  const run = engineRun(fabric, transfers, { ...options, settings });
  expect(
    problemsOf({ fabric, transfers, settings, flows: run.flows, hops: run.hops, counters: run.network.counters }),
  ).toEqual([]);
  return run;
}

describe('runs on random fabrics', () => {
  it(`lose packets and either finish or say so (WEFT_SEED=${seed})`, () => {
    const recipes = fabricRecipe({ ratesBps, latenciesPs, errorRates: [0, 0.001, 0.02, 0.3] });
    let lost = 0;
    let unfinished = 0;
    fc.assert(
      fc.property(recipes, transferRecipe(sizes, 20), fc.nat(), (recipe, list, runSeed) => {
        const fabric = buildFabric(recipe);
        const transfers = transfersIn(fabric, list);
        const run = checkedRun(fabric, transfers, settingsWith(nervous), { seed: runSeed });
        const { counters } = run.network;
        lost += counters.packetsLost;
        const all = run.flows.length === transfers.length;
        if (!all) unfinished++;
        // there is no retransmission timeout: what is not finished is reported, and nothing else is wrong
        expect(run.state).toBe(all ? 'finished' : 'blocked');
        expect(broken(run)).toEqual(
          all ? [] : [expect.stringContaining(`all flows finished: ${run.flows.length} of ${transfers.length}`)],
        );
        if (!all) expect(counters.packetsLost).toBeGreaterThan(0);
        const { payloadBytesDelivered } = counters;
        expect(payloadBytesDelivered).toBeLessThanOrEqual(transfers.reduce((sum, [, , size]) => sum + size, 0));
        expect(payloadBytesDelivered).toBeGreaterThanOrEqual(
          run.flows.reduce((sum, { sizeBytes }) => sum + sizeBytes, 0),
        );
      }),
      { seed, numRuns: 120 },
    );
    expect(lost).toBeGreaterThan(10);
    expect(unfinished).toBeGreaterThan(0);
  });
});
