// Whole runs with transfers to and from NVSwitches among those between hosts, on random fabrics, judged by the checker
// that shares nothing with the engine; and which transfers are accepted.

import * as fc from 'fast-check';
import { expect, it } from 'vitest';
import { type Fabric, NodeKind } from '../../src/fabric/fabric.js';
import { hostPairs } from '../../src/fabric/host-pairs.js';
import { nvswitchEndProblem } from '../../src/fabric/nvswitch-ends.js';
import { problemsOf } from '../../validation/run-checker.js';
import { broken, engineRun, settingsWith, type Transfer } from '../support/engine-run.js';
import { buildFabric, fabricRecipe, transferRecipe, transfersIn } from '../support/random-fabric.js';
import { linkEnds } from '../support/fabric-links.js';
import { rounds } from '../support/rounds.js';
import { seed } from '../support/seed.js';

const ratesBps = [25e9, 100e9, 400e9];
const sizes = fc.oneof(fc.integer({ min: 1, max: 200 }), fc.integer({ min: 1, max: 100_000 }));

/** The links between hosts and NVSwitches, as [host, NVSwitch]. */
function nvlinks(fabric: Fabric): [number, number][] {
  return linkEnds(fabric)
    .map(([a, b]): [number, number] => (fabric.nodeKind[a] === NodeKind.host ? [a, b] : [b, a]))
    .filter(([, b]) => fabric.nodeKind[b] === NodeKind.nvswitch);
}

it(`transfers up, down and across all finish, and every byte is accounted for (WEFT_SEED=${seed})`, () => {
  const recipes = fabricRecipe({ ratesBps, latenciesPs: [0, 25_000, 500_000], mostSwitches: 3, mostHosts: 8 }).filter(
    ({ nvswitches }) => nvswitches > 0,
  );
  let ends = 0;
  fc.assert(
    fc.property(
      recipes,
      transferRecipe(sizes, 40),
      fc.array(fc.integer({ min: 0, max: 2 }), { minLength: 40, maxLength: 40 }),
      fc.record({
        priority: fc.constantFrom(0, 3, 5),
        window: fc.constantFrom('unlimited' as const, 'max-bdp' as const, 'pair-bdp' as const),
        controlled: fc.boolean(),
        perFlow: fc.constantFrom(1, 3),
      }),
      (recipe, list, kinds, choice) => {
        const fabric = buildFabric(recipe);
        const links = nvlinks(fabric);
        const transfers = transfersIn(fabric, list).map((transfer, i): Transfer => {
          const [host, nvswitch] = links[list[i]![0] % links.length]!;
          const [, , size, start] = transfer;
          return kinds[i] === 0
            ? transfer
            : kinds[i] === 1
              ? [host, nvswitch, size, start ?? 0]
              : [nvswitch, host, size, start ?? 0];
        });
        const settings = settingsWith({
          packet: { payload: 1000 },
          queuePair: { acknowledgementPriority: choice.priority, window: choice.window, perFlow: choice.perFlow },
          ecn: { enabled: false },
        });
        const run = engineRun(fabric, transfers, { settings, controlled: choice.controlled });
        expect(
          problemsOf({ fabric, transfers, settings, flows: run.flows, hops: run.hops, counters: run.network.counters }),
        ).toEqual([]);
        expect([run.state, broken(run), run.flows.length]).toEqual(['finished', [], transfers.length]);
        ends += kinds.slice(0, transfers.length).filter((kind) => kind > 0).length;
      },
    ),
    { seed, numRuns: rounds(100) },
  );
  expect(ends).toBeGreaterThan(rounds(200));
});

it(`an NVSwitch may be an end exactly of transfers along its links (WEFT_SEED=${seed})`, () => {
  fc.assert(
    fc.property(fabricRecipe({ ratesBps, latenciesPs: [0] }), (recipe) => {
      const fabric = buildFabric(recipe);
      const linked = new Set(
        nvlinks(fabric).flatMap(([host, nvswitch]) => [`${host} ${nvswitch}`, `${nvswitch} ${host}`]),
      );
      const connected = hostPairs(fabric);
      const isNvswitch = (node: number): boolean => fabric.nodeKind[node] === NodeKind.nvswitch;
      for (let a = 0; a < fabric.nodeCount; a++) {
        for (let b = 0; b < fabric.nodeCount; b++) {
          if (a === b || fabric.nodeKind[a] === NodeKind.switch || fabric.nodeKind[b] === NodeKind.switch) continue;
          const problem = nvswitchEndProblem(fabric, a, b);
          if (!isNvswitch(a) && !isNvswitch(b)) expect(problem).toBeNull();
          else {
            expect(problem === null, `${a} to ${b}`).toBe(linked.has(`${a} ${b}`));
            expect(isNvswitch(a) !== isNvswitch(b) && connected(a, b)).toBe(linked.has(`${a} ${b}`));
            if (problem !== null) expect(isNvswitch(problem.end === 'source' ? a : b)).toBe(true);
          }
        }
      }
    }),
    { seed, numRuns: rounds(60) },
  );
});
