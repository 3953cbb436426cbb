// DCTCP as a rate control. Source: Alizadeh et al., "Data Center TCP (DCTCP)", SIGCOMM 2010, section 3.2, with SimAI's
// rate form (docs/models/simai.md#congestion-controls).
//   once per window of data:  alpha <- (1 - g) alpha + g F, with F the share of acknowledgements that were marked
//   on a mark, at most once per window:  rate <- max(minimumRate, rate (1 - alpha / 2))
//   else once per window:  rate <- min(line rate, rate + additiveIncrease)
// Invariants: 0 <= alpha <= 1; minimumRate <= rate <= line rate. A window ends when the packet is acknowledged that was
// next to be sent when it began.

import { type CongestionMechanism, ownSettings } from '../../mechanism.js';
import type { CongestionControl, SendControl } from '../../plug-ins.js';
import { grown } from '../../../../base/columns.js';
import { fraction, rate, type SettingGroup, type SettingValues } from '../../../../base/settings.js';
import type { EventRecords } from '../../../../engine/event-records.js';
import { PacketWord } from '../../packets.js';
import type { CongestionParts } from '../../parts.js';
import { PairWord, type QueuePairs } from '../../queue-pairs.js';

const { sequence: SEQUENCE } = PacketWord;
const { nextPacket: NEXT_PACKET, firstUnacknowledged: FIRST_UNACKNOWLEDGED } = PairWord;

/** Its settings; the defaults are SimAI's. */
export const dctcpSettings = {
  gain: fraction(0.00390625, "g: weight of a window's share of marks in alpha"),
  additiveIncrease: rate('1000Mbps', 'step of the rate after a window without marks'),
  minimumRate: rate('100Mbps', 'a rate never falls below'),
} as const satisfies SettingGroup;

/** What this control is made from. */
export type DctcpParts = Pick<CongestionParts, 'pairs' | 'records' | 'rates'>;

export class Dctcp implements CongestionControl {
  private alpha = new Float64Array(0);
  /** acknowledgements of the running window, and the marked ones among them */
  private acknowledgements = new Int32Array(0);
  private marks = new Int32Array(0);
  /** packet whose acknowledgement ends the window, and the one that ends the pause after a decrease */
  private windowEnd = new Int32Array(0);
  private reducedUntil = new Int32Array(0);

  private readonly pairs: QueuePairs;
  private readonly records: EventRecords;
  private readonly rates: SendControl;

  constructor(
    parts: DctcpParts,
    private readonly constants: SettingValues<typeof dctcpSettings>,
  ) {
    this.pairs = parts.pairs;
    this.records = parts.records;
    this.rates = parts.rates;
    this.reserve(parts.pairs.capacity);
    parts.pairs.onGrow((capacity) => this.reserve(capacity));
  }

  start(pair: number): void {
    this.alpha[pair] = 1;
    this.acknowledgements[pair] = this.marks[pair] = 0;
    this.windowEnd[pair] = this.reducedUntil[pair] = 0;
  }

  acknowledged(pair: number, marked: number, packet: number): void {
    const { constants, pairs } = this;
    const sequence = this.records.words[(packet << 3) + SEQUENCE]!;
    const next = pairs.words[(pair << 4) + NEXT_PACKET]!;
    this.acknowledgements[pair]!++;
    if (marked !== 0) this.marks[pair]!++;
    const windowEnds = sequence > this.windowEnd[pair]!;
    if (windowEnds) {
      // marks that packets of their own tell may come in a window after that of their ACKs
      const share = Math.min(1, this.marks[pair]! / this.acknowledgements[pair]!);
      this.alpha[pair] = (1 - constants.gain) * this.alpha[pair]! + constants.gain * share;
      this.acknowledgements[pair] = this.marks[pair] = 0;
      this.windowEnd[pair] = next;
    }
    if (sequence <= this.reducedUntil[pair]!) return;
    if (marked !== 0) this.reduce(pair);
    else if (windowEnds)
      this.rates.setRate(pair, Math.min(pairs.lineRateBps[pair]!, pairs.rateBps[pair]! + constants.additiveIncrease));
  }

  notified(pair: number): void {
    this.marks[pair]!++;
    if (
      this.pairs.words[(pair << 4) + FIRST_UNACKNOWLEDGED]! > this.reducedUntil[pair]! ||
      this.reducedUntil[pair] === 0
    )
      this.reduce(pair);
  }

  /** alpha of a queue pair, for probes and tests */
  alphaOf(pair: number): number {
    return this.alpha[pair]!;
  }

  private reserve(capacity: number): void {
    this.alpha = grown(this.alpha, capacity);
    for (const name of ['acknowledgements', 'marks', 'windowEnd', 'reducedUntil'] as const)
      this[name] = grown(this[name], capacity);
  }

  /** The reaction to a mark; the next may come when what is next to be sent is acknowledged. */
  private reduce(pair: number): void {
    const { constants, pairs } = this;
    const line = pairs.lineRateBps[pair]!;
    this.reducedUntil[pair] = pairs.words[(pair << 4) + NEXT_PACKET]!;
    this.rates.setRate(
      pair,
      Math.max(Math.min(constants.minimumRate, line), Math.floor(pairs.rateBps[pair]! * (1 - this.alpha[pair]! / 2))),
    );
  }
}

/** DCTCP's entry. */
export const dctcp = {
  description: 'rates by the share of marked packets',
  sets: 'rate',
  readsMarks: true,
  settings: { dctcp: dctcpSettings },
  groupTexts: { dctcp: 'Parameters of DCTCP' },
  effects: {
    // alpha begins at 1 and follows the share of marks, so that later cuts are smaller
    'dctcp.gain': { values: ['0.00390625', '0.5'], falls: 'meanCompletion' },
    'dctcp.additiveIncrease': { values: ['1000Mbps', '5Gbps'], falls: 'meanCompletion' },
    'dctcp.minimumRate': { values: ['100Mbps', '60Gbps'], falls: 'meanCompletion' },
  },
  make: (parts): CongestionControl => new Dctcp(parts, ownSettings(parts.settings, 'dctcp', dctcpSettings)),
} as const satisfies CongestionMechanism;
