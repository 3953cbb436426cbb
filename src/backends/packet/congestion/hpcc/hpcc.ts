// HPCC: every acknowledgement tells how busy each link of the path was, and the sender aims at a target utilisation.
// Source: Li et al., "HPCC: High Precision Congestion Control", SIGCOMM 2019, algorithm 1 (MeasureInflight,
// ComputeWind), in the rate form of the authors' simulator and SimAI (docs/models/simai.md#congestion-controls).
//   per link:   u = min(queue, previous queue) / (B T) + sent rate / B
//   per path:   U <- (1 - tau / T) U + (tau / T) max u, tau = time between the two stamps of that link, at most T
//   c = U / target: c >= 1 or stage >= maxStage: rate <- reference / c + additiveIncrease, stage <- 0 · else rate <-
//   reference +
//   additiveIncrease, stage + 1; the reference is set once per round trip, in between (fast reaction) only the rate
//   multi rate: the same per link with a reference of its own; the lowest rate wins
//   additiveIncrease: additive-increase.ts
// Invariants: minimumRate <= rate <= line rate; T is the fabric's largest base round trip, the same for all.

import { grown } from '../../../../base/columns.js';
import { type EventRecords } from '../../../../engine/event-records.js';
import { type AdditiveIncrease, additiveIncreaseOf } from './additive-increase.js';
import { PacketWord } from '../../packets.js';
import type { HpccSettings } from './hpcc-settings.js';
import type { CongestionParts } from '../../parts.js';
import type { CongestionControl, SendControl } from '../../plug-ins.js';
import type { Ports } from '../../ports.js';
import { PairWord, type QueuePairs } from '../../queue-pairs.js';
import type { Telemetry } from '../../telemetry.js';

const { sequence: SEQUENCE } = PacketWord;
const { nextPacket: NEXT_PACKET } = PairWord;

/** What this control is made from. */
export type HpccParts = Pick<CongestionParts, 'pairs' | 'records' | 'ports' | 'rates' | 'largestRttPs'> & {
  readonly telemetry: Telemetry;
};

export class Hpcc implements CongestionControl {
  /** per pair: packet whose acknowledgement allows the next full update; hops known so far (0: none yet) */
  private updateAfter = new Int32Array(0);
  private knownHops = new Uint8Array(0);
  /**
   * per pair and hop: the last stamp, and the smoothed utilisation, reference rate and stage (single rate uses hop 0)
   */
  private port = new Int32Array(0);
  private timePs = new Float64Array(0);
  private sentBytes = new Float64Array(0);
  private queueBytes = new Float64Array(0);
  private utilisation = new Float64Array(0);
  private referenceBps = new Float64Array(0);
  private stage = new Int32Array(0);
  private readonly hops: number;

  private readonly pairs: QueuePairs;
  private readonly records: EventRecords;
  private readonly ports: Ports;
  private readonly telemetry: Telemetry;
  private readonly rates: SendControl;
  /** T */
  private readonly baseRttPs: number;
  private readonly increase: AdditiveIncrease;

  constructor(
    parts: HpccParts,
    private readonly constants: HpccSettings,
  ) {
    this.pairs = parts.pairs;
    this.records = parts.records;
    this.ports = parts.ports;
    this.telemetry = parts.telemetry;
    this.rates = parts.rates;
    this.baseRttPs = parts.largestRttPs();
    this.increase = additiveIncreaseOf(constants);
    this.hops = parts.telemetry.hops;
    this.reserve(parts.pairs.capacity);
    parts.pairs.onGrow((capacity) => this.reserve(capacity));
  }

  start(pair: number): void {
    this.updateAfter[pair] = 0;
    this.knownHops[pair] = 0;
  }

  acknowledged(pair: number, _marked: number, packet: number): void {
    const hops = this.telemetry.hopCount[packet]!;
    const isFull = this.records.words[(packet << 3) + SEQUENCE]! > this.updateAfter[pair]!;
    if (isFull) this.updateAfter[pair] = this.pairs.words[(pair << 4) + NEXT_PACKET]!;
    if (this.knownHops[pair] !== hops || !this.samePath(pair, packet, hops)) this.learn(pair, packet, hops);
    else if (isFull || this.constants.fastReact) {
      if (this.constants.multiRate) this.reactPerLink(pair, packet, hops, isFull);
      else this.reactToPath(pair, packet, hops, isFull);
    }
  }

  notified(): void {}

