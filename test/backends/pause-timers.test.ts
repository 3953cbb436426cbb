// Pauses that run out: quanta by hand, a paused port that goes on by itself to the picosecond, repeated pauses that
// hold it, stale timers that do nothing, lost frames, and a deadlock that ends its run although pauses are repeated for
// ever.

import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { mostPauseQuanta, pauseQuanta, quantaPs } from '../../src/backends/packet/flow-control/pause-timers.js';
import { findDeadlock } from '../../src/backends/packet/switch/deadlock.js';
import { Kind } from '../../src/backends/packet/packets.js';
import { FabricBuilder, NodeKind } from '../../src/fabric/fabric.js';
import { star } from '../../validation/fabrics.js';
import { packetFacts } from '../support/engine-records.js';
import {
  broken,
  engineRun,
  settingsWith,
  type EngineRun,
  type SettingChanges,
  type Transfer,
} from '../support/engine-run.js';
import { buildFabric, fabricRecipe, incastOf, transferRecipe, transfersIn } from '../support/random-fabric.js';
import { rounds } from '../support/rounds.js';
import { seed } from '../support/seed.js';
import { withPool } from '../support/small-buffer.js';

const latencyPs = 500_000;
/** 60 B at 100 Gb/s */
const acknowledgementPs = 4800;

describe('quanta', () => {
  it('are 512 bit times of the link, rounded, at least one', () => {
    // 5 us at 100 Gb/s: 500,000 bit times, 976.56 quanta
    expect([pauseQuanta(5e6, 100e9), quantaPs(977, 100e9)]).toEqual([977, 5_002_240]);
    expect([pauseQuanta(5e6, 400e9), quantaPs(3906, 400e9)]).toEqual([3906, 4_999_680]);
    expect([pauseQuanta(1, 10e9), quantaPs(1, 10e9)]).toEqual([1, 51_200]);
  });

  it('last at most 335.5 us at 100 Gb/s and 83.9 us at 400 Gb/s', () => {
    expect([quantaPs(mostPauseQuanta, 100e9), quantaPs(mostPauseQuanta, 400e9)]).toEqual([335_539_200, 83_884_800]);
  });
});

/** A frame that a port at the paused end was told of. */
interface Told {
  readonly timePs: number;
  readonly port: number;
  readonly isPause: boolean;
  readonly isLost: boolean;
}

interface TimedRun extends EngineRun {
  readonly told: readonly Told[];
  /** departures of data from the hosts, by port */
  readonly starts: ReadonlyMap<number, number[]>;
}

/** Four hosts send to a fifth; no congestion control, no window, no headers; 5 ports of headroom 18,750 B. */
function incast(
  pfc: SettingChanges['pfc'],
  isLost: (told: Omit<Told, 'isLost'>, earlier: readonly Told[]) => boolean = () => false,
  bytes = 200_000,
): TimedRun {
  const fabric = star(5, latencyPs);
  const told: Told[] = [];
  const starts = new Map<number, number[]>();
  const settings = settingsWith({
    packet: { payload: 1000, header: 0 },
    queuePair: { window: 'unlimited' },
    ecn: { enabled: false },
    pfc: {
      headroom: 'delays',
      headroomDelays: 3,
      reserve: 0,
      thresholdShift: 1,
      resumeOffset: 2000,
      responseTime: 0,
      ...pfc,
    },
    switch: { buffer: 5 * 18_750 + 40_000 },
  });
  const run = engineRun(
    fabric,
    [0, 1, 2, 3].map((host): Transfer => [host, 4, bytes]),
    {
      settings,
      prepare: (network) => {
        const received = network.parts.flowControl.received.bind(network.parts.flowControl);
        network.parts.flowControl.received = (frame, port) => {
          const fact = { timePs: network.nowPs, port, isPause: packetFacts(network.parts, frame).kind === Kind.pause };
          const lost = isLost(fact, told);
          told.push({ ...fact, isLost: lost });
          if (lost) network.parts.flowControl.lost(frame);
          else received(frame, port);
        };
        const transmit = network.parts.ports.transmit.bind(network.parts.ports);
        network.parts.ports.transmit = (port, packet) => {
          if (port < 5 && packetFacts(network.parts, packet).kind === Kind.data)
            starts.set(port, [...(starts.get(port) ?? []), network.nowPs]);
          transmit(port, packet);
        };
      },
    },
  );
  return { ...run, told, starts };
}

