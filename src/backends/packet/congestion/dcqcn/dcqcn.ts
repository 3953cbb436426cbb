// DCQCN, the congestion control of RoCEv2 NICs. Source: Zhu et al., "Congestion Control for Large-Scale RDMA
// Deployments", SIGCOMM 2015; the timer-only variant with SimAI's constants (docs/models/simai.md#congestion-controls):
// no byte counter, marks echoed on every acknowledgement.
//   alpha:    every alphaInterval  alpha <- (1 - g) alpha + (g if marked since the last update)
//   decrease: every decreaseInterval, if marked: target <- rate (unless the last event was a decrease), rate <- rate (1
//   - alpha / 2)
//   increase: every increaseInterval since the last decrease: rounds below fastRecoveryRounds: rate <- (rate + target)
//   / 2;
//             then target += additiveIncrease once, hyperIncrease afterwards, and the same averaging
// Invariants: minimumRate <= rate <= line rate; rates are whole bit/s; an update due at the instant of a mark comes
// first. The periodic updates are evaluated when somebody looks: an unmarked queue pair costs no event at all.

import { type CongestionMechanism, ownSettings, type SettingEffect } from '../../mechanism.js';
import type { CongestionControl, SendControl } from '../../plug-ins.js';
import { grown } from '../../../../base/columns.js';
import { count, flag, fraction, rate, type SettingGroup, type SettingValues, time } from '../../../../base/settings.js';
import type { Clock } from '../../../../engine/event-wheel.js';
import type { PairAlarm } from '../../pair-alarms.js';
import type { CongestionParts } from '../../parts.js';
import type { QueuePairs } from '../../queue-pairs.js';

/** Its settings; the defaults are SimAI's. */
export const dcqcnSettings = {
  gain: fraction(0.00390625, 'g: weight of a new mark in alpha'),
  alphaInterval: time('1us', 'period of alpha updates', { positive: true }),
  decreaseInterval: time('4us', 'shortest time between two rate decreases', { positive: true }),
  increaseInterval: time('900us', 'period of rate increases after the last decrease', { positive: true }),
  fastRecoveryRounds: count(1, 'increases that only halve the distance to the target rate', {
    minimum: 0,
    maximum: 1000,
  }),
  additiveIncrease: rate('50Mbps', 'step of the target rate'),
  hyperIncrease: rate('100Mbps', 'step of the target rate in hyper increase'),
  minimumRate: rate('100Mbps', 'a rate never falls below'),
  firstMarkRate: fraction(1, 'fraction of the rate kept at the first mark of a queue pair'),
  clampTargetRate: flag(false, 'every decrease sets the target rate to the rate before it'),
} as const satisfies SettingGroup;

/** The resolved values. */
export type DcqcnValues = SettingValues<typeof dcqcnSettings>;

/** What this control is made from. */
export type DcqcnParts = Pick<CongestionParts, 'pairs' | 'rates' | 'clock' | 'pairAlarms'>;

export class Dcqcn implements CongestionControl {
  private alpha = new Float64Array(0);
  /** when the timers started (the first mark), -1 before it */
  private startedPs = new Float64Array(0);
  /** alpha updates done since then */
  private alphaUpdates = new Float64Array(0);
  private markedSinceAlpha = new Uint8Array(0);
  /** a decrease event is scheduled because a mark was seen */
  private decreasePending = new Uint8Array(0);
  private increasePending = new Uint8Array(0);
  /** when the next increase is due; a later decrease moves it while the event still waits */
  private increaseAtPs = new Float64Array(0);
  private targetBps = new Float64Array(0);
  private stage = new Int32Array(0);
  /** (1 - g)^n for small n */
  private readonly decay = new Float64Array(1024);

  private readonly pairs: QueuePairs;
  private readonly rates: SendControl;
  private readonly clock: Clock;
  private readonly decrease: PairAlarm;
  private readonly increase: PairAlarm;

