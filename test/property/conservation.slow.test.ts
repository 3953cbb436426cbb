// Properties of whole runs on random fabrics and traces, judged by a checker that shares nothing with the engine: bytes
// are conserved, nothing is faster than its links, every flow ends or is reported unfinished, and the run's own
// verdicts hold.

import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Fabric } from '../../src/fabric/fabric.js';
import { generateFabric } from '../../src/fabric/generators/catalogue.js';
import { broken, settingsWith, type EngineRun, type Transfer } from '../support/engine-run.js';
import { rounds } from '../support/rounds.js';
import { buildFabric, fabricRecipe, transferRecipe, transfersIn } from '../support/random-fabric.js';
import { seed } from '../support/seed.js';
import { ratesBps, latenciesPs, sizes, nervous, checkedRun } from '../support/nervous-network.js';

/** What else queue pairs and receivers may be told. */
const receiverOptions = {
  perFlow: fc.constantFrom(1, 1, 2, 5, 64),
  acknowledgementInterval: fc.constantFrom(1, 1, 2, 3, 16, 1000),
  acknowledgementDelay: fc.constantFrom(1, 1_000_000, 10_000_000),
  notificationInterval: fc.constantFrom(0, 0, 5_000_000),
  notificationDelay: fc.constantFrom(0, 0, 1, 3_000_000),
  goBackTo: fc.constantFrom('missing-packet', 'chunk-start', 'message-start'),
  chunk: fc.integer({ min: 1, max: 20_000 }),
};

function expectComplete(run: EngineRun, transfers: readonly Transfer[]): void {
  expect(broken(run)).toEqual([]);
  expect([run.state, run.flows.length]).toEqual(['finished', transfers.length]);
  const { pauseFrames, resumeFrames, packetsDropped } = run.network.counters;
  expect([pauseFrames, packetsDropped]).toEqual([resumeFrames, 0]);
}

