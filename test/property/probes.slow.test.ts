// Probes look and do not touch: on random fabrics a run gives the same flows, hops, counters and verdicts with and
// without them. What they record adds up to what arrives.

import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { mechanisms } from '../../src/backends/packet/mechanisms.js';
import { FabricBuilder, NodeKind } from '../../src/fabric/fabric.js';
import {
  bandwidthTable,
  notificationTable,
  packetLatencyTable,
  portCounterTable,
} from '../../src/records/probe-records.js';
import { packetLossTable } from '../../src/records/loss-records.js';
import { packetFacts } from '../support/engine-records.js';
import { failuresOf, type LinkChange } from '../support/link-changes.js';
import { engineRun, settingsWith, type EngineRun, type SettingChanges, type Transfer } from '../support/engine-run.js';
import { buildFabric, fabricRecipe, transferRecipe, transfersIn } from '../support/random-fabric.js';
import { seed } from '../support/seed.js';
import { tableRows } from '../support/table-rows.js';

const ratesBps = [10e9, 25e9, 100e9, 400e9];
const limits = { ratesBps, latenciesPs: [0, 1, 25_000, 500_000, 1_000_000], errorRates: [0, 0, 0.001] };
const ecnThresholds = [...ratesBps, ...ratesBps.map((rate) => rate * 2)].map((rateBps) => ({
  rateBps,
  minimumBytes: 2000,
  maximumBytes: 12_000,
  probability: 0.5,
}));
const nervous: SettingChanges = {
  packet: { payload: 1000 },
  dcqcn: { increaseInterval: 20_000_000, additiveIncrease: 500e6 },
  queuePair: { nackInterval: 50_000_000, retransmissionTimeout: 100_000_000 },
  ecnThresholds,
};
const sizes = fc.integer({ min: 1, max: 60_000 });
/** the default, and a buffer so small that there are pauses */
const pfc = fc.constantFrom<SettingChanges>(
  {},
  { pfc: { headroom: 'delays', headroomDelays: 2, reserve: 1000, thresholdShift: 2 }, switch: { buffer: 6_000_000 } },
);
/** links that fail for a while: number, when, how long; mostly none */
const outages = fc.oneof(
  fc.constant([]),
  fc.array(fc.tuple(fc.nat(1000), fc.nat(30_000_000), fc.integer({ min: 1, max: 20_000_000 })), { maxLength: 1 }),
);
const algorithm = fc.constantFrom(...Object.keys(mechanisms.congestionControls));

const probes = fc.record({
  queueInterval: fc.constantFrom(0, 10_000, 1_000_000),
  bandwidthInterval: fc.constantFrom(0, 10_000, 777_777),
  rateInterval: fc.constantFrom(0, 50_000, 1_000_000),
  notificationInterval: fc.constantFrom(0, 100_000),
  packetLatency: fc.boolean(),
  pfcEvents: fc.boolean(),
  pauses: fc.boolean(),
  portCounters: fc.boolean(),
  packetLosses: fc.boolean(),
  start: fc.constantFrom(0, 1, 5_000_000),
  end: fc.constantFrom(0, 20_000_000),
});

/** Everything of a run but what the probes wrote. */
function outcome({ state, network, flows, hops, verdicts }: EngineRun): object {
  return { state, nowPs: network.nowPs, counters: network.counters, flows, hops, verdicts };
}