describe('a pause with a time', () => {
  it('ends by itself, to the picosecond, when everything after it is lost', () => {
    // host 0 hears one pause and nothing else
    const run = incast(
      { pauseTime: 20_000_000 },
      ({ port }, earlier) => port === 0 && earlier.some((told) => told.port === port),
    );
    const pause = run.told.find(({ port }) => port === 0)!;
    expect(pause.isPause).toBe(true);
    // 20 us at 100 Gb/s: 3,906.25 quanta
    const endPs = pause.timePs + 3906 * 5120;
    const starts = run.starts.get(0)!;
    // what was on the wire goes out, then silence, then at once the next
    expect(starts.filter((startPs) => startPs > pause.timePs && startPs < endPs)).toEqual([]);
    expect(starts).toContain(endPs);
    expect(run.network.counters.pauseFramesLost).toBe(run.told.filter(({ isLost }) => isLost).length);
    expect(run.network.counters.pauseFramesLost).toBeGreaterThan(0);
    // a sender that does not hear pauses overruns the buffer, by right; nothing is stuck
    expect(run.network.counters.packetsDropped).toBeGreaterThan(0);
    expect(broken(run)).toEqual([]);
    expect(run.state).toBe('finished');
  });

  it('is repeated after half of its time as long as the queue stays above, and holds the port', () => {
    const pauseTime = 2_000_000;
    // 390.625 quanta: 391
    const halfPs = (391 * 5120) / 2;
    const run = incast({ pauseTime });
    expect(broken(run)).toEqual([]);
    expect([run.network.counters.pausesExpired, run.network.counters.packetsDropped]).toEqual([0, 0]);
    let repeated = 0;
    for (const port of [0, 1, 2, 3]) {
      let firstPs = -1;
      let count = 0;
      for (const { timePs, isPause } of run.told.filter((told) => told.port === port)) {
        if (isPause && firstPs < 0) [firstPs, count] = [timePs, 0];
        // every repetition comes half a pause after the last, give or take an acknowledgement that is on the wire
        else if (isPause) expect(Math.abs(timePs - firstPs - ++count * halfPs)).toBeLessThanOrEqual(acknowledgementPs);
        else {
          expect(timePs - firstPs).toBeLessThanOrEqual((count + 1) * halfPs + acknowledgementPs);
          // no data left while the pause was held
          expect(run.starts.get(port)!.filter((startPs) => startPs > firstPs && startPs < timePs)).toEqual([]);
          firstPs = -1;
          repeated += count;
        }
      }
    }
    expect(repeated).toBeGreaterThan(10);
    expect(run.network.counters.pauseRefreshes).toBe(repeated);
  });

  it('changes nothing if every pause is resumed before it would be repeated', () => {
    // 300 us, longer than the whole run: the timers set at each pause and never due would act if they were not stale
    const [timed, endless] = [
      incast({ pauseTime: 300_000_000 }, undefined, 1_000_000),
      incast({ pauseTime: 0 }, undefined, 1_000_000),
    ];
    expect(timed.flows).toEqual(endless.flows);
    expect([
      timed.network.counters.pauseRefreshes,
      timed.network.counters.pausesExpired,
      timed.network.counters.pauseFrames,
    ]).toEqual([0, 0, endless.network.counters.pauseFrames]);
    expect(timed.told.length).toBeGreaterThan(10);
    // the last completion is later than the first pause would have run out
    expect(Math.max(...timed.flows.map(({ finishPs }) => finishPs))).toBeGreaterThan(
      timed.told[0]!.timePs + 300_000_000,
    );
  });
});

