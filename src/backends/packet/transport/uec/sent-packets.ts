// What a sender knows of the packets that it has sent: which are outstanding, in the order in which they were sent,
// which are acknowledged, which are lost and wait to be sent again. A ring of places for the packets between the first
// unacknowledged and the next, in a block that a queue pair has while its flow is alive.
// Invariants: every packet of the range is unsent, outstanding, acknowledged or lost; the outstanding ones form a list
// in the order of their last transmission, the lost ones one in the order of their loss; bytes in flight are those of
// the outstanding; a block belongs to one queue pair at a time, so memory follows flows that are alive at once.
// Source of the numbering of transmissions, by which what was sent again is judged by what was sent after it: RFC 9002,
// 3 (QUIC's packet numbers). Not modelled: a limit of memory that all queue pairs of a NIC share.

import { grown } from '../../../../base/columns.js';
import { fail } from '../../../../base/fail.js';

/** Where a packet stands at its sender. */
export const Sent = { unsent: 0, outstanding: 1, acknowledged: 2, lost: 3 } as const;

const { unsent: UNSENT, outstanding: OUTSTANDING, acknowledged: ACKNOWLEDGED, lost: LOST } = Sent;

/** int32 words of a block: index `block * wordsPerBlock + word` */
// the first of a list, and beside it the last
const FIRST_OUT = 0;
const FIRST_LOST = 2;
/** transmissions so far: the number of the next one */
const TRANSMISSIONS = 4;
/** the highest number of a transmission that was acknowledged; -1: none was */
const HIGHEST = 5;
const LOST_COUNT = 6;
const IN_FLIGHT = 7;
const wordsPerBlock = 8;

export class SentPackets {
  /** packets from the first unacknowledged one on that a sender may have sent, a power of two */
  readonly range: number;
  private readonly mask: number;
  private words = new Int32Array(0);
  /** by place: state, number of the last transmission, neighbours in its list, when it was sent */
  private state = new Uint8Array(0);
  private transmission = new Int32Array(0);
  private next = new Int32Array(0);
  private previous = new Int32Array(0);
  private sentPs = new Float64Array(0);
  private sequence = new Int32Array(0);

  private free: Int32Array = new Int32Array(16);
  private freeCount = 0;
  private blocks = 0;

  /** @param leastRange packets that a range must hold */
  constructor(leastRange: number) {
    let range = 64;
    while (range < leastRange) range *= 2;
    this.range = range;
    this.mask = range - 1;
  }

  /** Blocks in use: flows that have sent something and have not finished. */
  get live(): number {
    return this.blocks - this.freeCount;
  }

  /** A block for a sender that has sent nothing. */
  open(): number {
    const block = this.freeCount > 0 ? this.free[--this.freeCount]! : this.blocks++;
    const { range } = this;
    if (this.state.length < this.blocks * range) this.reserve(2 * this.blocks);
    this.state.fill(UNSENT, block * range, (block + 1) * range);
    const at = block * wordsPerBlock;
    this.words.fill(-1, at, at + 4);
    this.words.fill(0, at + 4, at + wordsPerBlock);
    this.words[at + HIGHEST] = -1;
    return block;
  }

  /** Gives a block back. */
  close(block: number): void {
    if (this.freeCount === this.free.length) this.free = grown(this.free, 2 * this.freeCount);
    this.free[this.freeCount++] = block;
  }

  /** Bytes of the outstanding packets. */
  inFlight(block: number): number {
    return this.words[block * wordsPerBlock + IN_FLIGHT]!;
  }

  /** Packets that are lost and not yet sent again. */
  lost(block: number): number {
    return this.words[block * wordsPerBlock + LOST_COUNT]!;
  }

  /** How often packets have been sent. */
  transmissions(block: number): number {
    return this.words[block * wordsPerBlock + TRANSMISSIONS]!;
  }

  /** State of a packet in the range. */
  stateOf(block: number, sequence: number): number {
    return this.state[block * this.range + (sequence & this.mask)]!;
  }

  /** Number of the last transmission of a packet in the range. */
  transmissionOf(block: number, sequence: number): number {
    return this.transmission[block * this.range + (sequence & this.mask)]!;
  }

