// The fluid backend against closed forms, and against the packet backend where queues do not matter.

import { describe, expect, it, vi } from 'vitest';
import { CrowdRates } from '../../src/backends/fluid/crowd-rates.js';
import { RandomStream } from '../../src/base/random.js';
import { FluidNetwork } from '../../src/backends/fluid/fluid-network.js';
import { generateFabric } from '../../src/fabric/generators/catalogue.js';
import { star } from '../../validation/fabrics.js';
import { engineRun, settingsWith, type Transfer } from '../support/engine-run.js';
import { fluidRun } from '../support/fluid-run.js';
import { seed } from '../support/seed.js';

const us = 1e6;
const settings = { payloadBytes: 1000, overheadBytes: 52, acknowledgementBytes: 60 };

describe('closed forms', () => {
  it('a flow alone takes the time of its packets to the picosecond', () => {
    const [flow] = fluidRun(star(2, us), [[0, 1, 1e6]], settings).flows;
    // 1000 packets of 1052 B on one link, one more on the other, two latencies there and back, an ACK over two links
    expect(flow!.finishPs).toBe(1001 * 84_160 + 4 * us + 2 * 4800);
  });

  it('three flows into one host share it, and those that remain speed up', () => {
    const { flows } = fluidRun(
      star(4, us),
      [
        [1, 0, 1e6],
        [2, 0, 2e6],
        [3, 0, 3e6],
      ],
      settings,
    );
    const tailPs = 84_160 + 4 * us + 2 * 4800;
    // a third each until 3 MB are through, then halves until 5 MB, then all
    const perMb = 1000 * 84_160;
    expect(flows.map(({ flow, finishPs }) => [flow, Math.round((finishPs - tailPs) / 1000)])).toEqual(
      [
        [0, 3 * perMb],
        [1, 5 * perMb],
        [2, 6 * perMb],
      ].map(([flow, ps]) => [flow, Math.round(ps! / 1000)]),
    );
  });

  it('a late flow takes half from its start on', () => {
    const { flows } = fluidRun(
      star(3, us),
      [
        [1, 0, 2e6],
        [2, 0, 1e6, 84_160_000],
      ],
      settings,
    );
    const tailPs = 84_160 + 4 * us + 2 * 4800;
    // the first has sent 1 MB alone; both have 1 MB left and share
    expect(flows.map(({ finishPs }) => finishPs - tailPs)).toEqual([3 * 84_160_000, 3 * 84_160_000]);
  });

  it('verdicts hold', () => {
    const run = fluidRun(
      star(8, us),
      Array.from({ length: 40 }, (_, i): Transfer => [
        i % 8,
        (i * 3 + 1) % 8 === i % 8 ? (i + 1) % 8 : (i * 3 + 1) % 8,
        100_000 + i * 7919,
        i * 3 * us,
      ]),
      settings,
    );
    expect(run.state).toBe('finished');
    expect(run.verdicts.filter(({ ok }) => !ok)).toEqual([]);
  });
});

describe('many flows of random sizes at one instant', () => {
  const random = new RandomStream(7, 'sizes');
  const transfers = Array.from({ length: 900 }, (): Transfer => {
    const source = random.nextBelow(32);
    return [source, (source + 1 + random.nextBelow(31)) % 32, 1000 + random.nextBelow(2_000_000)];
  });
  const impatient = { exactLooks: Infinity, looksPerFold: 1, mostWait: 0 };
  const exact = fluidRun(star(32, us), transfers, settings, { patience: impatient });
  const patient = fluidRun(star(32, us), transfers, settings, {
    patience: { exactLooks: 0, looksPerFold: 1, mostWait: 0.02 },
  });
  const finishOf = new Map(exact.flows.map(({ flow, finishPs }) => [flow, finishPs]));
  const late = patient.flows.map(({ flow, finishPs }) => finishPs / finishOf.get(flow)! - 1).sort((a, b) => a - b);

  it('end within a part of the wait of their exact times, however often they wait', () => {
    expect(late).toHaveLength(900);
    expect(late[450]!).toBeLessThan(0.01);
    expect(late[890]!).toBeLessThan(0.02);
    expect(late[0]!).toBeGreaterThan(-0.01);
    expect(patient.verdicts.filter(({ ok }) => !ok)).toEqual([]);
    // they did wait
    expect(late[450]!).toBeGreaterThan(1e-5);
  });

  it('have exact times as long as that is little work', () => {
    const usual = fluidRun(star(32, us), transfers, settings);
    expect(usual.flows).toEqual(exact.flows);
  });
});

