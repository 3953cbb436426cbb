// Runs on random fabrics whose links lose packets, judged by a checker that shares nothing with the engine: they
// finish, or say what did not.

import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { broken, settingsWith } from '../support/engine-run.js';
import { buildFabric, fabricRecipe, transferRecipe, transfersIn } from '../support/random-fabric.js';
import { seed } from '../support/seed.js';
import { ratesBps, latenciesPs, sizes, nervous, checkedRun } from '../support/nervous-network.js';

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
