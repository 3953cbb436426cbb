// Random fabrics with low thresholds, on which pauses, marks and losses come soon, and runs that check themselves.

import * as fc from 'fast-check';
import { expect } from 'vitest';
import type { PacketSettings } from '../../src/backends/packet/settings.js';
import type { Fabric } from '../../src/fabric/fabric.js';
import { problemsOf } from '../../validation/run-checker.js';
import { engineRun, type EngineOptions, type EngineRun, type SettingChanges, type Transfer } from './engine-run.js';

/** Rates of links, one that divides nothing among them. */
export const ratesBps = [10e9, 25e9, 40e9, 100e9, 200e9, 400e9, 73e9];

/** Latencies of links. */
export const latenciesPs = [0, 1, 25_000, 500_000, 500_000, 1_000_000, 7_654_321];

/** Sizes of transfers: below a packet, any, whole packets. */
export const sizes = fc.oneof(
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

/** Settings under which marks come and rates change soon. */
export const nervous: SettingChanges = {
  packet: { payload: 1000 },
  dcqcn: { increaseInterval: 20_000_000, additiveIncrease: 500e6, hyperIncrease: 2e9 },
  ecnThresholds: lowThresholds,
};

/** Runs, applies the checker, and gives the run back. */
export function checkedRun(
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
