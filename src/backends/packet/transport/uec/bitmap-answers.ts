// What an answer carries beside what has come in order: the packet that it answers, and a bit for each packet of two
// words of 32, the one in which that packet is and the one before. A sender that lost an answer learns of its packet from
// another one near by.
// Invariant: bits stand for packets that the receiver has. Source: Hoefler et al., arXiv:2508.08906 (selective
// acknowledgement by a bitmap); that it is two whole words is guessed.

import type { SideColumn, SideColumns } from '../../side-columns.js';
import type { ReceivedPackets } from '../received-packets.js';

export class BitmapAnswers {
  private readonly answered: SideColumn<'int32'>;
  private readonly here: SideColumn<'int32'>;
  private readonly before: SideColumn<'int32'>;

  /** @param received what receivers have */
  constructor(
    columns: SideColumns,
    private readonly received: ReceivedPackets,
  ) {
    this.answered = columns.byPacket('int32');
    this.here = columns.byPacket('int32');
    this.before = columns.byPacket('int32');
  }

  /** Writes what an answer to a data packet carries. */
  write(packet: number, pair: number, sequence: number): void {
    const word = sequence >> 5;
    this.answered.values[packet] = sequence;
    this.here.values[packet] = this.received.wordOf(pair, word);
    this.before.values[packet] = word > 0 ? this.received.wordOf(pair, word - 1) : 0;
  }

  /** The packet that an answer answers. */
  sequenceOf(packet: number): number {
    return this.answered.values[packet]!;
  }

  /** Bits of the packets from 32 x word on, word being that of the packet which is answered. */
  bitsHere(packet: number): number {
    return this.here.values[packet]!;
  }

  /** Bits of the 32 packets before those. */
  bitsBefore(packet: number): number {
    return this.before.values[packet]!;
  }
}
