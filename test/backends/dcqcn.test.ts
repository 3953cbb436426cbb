// DCQCN against the same algorithm done the naive way: timers that fire one by one, alpha multiplied once per period.

import { EventLoop } from '../../src/engine/event-loop.js';
import { EventWheel } from '../../src/engine/event-wheel.js';
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Dcqcn, dcqcnSettings, type DcqcnValues } from '../../src/backends/packet/congestion/dcqcn/dcqcn.js';
import { PairAlarms } from '../../src/backends/packet/pair-alarms.js';
import { QueuePairs } from '../../src/backends/packet/queue-pairs.js';
import { settingDefaults } from '../../src/base/settings.js';
import { rounds } from '../support/rounds.js';
import { seed } from '../support/seed.js';

type Constants = DcqcnValues;
const lineBps = 100e9;

interface State {
  readonly rateBps: number;
  readonly alpha: number;
}

/** Events in order of time, of rank at equal times, of scheduling at equal ranks. */
class Agenda {
  private list: { timePs: number; rank: number; order: number; run: () => void }[] = [];
  private count = 0;

  at(timePs: number, rank: number, run: () => void): { cancelled: boolean } {
    const handle = { cancelled: false };
    this.list.push({
      timePs,
      rank,
      order: this.count++,
      run: () => {
        if (!handle.cancelled) run();
      },
    });
    return handle;
  }

  runUntil(untilPs: number, setNow: (timePs: number) => void): void {
    for (;;) {
      this.list.sort((a, b) => a.timePs - b.timePs || a.rank - b.rank || a.order - b.order);
      if (this.list.length === 0 || this.list[0]!.timePs > untilPs) break;
      const event = this.list.shift()!;
      setNow(event.timePs);
      event.run();
    }
    setNow(untilPs);
  }
}

/** The algorithm as behaviour.md, section 7, tells it; rates are whole bit/s. */
class Eager {
  rateBps = lineBps;
  alpha = 1;
  private targetBps = lineBps;
  private stage = 0;
  private started = false;
  private alphaFlag = false;
  private decreaseFlag = false;
  private increase = { cancelled: false };
  private nowPs = 0;
  private readonly agenda = new Agenda();
  private readonly leastBps: number;

  constructor(private readonly c: Constants) {
    this.leastBps = Math.min(c.minimumRate, lineBps);
  }

  advance(timePs: number): void {
    this.agenda.runUntil(timePs, (nowPs) => {
      this.nowPs = nowPs;
    });
  }

  mark(): void {
    this.alphaFlag = this.decreaseFlag = true;
    if (this.started) return;
    this.started = true;
    this.alpha = 1;
    this.alphaFlag = false;
    // the alpha timer goes first at equal times
    this.every(this.c.alphaInterval, 0, () => {
      this.alpha = (1 - this.c.gain) * this.alpha + (this.alphaFlag ? this.c.gain : 0);
      this.alphaFlag = false;
    });
    this.every(this.c.decreaseInterval, 1, () => this.decrease());
    this.targetBps = this.rateBps = Math.max(this.leastBps, Math.floor(this.c.firstMarkRate * this.rateBps));
  }

  private every(periodPs: number, rank: number, run: () => void): void {
    this.agenda.at(this.nowPs + periodPs, rank, () => {
      this.every(periodPs, rank, run);
      run();
    });
  }

  private decrease(): void {
    if (!this.decreaseFlag) return;
    if (this.c.clampTargetRate || this.stage !== 0) this.targetBps = this.rateBps;
    this.rateBps = Math.max(this.leastBps, Math.floor(this.rateBps * (1 - this.alpha / 2)));
    this.stage = 0;
    this.decreaseFlag = false;
    this.increase.cancelled = true;
    this.armIncrease();
  }

  private armIncrease(): void {
    this.increase = this.agenda.at(this.nowPs + this.c.increaseInterval, 1, () => {
      const { fastRecoveryRounds, additiveIncrease, hyperIncrease } = this.c;
      if (this.stage >= fastRecoveryRounds)
        this.targetBps = Math.min(
          lineBps,
          this.targetBps + (this.stage === fastRecoveryRounds ? additiveIncrease : hyperIncrease),
        );
      const half = Math.floor(this.rateBps / 2) + Math.floor(this.targetBps / 2);
      // documented in dcqcn.ts: the last bit per second that the halves lose is given
      this.rateBps = this.targetBps - half <= 1 ? this.targetBps : half;
      this.stage++;
      this.armIncrease();
    });
  }
}