  constructor(
    parts: DcqcnParts,
    private readonly constants: DcqcnValues,
  ) {
    this.pairs = parts.pairs;
    this.rates = parts.rates;
    this.clock = parts.clock;
    this.decrease = parts.pairAlarms.register('DCQCN decrease', (pair) => this.decreaseDue(pair));
    this.increase = parts.pairAlarms.register('DCQCN increase', (pair) => this.increaseDue(pair));
    this.decay[0] = 1;
    for (let n = 1; n < this.decay.length; n++) this.decay[n] = this.decay[n - 1]! * (1 - constants.gain);
    this.reserve(parts.pairs.capacity);
    parts.pairs.onGrow((capacity) => this.reserve(capacity));
  }

  start(pair: number): void {
    this.startedPs[pair] = -1;
    this.stage[pair] = 0;
    this.decreasePending[pair] = 0;
    this.increasePending[pair] = 0;
    this.markedSinceAlpha[pair] = 0;
  }

  acknowledged(pair: number, marked: number): void {
    if (marked !== 0) this.notified(pair);
  }

  notified(pair: number): void {
    if (this.startedPs[pair]! < 0) this.firstMark(pair);
    else {
      this.updateAlpha(pair);
      this.markedSinceAlpha[pair] = 1;
    }
    if (this.decreasePending[pair] !== 0) return;
    this.decreasePending[pair] = 1;
    const period = this.constants.decreaseInterval;
    const started = this.startedPs[pair]!;
    this.decrease.at(started + (Math.floor((this.clock.nowPs - started) / period) + 1) * period, pair);
  }

  private decreaseDue(pair: number): void {
    if (this.pairs.slotOf(pair) < 0) return;
    const { constants, pairs } = this;
    this.decreasePending[pair] = 0;
    this.updateAlpha(pair);
    const rate = pairs.rateBps[pair]!;
    if (constants.clampTargetRate || this.stage[pair] !== 0) this.targetBps[pair] = rate;
    const lowered = Math.floor(rate * (1 - this.alpha[pair]! / 2));
    this.rates.setRate(pair, Math.max(this.leastBps(pair), lowered));
    this.stage[pair] = 0;
    this.increaseAtPs[pair] = this.clock.nowPs + constants.increaseInterval;
    if (this.increasePending[pair] === 0) {
      this.increasePending[pair] = 1;
      this.increase.at(this.increaseAtPs[pair]!, pair);
    }
  }

  private increaseDue(pair: number): void {
    if (this.pairs.slotOf(pair) < 0) return;
    const { constants, pairs } = this;
    const dueAt = this.increaseAtPs[pair]!;
    if (this.clock.nowPs < dueAt) {
      this.increase.at(dueAt, pair);
      return;
    }
    const line = pairs.lineRateBps[pair]!;
    const stage = this.stage[pair]!;
    if (stage >= constants.fastRecoveryRounds) {
      const step = stage === constants.fastRecoveryRounds ? constants.additiveIncrease : constants.hyperIncrease;
      this.targetBps[pair] = Math.min(line, this.targetBps[pair]! + step);
    }
    const target = this.targetBps[pair]!;
    const raised = Math.floor(pairs.rateBps[pair]! / 2) + Math.floor(target / 2);
    // halving both halves loses a bit per second for odd rates: arrive at the target instead of creeping below it
    this.rates.setRate(pair, target - raised <= 1 ? target : raised);
    this.stage[pair] = stage + 1;
    if (target === line && pairs.rateBps[pair] === line) {
      this.increasePending[pair] = 0;
      return;
    }
    this.increaseAtPs[pair] = this.clock.nowPs + constants.increaseInterval;
    this.increase.at(this.increaseAtPs[pair]!, pair);
  }

  private reserve(capacity: number): void {
    for (const name of ['alpha', 'startedPs', 'alphaUpdates', 'increaseAtPs', 'targetBps'] as const)
      this[name] = grown(this[name], capacity);
    for (const name of ['markedSinceAlpha', 'decreasePending', 'increasePending'] as const)
      this[name] = grown(this[name], capacity);
    this.stage = grown(this.stage, capacity);
  }

  /** alpha of a queue pair as of now, for probes and tests */
  alphaNow(pair: number): number {
    if (this.startedPs[pair]! < 0) return 1;
    this.updateAlpha(pair);
    return this.alpha[pair]!;
  }