  private reserve(capacity: number): void {
    this.updateAfter = grown(this.updateAfter, capacity);
    this.knownHops = grown(this.knownHops, capacity);
    for (const name of ['port', 'stage'] as const) this[name] = grown(this[name], capacity * this.hops);
    for (const name of ['timePs', 'sentBytes', 'queueBytes', 'utilisation', 'referenceBps'] as const)
      this[name] = grown(this[name], capacity * this.hops);
  }

  private samePath(pair: number, packet: number, hops: number): boolean {
    for (let hop = 0; hop < hops; hop++)
      if (this.port[pair * this.hops + hop] !== this.telemetry.hopPort[packet * this.hops + hop]) return false;
    return true;
  }

  /** First stamps of a path: they only set the reference. */
  private learn(pair: number, packet: number, hops: number): void {
    this.knownHops[pair] = hops;
    for (let hop = 0; hop < hops; hop++) {
      const at = pair * this.hops + hop;
      this.remember(at, packet * this.hops + hop);
      this.utilisation[at] = 1;
      this.referenceBps[at] = this.pairs.rateBps[pair]!;
      this.stage[at] = 0;
    }
  }

  private remember(at: number, from: number): void {
    const { telemetry } = this;
    this.port[at] = telemetry.hopPort[from]!;
    this.timePs[at] = telemetry.hopTimePs[from]!;
    this.sentBytes[at] = telemetry.hopSentBytes[from]!;
    this.queueBytes[at] = telemetry.hopQueueBytes[from]!;
  }

  /** u of one link between the last stamp and this one */
  private linkUtilisation(at: number, from: number, tauPs: number): number {
    const { telemetry } = this;
    const bytesPerPs = this.ports.rateBps[telemetry.hopPort[from]!]! / 8e12;
    const sent = (telemetry.hopSentBytes[from]! - this.sentBytes[at]!) / tauPs;
    const queued = Math.min(telemetry.hopQueueBytes[from]!, this.queueBytes[at]!);
    return queued / (bytesPerPs * this.baseRttPs) + sent / bytesPerPs;
  }

  private reactToPath(pair: number, packet: number, hops: number, isFull: boolean): void {
    let largest = 0;
    let tauPs = 0;
    for (let hop = 0; hop < hops; hop++) {
      const at = pair * this.hops + hop;
      const from = packet * this.hops + hop;
      const elapsedPs = this.telemetry.hopTimePs[from]! - this.timePs[at]!;
      if (elapsedPs <= 0) continue;
      const u = this.linkUtilisation(at, from, elapsedPs);
      if (u > largest) {
        largest = u;
        tauPs = elapsedPs;
      }
      this.remember(at, from);
    }
    if (tauPs === 0) return;
    this.rates.setRate(pair, this.step(pair, pair * this.hops, largest, tauPs, isFull));
  }

  private reactPerLink(pair: number, packet: number, hops: number, isFull: boolean): void {
    let lowest = this.pairs.lineRateBps[pair]!;
    for (let hop = 0; hop < hops; hop++) {
      const at = pair * this.hops + hop;
      const from = packet * this.hops + hop;
      const elapsedPs = this.telemetry.hopTimePs[from]! - this.timePs[at]!;
      if (elapsedPs <= 0) continue;
      lowest = Math.min(lowest, this.step(pair, at, this.linkUtilisation(at, from, elapsedPs), elapsedPs, isFull));
      this.remember(at, from);
    }
    this.rates.setRate(pair, lowest);
  }

  /** One reaction with the state at `at`. @returns the rate it asks for */
  private step(pair: number, at: number, u: number, elapsedPs: number, isFull: boolean): number {
    const { constants, baseRttPs } = this;
    const { fixedBps, share } = this.increase;
    const tauPs = Math.min(elapsedPs, baseRttPs);
    const smoothed = (this.utilisation[at]! * (baseRttPs - tauPs) + u * tauPs) / baseRttPs;
    this.utilisation[at] = smoothed;
    const c = smoothed / constants.targetUtilisation;
    const reference = this.referenceBps[at]!;
    const isMultiplicative = c >= 1 || this.stage[at]! >= constants.maxStage;
    const line = this.pairs.lineRateBps[pair]!;
    const wanted = Math.floor((isMultiplicative ? reference / c : reference) + fixedBps + share * line);
    const rate = Math.min(line, Math.max(Math.min(constants.minimumRate, line), wanted));
    if (isFull) {
      this.referenceBps[at] = rate;
      this.stage[at] = isMultiplicative ? 0 : this.stage[at]! + 1;
    }
    return rate;
  }
}