/** Weft's, on the kernel's alarms, without a network. */
class Lazy {
  leastSeenBps = lineBps;
  mostSeenBps = 0;
  private readonly wheel = new EventWheel();
  private readonly loop = new EventLoop(this.wheel);
  private readonly pairs = new QueuePairs();
  private readonly pair: number;
  private readonly dcqcn: Dcqcn;

  constructor(constants: Constants) {
    const { pairs } = this;
    const parts = {
      pairs,
      clock: this.wheel,
      pairAlarms: new PairAlarms(this.loop.alarms, pairs),
      rates: {
        setWindow: () => {},
        setRate: (pair: number, rateBps: number) => {
          pairs.rateBps[pair] = rateBps;
          this.leastSeenBps = Math.min(this.leastSeenBps, rateBps);
          this.mostSeenBps = Math.max(this.mostSeenBps, rateBps);
        },
      },
    };
    this.dcqcn = new Dcqcn(parts, constants);
    this.pair = pairs.allocate();
    pairs.rateBps[this.pair] = pairs.lineRateBps[this.pair] = lineBps;
    this.dcqcn.start(this.pair);
  }

  advance(timePs: number): void {
    this.loop.runUntil(timePs);
  }

  acknowledged(marked: boolean): void {
    this.dcqcn.acknowledged(this.pair, marked ? 64 : 0);
  }

  get state(): State {
    return { rateBps: this.pairs.rateBps[this.pair]!, alpha: this.dcqcn.alphaNow(this.pair) };
  }
}

/** An acknowledgement so long after the one before it. */
type Step = readonly [gapPs: number, marked: boolean];

function expectEqual(
  steps: Iterable<Step>,
  constants: Partial<Constants> = {},
): { lazy: Lazy; eager: Eager; history: State[] } {
  const values = { ...settingDefaults(dcqcnSettings), ...constants };
  const lazy = new Lazy(values);
  const eager = new Eager(values);
  const history: State[] = [];
  let timePs = 0;
  for (const [gapPs, marked] of steps) {
    timePs += gapPs;
    for (const one of [lazy, eager]) one.advance(timePs);
    lazy.acknowledged(marked);
    if (marked) eager.mark();
    const got = lazy.state;
    // alpha is multiplied in another order, which may change a rate's last bits per second
    expect(
      Math.abs(got.rateBps - eager.rateBps),
      `rate ${got.rateBps} instead of ${eager.rateBps} at ${timePs} ps`,
    ).toBeLessThanOrEqual(16);
    expect(got.alpha).toBeCloseTo(eager.alpha, 11);
    history.push(got);
  }
  const least = Math.min(values.minimumRate, lineBps);
  expect(lazy.leastSeenBps).toBeGreaterThanOrEqual(least);
  expect(lazy.mostSeenBps).toBeLessThanOrEqual(lineBps);
  return { lazy, eager, history };
}

const us = 1_000_000;

function* repeat(count: number, gapPs: number, marked: boolean): Generator<Step> {
  for (let i = 0; i < count; i++) yield [gapPs, marked];
}

