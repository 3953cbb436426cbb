// The pauses that wait for each other are a forest that follows the links, on random fabrics.

import * as fc from 'fast-check';
import { expect, it } from 'vitest';
import { PauseColumn, pauseTable } from '../../src/records/probe-records.js';
import { engineRun, settingsWith, type EngineRun, type Transfer } from '../support/engine-run.js';
import { buildFabric, fabricRecipe, incastOf, transferRecipe, transfersIn } from '../support/random-fabric.js';
import { seed } from '../support/seed.js';
import { withPool } from '../support/small-buffer.js';

type PauseRow = Record<keyof typeof PauseColumn, number>;

function pauseRows({ sink }: EngineRun): PauseRow[] {
  const names = Object.keys(PauseColumn) as (keyof typeof PauseColumn)[];
  const columns = names.map((name) => sink.column(pauseTable, PauseColumn[name]));
  return Array.from(
    columns[0]!,
    (_, row) => Object.fromEntries(names.map((name, c) => [name, columns[c]![row]!])) as PauseRow,
  );
}

it(`is a forest that follows the links, on any fabric (WEFT_SEED=${seed})`, () => {
  const recipes = fabricRecipe({
    ratesBps: [10e9, 25e9, 100e9],
    latenciesPs: [5000, 500_000],
    errorRates: [0, 0, 0.01],
    nvswitches: false,
  });
  const choices = fc.record({
    pauseTime: fc.constantFrom(0, 10_000_000),
    reserve: fc.constantFrom(0, 2000),
    thresholdShift: fc.nat(2),
  });
  let deepest = 0;
  let children = 0;
  fc.assert(
    fc.property(
      recipes,
      transferRecipe(fc.integer({ min: 1, max: 100_000 }), 30),
      fc.nat(),
      choices,
      (recipe, list, runSeed, pfc) => {
        const fabric = buildFabric(recipe);
        const transfers: Transfer[] = incastOf(transfersIn(fabric, list), fabric.hosts[0]!, 4);
        const settings = settingsWith({
          packet: { payload: 1000 },
          queuePair: { window: 'unlimited', nackInterval: 20_000_000 },
          ecn: { enabled: false },
          pfc,
          probes: { pauses: true },
        });
        const run = engineRun(fabric, transfers, {
          settings: withPool(fabric, settings, 5000),
          seed: runSeed,
          mostEvents: 200_000,
        });
        const rows = pauseRows(run);
        expect(rows).toHaveLength(run.network.counters.pauseFrames);
        expect(rows.filter(({ end }) => end >= 0)).toHaveLength(run.network.counters.resumeFrames);
        const open = new Map<string, number>();
        for (const row of rows) {
          const pausedPort = fabric.portOffset[row.pausedNode]! + row.pausedInterface - 1;
          expect(fabric.portPeer[pausedPort]).toBe(fabric.portOffset[row.node]! + row.interface - 1);
          // one pause at a time of each port and priority
          const source = `${row.node}:${row.interface}:${row.priority}`;
          expect(row.begin).toBeGreaterThanOrEqual(open.get(source) ?? 0);
          open.set(source, row.end < 0 ? Infinity : row.end);
          deepest = Math.max(deepest, row.depth);
          if (row.parent < 0) {
            expect([row.root, row.depth]).toEqual([row.pause, 1]);
            continue;
          }
          children++;
          const parent = rows[row.parent]!;
          expect([row.root, row.depth, row.priority]).toEqual([parent.root, parent.depth + 1, parent.priority]);
          // the parent paused the very output port that is the cause, and its frame has come by then: the cable and the
          // frame at least
          expect([parent.pausedNode, parent.pausedInterface]).toEqual([row.node, row.causeInterface]);
          const link = fabric.portLink[fabric.portOffset[row.node]! + row.causeInterface - 1]!;
          expect(row.begin - parent.begin).toBeGreaterThanOrEqual(
            (64 * 8e12) / fabric.linkRateBps[link]! + fabric.linkLatencyPs[link]! + settings.pfc.responseTime,
          );
          // and it has not been resumed, as far as the port could know: its resume waited for a packet and a frame at
          // most, or was lost
          const knownPs =
            parent.end +
            ((1062 + 20 + 3 * 84) * 8e12) / fabric.linkRateBps[link]! +
            fabric.linkLatencyPs[link]! +
            settings.pfc.responseTime +
            2 * pfc.pauseTime;
          if (parent.end >= 0) expect(row.begin).toBeLessThanOrEqual(knownPs);
        }
      },
    ),
    { seed, numRuns: 150 },
  );
  expect(children).toBeGreaterThan(40);
  expect(deepest).toBeGreaterThan(1);
});
