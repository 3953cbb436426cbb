// Collisions: flows that share a directed link between switches while both are under way. A link's last hop, into the
// host, is not counted: no choice of path avoids it. Source: central-controller document (docs/SOURCES.md), section 2
// and its collision analysis (concurrent form). Exact while the work stays within a budget; beyond it the number of
// pairs is a lower bound and says so.
// Invariant: a pair of flows counts once, however many links it shares and however often its paths change.

import { grown } from '../base/columns.js';
import { type Fabric, NodeKind } from '../fabric/fabric.js';
import { MetFlows } from './met-flows.js';

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
/** work of an entry where paths change, whose pair is looked up */
const lookupWork = 10;

/**
 * Follows queue pairs, named by the executor's slots, and the links they are on. Pairs of flows are counted: the queue
 * pairs of one flow do not collide with each other, and those of two flows count once. Flows over one connection follow
 * each other, and do not collide either.
 */
export class CollisionCounter {
  private readonly isCounted: Uint8Array;
  /** queue pairs under way on each output port: a doubly linked list of entries */
  private readonly head: Int32Array;
  private readonly collided: Uint8Array;
  private links = 0;
  private flowPairs = 0;
  private work = 0;
  /**
   * by entry: neighbours on its port, the port, the queue pair, the next entry of that queue pair or of the free ones
   */
  private next = new Int32Array(256);
  private previous = new Int32Array(256);
  private portOf = new Int32Array(256);
  private slotOf = new Int32Array(256);
  private following = new Int32Array(256);
  private entries = 0;
  private free = none;
  /** by slot: the first entry of its queue pair, the first slot of its flow */
  private entryOf = new Int32Array(256).fill(none);
  private flowOf = new Int32Array(256);
  /** by first slot: the connection of its flow, or none */
  private connectionOf = new Int32Array(256).fill(none);
  /** by first slot: the last flow for which it was counted, so that a pair counts once */
  private countedFor = new Float64Array(256);
  private started = 0;
  /** which flows were counted with which, where paths change; null: they do not */
  private readonly met: MetFlows | null;

  /**
   * @param links the fabric, whose links between switches count; or by port, 1 if it counts
   * @param pathsChange whether queue pairs take other links under way, or those of one flow start at different times:
   * then pairs are remembered
   */
  constructor(links: Fabric | Uint8Array, pathsChange = false) {
    this.isCounted = links instanceof Uint8Array ? links : linksBetweenSwitches(links);
    this.met = pathsChange ? new MetFlows() : null;
    this.head = new Int32Array(this.isCounted.length).fill(none);
    this.collided = new Uint8Array(this.isCounted.length);
  }

  /**
   * A queue pair starts on a path of output ports.
   * @param first slot of the first queue pair of its flow; unless paths change, they start one right after the other
   * @param flow number of the flow, by which its later queue pairs are known where paths change
   * @param connection over which it goes, from 0; -1 or left out: one of its own
   */
  flowStarted(
    slot: number,
    path: Int32Array,
    length: number,
    first = slot,
    flow = none,
    connection: number = none,
  ): void {
    this.reserve(Math.max(slot, first));
    this.flowOf[slot] = first;
    this.connectionOf[first] = connection;
    if (this.met === null) {
      if (slot === first) this.countedFor[slot] = ++this.started;
    } else if (flow >= 0) this.met.begin(first, flow);
    else if (slot === first) this.met.begin(first, ++this.started);
    for (let i = 0; i < length; i++) this.join(slot, path[i]!);
  }

  /** A queue pair that has started takes one more link. Only where paths change. */
  took(slot: number, port: number): void {
    this.join(slot, port);
  }

  /** A queue pair leaves its links for those of another path. Only where paths change. */
  moved(slot: number, path: Int32Array, length: number): void {
    this.flowFinished(slot);
    for (let i = 0; i < length; i++) this.join(slot, path[i]!);
  }

