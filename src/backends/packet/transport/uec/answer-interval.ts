// When a receiver answers a packet that has come, and which packets wait for the answer to a later one. An ACK is due
// once so many bytes have come since the last one. At once are answered: the first packet, a marked one, one that has
// come before, and one whose sender asks for it; its sender hears of it once more when nothing is missing before it. A
// sender asks with every packet after which it may send nothing more, and with all that it sends again: so nobody waits
// for an answer that no later packet would bring, and no timer is needed.
// Invariant: fewer bytes wait than the interval.
// Source: the consortium's simulator (htsim, uec.cpp: 16 KiB, headers included; the cases; when senders ask). Not
// modelled: a timer of the receiver's; ACKs that ride on data.

import { markBit } from '../../packets.js';
import type { SideColumn, SideColumns } from '../../side-columns.js';
import type { ReceivedPackets } from '../received-packets.js';

/** Of a queue pair of which nothing has come. */
const nothingYet = -1;

export class AnswerInterval {
  /** per packet: its sender wants an answer */
  private readonly asks: SideColumn<'uint8'>;
  /** per pair, at the receiver: bytes since the last answer; its sender wants one when nothing is missing any more */
  private readonly unanswered: SideColumn<'int32'>;
  private readonly owes: SideColumn<'uint8'>;
  /** per pair, at the receiver: the last packet that came trimmed */
  private readonly lastTrimmed: SideColumn<'int32'>;

  /** @param received what receivers have @param intervalBytes 0: every packet is answered */
  constructor(
    columns: SideColumns,
    private readonly received: ReceivedPackets,
    private readonly intervalBytes: number,
  ) {
    this.asks = columns.byPacket('uint8');
    this.unanswered = columns.byPair('int32', nothingYet);
    this.owes = columns.byPair('uint8');
    this.lastTrimmed = columns.byPair('int32', -1);
  }

  /** Writes into a packet that is sent whether its sender wants an answer. */
  ask(packet: number, isWanted: boolean): void {
    this.asks.values[packet] = isWanted ? 1 : 0;
  }

  /** A packet has come trimmed that is missing; it is answered. */
  trimmed(pair: number, sequence: number): void {
    if (sequence > this.lastTrimmed.values[pair]!) this.lastTrimmed.values[pair] = sequence;
  }

  /**
   * A packet has come whole, and is among those that the receiver has.
   * @param head of the packet @param bytes of it, header included @param isNew it had not come before
   * @returns whether it is answered now
   */
  isDue(packet: number, pair: number, head: number, bytes: number, isNew: boolean): boolean {
    const unanswered = this.unanswered.values;
    const waiting = unanswered[pair]!;
    const isAsked = this.asks.values[packet] === 1;
    let isDue =
      !isNew ||
      waiting === nothingYet ||
      waiting + bytes >= this.intervalBytes ||
      (head & markBit) !== 0 ||
      this.lastTrimmed.values[pair]! >= this.received.firstMissing(pair);
    if (isNew) {
      if (isAsked) this.owes.values[pair] = 1;
      const isWhole = this.owes.values[pair] === 1 && !this.received.hasGap(pair);
      if (isWhole) this.owes.values[pair] = 0;
      isDue ||= isAsked || isWhole;
    }
    unanswered[pair] = isDue ? 0 : waiting + bytes;
    return isDue;
  }
}
