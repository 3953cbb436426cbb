// Loss models on their own: the share of lost packets in the long run, and single events worked out by hand.

import { describe, expect, it } from 'vitest';
import { lossSettings } from '../../src/backends/packet/loss-settings.js';
import { gilbertElliott } from '../../src/backends/packet/loss/gilbert-elliott.js';
import { eventMixes, largestRate, lossEvents, meanEvent } from '../../src/backends/packet/loss/loss-events.js';
import type { LossProcess, LossProcesses, LossProcessParts } from '../../src/backends/packet/loss/port-losses.js';
import { RandomStream } from '../../src/base/random.js';
import { settingDefaults } from '../../src/base/settings.js';
import type { InputError } from '../../src/base/diagnostics.js';
import { scenarioRun } from '../support/scenario-run.js';
import { seed } from '../support/seed.js';

const defaults = settingDefaults(lossSettings);

/** Gives the fractions of a list, and fails when they are used up. */
class Scripted extends RandomStream {
  constructor(readonly left: number[]) {
    super(1, 'scripted');
  }
  override nextFraction(): number {
    const next = this.left.shift();
    if (next === undefined) throw new Error('more random numbers are drawn than the example has');
    return next;
  }
}

/** The process of a port of no network in particular. */
function made(of: LossProcesses, random: RandomStream, settings: LossProcessParts['settings']): LossProcess {
  return of.of({ random, rate: settings.rate, settings, node: 0, parts: null as never })!;
}

/** Which of some packets are lost, as 0 and 1. */
function pattern(
  of: LossProcesses,
  draws: readonly number[],
  packets: number,
  own: Partial<typeof defaults> & { readonly rate: number },
): string {
  const random = new Scripted([...draws]);
  const losing = made(of, random, { ...defaults, ...own });
  const text = Array.from({ length: packets }, () => (losing.strikes(0) ? '1' : '0')).join('');
  expect(random.left).toEqual([]);
  return text;
}

describe('events by hand', () => {
  it('a burst takes packets in a row, of a length that is drawn, and then asks again', () => {
    // lengths 2, 3, 4 are alike: 0.9 gives the third; in it nothing is drawn
    expect(
      pattern(lossEvents(eventMixes.burst), [0.99, 0, 0.9, 0.99, 0, 0, 0.99], 9, {
        rate: 0.01,
        burstLength: 3,
        burstSpread: 1,
      }),
    ).toBe('011110110');
  });

  it('a high-frequency event takes a number of packets that is drawn, and which', () => {
    // two of four are lost: 0.6 x 4 = 2.4 is not below 2, 0.5 x 3 = 1.5 is; 0.9 x 2 = 1.8 is not below 1; then the last
    const own = { rate: 0.01, frequentWindow: 4, frequentLeast: 2, frequentMost: 2 };
    expect(pattern(lossEvents(eventMixes['high-frequency']), [0, 0, 0.6, 0.5, 0.9, 0.99], 5, own)).toBe('01010');
  });

  it('a mix draws the kind of its event', () => {
    const own = { rate: 0.01, burstLength: 2, burstSpread: 0, frequentWindow: 2, frequentLeast: 1, frequentMost: 1 };
    // below 0.53 one packet; below 0.65 one of the next two, the second by 0.9 x 2 not below 1; else a burst of two
    expect(pattern(lossEvents(eventMixes.amazon), [0, 0.52, 0, 0.64, 0, 0.9, 0, 0.66, 0], 5, own)).toBe('10111');
  });

  it('a channel is asked for a loss, and then for its next state', () => {
    // bad for a fifth of the packets: goes bad with 0.4 x 0.2 / 0.8 = 0.1; begins good (0.3), then bad, bad, good
    const own = { rate: 0.1, badToGood: 0.4, lossInBad: 0.5, lossInGood: 0 };
    expect(pattern(gilbertElliott, [0.3, 0.5, 0.09, 0.49, 0.41, 0.51, 0.39, 0.5, 0.11], 4, own)).toBe('0100');
  });

  it('have the mean sizes of the source: 6.74 packets lost for amazon', () => {
    expect(meanEvent(eventMixes.amazon, defaults).lost).toBeCloseTo(6.74, 10);
    expect(meanEvent(eventMixes.burst, defaults)).toEqual({ packets: 15, lost: 15 });
    expect(meanEvent(eventMixes['high-frequency'], defaults)).toEqual({ packets: 15, lost: 8 });
    expect(largestRate(eventMixes['high-frequency'], defaults)).toBeCloseTo(8 / 15, 12);
  });
});

describe(`the share of lost packets (WEFT_SEED=${seed})`, () => {
  const packets = 1_000_000;

  function share(of: LossProcesses, rate: number, own: Partial<typeof defaults> = {}): number {
    const losing = made(of, new RandomStream(seed, 'share'), { ...defaults, ...own, rate });
    let lost = 0;
    for (let i = 0; i < packets; i++) if (losing.strikes(0)) lost++;
    return lost / packets;
  }

  const cases = Object.keys(eventMixes).flatMap((name) => [0.001, 0.01, 0.05, 0.3].map((rate) => ({ name, rate })));
  it.each(cases)('of $name is $rate', ({ name, rate }) => {
    const mix = eventMixes[name as keyof typeof eventMixes];
    const { lost } = meanEvent(mix, defaults);
    // an event loses at most 18 packets: the variance of the count is at most that of events of 18 as often
    const deviation = Math.sqrt(((rate * packets) / lost) * 18 * 18) / packets;
    expect(Math.abs(share(lossEvents(mix), rate) - rate)).toBeLessThan(5 * deviation);
  });

  it.each([0.001, 0.02, 0.2])('of a channel is %f', (rate) => {
    // bad times of ten packets in the mean, of which the square has the mean 190
    const deviation = Math.sqrt(((rate * packets) / 10) * 190) / packets;
    expect(Math.abs(share(gilbertElliott, rate) - rate)).toBeLessThan(5 * deviation);
  });

  it('of a channel counts what good times lose', () => {
    const own = { lossInBad: 0.5, lossInGood: 0.01, badToGood: 0.5 };
    expect(Math.abs(share(gilbertElliott, 0.1, own) - 0.1)).toBeLessThan(5 * Math.sqrt((0.1 * 8) / packets));
  });
});