describe('a crowd', () => {
  const random = new RandomStream(seed, 'crowd');
  const fabric = generateFabric('leaf-spine', {
    leaves: 4,
    hostsPerLeaf: 8,
    spines: 2,
    hostRate: '100Gbps',
    spineRate: '100Gbps',
  });
  const exactly = { exactLooks: Infinity, looksPerFold: 1, mostWait: 0 };
  const never = { leastBundles: Infinity, looksTooMany: Infinity };
  const transfers = (everyPs: number): Transfer[] =>
    Array.from({ length: 700 }, (_, i): Transfer => {
      const source = random.nextBelow(32);
      const sizeBytes = i % 5 === 0 ? 64_000 : 1000 + random.nextBelow(300_000);
      return [source, (source + 1 + random.nextBelow(31)) % 32, sizeBytes, i * everyPs];
    });

  it.each([
    ['all the time', 'at one instant', 0, { leastBundles: 2, looksTooMany: 1000 }],
    ['all the time', 'one by one', 300_000, { leastBundles: 2, looksTooMany: 1000 }],
    ['at every other change', 'one by one', 300_000, { leastBundles: 1, looksTooMany: -1 }],
  ] as const)(`%s: flows that start %s have their times (WEFT_SEED=${seed})`, (_, __, everyPs, crowd) => {
    const work = transfers(everyPs);
    const fillings = vi.spyOn(CrowdRates.prototype, 'begin');
    const alone = fluidRun(fabric, work, settings, { patience: exactly, crowd: never });
    expect(fillings).not.toHaveBeenCalled();
    const crowded = fluidRun(fabric, work, settings, { patience: exactly, crowd });
    expect(fillings.mock.calls.length).toBeGreaterThan(200);
    fillings.mockRestore();
    expect(crowded.verdicts.filter(({ ok }) => !ok)).toEqual([]);
    const finishOf = new Map(alone.flows.map(({ flow, finishPs }) => [flow, finishPs]));
    expect(crowded.flows).toHaveLength(700);
    // sums are rounded in another order
    for (const { flow, finishPs } of crowded.flows)
      expect(Math.abs(finishPs - finishOf.get(flow)!)).toBeLessThan(1e-7 * finishPs);
  });

  it(`goes on as before when its flows take their routes again (WEFT_SEED=${seed})`, () => {
    const work = transfers(300_000);
    const wanted = fluidRun(fabric, work, settings, { patience: exactly, crowd: never });
    const start = FluidNetwork.prototype.start;
    const starts = vi.spyOn(FluidNetwork.prototype, 'start').mockImplementation(function (this: FluidNetwork, slot) {
      start.call(this, slot);
      if (starts.mock.calls.length % 20 === 0) this.routesChanged();
    });
    const again = fluidRun(fabric, work, settings, {
      patience: exactly,
      crowd: { leastBundles: 2, looksTooMany: 1000 },
    });
    starts.mockRestore();
    const finishOf = new Map(wanted.flows.map(({ flow, finishPs }) => [flow, finishPs]));
    expect(again.verdicts.filter(({ ok }) => !ok)).toEqual([]);
    expect(again.flows).toHaveLength(700);
    for (const { flow, finishPs } of again.flows)
      expect(Math.abs(finishPs - finishOf.get(flow)!)).toBeLessThan(1e-7 * finishPs);
  });
});

it('is within 2 % of the packet backend for a shift over a fat tree that no two flows collide on', () => {
  const fabric = generateFabric('leaf-spine', {
    leaves: 4,
    hostsPerLeaf: 4,
    spines: 4,
    hostRate: '100Gbps',
    spineRate: '400Gbps',
  });
  const transfers = Array.from({ length: 16 }, (_, i): Transfer => [i, (i + 4) % 16, 1_000_000 + 50_000 * i]);
  // large packets: with small ones the ACKs of a host that sends and receives take more of its link than that, and
  // streams have none
  const fluid = fluidRun(fabric, transfers, { payloadBytes: 9000, overheadBytes: 52, acknowledgementBytes: 60 }).flows;
  const packet = engineRun(fabric, transfers, {
    settings: settingsWith({
      packet: { profile: 'simai' },
      queuePair: { window: 'unlimited', acknowledgementPriority: 0 },
      congestion: { algorithm: 'none' },
      ecn: { enabled: false },
    }),
  }).flows;
  for (const { flow, finishPs } of packet) {
    const own = fluid.find((row) => row.flow === flow)!.finishPs;
    expect(Math.abs(own - finishPs)).toBeLessThan(0.02 * finishPs);
  }
});