describe('runs on random fabrics', () => {
  it(`finish every flow with DCQCN hard at work (WEFT_SEED=${seed})`, () => {
    let marks = 0;
    fc.assert(
      fc.property(
        fabricRecipe({ ratesBps, latenciesPs }),
        transferRecipe(sizes, 30),
        fc.nat(),
        fc.boolean(),
        (recipe, list, runSeed, controlled) => {
          const fabric = buildFabric(recipe);
          const transfers = transfersIn(fabric, list);
          const run = checkedRun(fabric, transfers, settingsWith(nervous), { seed: runSeed, controlled });
          expectComplete(run, transfers);
          marks += run.network.counters.ecnMarks;
        },
      ),
      { seed, numRuns: rounds(150) },
    );
    expect(marks).toBeGreaterThan(100);
  });

  it(`finish whatever the queue pairs are told (WEFT_SEED=${seed})`, () => {
    const queuePair = fc.record({
      priority: fc.integer({ min: 1, max: 7 }),
      acknowledgementPriority: fc.integer({ min: 0, max: 7 }),
      window: fc.constantFrom('max-bdp', 'pair-bdp', 'unlimited'),
      variableWindow: fc.boolean(),
      rateBound: fc.boolean(),
      ...receiverOptions,
    });
    const packet = fc.record({
      payload: fc.integer({ min: 200, max: 9000 }),
      header: fc.nat(100),
      acknowledgement: fc.integer({ min: 1, max: 100 }),
      gap: fc.nat(40),
    });
    fc.assert(
      fc.property(
        fabricRecipe({ ratesBps, latenciesPs }),
        transferRecipe(sizes, 15),
        queuePair,
        packet,
        fc.nat(4),
        (recipe, list, pair, packets, thresholdShift) => {
          const fabric = buildFabric(recipe);
          const transfers = transfersIn(fabric, list);
          expectComplete(
            checkedRun(
              fabric,
              transfers,
              settingsWith({ ...nervous, queuePair: pair, packet: packets, pfc: { thresholdShift } }),
            ),
            transfers,
          );
        },
      ),
      { seed, numRuns: rounds(100) },
    );
  });

  it(`pause and never drop with small buffers, where no cycle can deadlock (WEFT_SEED=${seed})`, () => {
    // Trees have no cycles. Headroom for a round trip, three packets on the wire and what waits before the pause goes
    // out: at least 8 latencies of at least 500 ns at 10 Gb/s and more are 5 kB; 40 of them hold many 1 kB packets at
    // every rate.
    const recipes = fabricRecipe({
      ratesBps: [10e9, 25e9, 40e9, 100e9],
      latenciesPs: [500_000, 1_000_000, 2_000_000],
      mostExtraLinks: 0,
      nvswitches: false,
    });
    let pauses = 0;
    fc.assert(
      fc.property(
        recipes,
        transferRecipe(sizes, 30),
        fc.integer({ min: 1, max: 40 }),
        fc.constantFrom(0, 1500, 4096),
        (recipe, list, poolPackets, reserve) => {
          const fabric = buildFabric(recipe);
          const transfers = transfersIn(fabric, list);
          const base = {
            packet: { payload: 1000 },
            queuePair: { window: 'unlimited' as const },
            ecn: { enabled: false },
            pfc: { headroom: 'delays' as const, headroomDelays: 40, reserve, thresholdShift: 1, resumeOffset: 1062 },
          };
          // what the largest switch sets apart, and some packets on top
          const apart = Math.max(
            ...Array.from({ length: fabric.nodeCount }, (_, node) => setApartBytes(fabric, node, 40, reserve)),
          );
          const settings = settingsWith({ ...base, switch: { buffer: apart + poolPackets * 1062 } });
          const run = checkedRun(fabric, transfers, settings);
          expectComplete(run, transfers);
          pauses += run.network.counters.pauseFrames;
        },
      ),
      { seed, numRuns: rounds(120) },
    );
    expect(pauses).toBeGreaterThan(10);
  });

  it(`lose packets and add up, whatever receivers are told (WEFT_SEED=${seed})`, () => {
    // slow links: what goes in circles is ended after 100 ms of them
    const recipes = fabricRecipe({
      ratesBps: [1e9, 4e9, 10e9],
      latenciesPs: [0, 500_000, 7_654_321],
      errorRates: [0, 0.001, 0.02, 0.1],
      mostSwitches: 3,
    });
    let lost = 0;
    let finished = 0;
    fc.assert(
      fc.property(
        recipes,
        transferRecipe(fc.integer({ min: 1, max: 60_000 }), 8),
        fc.record(receiverOptions),
        fc.nat(),
        (recipe, list, options, runSeed) => {
          const fabric = buildFabric(recipe);
          const transfers = transfersIn(fabric, list);
          const settings = settingsWith({
            packet: { payload: 1000 },
            queuePair: { ...options, nackInterval: 20_000_000, retransmissionTimeout: 500_000_000 },
            ecnThresholds: [1e9, 2e9, 4e9, 8e9, 10e9, 20e9].map((rateBps) => ({
              rateBps,
              minimumBytes: 2000,
              maximumBytes: 12_000,
              probability: 0.5,
            })),
          });
          const run = checkedRun(fabric, transfers, settings, { seed: runSeed });
          expect(broken(run).filter((text) => !text.startsWith('all flows finished'))).toEqual([]);
          expect(run.state).toBe(run.flows.length === transfers.length ? 'finished' : 'blocked');
          lost += run.network.counters.packetsLost;
          finished += run.flows.length;
          const { payloadBytesDelivered } = run.network.counters;
          expect(payloadBytesDelivered).toBeLessThanOrEqual(transfers.reduce((sum, [, , size]) => sum + size, 0));
          expect(payloadBytesDelivered).toBeGreaterThanOrEqual(
            run.flows.reduce((sum, { sizeBytes }) => sum + sizeBytes, 0),
          );
        },
      ),
      { seed, numRuns: rounds(100) },
    );
    expect(lost).toBeGreaterThan(10);
    expect(finished).toBeGreaterThan(10);
  });

  it(`drop without PFC, repair, and account for every packet (WEFT_SEED=${seed})`, () => {
    let drops = 0;
    fc.assert(
      fc.property(
        fabricRecipe({ ratesBps, latenciesPs }),
        transferRecipe(sizes, 25),
        fc.integer({ min: 2, max: 30 }),
        (recipe, list, packets) => {
          const fabric = buildFabric(recipe);
          const transfers = transfersIn(fabric, list);
          const settings = settingsWith({
            ...nervous,
            pfc: { enabled: false, reserve: 0, thresholdShift: 0 },
            switch: { buffer: packets * 1062 },
            queuePair: { window: 'unlimited', nackInterval: 100_000_000 },
          });
          // going back in step with a slower link can repeat for ever: what is stopped must add up as well
          const run = checkedRun(fabric, transfers, settings, { mostEvents: 60_000 });
          drops += run.network.counters.packetsDropped;
          expect(broken(run).filter((text) => !text.startsWith('all flows finished'))).toEqual([]);
          expect(run.network.counters.pauseFrames).toBe(0);
        },
      ),
      { seed, numRuns: rounds(100) },
    );
    expect(drops).toBeGreaterThan(10);
  });

  it(`add up wherever they are stopped (WEFT_SEED=${seed})`, () => {
    fc.assert(
      fc.property(
        fabricRecipe({ ratesBps, latenciesPs, errorRates: [0, 0.01] }),
        transferRecipe(sizes, 20),
        fc.integer({ min: 1, max: 5000 }),
        (recipe, list, mostEvents) => {
          const fabric = buildFabric(recipe);
          const transfers = transfersIn(fabric, list);
          const run = checkedRun(fabric, transfers, settingsWith(nervous), { mostEvents });
          const texts = broken(run).filter((text) => !text.startsWith('all flows finished'));
          expect(texts).toEqual([]);
          if (run.state === 'running') expect(broken(run)).toHaveLength(1);
        },
      ),
      { seed, numRuns: rounds(100) },
    );
  });
});

