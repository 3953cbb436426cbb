// Flows over several queue pairs on random fabrics: every record and self-check stays right.

import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { problemsOf } from '../../validation/run-checker.js';
import { broken, engineRun, settingsWith } from '../support/engine-run.js';
import { buildFabric, fabricRecipe, transferRecipe, transfersIn } from '../support/random-fabric.js';
import { seed } from '../support/seed.js';

describe('a flow over several queue pairs', () => {
  it(`keeps every record and every self-check right on random fabrics (WEFT_SEED=${seed})`, () => {
    const ratesBps = [10e9, 25e9, 100e9, 400e9];
    const recipes = fabricRecipe({ ratesBps, latenciesPs: [0, 1, 500_000, 3_333_333] });
    const sizes = fc.oneof(fc.integer({ min: 1, max: 3000 }), fc.integer({ min: 1, max: 300_000 }));
    const thresholds = [...ratesBps, ...ratesBps.map((rate) => rate * 2)].map((rateBps) => ({
      rateBps,
      minimumBytes: 2000,
      maximumBytes: 12_000,
      probability: 0.5,
    }));
    let split64 = 0;
    fc.assert(
      fc.property(
        recipes,
        transferRecipe(sizes, 15),
        fc.constantFrom(2, 3, 8, 64),
        fc.boolean(),
        (recipe, list, perFlow, controlled) => {
          const fabric = buildFabric(recipe);
          const transfers = transfersIn(fabric, list);
          const settings = settingsWith({
            packet: { payload: 1000 },
            queuePair: { perFlow },
            ecnThresholds: thresholds,
          });
          const run = engineRun(fabric, transfers, { settings, controlled });
          expect(
            problemsOf({
              fabric,
              transfers,
              settings,
              flows: run.flows,
              hops: run.hops,
              counters: run.network.counters,
            }),
          ).toEqual([]);
          expect(broken(run)).toEqual([]);
          expect([run.state, run.flows.length, run.executor.started, run.executor.finishedCount]).toEqual([
            'finished',
            transfers.length,
            transfers.length,
            transfers.length,
          ]);
          if (perFlow === 64) split64++;
        },
      ),
      { seed, numRuns: 60 },
    );
    expect(split64).toBeGreaterThan(5);
  });
});
