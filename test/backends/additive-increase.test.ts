// HPCC's additive increase: the paper's rule by default, SimAI's constant with its profile, a given rate as it is.

import { describe, expect, it } from 'vitest';
import { additiveIncreaseOf } from '../../src/backends/packet/congestion/hpcc/additive-increase.js';
import { type HpccSettings, hpccSettings } from '../../src/backends/packet/congestion/hpcc/hpcc-settings.js';
import { ownSettings } from '../../src/backends/packet/mechanism.js';
import { RateColumn, rateTable } from '../../src/records/probe-records.js';
import { star } from '../../validation/fabrics.js';
import { engineRun, type SettingChanges, settingsWith } from '../support/engine-run.js';

/** HPCC's own settings of a run. */
const hpccOf = (changes: SettingChanges = {}): HpccSettings => ownSettings(settingsWith(changes), 'hpcc', hpccSettings);

/** Every rate that a probe sees of two flows into one host, in the order of its rows. */
function ratesOf(lineBps: number, changes: SettingChanges): readonly number[] {
  const { sink } = engineRun(
    star(3, 1e6, () => lineBps),
    [
      [1, 0, 4e6],
      [2, 0, 4e6],
    ],
    { settings: settingsWith({ ...changes, probes: { ...settingsWith().probes, rateInterval: 1_000_000 } }) },
  );
  return [...sink.column(rateTable, RateColumn.rate)];
}

describe('the additive increase', () => {
  it("is the paper's rule for eight flows by default: line rate x (1 - eta) / N", () => {
    const { fixedBps, share } = additiveIncreaseOf(hpccOf());
    expect(fixedBps).toBe(0);
    expect(Math.floor(share * 100e9)).toBe(625e6);
    expect(Math.floor(share * 400e9)).toBe(2.5e9);
  });

  it('follows target and number of flows', () => {
    const hpcc = { ...hpccOf(), targetUtilisation: 0.75, expectedFlows: 100 };
    expect(additiveIncreaseOf(hpcc)).toEqual({ fixedBps: 0, share: 0.0025 });
    expect(additiveIncreaseOf({ ...hpcc, targetUtilisation: 1 }).share).toBe(0);
  });

  it("is SimAI's constant with its packets, and a given one as it is, whatever the number of flows", () => {
    expect(additiveIncreaseOf(hpccOf({ packet: { profile: 'simai' } }))).toEqual({
      fixedBps: 50e6,
      share: 0,
    });
    const given = hpccOf({ hpcc: { additiveIncrease: 70e6, expectedFlows: 3 } });
    expect(additiveIncreaseOf(given)).toEqual({ fixedBps: 70e6, share: 0 });
  });

  it.each(['hpcc', 'hpcc-pint'] as const)('by the rule is the same run as with its rate given (%s)', (algorithm) => {
    const congestion = { algorithm };
    for (const [lineBps, ruleBps] of [
      [100e9, 625e6],
      [400e9, 2.5e9],
    ] as const) {
      const byRule = ratesOf(lineBps, { congestion });
      expect(byRule.length).toBeGreaterThan(50);
      expect(byRule).toEqual(ratesOf(lineBps, { congestion, hpcc: { additiveIncrease: ruleBps } }));
      expect(byRule).not.toEqual(ratesOf(lineBps, { congestion, hpcc: { additiveIncrease: 50e6 } }));
    }
  });
});
