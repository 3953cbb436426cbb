// What an answer carries beside what has come in order: the packet that it answers, and a bit for each packet of two
// words of 32: that of the first missing packet and the next, or, where the answered one is beyond them, its own and
// the one before. A sender that lost an answer, or whose packet waited for a later one, learns of it from another near
// by.
// Invariant: bits stand for packets that the receiver has. Source: Hoefler et al., arXiv:2508.08906 (selective
// acknowledgement by a bitmap); that it is two whole words is guessed.

import type { SideColumn, SideColumns } from '../../side-columns.js';
import type { ReceivedPackets } from '../received-packets.js';

export class BitmapAnswers {
  private readonly answered: SideColumn<'int32'>;
  private readonly low: SideColumn<'int32'>;
  private readonly high: SideColumn<'int32'>;

  /** @param received what receivers have */
  constructor(
    columns: SideColumns,
    private readonly received: ReceivedPackets,
  ) {
    this.answered = columns.byPacket('int32');
    this.low = columns.byPacket('int32');
    this.high = columns.byPacket('int32');
  }

  /** Writes what an answer to a data packet carries. */
  write(packet: number, pair: number, sequence: number): void {
    const word = firstWord(sequence, this.received.firstMissing(pair));
    this.answered.values[packet] = sequence;
    this.low.values[packet] = this.received.wordOf(pair, word);
    this.high.values[packet] = this.received.wordOf(pair, word + 1);
  }

  /** The packet that an answer answers. */
  sequenceOf(packet: number): number {
    return this.answered.values[packet]!;
  }

  /** Bits of the packets from 32 x {@link firstWord} on. */
  lowBits(packet: number): number {
    return this.low.values[packet]!;
  }

  /** Bits of the 32 packets after those. */
  highBits(packet: number): number {
    return this.high.values[packet]!;
  }
}

/**
 * The first of the two words of an answer. @param sequence that it answers @param cumulative the first missing packet
 */
export function firstWord(sequence: number, cumulative: number): number {
  return Math.max((sequence >> 5) - 1, cumulative >> 5);
}