describe('the response time', () => {
  it('delays what pauses and resumes do, and nothing else', () => {
    const prompt = incast({ responseTime: 0 });
    const slow = incast({ responseTime: 614_400 });
    // until the first pause takes effect the runs are the same
    expect(slow.told[0]!.timePs).toBe(prompt.told[0]!.timePs + 614_400);
    expect(slow.told[0]!.port).toBe(prompt.told[0]!.port);
    // 614.4 ns let 7.68 more packets start
    const [more, fewer] = [slow, prompt].map(
      ({ starts, told }) => starts.get(told[0]!.port)!.filter((startPs) => startPs <= told[0]!.timePs).length,
    ) as [number, number];
    expect([7, 8]).toContain(more - fewer);
  });
});

describe('links that lose frames', () => {
  it(`never leave a port paused for ever (WEFT_SEED=${seed})`, () => {
    const recipes = fabricRecipe({
      ratesBps: [25e9, 100e9],
      latenciesPs: [5000, 500_000],
      errorRates: [0, 0.002, 0.05],
      mostExtraLinks: 0,
      nvswitches: false,
    });
    let lost = 0;
    let expired = 0;
    fc.assert(
      fc.property(
        recipes,
        transferRecipe(fc.integer({ min: 1, max: 100_000 }), 25),
        fc.nat(),
        (recipe, list, runSeed) => {
          const fabric = buildFabric(recipe);
          const transfers = incastOf(transfersIn(fabric, list), fabric.hosts[0]!, Infinity);
          const settings = withPool(
            fabric,
            settingsWith({
              packet: { payload: 1000 },
              queuePair: {
                window: 'unlimited',
                nackInterval: 20_000_000,
                retransmissionTimeout: 200_000_000,
                retries: 1000,
              },
              ecn: { enabled: false },
              pfc: { headroom: 'cable', pauseTime: 10_000_000, thresholdShift: 1, reserve: 0 },
            }),
            10_000,
          );
          const run = engineRun(fabric, transfers, { settings, seed: runSeed });
          // a sender that missed its pause may overrun the buffer
          expect(broken(run)).toEqual([]);
          expect(run.state).toBe('finished');
          lost += run.network.counters.pauseFramesLost;
          expired += run.network.counters.pausesExpired;
        },
      ),
      { seed, numRuns: rounds(80) },
    );
    expect(lost).toBeGreaterThan(rounds(20));
    expect(expired).toBeGreaterThan(0);
  });
});

describe('a deadlock', () => {
  it('ends its run although every pause in it is repeated', () => {
    // a ring of five switches with two hosts each, every transfer two switches on: as in pfc.test.ts
    const n = 5;
    const builder = new FabricBuilder();
    builder.addNodes(NodeKind.host, 2 * n);
    builder.addNodes(NodeKind.switch, n);
    for (let i = 0; i < n; i++) {
      for (const host of [2 * i, 2 * i + 1]) builder.addLink(host, 2 * n + i, 100e9, latencyPs);
      builder.addLink(2 * n + i, 2 * n + ((i + 1) % n), 100e9, latencyPs);
    }
    const fabric = builder.build();
    const transfers = Array.from({ length: n }, (_, i) =>
      [0, 1].map((h): Transfer => [2 * i + h, 2 * ((i + 2) % n) + h, 400_000]),
    ).flat();
    const run = engineRun(fabric, transfers, {
      settings: settingsWith({
        packet: { payload: 1000, header: 0 },
        queuePair: { window: 'unlimited' },
        ecn: { enabled: false },
        pfc: {
          headroom: 'delays',
          headroomDelays: 8,
          reserve: 0,
          thresholdShift: 0,
          resumeOffset: 0,
          pauseTime: 20_000_000,
          responseTime: 0,
        },
        switch: { buffer: 4 * 50_000 + 10_000 },
      }),
    });
    expect(run.state).toBe('blocked');
    expect(findDeadlock(fabric, run.network.parts.ports, run.network.parts.records)).toHaveLength(n);
    expect(broken(run)).toEqual([
      expect.stringContaining('nothing more can happen'),
      expect.stringContaining('no deadlock by PFC'),
    ]);
    expect(run.network.counters.pauseRefreshes).toBeGreaterThan(5 * n);
  });
});
