// Swift: a window by end-to-end delay. Source: Kumar et al., "Swift: Delay is Simple and Effective for Congestion
// Control in the Datacenter", SIGCOMM 2020, algorithm 1 and section 3.5, checked against csg-htsim's sim/swift.cpp, as
// the paper was not at hand. Equations: docs/models/congestion-controls.md#swift.
// Invariant: minimumWindow <= W <= the window of the settings. It starts with that window, or with the largest
// bandwidth-delay product of the fabric if there is no limit.
// Not modelled: a second window by the delay in hosts, and the reaction to losses. Delays are those of packet and
// acknowledgement, from NIC to NIC; the paper's also leave out what the reverse path queues.

import { type CongestionMechanism, needed, ownSettings } from '../../mechanism.js';
import type { CongestionControl, SendControl } from '../../plug-ins.js';
import { stamps, Telemetry } from '../../telemetry.js';
import { grown } from '../../../../base/columns.js';
import { fraction, type SettingGroup, type SettingValues, time } from '../../../../base/settings.js';
import type { Clock } from '../../../../engine/event-wheel.js';
import type { CongestionParts } from '../../parts.js';
import { PairWord, type QueuePairs } from '../../queue-pairs.js';

const { firstUnacknowledged: FIRST_UNACKNOWLEDGED } = PairWord;

/** Its settings; defaults as in csg-htsim, but the times follow the fabric, and hopScaling is guessed. */
const swiftSettings = {
  baseTarget: time(
    'auto',
    'round trip that is aimed at, before what follows is added; auto: the largest of the idle fabric',
    { orAuto: true },
  ),
  hopScaling: time('1us', 'added to the target for every switch on the way'),
  flowScalingRange: time('auto', 'most that is added to the target of a small window; auto: five times baseTarget', {
    orAuto: true,
  }),
  flowScalingMinimum: fraction(0.1, 'window in packets up to which the whole flowScalingRange is added', {
    minimum: 0.001,
    maximum: 1,
  }),
  flowScalingMaximum: fraction(100, 'window in packets from which nothing of flowScalingRange is added', {
    minimum: 2,
    maximum: 1_000_000,
  }),
  additiveIncrease: fraction(1, 'packets that the window grows by in a round trip below the target', {
    minimum: 0.001,
    maximum: 1000,
  }),
  decrease: fraction(0.8, 'strength of a decrease above the target'),
  maximumDecrease: fraction(0.5, 'most of the window that a decrease takes'),
  minimumWindow: fraction(0.001, 'packets that a window never falls below', { minimum: 0.000001, maximum: 1000 }),
} as const satisfies SettingGroup;

/** The resolved values. */
export type SwiftValues = SettingValues<typeof swiftSettings>;

/** What this control is made from. */
export type SwiftParts = Pick<CongestionParts, 'pairs' | 'rates' | 'clock' | 'largestRttPs' | 'largestBdpBytes'> & {
  readonly telemetry: Pick<Telemetry, 'sentPs' | 'hopCount'>;
  /** of a full packet */
  readonly payloadBytes: number;
};

export class Swift implements CongestionControl {
  /** by queue pair: the window in packets, when it last fell, and the packets acknowledged so far */
  private windowPackets = new Float64Array(0);
  private decreasedPs = new Float64Array(0);
  private seenPackets = new Int32Array(0);

  private readonly pairs: QueuePairs;
  private readonly rates: SendControl;
  private readonly clock: Clock;
  private readonly telemetry: SwiftParts['telemetry'];
  private readonly payloadBytes: number;
  private readonly idleRttPs: number;
  private readonly startPackets: number;
  private readonly basePs: number;
  /** the range, a and b of the target's part that scales with flows, in picoseconds */
  private readonly rangePs: number;
  private readonly slopePs: number;
  private readonly offsetPs: number;