describe('DCQCN', () => {
  it('cuts the rate by hand-computed steps', () => {
    // g = 1/2, alpha every 10 us, decrease every 20 us from the mark at 0 on:
    //   20 us: alpha = 1/4 after two unmarked periods: rate 100 (1 - 1/8) = 87.5 Gb/s
    //   mark at 25 us: alpha 1/8 + 1/2 = 5/8 at 30 us, 5/16 at 40 us: rate 87.5 (1 - 5/32) = 73.828125 Gb/s
    const constants = {
      gain: 0.5,
      alphaInterval: 10 * us,
      decreaseInterval: 20 * us,
      increaseInterval: 100 * us,
      fastRecoveryRounds: 1,
      additiveIncrease: 1e9,
      hyperIncrease: 2e9,
    };
    const { history } = expectEqual(
      [
        [0, true],
        [19 * us, false],
        [1 * us, false],
        [5 * us, true],
        [14 * us, false],
        [1 * us, false],
        [100 * us, false],
        [100 * us, false],
        [100 * us, false],
      ],
      constants,
    );
    expect(history.slice(0, 6).map(({ rateBps }) => rateBps)).toEqual([
      100e9, 100e9, 87.5e9, 87.5e9, 87.5e9, 73.828125e9,
    ]);
    // target is still 100: at 140 us (73.828125 + 100) / 2; at 240 and 340 us the target is at line rate already
    expect(history.slice(6).map(({ rateBps }) => rateBps)).toEqual([86.9140625e9, 93.45703125e9, 96.728515625e9]);
  });

  it('raises the target by additive, then hyper increase', () => {
    // clamped: target = rate before the cut. One decrease with alpha = 1/4 twice in a row makes 100 -> 87.5 -> 76.5625
    // with target 87.5.
    const constants = {
      gain: 0,
      alphaInterval: 10 * us,
      decreaseInterval: 10 * us,
      increaseInterval: 50 * us,
      fastRecoveryRounds: 1,
      additiveIncrease: 1e9,
      hyperIncrease: 2e9,
      clampTargetRate: true,
    };
    // g = 0 keeps alpha at 1: 100 -> 50 (target 100) -> 25 (target 50); then (25+50)/2, target 51, 53, 55
    const { history } = expectEqual(
      [
        [0, true],
        [11 * us, true],
        [10 * us, false],
        [50 * us, false],
        [50 * us, false],
        [50 * us, false],
        [50 * us, false],
      ],
      constants,
    );
    expect(history.map(({ rateBps }) => rateBps)).toEqual([100e9, 50e9, 25e9, 37.5e9, 44.25e9, 48.625e9, 51.8125e9]);
  });

  it('stays as it is without marks', () => {
    expect(
      expectEqual(repeat(200, us, false)).history.every(({ rateBps, alpha }) => rateBps === lineBps && alpha === 1),
    ).toBe(true);
  });

  it('goes down to the minimum under marks on every packet, and back up', () => {
    const { lazy } = expectEqual([...repeat(3000, 0.7 * us, true), ...repeat(60, 900 * us, false)], {
      additiveIncrease: 1e9,
      hyperIncrease: 5e9,
    });
    expect(lazy.leastSeenBps).toBe(100e6);
    expect(lazy.state.rateBps).toBe(lineBps);
  });

  it.each([1, 1023, 1024, 1025, 2046, 2047, 5000, 30_000])('decays alpha over a silence of %i periods', (periods) => {
    expectEqual([
      [0, true],
      [3.5 * us, true],
      [periods * us, false],
      [0.5 * us, true],
      [periods * us, true],
      [9 * us, false],
    ]);
  });

  it('does an update that is due at the instant of a mark before the mark counts', () => {
    expectEqual([
      [0, true],
      [1 * us, true],
      [1 * us, true],
      [2 * us, true],
      [4 * us, false],
      [900 * us, true],
      [4 * us, false],
    ]);
  });

  it('never lets a first mark undercut the minimum', () => {
    const { lazy } = expectEqual([[0, true], ...repeat(20, us, true)], { firstMarkRate: 0 });
    expect(lazy.leastSeenBps).toBe(100e6);
  });

  it(`is the eager algorithm for any constants and marks (WEFT_SEED=${seed})`, () => {
    // increases are further apart than decreases, as everywhere: otherwise both timers may fire together and their
    // order is open
    const constants = fc.record({
      gain: fc.oneof(fc.constantFrom(0, 1 / 256, 1 / 16, 1), fc.double({ min: 0, max: 1, noNaN: true })),
      alphaInterval: fc.integer({ min: 100_000, max: 50 * us }),
      decreaseInterval: fc.integer({ min: 100_000, max: 50 * us }),
      increaseInterval: fc.integer({ min: 50 * us + 1, max: 1000 * us }),
      fastRecoveryRounds: fc.nat(6),
      additiveIncrease: fc.integer({ min: 1, max: 20e9 }),
      hyperIncrease: fc.integer({ min: 1, max: 60e9 }),
      minimumRate: fc.integer({ min: 1e6, max: 2e9 }),
      firstMarkRate: fc.double({ min: 0, max: 1, noNaN: true }),
      clampTargetRate: fc.boolean(),
    });
    const gap = fc.oneof(
      fc.integer({ min: 1, max: 3 * us }),
      fc.integer({ min: 1, max: 30 * us }),
      fc.integer({ min: 1, max: 1000 * us }),
    );
    fc.assert(
      fc.property(
        constants,
        fc.array(fc.tuple(gap, fc.boolean()), { minLength: 1, maxLength: 40 }),
        (c, steps) => void expectEqual(steps, c),
      ),
      { seed, numRuns: rounds(100) },
    );
  });

  it(`is the eager algorithm when decreases and increases fall on the same instant, as with SimAI's constants (WEFT_SEED=${seed})`, () => {
    const gap = fc
      .oneof(fc.integer({ min: 1, max: 12 }), fc.integer({ min: 1, max: 400 }))
      .map((n) => n * 500_000 + 250_000);
    fc.assert(
      fc.property(
        fc.array(fc.tuple(gap, fc.boolean()), { minLength: 1, maxLength: 60 }),
        (steps) => void expectEqual(steps, { increaseInterval: 36 * us, additiveIncrease: 3e9, hyperIncrease: 9e9 }),
      ),
      { seed, numRuns: rounds(150) },
    );
  });
});
