// Repair on what operators have: trees with parallel cables, cables of several rates, cables that are gone, and hosts
// that were moved onto a spine. Repaired tables lead everywhere, have lanes, are told by their checks, and carry at most
// 1.1 times what computing anew from the tables in use comes to. WEFT_DRAWS=500 draws more.

import * as fc from 'fast-check';
import { expect, it } from 'vitest';
import { computeRoutes, type RouteRequest } from '../../src/app/routes/compute-routes.js';
import { repairRoutes } from '../../src/app/routes/repair-routes.js';
import { InputError } from '../../src/base/diagnostics.js';
import { RandomStream } from '../../src/base/random.js';
import { writeIbnetdiscover } from '../../src/formats/ibnetdiscover-writer.js';
import { lftTexts } from '../../src/formats/opensm-lfts-writer.js';
import { brokenNet } from '../support/broken-net.js';
import { patientHost } from '../support/patient-host.js';
import { randomTree, treeShape } from '../support/random-tree.js';
import { seed } from '../support/seed.js';

const draws = Number(process.env['WEFT_DRAWS'] ?? 30);

const codeOf = (error: unknown): string => (error instanceof InputError ? error.diagnostics[0]!.code : String(error));

it(`${draws} random trees (WEFT_SEED=${seed})`, async () => {
  const seen = { compared: 0, apart: 0, noTrees: 0, lanes: 0, kept: 0, mostRatio: 0 };
  for (const shape of fc.sample(treeShape, { seed, numRuns: draws })) {
    const random = new RandomStream(shape.draw, 'repair');
    const whole = writeIbnetdiscover(randomTree(shape, 0));
    const lmc = new RandomStream(shape.draw, 'LMC').nextBelow(8) === 0 ? 1 : 0;
    const before = {
      fabric: { text: whole, name: 'whole' },
      lmc,
      algorithm: random.nextBelow(2) === 0 ? 'minhop' : 'updn',
    } as const;
    const old = await computeRoutes(before);
    const request: Omit<RouteRequest, 'algorithm'> = {
      fabric: { text: brokenNet(whole, random), name: 'broken' },
      lmc,
      traffic: 'all-to-all',
      current: { text: [...lftTexts(old.source, old.made.tables)].join(''), name: 'now' },
    };
    let repaired: Awaited<ReturnType<typeof repairRoutes>>;
    try {
      repaired = await repairRoutes({ ...request, current: request.current! }, patientHost());
    } catch (error) {
      // what falls apart is refused by every command
      expect({ shape, code: codeOf(error) }).toEqual({ shape, code: 'unconnected' });
      seen.apart++;
      continue;
    }
    const anew = await computeRoutes({ ...request, algorithm: 'weft', mostWork: 20_000_000 }, patientHost());
    const [own, other] = [repaired.evaluation!, anew.evaluation!];
    const ratio = own.maxLoad / other.maxLoad;
    expect({
      shape,
      lmc,
      failed: repaired.verdicts.filter(({ ok }) => !ok),
      omitted: [repaired.omitted.count, anew.omitted.count],
      valid: own.validity.valid,
      cycle: repaired.deadlock.cycle,
      isClose: ratio <= 1.1,
    }).toEqual({ shape, lmc, failed: [], omitted: [0, 0], valid: true, cycle: null, isClose: true });
    seen.compared++;
    seen.noTrees += repaired.source.noTree === null ? 0 : 1;
    seen.lanes += repaired.deadlock.lanes > 1 ? 1 : 0;
    seen.kept += repaired.changedEntries! < anew.changedEntries! ? 1 : 0;
    seen.mostRatio = Math.max(seen.mostRatio, ratio);
  }
  // what a draw is for does happen
  expect(seen.compared).toBeGreaterThan(draws / 3);
  // a fifth of the draws is no tree, one in thirty needs lanes: few draws may have neither
  if (draws >= 300) expect([seen.noTrees > draws / 20, seen.lanes > 0]).toEqual([true, true]);
  console.log(seen);
});