describe('runs on generated fabrics', () => {
  const families: readonly [string, Record<string, unknown>][] = [
    ['fat-tree', { k: 4 }],
    ['leaf-spine', { leaves: 3, spines: 2, hostsPerLeaf: 4, linksPerSpine: 2, spineRate: '40Gbps' }],
    ['dumbbell', { leftHosts: 5, rightHosts: 5, bottleneckRate: '25Gbps' }],
    ['spectrum-x', { gpus: 16, nicsPerAsw: 2, pswSwitches: 4, bandwidth: '100Gbps', aswPswBandwidth: '100Gbps' }],
    [
      'alibabahpn-dualplane',
      { gpus: 16, nicsPerAsw: 2, pswSwitches: 4, bandwidth: '100Gbps', aswPswBandwidth: '100Gbps' },
    ],
    [
      'dcn+',
      {
        gpus: 16,
        gpusPerServer: 8,
        nicsPerAsw: 8,
        pswSwitches: 4,
        nvswitchesPerServer: 4,
        bandwidth: '100Gbps',
        aswPswBandwidth: '100Gbps',
      },
    ],
  ];

  it.each(families)(`finish every flow: %s (WEFT_SEED=${seed})`, (name, parameters) => {
    const fabric = generateFabric(name, parameters);
    fc.assert(
      fc.property(transferRecipe(sizes, 60), fc.boolean(), (list, controlled) => {
        const transfers = transfersIn(fabric, list);
        const rates = new Set(fabric.linkRateBps);
        const settings = settingsWith({
          ...nervous,
          ecnThresholds: [...rates].map((rateBps) => ({
            rateBps,
            minimumBytes: 2000,
            maximumBytes: 12_000,
            probability: 0.5,
          })),
        });
        expectComplete(checkedRun(fabric, transfers, settings, { controlled }), transfers);
      }),
      { seed, numRuns: rounds(12) },
    );
  });
});

/** Reserves of a switch's ports and headroom at a number of latencies, written out anew. */
function setApartBytes(fabric: Fabric, node: number, headroomDelays: number, reserve: number): number {
  let bytes = 0;
  for (let port = fabric.portOffset[node]!; port < fabric.portOffset[node + 1]!; port++) {
    const link = fabric.portLink[port]!;
    bytes += reserve + Math.floor((fabric.linkRateBps[link]! * fabric.linkLatencyPs[link]! * headroomDelays) / 8e12);
  }
  return bytes;
}
