// TIMELY: rate control by the gradient of the round-trip time. Source: Mittal et al., "TIMELY: RTT-based Congestion
// Control for the Datacenter", SIGCOMM 2015, algorithm 1, with SimAI's constants
// (docs/models/simai.md#congestion-controls); one update per round trip.
//   difference <- (1 - a) difference + a (rtt - previous rtt);  gradient = difference / minimum rtt
//   rtt < low: increase · rtt > high: rate <- rate (1 - b (1 - high / rtt)) · gradient <= 0: increase · else rate <-
//   rate (1 - b gradient)
//   increase: additiveIncrease; hyperIncrease from the sixth increase in a row on
// Invariants: minimumRate <= rate <= line rate; the first round trip only sets the reference.

import { type CongestionMechanism, needed, ownSettings } from '../../mechanism.js';
import type { CongestionControl, SendControl } from '../../plug-ins.js';
import { stamps, Telemetry } from '../../telemetry.js';
import { grown } from '../../../../base/columns.js';
import { fraction, rate, type SettingGroup, type SettingValues, time } from '../../../../base/settings.js';
import type { EventRecords } from '../../../../engine/event-records.js';
import { PacketWord } from '../../packets.js';
import type { Clock } from '../../../../engine/event-wheel.js';
import type { CongestionParts } from '../../parts.js';
import { PairWord, type QueuePairs } from '../../queue-pairs.js';

const { sequence: SEQUENCE } = PacketWord;
const { nextPacket: NEXT_PACKET } = PairWord;
/** increases in a row after which hyper increase begins (the paper's N) */
const additiveRounds = 5;

/** Its settings; the defaults are SimAI's. */
export const timelySettings = {
  lowThreshold: time('50us', 'a round trip below it always raises the rate'),
  highThreshold: time('500us', 'a round trip above it always lowers the rate'),
  minimumRtt: time('20us', 'unit of the gradient', { positive: true }),
  smoothing: fraction(0.875, 'weight of the newest difference of round trips'),
  decrease: fraction(0.8, 'strength of a decrease'),
  additiveIncrease: rate('50Mbps', 'step of the rate'),
  hyperIncrease: rate('100Mbps', 'step of the rate from the sixth increase in a row on'),
  minimumRate: rate('100Mbps', 'a rate never falls below'),
} as const satisfies SettingGroup;

/** What this control is made from. */
export type TimelyParts = Pick<CongestionParts, 'pairs' | 'records' | 'rates' | 'clock'> & {
  readonly telemetry: Telemetry;
};

export class Timely implements CongestionControl {
  /** last round trip, 0 before the first; smoothed difference of round trips; both in picoseconds */
  private lastRttPs = new Float64Array(0);
  private differencePs = new Float64Array(0);
  private increases = new Int32Array(0);
  private updateAfter = new Int32Array(0);

  private readonly pairs: QueuePairs;
  private readonly records: EventRecords;
  private readonly telemetry: Telemetry;
  private readonly rates: SendControl;
  private readonly clock: Clock;

  constructor(
    parts: TimelyParts,
    private readonly constants: SettingValues<typeof timelySettings>,
  ) {
    this.pairs = parts.pairs;
    this.records = parts.records;
    this.telemetry = parts.telemetry;
    this.rates = parts.rates;
    this.clock = parts.clock;
    this.reserve(parts.pairs.capacity);
    parts.pairs.onGrow((capacity) => this.reserve(capacity));
  }

  start(pair: number): void {
    this.lastRttPs[pair] = this.differencePs[pair] = 0;
    this.increases[pair] = this.updateAfter[pair] = 0;
  }

  acknowledged(pair: number, _marked: number, packet: number): void {
    if (this.records.words[(packet << 3) + SEQUENCE]! <= this.updateAfter[pair]!) return;
    this.updateAfter[pair] = this.pairs.words[(pair << 4) + NEXT_PACKET]!;
    const rttPs = this.clock.nowPs - this.telemetry.sentPs[packet]!;
    const lastPs = this.lastRttPs[pair]!;
    this.lastRttPs[pair] = rttPs;
    if (lastPs !== 0) this.update(pair, rttPs, rttPs - lastPs);
  }

  notified(): void {}

  private reserve(capacity: number): void {
    for (const name of ['lastRttPs', 'differencePs'] as const) this[name] = grown(this[name], capacity);
    for (const name of ['increases', 'updateAfter'] as const) this[name] = grown(this[name], capacity);
  }

  private update(pair: number, rttPs: number, changePs: number): void {
    const { constants } = this;
    const differencePs = (1 - constants.smoothing) * this.differencePs[pair]! + constants.smoothing * changePs;
    this.differencePs[pair] = differencePs;
    const gradient = differencePs / constants.minimumRtt;
    const rate = this.pairs.rateBps[pair]!;
    if (rttPs < constants.lowThreshold || (rttPs <= constants.highThreshold && gradient <= 0)) {
      const step = this.increases[pair]! < additiveRounds ? constants.additiveIncrease : constants.hyperIncrease;
      this.increases[pair]!++;
      this.set(pair, rate + step);
    } else {
      this.increases[pair] = 0;
      const factor =
        rttPs > constants.highThreshold
          ? 1 - constants.decrease * (1 - constants.highThreshold / rttPs)
          : Math.max(0, 1 - constants.decrease * gradient);
      this.set(pair, Math.floor(rate * factor));
    }
  }

  private set(pair: number, rateBps: number): void {
    const line = this.pairs.lineRateBps[pair]!;
    this.rates.setRate(pair, Math.min(line, Math.max(Math.min(this.constants.minimumRate, line), rateBps)));
  }
}

/** Round trips of an empty network are below it. */
const low = 'timely.lowThreshold=10us';

/** TIMELY's entry. */
export const timely = {
  description: 'rates by the change of round-trip times',
  sets: 'rate',
  settings: { timely: timelySettings },
  groupTexts: { timely: 'Parameters of TIMELY' },
  effects: {
    'timely.lowThreshold': { values: ['10us', '60us'], falls: 'meanCompletion' },
    'timely.highThreshold': { given: [low, 'timely.smoothing=0'], values: ['500us', '15us'], rises: 'meanCompletion' },
    'timely.minimumRtt': { given: [low], values: ['20us', '40us'], falls: 'meanCompletion' },
    'timely.smoothing': { given: [low], values: ['0.875', '0.1'], falls: 'meanCompletion' },
    'timely.decrease': { given: [low], values: ['0.8', '0.2'], falls: 'meanCompletion' },
    'timely.additiveIncrease': { given: [low], values: ['50Mbps', '5Gbps'], falls: 'meanCompletion' },
    'timely.hyperIncrease': { given: [low], values: ['100Mbps', '5Gbps'], falls: 'meanCompletion' },
    'timely.minimumRate': { given: [low], values: ['100Mbps', '50Gbps'], falls: 'meanCompletion' },
  },
  telemetry: stamps,
  make: (parts): CongestionControl =>
    new Timely(
      { ...parts, telemetry: needed(parts.telemetry, Telemetry) },
      ownSettings(parts.settings, 'timely', timelySettings),
    ),
} as const satisfies CongestionMechanism;
