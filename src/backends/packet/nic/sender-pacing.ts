// Senders with a rate of their own (execution/sender-paces.ts) at the NIC: how fast a queue pair may send whatever
// congestion control and window allow, and where it stops between bursts. There only if a transfer has such a rate.
// Invariant: a queue pair has its share of its flow's rate and bursts, by its bytes; a packet that is sent again ends
// no burst a second time.

import { grown } from '../../../base/columns.js';
import type { Frontier } from '../../../execution/frontier.js';
import type { SenderPaces } from '../../../execution/sender-paces.js';
import { PairWord, type QueuePairs } from '../queue-pairs.js';
import type { PacketSettings } from '../settings.js';

export class SenderPacing {
  /** by queue pair: its rate in bit/s; packets of a burst; the packet number at which the next gap comes; the gap */
  private rateBps: Float64Array;
  private burstPackets: Float64Array;
  private nextGap: Float64Array;
  private gapPs: Float64Array;

  constructor(
    private readonly paces: SenderPaces,
    private readonly pairs: QueuePairs,
    private readonly settings: Pick<PacketSettings, 'packet' | 'queuePair'>,
  ) {
    [this.rateBps, this.burstPackets, this.nextGap, this.gapPs] = [0, 1, 2, 3].map(
      () => new Float64Array(pairs.capacity),
    ) as [Float64Array, Float64Array, Float64Array, Float64Array];
    pairs.onGrow((capacity) => {
      for (const name of ['rateBps', 'burstPackets', 'nextGap', 'gapPs'] as const)
        this[name] = grown(this[name], capacity);
    });
  }

  /** A queue pair begins to carry the flow in a slot, or its part of it. */
  open(pair: number, slot: number, frontier: Frontier): void {
    const first = frontier.first[slot]!;
    const pace = this.paces.of(frontier.id[first]!);
    const share = frontier.sizeBytes[slot]! / frontier.flowBytes[first]!;
    this.rateBps[pair] = pace.rateBps * share;
    this.gapPs[pair] = pace.gapPs;
    const burstPackets = Math.max(1, Math.ceil((pace.burstBytes * share) / this.settings.packet.payload));
    this.burstPackets[pair] = burstPackets;
    this.nextGap[pair] = burstPackets;
  }

  /**
   * The rate at which a queue pair is paced that congestion control allows a rate; gaps begin when a packet has left.
   */
  limit(pair: number, allowedBps: number): number {
    const { rateBound } = this.settings.queuePair;
    return Math.min(rateBound ? allowedBps : this.pairs.lineRateBps[pair]!, this.rateBps[pair]!);
  }

  /** How long a queue pair that has just sent a packet waits, beside its rate, in picoseconds. */
  gapAfter(pair: number): number {
    if (this.pairs.words[(pair << 4) + PairWord.nextPacket]! < this.nextGap[pair]!) return 0;
    this.nextGap[pair]! += this.burstPackets[pair]!;
    return this.gapPs[pair]!;
  }
}
