// Source ports of queue pairs that stay open: whoever is asked for the port of a connection's queue pair the first time
// decides it, and its later transfers go by the same. A queue pair is open to the end of the run; it is busy while
// transfers go over it, and whoever holds something for it (the central controller) lets go when the last one ends.
// Invariant: transfers that are under way over one queue pair have one source port, also when they are moved to another;
// queue pairs that belong to a single transfer are asked for and released as if this were not here.

import { grown } from '../base/columns.js';
import type { Admission, AdmissionDoor } from './admission.js';
import { type Frontier, Stage } from './frontier.js';

const unknown = -1;

export class KeptPorts implements Admission {
  /** by queue pair of a connection: its source port, and its transfers under way */
  private ports = new Int32Array(64).fill(unknown);
  private underWay = new Int32Array(64);

  readonly movesFlows: boolean;

  /**
   * @param inner lets in at once whoever asks
   * @param door by which it moves queue pairs, through this; null: it moves none
   */
  constructor(
    private readonly frontier: Frontier,
    private readonly inner: Admission,
    private readonly door: Pick<AdmissionDoor, 'move'> | null = null,
  ) {
    this.movesFlows = door !== null;
  }

  admit(slot: number, nowPs: number): number {
    const { inner } = this;
    const pair = this.frontier.queuePair[slot]!;
    if (pair < 0) return inner.admit(slot, nowPs);
    if (pair >= this.ports.length) this.grow(Math.max(2 * this.ports.length, pair + 1));
    const known = this.ports[pair]!;
    if (this.underWay[pair]!++ > 0) return known;
    return (this.ports[pair] =
      known === unknown ? inner.admit(slot, nowPs) : (inner.readmit?.(slot, nowPs, known) ?? known));
  }

  release(slot: number, nowPs: number): void {
    const pair = this.frontier.queuePair[slot]!;
    if (pair < 0 || --this.underWay[pair]! === 0) this.inner.release(slot, nowPs);
  }

  linksChanged(nowPs: number): void {
    this.inner.linksChanged?.(nowPs);
  }

  /**
   * Gives a queue pair that is under way another source port.
   * @param pair the connection's queue pair, of which all transfers are moved; -1: the one in the slot
   */
  move(slot: number, pair: number, sourcePort: number): void {
    const { queuePair, isLive, stage, slotCount } = this.frontier;
    if (pair < 0) {
      this.door!.move(slot, sourcePort);
      return;
    }
    this.ports[pair] = sourcePort;
    for (let other = 0; other < slotCount; other++) {
      if (isLive[other] !== 1 || queuePair[other] !== pair) continue;
      if (stage[other] === Stage.admitted || stage[other] === Stage.underWay) this.door!.move(other, sourcePort);
    }
  }

  private grow(capacity: number): void {
    this.ports = grown(this.ports, capacity, unknown);
    this.underWay = grown(this.underWay, capacity);
  }
}
