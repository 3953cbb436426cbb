// Senders with a rate of their own: how fast the sender of a transfer hands its data over at the most, and where it
// stops for a while. What a network allows is another matter: the slower of the two holds.
// Invariant: transfers are numbered as in their source; those without a pace are as fast as they may.

/** What holds a sender back by itself. */
export interface SenderPace {
  /** on the link, headers and gaps included, in bit/s; Infinity: that of the link */
  readonly rateBps: number;
  /** payload of a burst, in bytes; Infinity: all in one */
  readonly burstBytes: number;
  /** from the last packet of a burst to the first one of the next, in picoseconds */
  readonly gapPs: number;
}

/** A sender that is as fast as it may. */
export const unpaced: SenderPace = { rateBps: Infinity, burstBytes: Infinity, gapPs: 0 };

export class SenderPaces {
  private readonly own = new Map<number, SenderPace>();

  set(transfer: number, pace: SenderPace): void {
    this.own.set(transfer, pace);
  }

  of(transfer: number): SenderPace {
    return this.own.get(transfer) ?? unpaced;
  }

  get size(): number {
    return this.own.size;
  }

  /** The transfers that have a pace, in the order in which they got it. */
  get paced(): Iterable<number> {
    return this.own.keys();
  }
}

/**
 * What a pace makes of a transfer: the packets before its last one at its rate, and the gaps between bursts.
 * @param lineBps the rate of the link that it sends on @param packetBytes of a full packet on the link
 * @returns picoseconds from the start of its first packet to that of its last one, at least
 */
export function pacedPs(
  pace: SenderPace,
  packets: number,
  { lineBps, packetBytes, payloadBytes }: { lineBps: number; packetBytes: number; payloadBytes: number },
): number {
  const rateBps = Math.min(pace.rateBps, lineBps);
  const burstPackets = pace.burstBytes === Infinity ? Infinity : Math.ceil(pace.burstBytes / payloadBytes);
  const gaps = burstPackets === Infinity ? 0 : Math.ceil(packets / burstPackets) - 1;
  // whole picoseconds from packet to packet, as a NIC keeps time
  return (packets - 1) * Math.floor((packetBytes * 8e12) / rateBps + 0.5) + gaps * pace.gapPs;
}