describe('probes', () => {
  it(`never change a run (WEFT_SEED=${seed})`, () => {
    let rows = 0;
    fc.assert(
      fc.property(
        fabricRecipe(limits),
        transferRecipe(sizes, 25),
        probes,
        algorithm,
        pfc,
        outages,
        fc.nat(),
        (recipe, list, settings, control, buffers, broken, runSeed) => {
          const fabric = buildFabric(recipe);
          const transfers = transfersIn(fabric, list);
          const changes: SettingChanges = { ...nervous, ...buffers, congestion: { algorithm: control } };
          const links = broken.flatMap(([link, at, long]): LinkChange[] => [
            [at, link % fabric.linkCount, 'down'],
            [at + long, link % fabric.linkCount, 'up'],
          ]);
          const options = { seed: runSeed, ...(links.length === 0 ? {} : { failures: failuresOf(links, 2_000_000) }) };
          const without = engineRun(fabric, transfers, { ...options, settings: settingsWith(changes) });
          const watched = engineRun(fabric, transfers, {
            ...options,
            settings: settingsWith({ ...changes, probes: settings }),
          });
          expect(outcome(watched)).toEqual(outcome(without));
          for (const table of watched.network.probeSummary()?.tables ?? []) rows += table.rows;
        },
      ),
      { seed, numRuns: 120 },
    );
    expect(rows).toBeGreaterThan(1000);
  });

  it('never keep a blocked run alive, nor move its end', () => {
    const builder = new FabricBuilder();
    builder.addNodes(NodeKind.host, 2);
    // every packet is lost
    builder.addLink(0, 1, 100e9, 500_000, 1);
    const fabric = builder.build();
    const transfers: Transfer[] = [[0, 1, 10_000]];
    const without = engineRun(fabric, transfers, { settings: settingsWith(nervous) });
    const watched = engineRun(fabric, transfers, {
      settings: settingsWith({
        ...nervous,
        probes: {
          queueInterval: 1,
          bandwidthInterval: 10,
          rateInterval: 1,
          notificationInterval: 1,
          packetLatency: true,
          pfcEvents: true,
          pauses: true,
          portCounters: true,
        },
      }),
    });
    expect(without.state).toBe('blocked');
    expect(outcome(watched)).toEqual(outcome(without));
  });

  it(`agree with the run's totals (WEFT_SEED=${seed})`, () => {
    let [drops, marks] = [0, 0];
    fc.assert(
      fc.property(
        fabricRecipe(limits),
        transferRecipe(sizes, 25),
        fc.boolean(),
        algorithm,
        fc.nat(),
        (recipe, list, lossless, control, runSeed) => {
          const fabric = buildFabric(recipe);
          const settings = settingsWith({
            ...nervous,
            congestion: { algorithm: control },
            ...(lossless ? {} : { pfc: { enabled: false, reserve: 0 }, switch: { buffer: 30_000 } }),
            probes: {
              bandwidthInterval: 3_000_000,
              notificationInterval: 5_000_000,
              packetLatency: true,
              portCounters: true,
              packetLosses: true,
            },
          });
          const run = engineRun(fabric, transfersIn(fabric, list), { seed: runSeed, settings });
          const { counters } = run.network;
          const rows = tableRows(run.sink, portCounterTable);
          const sum = (column: string): number => rows.reduce((total, row) => total + row[column]!, 0);
          expect([sum('packetsDropped'), sum('packetsMarked'), sum('pausesSent'), sum('resumesSent')]).toEqual([
            counters.packetsDropped,
            counters.ecnMarks,
            counters.pauseFrames,
            counters.resumeFrames,
          ]);
          expect(run.sink.rowCount(packetLossTable)).toBe(counters.packetsDropped + counters.packetsLost);
          expect(sum('packetsSent')).toBe(counters.packetHops + counters.pauseFrames + counters.resumeFrames);
          expect(tableRows(run.sink, bandwidthTable).reduce((total, row) => total + row['sentBytes']!, 0)).toBe(
            sum('bytesSent'),
          );
          const { latency } = run.network.probeSummary()!;
          expect(latency!.packets).toBe(counters.dataPacketsDelivered);
          const byFlow = tableRows(run.sink, packetLatencyTable);
          expect(byFlow.reduce((total, row) => total + row['packets']!, 0)).toBeLessThanOrEqual(latency!.packets);
          expect(Math.max(0, ...byFlow.map((row) => row['maximumPs']!))).toBeLessThanOrEqual(
            Math.round(latency!.maxNs * 1000),
          );
          const notified = new Map(
            tableRows(run.sink, notificationTable).map((row) => [
              `${row['flowId']!} ${row['sourcePort']!}`,
              row['notifications']!,
            ]),
          );
          // those of packets that came late, when the flow was over, have no row
          expect([...notified.values()].reduce((total, value) => total + value, 0)).toBeLessThanOrEqual(
            counters.notifications,
          );
          drops += counters.packetsDropped;
          marks += counters.ecnMarks;
        },
      ),
      { seed, numRuns: 100 },
    );
    expect([drops > 0, marks > 0]).toEqual([true, true]);
  });

  it(`count every byte once, whatever the interval (WEFT_SEED=${seed})`, () => {
    fc.assert(
      fc.property(
        fabricRecipe({ ...limits, errorRates: [0] }),
        transferRecipe(sizes, 20),
        fc.constantFrom(50_000, 77_777, 1_000_000, 10_000_000_000),
        (recipe, list, bandwidthInterval) => {
          const fabric = buildFabric(recipe);
          const arrived = new Float64Array(fabric.portCount);
          const run = engineRun(fabric, transfersIn(fabric, list), {
            settings: settingsWith({ ...nervous, probes: { bandwidthInterval } }),
            onArrival: (packet, port, network) => {
              arrived[fabric.portPeer[port]!]! += packetFacts(network.parts, packet).wireBytes;
            },
          });
          expect(run.state).toBe('finished');
          expect(run.network.counters.pauseFrames).toBe(0);
          const sent = new Float64Array(fabric.portCount);
          for (const row of tableRows(run.sink, bandwidthTable)) {
            sent[fabric.portOffset[row['node']!]! + row['interface']! - 1]! += row['sentBytes']!;
            expect(row['utilisation']).toBeGreaterThanOrEqual(0);
            expect(row['utilisation']).toBeLessThanOrEqual(1);
          }
          expect(sent).toEqual(arrived);
        },
      ),
      { seed, numRuns: 60 },
    );
  });
});
