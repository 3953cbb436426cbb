// The queue pairs that are alive: sender and receiver state of each flow in columns, indexed by a recycled number.
// Invariant: a number is recycled only when its flow has finished and neither a packet nor an event names it any more (`references`, and its turn is idle).

import { grown } from '../../base/columns.js';

/** Where a queue pair stands at its NIC. */
export const Turn = {
  /** nothing to send, or the window is full */
  idle: 0,
  /** in the NIC's round robin */
  ready: 1,
  /** waits for its rate's next turn: a pace event is scheduled */
  paced: 2,
} as const;

export class QueuePairs {
  /** the executor's slot, -1 once finished */
  slot = new Int32Array(64);
  source = new Int32Array(64);
  destination = new Int32Array(64);
  sourcePort = new Uint16Array(64);
  destinationPort = new Uint16Array(64);
  priority = new Uint8Array(64);
  /** port of the sending NIC, fixed at the start */
  nicPort = new Int32Array(64);
  /** packets and events that name this queue pair */
  references = new Int32Array(64);

  // sender
  sizeBytes = new Float64Array(64);
  nextByte = new Float64Array(64);
  firstUnacknowledged = new Float64Array(64);
  /** most bytes in flight as configured, and as the rate now allows */
  windowBytes = new Float64Array(64);
  windowNowBytes = new Float64Array(64);
  rateBps = new Float64Array(64);
  lineRateBps = new Float64Array(64);
  /** picoseconds per byte at the current rate */
  pacePsPerByte = new Float64Array(64);
  /** when the rate allows the next packet */
  nextSendPs = new Float64Array(64);
  turn = new Uint8Array(64);
  /** next in the NIC's round robin */
  nextReady = new Int32Array(64);

  // receiver
  expectedByte = new Float64Array(64);
  nackByte = new Float64Array(64);
  nackPs = new Float64Array(64);

  live = 0;
  capacity = 64;
  private freeHead = -1;
  private top = 0;

  constructor(private readonly onGrow: (capacity: number) => void) {}

  /** A queue pair with every column reset that `start` does not set. */
  allocate(): number {
    this.live++;
    let pair = this.freeHead;
    if (pair >= 0) this.freeHead = this.nextReady[pair]!;
    else {
      pair = this.top++;
      if (pair === this.capacity) this.grow();
    }
    this.references[pair] = 0;
    this.nextByte[pair] = 0;
    this.firstUnacknowledged[pair] = 0;
    this.nextSendPs[pair] = 0;
    this.turn[pair] = Turn.idle;
    this.expectedByte[pair] = 0;
    this.nackByte[pair] = -1;
    this.nackPs[pair] = 0;
    return pair;
  }

  /** Drops one reference; the number is recycled with the last of a finished flow. */
  unreference(pair: number): void {
    this.references[pair]!--;
    if (this.slot[pair]! < 0) this.recycleIfUnused(pair);
  }

  /** Marks the flow as finished; the number lives on while packets or events name it. */
  finish(pair: number): void {
    this.slot[pair] = -1;
    this.recycleIfUnused(pair);
  }

  /** Takes the queue pair out of its NIC's turn-taking. */
  setIdle(pair: number): void {
    this.turn[pair] = Turn.idle;
    if (this.slot[pair]! < 0) this.recycleIfUnused(pair);
  }

  private recycleIfUnused(pair: number): void {
    if (this.references[pair] !== 0 || this.turn[pair] !== Turn.idle) return;
    this.nextReady[pair] = this.freeHead;
    this.freeHead = pair;
    this.live--;
  }

  private grow(): void {
    const capacity = this.capacity * 2;
    for (const name of ['slot', 'source', 'destination', 'nicPort', 'references', 'nextReady'] as const) this[name] = grown(this[name], capacity);
    for (const name of ['sourcePort', 'destinationPort'] as const) this[name] = grown(this[name], capacity);
    for (const name of ['priority', 'turn'] as const) this[name] = grown(this[name], capacity);
    for (const name of ['sizeBytes', 'nextByte', 'firstUnacknowledged', 'windowBytes', 'windowNowBytes', 'rateBps', 'lineRateBps', 'pacePsPerByte', 'nextSendPs', 'expectedByte', 'nackByte', 'nackPs'] as const) this[name] = grown(this[name], capacity);
    this.capacity = capacity;
    this.onGrow(capacity);
  }
}