describe(`a channel by time (WEFT_SEED=${seed})`, () => {
  const rate = 0.1;
  const badTime = 3_000_000;
  const goodTime = (badTime * (1 - rate)) / rate;

  /** Whether each of some packets is lost, of one every `gapPs`. */
  function losses(gapPs: number, packets: number): Uint8Array {
    const clock = { nowPs: 0 };
    const settings = { ...defaults, rate, badTime };
    const parts = { clock } as unknown as LossProcessParts['parts'];
    const losing = gilbertElliott.of({ random: new RandomStream(seed, 'by time'), rate, settings, node: 0, parts })!;
    return Uint8Array.from({ length: packets }, () => {
      clock.nowPs += gapPs;
      return losing.strikes(0) ? 1 : 0;
    });
  }

  // a loss tells of the state: the chance of another after d is b + (1 - b) exp(-d (1 / good + 1 / bad))
  it.each([0.1, 0.5, 1, 3])('forgets what it was within %d of a bad time', (gap) => {
    const gapPs = gap * badTime;
    const lost = losses(gapPs, 400_000);
    const share = lost.reduce((sum, one) => sum + one, 0) / lost.length;
    const again =
      lost.reduce((sum, one, i) => sum + (one === 1 && lost[i + 1] === 1 ? 1 : 0), 0) / (share * lost.length);
    const memory = Math.exp(-gapPs * (1 / goodTime + 1 / badTime));
    // of the mean of a chain with this memory, five deviations
    const deviation = Math.sqrt((rate * (1 - rate) * (1 + memory)) / (1 - memory) / lost.length);
    expect(Math.abs(share - rate)).toBeLessThan(5 * deviation);
    expect(Math.abs(again - (rate + (1 - rate) * memory))).toBeLessThan(5 * Math.sqrt(0.25 / (rate * lost.length)));
  });

  it('draws anew after a long silence, at once', () => {
    const lost = losses(1e15, 20_000);
    const share = lost.reduce((sum, one) => sum + one, 0) / lost.length;
    expect(Math.abs(share - rate)).toBeLessThan(5 * Math.sqrt(0.09 / lost.length));
  });

  it('does not outlast the timeouts of a sender, as one by packets does', async () => {
    // a bad time of 5 ms is over before a sender gives up; by packets each timeout brings it one packet further
    const text = `fabric: { generate: dumbbell, leftHosts: 1, rightHosts: 1 }
traffic: { transfers: [ { source: 0, destination: 1, size: 20MB } ] }
loss: { model: gilbert-elliott, rate: 0.3, badToGood: 0.0005, badTime: 5ms }
`;
    const byTime = await scenarioRun(text, []);
    const byPackets = await scenarioRun(text, ['loss.badTime=0ps']);
    expect([byTime.summary.outcome, byPackets.summary.outcome]).toEqual(['finished', 'blocked']);
  });
});

describe('settings that no model can meet', () => {
  const text = `fabric: { generate: wan-dumbbell }
traffic: { transfers: [ { source: 0, destination: 1, size: 100kB } ] }
`;

  it.each([
    [
      ['loss.model=high-frequency', 'loss.rate=0.6'],
      'loss.rate: loss.model high-frequency loses no more, event after event',
    ],
    [['loss.model=burst', 'loss.rate=0.1', 'loss.burstSpread=15'], 'loss.burstSpread: a burst could have no packet'],
    [
      ['loss.model=google', 'loss.rate=0.1', 'loss.frequentMost=16'],
      'loss.frequentMost: more packets are lost than an event has',
    ],
    [
      ['loss.model=google', 'loss.rate=0.1', 'loss.frequentLeast=15'],
      'loss.frequentLeast: the fewest are more than the most',
    ],
    [
      ['loss.model=gilbert-elliott', 'loss.rate=0.1', 'loss.lossInBad=0.05'],
      'loss.rate: a channel that is good and bad in turn cannot have the rate',
    ],
    [
      ['loss.model=gilbert-elliott', 'loss.rate=0.95'],
      'loss.badToGood: the channel leaves the bad state too soon to have the rate',
    ],
    [
      ['loss.model=gilbert-elliott', 'loss.rate=0.1', 'loss.lossInGood=1'],
      'loss.lossInBad: a bad channel loses no more than a good one',
    ],
  ])('%j: %s', async (set, message) => {
    const found = await scenarioRun(text, set).catch((error: unknown) =>
      (error as InputError).diagnostics.map((one) => one.message),
    );
    expect(found).toEqual([message]);
  });

  it('are no matter where nothing is lost', async () => {
    const { summary } = await scenarioRun(text, ['loss.model=burst', 'loss.burstSpread=15']);
    expect(summary.outcome).toBe('finished');
  });
});