  private firstMark(pair: number): void {
    this.alpha[pair] = 1;
    this.alphaUpdates[pair] = 0;
    this.startedPs[pair] = this.clock.nowPs;
    const rate = Math.max(this.leastBps(pair), Math.floor(this.constants.firstMarkRate * this.pairs.rateBps[pair]!));
    this.targetBps[pair] = rate;
    if (rate !== this.pairs.rateBps[pair]) this.rates.setRate(pair, rate);
  }

  private leastBps(pair: number): number {
    return Math.min(this.constants.minimumRate, this.pairs.lineRateBps[pair]!);
  }

  /** Does the updates of alpha that were due up to now. */
  private updateAlpha(pair: number): void {
    const due = Math.floor((this.clock.nowPs - this.startedPs[pair]!) / this.constants.alphaInterval);
    let missing = due - this.alphaUpdates[pair]!;
    if (missing <= 0) return;
    this.alphaUpdates[pair] = due;
    let alpha = this.alpha[pair]!;
    if (this.markedSinceAlpha[pair] !== 0) {
      alpha = (1 - this.constants.gain) * alpha + this.constants.gain;
      this.markedSinceAlpha[pair] = 0;
      missing--;
    }
    const { decay } = this;
    while (missing >= decay.length) {
      alpha *= decay[decay.length - 1]!;
      missing -= decay.length - 1;
    }
    this.alpha[pair] = alpha * decay[missing]!;
  }
}

/** Quick increases, so that a run has several losses of rate. */
const quick = 'dcqcn.increaseInterval=50us';
/** One notification in 50 us: between two of them alpha fades. */
const sparse = [quick, 'queuePair.notificationInterval=50us'];
const slowAtFirst = [quick, 'dcqcn.firstMarkRate=0.25'];

const effects: Readonly<Record<string, SettingEffect>> = {
  'dcqcn.gain': { given: sparse, values: ['0.00390625', '0.5'], falls: 'meanCompletion' },
  'dcqcn.alphaInterval': { given: [...sparse, 'dcqcn.gain=0.5'], values: ['1us', '10us'], rises: 'meanCompletion' },
  'dcqcn.decreaseInterval': { given: [quick], values: ['4us', '20us'], falls: 'meanCompletion' },
  'dcqcn.increaseInterval': { values: ['50us', '100us'], rises: 'meanCompletion' },
  'dcqcn.fastRecoveryRounds': { given: slowAtFirst, values: ['1', '5'], rises: 'meanCompletion' },
  'dcqcn.additiveIncrease': { given: slowAtFirst, values: ['50Mbps', '5Gbps'], falls: 'meanCompletion' },
  'dcqcn.hyperIncrease': { given: slowAtFirst, values: ['100Mbps', '5Gbps'], falls: 'meanCompletion' },
  'dcqcn.minimumRate': { given: [quick], values: ['100Mbps', '20Gbps'], falls: 'meanCompletion' },
  'dcqcn.firstMarkRate': { given: [quick], values: ['1', '0.5'], rises: 'meanCompletion' },
  'dcqcn.clampTargetRate': { given: [quick], values: ['false', 'true'], rises: 'meanCompletion' },
};

/** DCQCN's entry. */
export const dcqcn = {
  description: 'rates by ECN marks, as RoCEv2 NICs have it',
  sets: 'rate',
  readsMarks: true,
  settings: { dcqcn: dcqcnSettings },
  groupTexts: { dcqcn: 'Parameters of DCQCN' },
  noEffect: [
    {
      settings: ['dcqcn.alphaInterval'],
      causes: ['dcqcn.gain'],
      when: ({ settings }) => ownSettings(settings, 'dcqcn', dcqcnSettings).gain === 0,
      because: 'dcqcn.gain is 0, and alpha stays 1',
    },
  ],
  effects,
  make: (parts): CongestionControl => new Dcqcn(parts, ownSettings(parts.settings, 'dcqcn', dcqcnSettings)),
} as const satisfies CongestionMechanism;