  /** A queue pair is on no link any more. */
  flowFinished(slot: number): void {
    const { next, previous, following } = this;
    for (let entry = this.entryOf[slot]!; entry >= 0;) {
      const before = previous[entry]!;
      const after = next[entry]!;
      if (before >= 0) next[before] = after;
      else this.head[this.portOf[entry]!] = after;
      if (after >= 0) previous[after] = before;
      const further = following[entry]!;
      following[entry] = this.free;
      this.free = entry;
      entry = further;
    }
    this.entryOf[slot] = none;
  }

  /** Whether all pairs were counted so far; if not, no more are. */
  private get isExact(): boolean {
    return this.work <= workBudget && (this.met === null || this.met.isWhole);
  }

  count(): CollisionCount {
    return { links: this.links, flowPairs: this.flowPairs, exact: this.isExact };
  }

  private join(slot: number, port: number): void {
    if (this.isCounted[port] === 0) return;
    // pairs are counted no more, and that flows met on this link is known
    if (this.collided[port] === 1 && !this.isExact) return;
    if (this.met !== null) this.countChanging(port, this.flowOf[slot]!, this.met);
    else this.countAtStart(port, this.flowOf[slot]!);
    const entry = this.allocate();
    const head = this.head[port]!;
    this.portOf[entry] = port;
    this.slotOf[entry] = slot;
    this.next[entry] = head;
    this.previous[entry] = none;
    if (head >= 0) this.previous[head] = entry;
    this.head[port] = entry;
    this.following[entry] = this.entryOf[slot]!;
    this.entryOf[slot] = entry;
  }

  /** Of a flow that started last: who was counted for it says so. */
  private countAtStart(port: number, first: number): void {
    const { flowOf, slotOf, countedFor, next } = this;
    const flow = this.started;
    for (let entry = this.head[port]!; entry >= 0; entry = next[entry]!) {
      const other = flowOf[slotOf[entry]!]!;
      if (other === first || this.isSameConnection(first, other)) continue;
      this.collide(port);
      if (this.work > workBudget) return;
      this.work++;
      if (countedFor[other] === flow) continue;
      countedFor[other] = flow;
      this.flowPairs++;
    }
  }

  /** Of a flow that may have met the others before. */
  private countChanging(port: number, first: number, met: MetFlows): void {
    const { flowOf, slotOf, next } = this;
    for (let entry = this.head[port]!; entry >= 0; entry = next[entry]!) {
      const other = flowOf[slotOf[entry]!]!;
      if (other === first || this.isSameConnection(first, other)) continue;
      this.collide(port);
      if (this.work > workBudget || !met.isWhole) return;
      this.work += lookupWork;
      if (met.meet(first, other)) this.flowPairs++;
    }
  }

  private isSameConnection(first: number, other: number): boolean {
    const connection = this.connectionOf[first]!;
    return connection !== none && this.connectionOf[other] === connection;
  }

  private collide(port: number): void {
    if (this.collided[port] === 1) return;
    this.collided[port] = 1;
    this.links++;
  }

  private allocate(): number {
    const entry = this.free;
    if (entry >= 0) {
      this.free = this.following[entry]!;
      return entry;
    }
    if (this.entries === this.next.length) {
      const capacity = 2 * this.entries;
      this.next = grown(this.next, capacity);
      this.previous = grown(this.previous, capacity);
      this.portOf = grown(this.portOf, capacity);
      this.slotOf = grown(this.slotOf, capacity);
      this.following = grown(this.following, capacity);
    }
    return this.entries++;
  }

  private reserve(slot: number): void {
    if (slot < this.flowOf.length) return;
    const capacity = Math.max(2 * this.flowOf.length, slot + 1);
    this.entryOf = grown(this.entryOf, capacity, none);
    this.flowOf = grown(this.flowOf, capacity);
    this.connectionOf = grown(this.connectionOf, capacity, none);
    this.countedFor = grown(this.countedFor, capacity);
  }
}

/** By output port: 1 if neither end of its link is a host. */
export function linksBetweenSwitches({ portCount, portNode, portPeer, nodeKind }: Fabric): Uint8Array {
  const isBetween = new Uint8Array(portCount);
  for (let port = 0; port < portCount; port++)
    isBetween[port] =
      nodeKind[portNode[port]!] !== NodeKind.host && nodeKind[portNode[portPeer[port]!]!] !== NodeKind.host ? 1 : 0;
  return isBetween;
}
