// Losses that come in events: a burst of packets in a row, some of the next few, or one alone; and mixes of the three,
// by which clouds were described. At a packet at which no event is under way one begins with a probability p; its kind
// is drawn by the weights of the mix.
// Invariant: in the long run the share of lost packets is the rate: a cycle is 1/p - 1 packets without an event and one
// event of L packets that loses D of them, so D / (1/p - 1 + L) = rate, and p = 1 / (D / rate - L + 1).
// Source: the events, their lengths and the weights are those of OmniDMA's simulator (switch-packet-dropper), which has
// p = rate / D and so loses a little less than its rate (docs/models/losses.md). Not modelled: events that overlap.

import { LossCause } from '../../../engine/link-hazards.js';
import type { RandomStream } from '../../../base/random.js';
import type { PacketSettings } from '../settings.js';
import type { LossProcess, LossProcesses, LossProcessParts } from './port-losses.js';

/** Shares of events of each kind; they add up to 1. */
export interface EventMix {
  /** one packet */
  readonly single: number;
  /** some of the next packets */
  readonly frequent: number;
  /** packets in a row */
  readonly burst: number;
}

/** Mixes by the name of the model. */
export const eventMixes = {
  burst: { single: 0, frequent: 0, burst: 1 },
  'high-frequency': { single: 0, frequent: 1, burst: 0 },
  amazon: { single: 0.53, frequent: 0.12, burst: 0.35 },
  google: { single: 0.37, frequent: 0.51, burst: 0.12 },
  microsoft: { single: 0.68, frequent: 0.19, burst: 0.13 },
} as const satisfies Readonly<Record<string, EventMix>>;

type LossSettings = PacketSettings['loss'];

/** What an event comes to in the mean. */
export interface MeanEvent {
  /** packets from its first to its last */
  readonly packets: number;
  /** of them lost */
  readonly lost: number;
}

/** The mean event of a mix. */
export function meanEvent({ single, frequent, burst }: EventMix, loss: LossSettings): MeanEvent {
  const { burstLength, frequentWindow, frequentLeast, frequentMost } = loss;
  return {
    packets: single + frequent * frequentWindow + burst * burstLength,
    lost: single + (frequent * (frequentLeast + frequentMost)) / 2 + burst * burstLength,
  };
}

/** The largest rate that a mix can have: event after event. */
export function largestRate(mix: EventMix, loss: LossSettings): number {
  const { packets, lost } = meanEvent(mix, loss);
  return lost / packets;
}

class LossEvents implements LossProcess {
  /** of the event under way */
  cause: number = LossCause.single;
  /** that an event begins at a packet */
  private readonly probability: number;
  private readonly random: RandomStream;
  private readonly loss: LossSettings;
  /** of the event under way: packets left of it, and of them lost */
  private left = 0;
  private lostLeft = 0;

  constructor(
    private readonly mix: EventMix,
    { random, rate, settings }: LossProcessParts,
  ) {
    this.random = random;
    this.loss = settings;
    const { packets, lost } = meanEvent(mix, settings);
    this.probability = 1 / (lost / rate - packets + 1);
  }

  strikes(): boolean {
    if (this.left === 0) {
      if (this.random.nextFraction() >= this.probability) return false;
      this.begin();
    }
    // of the packets that are left any is as likely to be lost as another
    const isLost = this.lostLeft === this.left || this.random.nextBelow(this.left) < this.lostLeft;
    this.left--;
    if (isLost) this.lostLeft--;
    return isLost;
  }

  private begin(): void {
    const { mix, loss, random } = this;
    const { burstLength, burstSpread, frequentWindow, frequentLeast, frequentMost } = loss;
    const draw = mix.single === 1 || mix.frequent === 1 || mix.burst === 1 ? 0 : random.nextFraction();
    if (draw < mix.single) {
      this.cause = LossCause.single;
      this.left = this.lostLeft = 1;
    } else if (draw < mix.single + mix.frequent) {
      this.cause = LossCause.frequent;
      this.left = frequentWindow;
      this.lostLeft = frequentLeast + random.nextBelow(frequentMost - frequentLeast + 1);
    } else {
      this.cause = LossCause.burst;
      this.left = this.lostLeft = burstLength - burstSpread + random.nextBelow(2 * burstSpread + 1);
    }
  }
}

/** The processes of a model of events. */
export function lossEvents(mix: EventMix): LossProcesses {
  return { of: (parts) => new LossEvents(mix, parts) };
}
