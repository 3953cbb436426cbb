// Hosts with several LIDs, on whatever hangs together: with the same work more LIDs never carry more than fewer do, nor
// than OpenSM's ftree where it runs; tables have lanes, and each LID has ways of its own. WEFT_DRAWS=500 draws more.

import { existsSync, readFileSync } from 'node:fs';
import { gunzipSync } from 'node:zlib';
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { computeRoutes, type ComputedRoutes, type RouteRequest } from '../../src/app/routes/compute-routes.js';
import { repairRoutes } from '../../src/app/routes/repair-routes.js';
import { InputError } from '../../src/base/diagnostics.js';
import { RandomStream } from '../../src/base/random.js';
import { FabricBuilder, NodeKind } from '../../src/fabric/fabric.js';
import { generatedIdentity } from '../../src/fabric/identity.js';
import { writeIbnetdiscover } from '../../src/formats/ibnetdiscover-writer.js';
import { brokenNet } from '../support/broken-net.js';
import { patientHost } from '../support/patient-host.js';
import { randomTree, treeShape } from '../support/random-tree.js';
import { seed } from '../support/seed.js';

const draws = Number(process.env['WEFT_DRAWS'] ?? 15);

const host = patientHost();

/** Routes for LMC 0 to 3, each with what has to hold of it. */
async function byLmc(request: Omit<RouteRequest, 'algorithm'>): Promise<ComputedRoutes[]> {
  const made: ComputedRoutes[] = [];
  for (const lmc of [0, 1, 2, 3]) {
    const own = await computeRoutes({ mostWork: 3e6, ...request, algorithm: 'weft', lmc }, host);
    expect({
      lmc,
      failed: own.verdicts.filter(({ ok }) => !ok),
      sets: own.made.tables.length,
      valid: own.evaluation!.validity.valid,
      cycle: own.deadlock.cycle,
      isAboveBound: own.evaluation!.maxLoad >= own.evaluation!.lowerBound * (1 - 1e-6),
    }).toEqual({ lmc, failed: [], sets: 1 << lmc, valid: true, cycle: null, isAboveBound: true });
    const before = made.at(-1);
    if (before !== undefined)
      expect({ lmc, load: own.evaluation!.maxLoad }).toEqual({
        lmc,
        load: Math.min(own.evaluation!.maxLoad, before.evaluation!.maxLoad * (1 + 1e-6)),
      });
    made.push(own);
  }
  return made;
}

const loadsOf = (made: readonly ComputedRoutes[]): number[] =>
  made.map(({ evaluation }) => Number(evaluation!.maxLoad.toFixed(9)));

const codeOf = (error: unknown): string => (error instanceof InputError ? error.diagnostics[0]!.code : String(error));

describe('known by hand', () => {
  it('one cable of DDR among 48 of EDR: flows of 24 are 7 to a cable, parts of 12 are 13, of 6 26, of 3 52', async () => {
    const lines = treeWithSlowCable();
    const made = await byLmc({ fabric: { text: lines, name: 'edr.net' }, traffic: 'all-to-all' });
    // 1,728 leave a leaf over 11 cables of EDR and one of DDR, a fifth of them: at least 154.84 each
    expect(loadsOf(made)).toEqual([168, 156, 156, 156]);
    expect(made.every(({ evaluation }) => evaluation!.provenOptimal)).toBe(true);
    expect(made[3]!.lids!.differentWays).toBeGreaterThan(4);
  });

  it('a ring of four: what one host sends to the one across is halved by a way on each side', async () => {
    const ring = { family: 'torus', parameters: { width: 4, height: 1, hostsPerSwitch: 1 } };
    const made = await byLmc({ fabric: ring, traffic: { csv: 'source,destination,weight\n0,2,8\n' } });
    expect(made.map(({ evaluation }) => evaluation!.phases[0]!.loads.netMaxLoad)).toEqual([8, 4, 4, 4]);
    expect(made.map(({ evaluation }) => evaluation!.phases[0]!.bounds.staticNet)).toEqual([8, 4, 4, 4]);
  });

  it('a torus of 4 x 4: 32 on each of 64 links, whatever the LIDs', async () => {
    const torus = { family: 'torus', parameters: { width: 4, height: 4, hostsPerSwitch: 2 } };
    const made = await byLmc({ fabric: torus, traffic: 'all-to-all' });
    expect(loadsOf(made)).toEqual([32, 32, 32, 32]);
    expect(made[3]!.lids!.differentWays).toBeGreaterThan(1.5);
  });

  it('one LID is sent to: as with one alone, and the others are led as well', async () => {
    const torus = { family: 'torus', parameters: { width: 4, height: 4, hostsPerSwitch: 1 } };
    const request = { fabric: torus, traffic: 'all-to-all', algorithm: 'weft', mostWork: 3e6 } as const;
    const one = await computeRoutes(request, host);
    const two = await computeRoutes({ ...request, lmc: 1, lidOffset: 1 }, host);
    expect(two.evaluation!.maxLoad).toBe(one.evaluation!.maxLoad);
    expect(two.deadlock.cycle).toBeNull();
    expect(two.lids!.differentWays).toBeGreaterThan(1);
  });
});

