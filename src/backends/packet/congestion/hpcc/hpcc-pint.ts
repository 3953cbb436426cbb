// HPCC over PINT: HPCC's reaction to one number per packet, the largest smoothed utilisation on its path, encoded in
// two bytes and brought back by a share of the packets only. Source: Ben Basat et al., SIGCOMM 2020, section 4.3; Li et
// al., SIGCOMM 2019, algorithm 1.
//   c = U / target: c >= 1 or stage >= maxStage: rate <- reference / c + additiveIncrease, stage <- 0 · else rate <-
//   reference +
//   additiveIncrease, stage + 1; reference and stage once per round trip, the rate with every sample
// additiveIncrease: additive-increase.ts
// Invariant: minimumRate <= rate <= line rate.

import { grown } from '../../../../base/columns.js';
import { RandomStream } from '../../../../base/random.js';
import { type AdditiveIncrease, additiveIncreaseOf } from './additive-increase.js';
import type { CompressedTelemetry } from './compressed-telemetry.js';
import { type EventRecords } from '../../../../engine/event-records.js';
import { PacketWord } from '../../packets.js';
import type { HpccSettings } from './hpcc-settings.js';
import type { CongestionParts } from '../../parts.js';
import type { CongestionControl, SendControl } from '../../plug-ins.js';
import { PairWord, type QueuePairs } from '../../queue-pairs.js';

const { sequence: SEQUENCE } = PacketWord;
const { nextPacket: NEXT_PACKET } = PairWord;

/** What this control is made from. */
export type HpccPintParts = Pick<CongestionParts, 'pairs' | 'records' | 'rates' | 'seed'> & {
  readonly telemetry: CompressedTelemetry;
};

/** HPCC's settings, and the share of the acknowledgements that bring the utilisation back. */
export type HpccPintConstants = HpccSettings & { readonly probability: number };

export class HpccPint implements CongestionControl {
  private updateAfter = new Int32Array(0);
  private referenceBps = new Float64Array(0);
  private stage = new Int32Array(0);

  private readonly increase: AdditiveIncrease;
  private readonly pairs: QueuePairs;
  private readonly records: EventRecords;
  private readonly telemetry: CompressedTelemetry;
  private readonly random: RandomStream;
  private readonly rates: SendControl;

  constructor(
    parts: HpccPintParts,
    private readonly constants: HpccPintConstants,
  ) {
    this.increase = additiveIncreaseOf(constants);
    this.pairs = parts.pairs;
    this.records = parts.records;
    this.telemetry = parts.telemetry;
    this.random = new RandomStream(parts.seed, 'pint');
    this.rates = parts.rates;
    this.reserve(parts.pairs.capacity);
    parts.pairs.onGrow((capacity) => this.reserve(capacity));
  }

  start(pair: number): void {
    this.updateAfter[pair] = 0;
    this.referenceBps[pair] = this.pairs.lineRateBps[pair]!;
    this.stage[pair] = 0;
  }

  acknowledged(pair: number, _marked: number, packet: number): void {
    const { constants } = this;
    const { fixedBps, share } = this.increase;
    if (constants.probability < 1 && this.random.nextFraction() >= constants.probability) return;
    const utilisation = this.telemetry.utilisationOf(packet);
    if (utilisation === 0) return;
    const isFull = this.records.words[(packet << 3) + SEQUENCE]! > this.updateAfter[pair]!;
    if (!isFull && !constants.fastReact) return;
    const c = utilisation / constants.targetUtilisation;
    const reference = this.referenceBps[pair]!;
    const isMultiplicative = c >= 1 || this.stage[pair]! >= constants.maxStage;
    const line = this.pairs.lineRateBps[pair]!;
    const wanted = Math.floor((isMultiplicative ? reference / c : reference) + fixedBps + share * line);
    const rate = Math.min(line, Math.max(Math.min(constants.minimumRate, line), wanted));
    if (isFull) {
      this.updateAfter[pair] = this.pairs.words[(pair << 4) + NEXT_PACKET]!;
      this.referenceBps[pair] = rate;
      this.stage[pair] = isMultiplicative ? 0 : this.stage[pair]! + 1;
    }
    this.rates.setRate(pair, rate);
  }

  notified(): void {}

  private reserve(capacity: number): void {
    this.referenceBps = grown(this.referenceBps, capacity);
    for (const name of ['updateAfter', 'stage'] as const) this[name] = grown(this[name], capacity);
  }
}
