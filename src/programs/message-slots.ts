// Messages and receives that are under way, in columns, and who meets whom: a message and a receive match if source,
// destination and tag are the same, first come first.
// Invariants: of a source, destination and tag either messages wait or receives do, never both; slots are recycled;
// what waits first is met first (MPI's rule of non-overtaking, as far as messages arrive in their order).

import { grown } from '../base/columns.js';

const nobody = -1;

/** What a slot is at. */
export const MessageStage = {
  free: 0,
  /** a receive that waits for its message */
  receive: 1,
  /** an eager message, on its way or waiting for its receive */
  eager: 2,
  /** of a rendezvous: the request, on its way or waiting for its receive; the answer; the data */
  request: 3,
  answer: 4,
  data: 5,
  /** an eager message within its node that has met its receive */
  copied: 6,
} as const;

export class MessageSlots {
  source = new Int32Array(64);
  destination = new Int32Array(64);
  tag = new Int32Array(64);
  phase = new Int32Array(64);
  /** of a message: how often its sender had waited before */
  waits = new Int32Array(64);
  sizeBytes = new Float64Array(64);
  /** of a message within a node: when its bytes are there */
  readyPs = new Float64Array(64);
  stage = new Uint8Array(64);
  /**
   * 1: the rank waits for this before its next operation; 0: at its next waitAll. Of the sender, and of the receiver
   */
  sendIsAwaited = new Uint8Array(64);
  receiveIsAwaited = new Uint8Array(64);
  /** the next in a row of equals in the table, in a rank's queue, or free */
  next = new Int32Array(64);
  /** slots in use */
  inUse = 0;
  private firstFree = nobody;
  private made = 0;
  /** by bucket: first and last slot that waits there */
  private heads = new Int32Array(64).fill(nobody);
  private tails = new Int32Array(64).fill(nobody);
  private waiting = 0;

  /** A slot for a message or a receive. */
  take(source: number, destination: number, tag: number, sizeBytes: number, phase: number, stage: number): number {
    let slot = this.firstFree;
    if (slot === nobody) {
      slot = this.made++;
      if (slot === this.source.length) this.grow(2 * slot);
    } else this.firstFree = this.next[slot]!;
    this.source[slot] = source;
    this.destination[slot] = destination;
    this.tag[slot] = tag;
    this.sizeBytes[slot] = sizeBytes;
    this.phase[slot] = phase;
    this.waits[slot] = 0;
    this.stage[slot] = stage;
    this.next[slot] = nobody;
    this.inUse++;
    return slot;
  }

  /** The slot is nobody's any more. */
  release(slot: number): void {
    this.stage[slot] = MessageStage.free;
    this.next[slot] = this.firstFree;
    this.firstFree = slot;
    this.inUse--;
  }

  /**
   * Takes out what has waited longest for a source, destination and tag.
   * @param isReceive whether a receive is wanted; else a message @returns its slot, or -1
   */
  takeWaiting(source: number, destination: number, tag: number, isReceive: boolean): number {
    const bucket = this.bucketOf(source, destination, tag);
    let before = nobody;
    for (let slot = this.heads[bucket]!; slot !== nobody; before = slot, slot = this.next[slot]!) {
      if (this.source[slot] !== source || this.destination[slot] !== destination || this.tag[slot] !== tag) continue;
      if ((this.stage[slot] === MessageStage.receive) !== isReceive) return nobody;
      const after = this.next[slot]!;
      if (before === nobody) this.heads[bucket] = after;
      else this.next[before] = after;
      if (after === nobody) this.tails[bucket] = before;
      this.next[slot] = nobody;
      this.waiting--;
      return slot;
    }
    return nobody;
  }

  /** Lets a message or a receive wait for the other. */
  wait(slot: number): void {
    if (++this.waiting > 2 * this.heads.length) this.spread();
    this.append(slot);
  }

  /** Slots that wait in the table, for messages about runs that cannot go on. @returns at most `most` of them */
  waitingSlots(most: number): number[] {
    const slots: number[] = [];
    for (const head of this.heads) {
      for (let slot = head; slot !== nobody; slot = this.next[slot]!) slots.push(slot);
      if (slots.length >= most) break;
    }
    return slots.slice(0, most);
  }

  private append(slot: number): void {
    const bucket = this.bucketOf(this.source[slot]!, this.destination[slot]!, this.tag[slot]!);
    const last = this.tails[bucket]!;
    if (last === nobody) this.heads[bucket] = slot;
    else this.next[last] = slot;
    this.next[slot] = nobody;
    this.tails[bucket] = slot;
  }

  private bucketOf(source: number, destination: number, tag: number): number {
    const mixed = Math.imul(Math.imul(source, 0x9e3779b1) ^ destination, 0x85ebca6b) ^ Math.imul(tag, 0xc2b2ae35);
    return (mixed ^ (mixed >>> 15)) & (this.heads.length - 1);
  }

  /** Twice as many buckets; what waits keeps its order. */
  private spread(): void {
    const { heads } = this;
    this.heads = new Int32Array(4 * heads.length).fill(nobody);
    this.tails = new Int32Array(4 * heads.length).fill(nobody);
    for (const head of heads) {
      for (let slot = head; slot !== nobody;) {
        const after = this.next[slot]!;
        this.append(slot);
        slot = after;
      }
    }
  }

  private grow(capacity: number): void {
    this.source = grown(this.source, capacity);
    this.destination = grown(this.destination, capacity);
    this.tag = grown(this.tag, capacity);
    this.phase = grown(this.phase, capacity);
    this.waits = grown(this.waits, capacity);
    this.sizeBytes = grown(this.sizeBytes, capacity);
    this.readyPs = grown(this.readyPs, capacity);
    this.stage = grown(this.stage, capacity);
    this.sendIsAwaited = grown(this.sendIsAwaited, capacity);
    this.receiveIsAwaited = grown(this.receiveIsAwaited, capacity);
    this.next = grown(this.next, capacity);
  }
}
