// Collisions: flows that share a directed link between switches while both are under way. A link's last hop, into the
// host, is not counted: no choice of path avoids it. Source: central-controller document, section 2 and its collision
// analysis (concurrent form). Exact while the work stays within a budget; beyond it the number of pairs is a lower
// bound and says so.

import { grown } from '../base/columns.js';
import { type Fabric, NodeKind } from '../fabric/fabric.js';

export interface CollisionCount {
  /** directed links between switches that carried two or more flows at the same time */
  readonly links: number;
  /** pairs of flows that shared at least one such link at the same time */
  readonly flowPairs: number;
  /** false: there were so many that counting stopped, and flowPairs is a lower bound */
  readonly exact: boolean;
}

const none = -1;
/** list entries that may be looked at in one run: about a second of work */
const workBudget = 200e6;

/**
 * Follows starts and finishes of queue pairs, named by the executor's slots. Pairs of flows are counted: the queue
 * pairs of one flow do not collide with each other, and those of two flows count once.
 */
export class CollisionCounter {
  private readonly isCounted: Uint8Array;
  /** queue pairs under way on each output port: a doubly linked list of (slot, hop) entries */
  private readonly head: Int32Array;
  private readonly collided: Uint8Array;
  private links = 0;
  private flowPairs = 0;
  private work = 0;
  private next = new Int32Array(0);
  private previous = new Int32Array(0);
  private portOf = new Int32Array(0);
  private hops = new Uint8Array(0);
  /** first slot of the flow of each queue pair */
  private flowOf = new Int32Array(0);
  /** by first slot: the last flow for which it was counted, so that a pair counts once */
  private countedFor = new Float64Array(0);
  private started = 0;

  /** @param stride most ports on a path */
  constructor(
    fabric: Fabric,
    private readonly stride: number,
  ) {
    const { portNode, portPeer, nodeKind } = fabric;
    this.isCounted = Uint8Array.from(portPeer, (peer, port) =>
      nodeKind[portNode[port]!] !== NodeKind.host && nodeKind[portNode[peer]!] !== NodeKind.host ? 1 : 0,
    );
    this.head = new Int32Array(fabric.portCount).fill(none);
    this.collided = new Uint8Array(fabric.portCount);
  }

  /**
   * A queue pair starts on a path of output ports.
   * @param first slot of the first queue pair of its flow; they start one right after the other
   */
  flowStarted(slot: number, path: Int32Array, length: number, first = slot): void {
    this.reserve(slot);
    this.flowOf[slot] = first;
    if (slot === first) this.countedFor[slot] = ++this.started;
    let hop = 0;
    for (let i = 0; i < length; i++) {
      const port = path[i]!;
      if (this.isCounted[port] === 0) continue;
      this.countAgainst(port, first);
      const entry = slot * this.stride + hop++;
      const head = this.head[port]!;
      this.portOf[entry] = port;
      this.next[entry] = head;
      this.previous[entry] = none;
      if (head >= 0) this.previous[head] = entry;
      this.head[port] = entry;
    }
    this.hops[slot] = hop;
  }

  flowFinished(slot: number): void {
    for (let i = 0; i < this.hops[slot]!; i++) {
      const entry = slot * this.stride + i;
      const before = this.previous[entry]!;
      const after = this.next[entry]!;
      if (before >= 0) this.next[before] = after;
      else this.head[this.portOf[entry]!] = after;
      if (after >= 0) this.previous[after] = before;
    }
  }

  count(): CollisionCount {
    return { links: this.links, flowPairs: this.flowPairs, exact: this.work <= workBudget };
  }

  private countAgainst(port: number, first: number): void {
    const { flowOf, countedFor, stride, next } = this;
    // the queue pairs of the same flow were the last to start: they stand in front
    let entry = this.head[port]!;
    while (entry >= 0 && flowOf[Math.floor(entry / stride)] === first) entry = next[entry]!;
    if (entry < 0) return;
    if (this.collided[port] === 0) {
      this.collided[port] = 1;
      this.links++;
    }
    if (this.work > workBudget) return;
    const flow = this.started;
    for (; entry >= 0; entry = next[entry]!) {
      this.work++;
      const other = flowOf[Math.floor(entry / stride)]!;
      if (countedFor[other] === flow) continue;
      countedFor[other] = flow;
      this.flowPairs++;
    }
  }

  private reserve(slot: number): void {
    if (slot < this.hops.length) return;
    const capacity = Math.max(256, 2 * this.hops.length, slot + 1);
    this.next = grown(this.next, capacity * this.stride);
    this.previous = grown(this.previous, capacity * this.stride);
    this.portOf = grown(this.portOf, capacity * this.stride);
    this.hops = grown(this.hops, capacity);
    this.flowOf = grown(this.flowOf, capacity);
    this.countedFor = grown(this.countedFor, capacity);
  }
}
