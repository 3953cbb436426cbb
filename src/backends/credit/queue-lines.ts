// What the credit backend keeps of every queue (a lane of an output port), in a record of 64 bytes: a packet-hop asks for
// some twenty values of one queue and its port, which are one cache line so. What belongs to the port as a whole stands
// with its lane 0. What never changes stands apart, by speed class (port-speeds.ts), as few ports differ in it.
// Invariant: a record's reals are its first words, so the two indices of one record never overlap.

/** Reals of a queue's record: index `queue << 3 | real` of `reals`. */
export const QueueReal = {
  /** of the port, at its lane 0: end of the transmission that is on, or was last */
  busyUntilPs: 0,
  /** credits at hand */
  atHandBytes: 1,
  /** bytes that wait; where outputs accept, those among them that are accepted */
  waitingBytes: 2,
  /** when it looks for credits next */
  looksPs: 3,
  /** when the first of the credits under way are there; Infinity: none is under way */
  creditPs: 4,
} as const;

/** Words of a queue's record: index `queue << 4 | word` of `words`. */
export const QueueWord = {
  /** first and last packet; -1: none */
  head: 10,
  tail: 11,
  /** first packet that has not been accepted; -1: none */
  unaccepted: 12,
  /** {@link QueueFlag} */
  flags: 13,
  /** of the credits under way the first */
  creditBytes: 14,
  /** of the other credits under way the last (CreditPools); -1: there are no others */
  lastCredit: 15,
} as const;

/** Bits of a queue's flags; those of the port stand with its lane 0. */
export const QueueFlag = {
  /** of the port: a bit for each lane that has something to send */
  waitingLanes: 0xffff,
  /** of the port: its link is down */
  isDown: 1 << 16,
  /** of the port: the end of its transmission has an event */
  hasEnd: 1 << 17,
  /** it waits for credits */
  isStarved: 1 << 18,
} as const;

/** Records of 64 bytes: empty queues that look for nothing, whose credits are all away. */
export class QueueLines {
  readonly words: Int32Array;
  readonly reals: Float64Array;

  constructor(readonly count: number) {
    const buffer = new ArrayBuffer(count * 64);
    this.words = new Int32Array(buffer);
    this.reals = new Float64Array(buffer);
    for (let queue = 0; queue < count; queue++) {
      const at = queue << 4;
      this.words[at + QueueWord.head] = this.words[at + QueueWord.tail] = -1;
      this.words[at + QueueWord.unaccepted] = this.words[at + QueueWord.lastCredit] = -1;
      this.reals[(queue << 3) + QueueReal.looksPs] = this.reals[(queue << 3) + QueueReal.creditPs] = Infinity;
    }
  }
}
