// The queue pairs that are alive: sender and receiver state of each flow, indexed by a recycled number. What every
// packet touches stands in one 64-byte record; the rest is columns. Packets of a flow are counted from 0; all but the
// last carry a full payload.
// Invariant: a number is recycled only when its flow has finished and neither a packet nor an event names it any more
// (`references`, and its turn is idle).

import { grown } from '../../base/columns.js';
import { fail } from '../../base/fail.js';
import { mostAlarmIds } from '../../engine/alarms.js';

/** Where a queue pair stands at its NIC. */
export const Turn = {
  /** nothing to send, or the window is full */
  idle: 0,
  /** in the NIC's round robin */
  ready: 1,
  /** waits for its rate's next turn: a pace event is scheduled */
  paced: 2,
} as const;

/** int32 words of a queue pair's record: index `pair << 4 | word` of QueuePairs.words. Words 0-3 hold the reals. */
export const PairWord = {
  /** sender: next packet to send, first packet not yet acknowledged, packets in all */
  nextPacket: 4,
  firstUnacknowledged: 5,
  packetCount: 6,
  /** packets that may be in flight at the current rate */
  windowPackets: 7,
  /** wire bytes of the last packet */
  lastBytes: 8,
  /** queue of its data packets, 1..7 */
  priority: 9,
  /** receiver: next packet expected */
  expectedPacket: 10,
  /** packets and scheduled events that name this queue pair */
  references: 11,
  turn: 12,
  /** next in the NIC's round robin, or in the free list */
  nextReady: 13,
  /** the executor's slot, -1 once finished */
  slot: 14,
  /** port of the sending NIC, fixed at the start */
  nicPort: 15,
} as const;

/** float64 values of a queue pair's record: index `pair << 3 | value` of QueuePairs.reals */
export const PairReal = {
  /** when the rate allows the next packet, in picoseconds */
  nextSendPs: 0,
  /** the current rate in bit/s, beside what every packet touches (the column rateBps holds the same) */
  paceBps: 1,
} as const;

const { references: REFERENCES, turn: TURN, nextReady: NEXT_READY, slot: SLOT } = PairWord;
const IDLE = Turn.idle;

export class QueuePairs {
  words: Int32Array;
  reals: Float64Array;

  source = new Int32Array(64);
  destination = new Int32Array(64);
  sourcePort = new Uint16Array(64);
  destinationPort = new Uint16Array(64);
  /** bytes in flight at line rate */
  windowBytes = new Float64Array(64);
  /** set by controls of windows alone: bytes in flight that it allows, and its round trip (0: it sets rates) */
  allowedBytes = new Float64Array(64);
  roundTripPs = new Float64Array(64);
  rateBps = new Float64Array(64);
  lineRateBps = new Float64Array(64);
  /** receiver: the gap last reported, and when */
  nackPacket = new Int32Array(64);
  nackPs = new Float64Array(64);
  /** receiver: notifications of marks sent back */
  notifications = new Uint32Array(64);

  live = 0;
  capacity = 64;
  private freeHead = -1;
  private top = 0;

  private readonly growListeners: ((capacity: number) => void)[] = [];
  private readonly allocateListeners: ((pair: number) => void)[] = [];

  constructor() {
    const buffer = new ArrayBuffer(this.capacity * 64);
    this.words = new Int32Array(buffer);
    this.reals = new Float64Array(buffer);
  }

  /** @param listener is told when numbers up to a capacity may come */
  onGrow(listener: (capacity: number) => void): void {
    this.growListeners.push(listener);
  }

  /** @param listener is told of every number that begins anew */
  onAllocate(listener: (pair: number) => void): void {
    this.allocateListeners.push(listener);
  }

  /** Numbers ever used at the same time: every queue pair is below it. */
  get count(): number {
    return this.top;
  }

  /** A queue pair with an empty record. May replace every array. */
  allocate(): number {
    this.live++;
    let pair = this.freeHead;
    if (pair >= 0) this.freeHead = this.words[(pair << 4) + NEXT_READY]!;
    else {
      pair = this.top++;
      if (pair === this.capacity) this.grow();
    }
    this.words.fill(0, pair << 4, (pair + 1) << 4);
    this.nackPacket[pair] = -1;
    this.notifications[pair] = 0;
    this.roundTripPs[pair] = 0;
    for (const listener of this.allocateListeners) listener(pair);
    return pair;
  }

  /** The executor's slot of a queue pair, -1 once its flow has finished. */
  slotOf(pair: number): number {
    return this.words[(pair << 4) + SLOT]!;
  }

  /** Counts a packet or event that names the queue pair. */
  reference(pair: number): void {
    this.words[(pair << 4) + REFERENCES]!++;
  }

  /** Drops one reference; the number is recycled with the last of a finished flow. */
  unreference(pair: number): void {
    const { words } = this;
    words[(pair << 4) + REFERENCES]!--;
    if (words[(pair << 4) + SLOT]! < 0) this.recycleIfUnused(pair);
  }

  /** Marks the flow as finished; the number lives on while packets or events name it. */
  finish(pair: number): void {
    this.words[(pair << 4) + SLOT] = -1;
    this.recycleIfUnused(pair);
  }

  /** Takes the queue pair out of its NIC's turn-taking. */
  setIdle(pair: number): void {
    this.words[(pair << 4) + TURN] = IDLE;
    if (this.words[(pair << 4) + SLOT]! < 0) this.recycleIfUnused(pair);
  }

  private recycleIfUnused(pair: number): void {
    const { words } = this;
    if (words[(pair << 4) + REFERENCES] !== 0 || words[(pair << 4) + TURN] !== IDLE) return;
    words[(pair << 4) + NEXT_READY] = this.freeHead;
    this.freeHead = pair;
    this.live--;
  }

  private grow(): void {
    const capacity = this.capacity * 2;
    if (capacity > mostAlarmIds) fail(`${this.top} queue pairs at once: the run does not fit`);
    const buffer = new ArrayBuffer(capacity * 64);
    const words = new Int32Array(buffer);
    words.set(this.words);
    this.words = words;
    this.reals = new Float64Array(buffer);
    for (const name of ['source', 'destination', 'nackPacket'] as const) this[name] = grown(this[name], capacity);
    for (const name of ['sourcePort', 'destinationPort'] as const) this[name] = grown(this[name], capacity);
    this.notifications = grown(this.notifications, capacity);
    for (const name of ['windowBytes', 'allowedBytes', 'roundTripPs', 'rateBps', 'lineRateBps', 'nackPs'] as const)
      this[name] = grown(this[name], capacity);
    this.capacity = capacity;
    for (const listener of this.growListeners) listener(capacity);
  }
}