  constructor(
    parts: SwiftParts,
    private readonly values: SwiftValues,
  ) {
    this.pairs = parts.pairs;
    this.rates = parts.rates;
    this.clock = parts.clock;
    this.telemetry = parts.telemetry;
    this.payloadBytes = parts.payloadBytes;
    this.idleRttPs = parts.largestRttPs();
    this.startPackets = parts.largestBdpBytes() / parts.payloadBytes;
    this.basePs = values.baseTarget === 'auto' ? this.idleRttPs : values.baseTarget;
    this.rangePs = values.flowScalingRange === 'auto' ? 5 * this.basePs : values.flowScalingRange;
    const atMost = 1 / Math.sqrt(values.flowScalingMaximum);
    this.slopePs = this.rangePs / (1 / Math.sqrt(values.flowScalingMinimum) - atMost);
    this.offsetPs = -this.slopePs * atMost;
    this.reserve(parts.pairs.capacity);
    parts.pairs.onGrow((capacity) => this.reserve(capacity));
  }

  start(pair: number): void {
    const limit = this.pairs.windowBytes[pair]! / this.payloadBytes;
    this.decreasedPs[pair] = -Infinity;
    this.seenPackets[pair] = 0;
    this.set(pair, limit === Infinity ? Math.max(1, this.startPackets) : limit, this.idleRttPs);
  }

  acknowledged(pair: number, _marked: number, packet: number): void {
    const { values, clock, telemetry } = this;
    const first = this.pairs.words[(pair << 4) + FIRST_UNACKNOWLEDGED]!;
    const count = Math.max(0, first - this.seenPackets[pair]!);
    this.seenPackets[pair]! += count;
    const delayPs = clock.nowPs - telemetry.sentPs[packet]!;
    const window = this.windowPackets[pair]!;
    const targetPs = this.targetPs(window, telemetry.hopCount[packet]!);
    let next = window;
    if (delayPs < targetPs) next += (values.additiveIncrease * count) / Math.max(1, window);
    else if (clock.nowPs - this.decreasedPs[pair]! >= delayPs) {
      const share = (values.decrease * (delayPs - targetPs)) / delayPs;
      next *= 1 - Math.min(share, values.maximumDecrease);
      this.decreasedPs[pair] = clock.nowPs;
    }
    this.set(pair, next, delayPs);
  }

  /** A mark that is told by a packet of its own says nothing of delay. */
  notified(): void {}

  /** The delay that a window aims at over so many switches, in picoseconds. */
  targetPs(windowPackets: number, switches: number): number {
    const scaledPs = this.slopePs / Math.sqrt(windowPackets) + this.offsetPs;
    return this.basePs + switches * this.values.hopScaling + Math.min(this.rangePs, Math.max(0, scaledPs));
  }

  private set(pair: number, packets: number, roundTripPs: number): void {
    const most = this.pairs.windowBytes[pair]! / this.payloadBytes;
    const window = Math.max(this.values.minimumWindow, Math.min(packets, most));
    this.windowPackets[pair] = window;
    this.rates.setWindow(pair, window * this.payloadBytes, roundTripPs);
  }

  private reserve(capacity: number): void {
    for (const name of ['windowPackets', 'decreasedPs'] as const) this[name] = grown(this[name], capacity);
    this.seenPackets = grown(this.seenPackets, capacity);
  }
}

/** Swift's entry. */
export const swift = {
  description: 'windows by the delay of round trips, below one packet, too',
  sets: 'window',
  settings: { swift: swiftSettings },
  groupTexts: { swift: 'Parameters of Swift' },
  effects: {
    'swift.baseTarget': { values: ['6us', '40us'], rises: 'marks' },
    'swift.hopScaling': { values: ['1us', '30us'], rises: 'marks' },
    'swift.flowScalingRange': { values: ['0us', '500us'], rises: 'marks' },
    'swift.flowScalingMinimum': { values: ['0.1', '1'], rises: 'marks' },
    'swift.flowScalingMaximum': { values: ['100', '10000'], rises: 'marks' },
    'swift.additiveIncrease': { values: ['1', '8'], rises: 'marks' },
    'swift.decrease': { values: ['0.8', '0.1'], rises: 'marks' },
    'swift.maximumDecrease': { values: ['0.5', '0.01'], rises: 'marks' },
    'swift.minimumWindow': { values: ['0.001', '40'], rises: 'marks' },
  },
  telemetry: stamps,
  make: (parts): CongestionControl =>
    new Swift(
      { ...parts, telemetry: needed(parts.telemetry, Telemetry), payloadBytes: parts.settings.packet.payload },
      ownSettings(parts.settings, 'swift', swiftSettings),
    ),
} as const satisfies CongestionMechanism;
