// Source ports of queue pairs that stay open: whoever is asked for the port of a connection's queue pair the first time
// decides it, and its later transfers go by the same. A queue pair is open to the end of the run; it is busy while
// transfers go over it, and whoever holds something for it (the central controller) lets go when the last one ends. If
// it is held back, all transfers over it wait for one answer.
// Invariant: transfers that are under way over one queue pair have one source port, also when they are moved to
// another; queue pairs that belong to a single transfer are asked for and released as if this were not here.

import { grown } from '../base/columns.js';
import { fail } from '../base/fail.js';
import { type Admission, type AdmissionDoor, heldBack } from './admission.js';
import type { Gate } from './controller-requests.js';
import { type Frontier, Stage } from './frontier.js';

const unknown = -1;

export class KeptPorts implements Admission, Gate {
  /** by queue pair of a connection: its source port, and its transfers under way */
  private ports = new Int32Array(64).fill(unknown);
  private underWay = new Int32Array(64);
  /** by queue pair that waits for its port: the slots of its transfers */
  private readonly waiting = new Map<number, number[]>();

  /**
   * @param inner answers at once, unless there is a door
   * @param door by which queue pairs are let in later, and moved; null: none is
   */
  constructor(
    private readonly frontier: Frontier,
    private readonly inner: Admission,
    private readonly door: AdmissionDoor | null = null,
    readonly movesFlows = false,
  ) {}

  admit(slot: number, nowPs: number): number {
    const { inner } = this;
    const pair = this.frontier.queuePair[slot]!;
    if (pair < 0) return inner.admit(slot, nowPs);
    if (pair >= this.ports.length) this.grow(Math.max(2 * this.ports.length, pair + 1));
    const known = this.ports[pair]!;
    if (this.underWay[pair]!++ > 0) {
      const waiting = this.door === null ? undefined : this.waiting.get(pair);
      if (waiting === undefined) return known;
      waiting.push(slot);
      return heldBack;
    }
    const port = known === unknown ? inner.admit(slot, nowPs) : (inner.readmit?.(slot, nowPs, known) ?? known);
    if (port === heldBack) this.waiting.set(pair, [slot]);
    else this.ports[pair] = port;
    return port;
  }

  release(slot: number, nowPs: number): void {
    const pair = this.frontier.queuePair[slot]!;
    if (pair < 0 || --this.underWay[pair]! === 0) this.inner.release(slot, nowPs);
  }

  linksChanged(nowPs: number): void {
    this.inner.linksChanged?.(nowPs);
  }

  due(token: number, nowPs: number): void {
    this.inner.due?.(token, nowPs);
  }

  get nowPs(): number {
    return this.opened.nowPs;
  }

  wakeAt(timePs: number, token: number): void {
    this.opened.wakeAt(timePs, token);
  }

  /**
   * Lets a queue pair in that was held back.
   * @param pair the connection's queue pair, whose transfers all come in; -1: the one in the slot
   */
  enter(slot: number, pair: number, sourcePort: number): void {
    if (pair < 0) {
      this.opened.enter(slot, sourcePort);
      return;
    }
    const waiting = this.waiting.get(pair) ?? fail(`queue pair ${pair} is let in and does not wait`);
    this.waiting.delete(pair);
    this.ports[pair] = sourcePort;
    for (const other of waiting) this.opened.enter(other, sourcePort);
  }

  /**
   * Gives a queue pair that is under way another source port.
   * @param pair the connection's queue pair, of which all transfers are moved; -1: the one in the slot
   */
  move(slot: number, pair: number, sourcePort: number): void {
    const { queuePair, isLive, stage, slotCount } = this.frontier;
    if (pair < 0) {
      this.opened.move(slot, sourcePort);
      return;
    }
    this.ports[pair] = sourcePort;
    for (let other = 0; other < slotCount; other++) {
      if (isLive[other] !== 1 || queuePair[other] !== pair) continue;
      if (stage[other] === Stage.admitted || stage[other] === Stage.underWay) this.opened.move(other, sourcePort);
    }
  }

  private get opened(): AdmissionDoor {
    return this.door ?? fail('a queue pair is let in or moved, and there is no door');
  }

  private grow(capacity: number): void {
    this.ports = grown(this.ports, capacity, unknown);
    this.underWay = grown(this.underWay, capacity);
  }
}
