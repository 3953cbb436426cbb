// What an IRN sender sends next: new packets as far as its window allows, and before them what it holds for lost.
// Invariants: a packet that is known to be there is not sent again; new packets go in order, and only within the
// window.
// Source: selective: Mittal et al., SIGCOMM 2018, section 3.1; the threshold of NACKs: section 7. After a timeout all
// packets that are not known to be there count as lost (RFC 6675, 5.1): the paper says only which are after a NACK, and
// with its rule alone a window that is lost whole would cost a timeout for every packet of it. rewind: the behaviour of
// the ConWeave and OmniDMA simulators (docs/models/transports.md).
// Not modelled: a second retransmission of the same packet before a timeout.

import { PairWord, type QueuePairs } from '../queue-pairs.js';
import type { SideColumn, SideColumns } from '../side-columns.js';
import type { ReceivedPackets } from './received-packets.js';

const {
  nextPacket: NEXT_PACKET,
  firstUnacknowledged: FIRST_UNACKNOWLEDGED,
  packetCount: PACKET_COUNT,
  windowPackets: WINDOW_PACKETS,
} = PairWord;

/** The sender's side of IRN. */
export interface LossRecovery {
  /** The packet that a queue pair sends next; -1 if it may send none now. Changes nothing. */
  next(pair: number): number;
  /** A packet that was told as the next is sent. @returns true if it was sent before */
  sent(pair: number, sequence: number): boolean;
  /** Packets from the first that is not known to be there to the last that was sent. */
  inFlight(pair: number): number;
  /**
   * An answer has come, and what it says is known.
   * @param isNack the receiver has a gap
   * @param hasAdvanced more packets are there in order than before
   * @returns true if recovery begins with it
   */
  acknowledged(pair: number, isNack: boolean, hasAdvanced: boolean): boolean;
  /** Nothing was acknowledged in time. */
  timedOut(pair: number): void;
}

/** Sends again what is missing below the highest packet that the receiver named, each packet once in a recovery. */
export class SelectiveRecovery implements LossRecovery {
  /** per pair: in recovery it ends when all packets below this are there; 0: not in recovery */
  private readonly until: SideColumn<'int32'>;
  /** per pair: first packet that was not sent again in this recovery */
  private readonly repeatFrom: SideColumn<'int32'>;
  /** per pair: packets below this count as lost, whatever the receiver named */
  private readonly lostBelow: SideColumn<'int32'>;
  /** per pair: NACKs since the first missing packet moved */
  private readonly nacks: SideColumn<'uint32'>;

  constructor(
    private readonly pairs: QueuePairs,
    columns: SideColumns,
    private readonly known: ReceivedPackets,
    private readonly threshold: number,
  ) {
    this.until = columns.byPair('int32');
    this.repeatFrom = columns.byPair('int32');
    this.lostBelow = columns.byPair('int32');
    this.nacks = columns.byPair('uint32');
  }

  next(pair: number): number {
    const { words } = this.pairs;
    const at = pair << 4;
    const first = words[at + FIRST_UNACKNOWLEDGED]!;
    if (this.until.values[pair] !== 0) {
      const lost = this.known.nextMissing(pair, Math.max(first, this.repeatFrom.values[pair]!));
      if (lost < this.known.highestReceived(pair) || lost < this.lostBelow.values[pair]!) return lost;
    }
    const next = words[at + NEXT_PACKET]!;
    return next < words[at + PACKET_COUNT]! && next - first < words[at + WINDOW_PACKETS]! ? next : -1;
  }

  sent(pair: number, sequence: number): boolean {
    const { words } = this.pairs;
    const nextAt = (pair << 4) + NEXT_PACKET;
    if (sequence === words[nextAt]) {
      words[nextAt] = sequence + 1;
      return false;
    }
    this.repeatFrom.values[pair] = sequence + 1;
    return true;
  }

  inFlight(pair: number): number {
    const { words } = this.pairs;
    return words[(pair << 4) + NEXT_PACKET]! - words[(pair << 4) + FIRST_UNACKNOWLEDGED]!;
  }

  acknowledged(pair: number, isNack: boolean, hasAdvanced: boolean): boolean {
    const first = this.pairs.words[(pair << 4) + FIRST_UNACKNOWLEDGED]!;
    if (first >= this.until.values[pair]!) this.until.values[pair] = 0;
    if (hasAdvanced) this.nacks.values[pair] = 0;
    if (!isNack || this.until.values[pair] !== 0 || !this.known.hasGap(pair)) return false;
    if (++this.nacks.values[pair]! < this.threshold) return false;
    this.enter(pair, first + 1);
    return true;
  }

  timedOut(pair: number): void {
    this.enter(pair, this.pairs.words[(pair << 4) + NEXT_PACKET]!);
  }

  private enter(pair: number, lostBelow: number): void {
    const { words } = this.pairs;
    const at = pair << 4;
    this.until.values[pair] = words[at + NEXT_PACKET]!;
    this.repeatFrom.values[pair] = words[at + FIRST_UNACKNOWLEDGED]!;
    this.lostBelow.values[pair] = lostBelow;
    this.nacks.values[pair] = 0;
  }
}

/** Goes back to the first missing packet, and sends all from there on that the receiver has not named by then. */
export class RewindRecovery implements LossRecovery {
  /** per pair: as of SelectiveRecovery */
  private readonly until: SideColumn<'int32'>;
  /** per pair: packets that were sent at least once */
  private readonly sentPackets: SideColumn<'int32'>;

  constructor(
    private readonly pairs: QueuePairs,
    columns: SideColumns,
    private readonly known: ReceivedPackets,
  ) {
    this.until = columns.byPair('int32');
    this.sentPackets = columns.byPair('int32');
  }

  next(pair: number): number {
    const { words } = this.pairs;
    const at = pair << 4;
    const first = words[at + FIRST_UNACKNOWLEDGED]!;
    const next = this.known.nextMissing(pair, Math.max(first, words[at + NEXT_PACKET]!));
    return next < words[at + PACKET_COUNT]! && next - first < words[at + WINDOW_PACKETS]! ? next : -1;
  }

  sent(pair: number, sequence: number): boolean {
    const { values } = this.sentPackets;
    this.pairs.words[(pair << 4) + NEXT_PACKET] = sequence + 1;
    if (sequence < values[pair]!) return true;
    values[pair] = sequence + 1;
    return false;
  }

  inFlight(pair: number): number {
    return this.sentPackets.values[pair]! - this.pairs.words[(pair << 4) + FIRST_UNACKNOWLEDGED]!;
  }

  acknowledged(pair: number, isNack: boolean): boolean {
    const { words } = this.pairs;
    const at = pair << 4;
    const first = words[at + FIRST_UNACKNOWLEDGED]!;
    if (words[at + NEXT_PACKET]! < first) words[at + NEXT_PACKET] = first;
    if (!isNack || first >= this.until.values[pair]!) this.until.values[pair] = 0;
    if (!isNack || this.until.values[pair] !== 0 || !this.known.hasGap(pair)) return false;
    this.until.values[pair] = Math.max(words[at + NEXT_PACKET]!, first + 1);
    words[at + NEXT_PACKET] = first;
    return true;
  }

  /** Goes back without another end of the recovery: so it ends sooner, and a later NACK goes back again. */
  timedOut(pair: number): void {
    const { words } = this.pairs;
    const at = pair << 4;
    const first = words[at + FIRST_UNACKNOWLEDGED]!;
    this.until.values[pair] = Math.max(this.until.values[pair]!, first + 1);
    words[at + NEXT_PACKET] = first;
  }
}
