// What a sender learns from answers of the packets that have come: all before the first missing one, and those of which
// a bit says so. Invariant: a packet is counted once, by whichever answer tells of it first.
// Source: Hoefler et al., arXiv:2508.08906 (cumulative acknowledgement and bitmap). Not modelled: answers that go back
// on what an earlier one said.

import { PairWord, type QueuePairs } from '../../queue-pairs.js';
import type { ReceivedPackets } from '../received-packets.js';
import { type BitmapAnswers, firstWord } from './bitmap-answers.js';
import type { SentPackets } from './sent-packets.js';

const { packetCount: PACKET_COUNT, lastBytes: LAST_BYTES } = PairWord;

export class KnownArrivals {
  /** @param known what senders know to have come @param fullBytes of a packet that is not the last */
  constructor(
    private readonly pairs: QueuePairs,
    private readonly known: ReceivedPackets,
    private readonly sent: SentPackets,
    private readonly answers: BitmapAnswers,
    private readonly fullBytes: number,
  ) {}

  /** Bytes of a packet, header included. */
  bytesOf(pair: number, sequence: number): number {
    const { words } = this.pairs;
    return sequence + 1 === words[(pair << 4) + PACKET_COUNT] ? words[(pair << 4) + LAST_BYTES]! : this.fullBytes;
  }

  /** Takes in what an answer says has come. @returns bytes of what was not known to have */
  learn(pair: number, block: number, cumulative: number, packet: number): number {
    const { known, answers } = this;
    const word = firstWord(answers.sequenceOf(packet), cumulative);
    let bytes = 0;
    for (
      let sequence = known.firstMissing(pair);
      sequence < cumulative;
      sequence = known.nextMissing(pair, sequence + 1)
    )
      bytes += this.noteArrival(pair, block, sequence);
    known.advanceTo(pair, cumulative);
    bytes += this.noteArrivals(pair, block, word, answers.lowBits(packet));
    return bytes + this.noteArrivals(pair, block, word + 1, answers.highBits(packet));
  }

  /**
   * @param bits of the 32 packets from 32 x word on that are there @returns bytes of those that were not known to be
   */
  private noteArrivals(pair: number, block: number, word: number, bits: number): number {
    const { known } = this;
    let bytes = 0;
    for (let fresh = bits & ~known.wordOf(pair, word); fresh !== 0; fresh &= fresh - 1) {
      const sequence = word * 32 + 31 - Math.clz32(fresh & -fresh);
      bytes += this.noteArrival(pair, block, sequence);
      known.record(pair, sequence);
    }
    return bytes;
  }

  private noteArrival(pair: number, block: number, sequence: number): number {
    const bytes = this.bytesOf(pair, sequence);
    return this.sent.acknowledge(block, sequence, bytes) ? bytes : 0;
  }
}