  /** The packet that has been lost for the longest time; -1: none is. */
  firstLost(block: number): number {
    const place = this.words[block * wordsPerBlock + FIRST_LOST]!;
    return place < 0 ? -1 : this.sequence[place]!;
  }

  /** The outstanding packet that was sent first; -1: none is. */
  oldest(block: number): number {
    const place = this.words[block * wordsPerBlock + FIRST_OUT]!;
    return place < 0 ? -1 : this.sequence[place]!;
  }

  /** When a packet of the range was sent last, in picoseconds. */
  sentAtPs(block: number, sequence: number): number {
    return this.sentPs[block * this.range + (sequence & this.mask)]!;
  }

  /** A packet that was unsent or lost is sent. @returns the number of its transmission */
  send(block: number, sequence: number, bytes: number, nowPs: number): number {
    const place = block * this.range + (sequence & this.mask);
    const at = block * wordsPerBlock;
    const { words } = this;
    if (this.state[place] === LOST) {
      this.unlink(place, at + FIRST_LOST);
      words[at + LOST_COUNT]!--;
    } else if (this.state[place] !== UNSENT) fail(`packet ${sequence} is sent while it is under way`);
    const number = words[at + TRANSMISSIONS]!;
    words[at + TRANSMISSIONS] = number + 1;
    words[at + IN_FLIGHT]! += bytes;
    this.state[place] = OUTSTANDING;
    this.sequence[place] = sequence;
    this.transmission[place] = number;
    this.sentPs[place] = nowPs;
    this.append(place, at + FIRST_OUT);
    return number;
  }

  /** A packet of the range is known to have arrived. @returns true if that is new */
  acknowledge(block: number, sequence: number, bytes: number): boolean {
    const place = block * this.range + (sequence & this.mask);
    const state = this.state[place]!;
    if (state === ACKNOWLEDGED || state === UNSENT) return false;
    const at = block * wordsPerBlock;
    if (state === OUTSTANDING) {
      this.unlink(place, at + FIRST_OUT);
      this.words[at + IN_FLIGHT]! -= bytes;
    } else {
      this.unlink(place, at + FIRST_LOST);
      this.words[at + LOST_COUNT]!--;
    }
    this.state[place] = ACKNOWLEDGED;
    return true;
  }

  /** The range moves on: the place of a packet below it serves another. */
  pass(block: number, sequence: number): void {
    this.state[block * this.range + (sequence & this.mask)] = UNSENT;
  }

  /** An outstanding packet is taken for lost. */
  lose(block: number, sequence: number, bytes: number): void {
    const place = block * this.range + (sequence & this.mask);
    const at = block * wordsPerBlock;
    if (this.state[place] !== OUTSTANDING) fail(`packet ${sequence} is lost that is not under way`);
    this.unlink(place, at + FIRST_OUT);
    this.words[at + IN_FLIGHT]! -= bytes;
    this.words[at + LOST_COUNT]!++;
    this.state[place] = LOST;
    this.append(place, at + FIRST_LOST);
  }

  /** A transmission has been acknowledged. @returns the highest number of those that have */
  noteAcknowledged(block: number, transmission: number): number {
    const at = block * wordsPerBlock + HIGHEST;
    if (transmission > this.words[at]!) this.words[at] = transmission;
    return this.words[at]!;
  }

  /** Appends a place to a list whose first and last stand side by side. */
  private append(place: number, list: number): void {
    const { words } = this;
    const last = words[list + 1]!;
    this.previous[place] = last;
    this.next[place] = -1;
    if (last < 0) words[list] = place;
    else this.next[last] = place;
    words[list + 1] = place;
  }

  private unlink(place: number, list: number): void {
    const { words } = this;
    const before = this.previous[place]!;
    const after = this.next[place]!;
    if (before < 0) words[list] = after;
    else this.next[before] = after;
    if (after < 0) words[list + 1] = before;
    else this.previous[after] = before;
  }

  private reserve(blocks: number): void {
    const places = blocks * this.range;
    this.words = grown(this.words, blocks * wordsPerBlock);
    this.state = grown(this.state, places);
    this.transmission = grown(this.transmission, places);
    this.next = grown(this.next, places);
    this.previous = grown(this.previous, places);
    this.sentPs = grown(this.sentPs, places);
    this.sequence = grown(this.sequence, places);
  }
}