/** 4 leaves of 24 hosts, 2 spines, 6 cables each, one of which fell back to DDR, as ibnetdiscover prints it. */
function treeWithSlowCable(): string {
  const builder = new FabricBuilder();
  builder.addNodes(NodeKind.host, 96);
  const leaf = builder.addNodes(NodeKind.switch, 4);
  const spine = builder.addNodes(NodeKind.switch, 2);
  for (let host = 0; host < 96; host++) builder.addLink(host, leaf + Math.floor(host / 24), 100e9, 0);
  for (let cable = 0; cable < 48; cable++)
    builder.addLink(leaf + Math.floor(cable / 12), spine + (cable % 2), cable === 0 ? 20e9 : 100e9, 0);
  const fabric = builder.build();
  const level = Int8Array.from({ length: fabric.nodeCount }, (_, node) => (node < leaf ? -1 : node < spine ? 0 : 1));
  return writeIbnetdiscover({ fabric, identity: generatedIdentity(fabric, level)! });
}

const trials = new URL('../../../shared/reference/trials-2/', import.meta.url);
const folder =
  process.env['WEFT_REFERENCE'] === undefined ? trials : new URL(`file://${process.env['WEFT_REFERENCE']}/trials-2/`);

describe.skipIf(!existsSync(folder))('captures of clusters', () => {
  it.each(['edr-one-ddr.net.gz', 'broken-same-names.net.gz'])('%s', async (file) => {
    const text = gunzipSync(readFileSync(new URL(file, folder))).toString();
    await byLmc({ fabric: { text, name: file }, traffic: 'all-to-all' });
  });
});

it(`${draws} random trees (WEFT_SEED=${seed})`, async () => {
  const seen = { compared: 0, apart: 0, noTrees: 0, lanes: 0, less: 0, ftree: 0, worst: 1 };
  for (const shape of fc.sample(treeShape, { seed, numRuns: draws })) {
    const random = new RandomStream(shape.draw, 'several LIDs');
    const text = brokenNet(writeIbnetdiscover(randomTree(shape, 0)), random);
    const request: Omit<RouteRequest, 'algorithm'> = {
      fabric: { text, name: 'broken' },
      traffic: random.nextBelow(2) === 0 ? 'all-to-all' : 'random-permutation',
      seed: shape.draw % 1000,
    };
    let made: ComputedRoutes[];
    try {
      made = await byLmc(request);
    } catch (error) {
      if (!(error instanceof InputError)) throw error;
      // what falls apart is refused by every command
      expect({ shape, code: codeOf(error) }).toEqual({ shape, code: 'unconnected' });
      seen.apart++;
      continue;
    }
    const loads = loadsOf(made);
    const ftree = await computeRoutes({ ...request, algorithm: 'ftree', lmc: 0 }, host).catch(() => null);
    if (ftree?.evaluation?.validity.valid === true) {
      seen.ftree++;
      expect(loads[0]).toBeLessThanOrEqual(ftree.evaluation.maxLoad * (1 + 1e-6));
    }
    const repaired = await repairRoutes({ ...request, lmc: 2, current: made[2]!.made.tables }, host);
    expect(repaired.evaluation!.maxLoad).toBeLessThanOrEqual(made[2]!.evaluation!.maxLoad * (1 + 1e-6));
    seen.compared++;
    seen.noTrees += made[0]!.source.noTree === null ? 0 : 1;
    seen.lanes += made[2]!.deadlock.lanes > 1 ? 1 : 0;
    seen.less += loads[3]! < loads[0]! * (1 - 1e-6) ? 1 : 0;
    seen.worst = Math.max(seen.worst, ...made.map(({ evaluation }) => evaluation!.maxLoad / evaluation!.lowerBound));
  }
  expect(seen.compared).toBeGreaterThan(draws / 3);
  // what a draw is for does happen
  if (draws >= 100) {
    expect(seen.noTrees).toBeGreaterThan(draws / 20);
    expect(seen.less).toBeGreaterThan(draws / 20);
  }
  console.log(seen);
});
