// How far every switch is from one by each of its ports: over any way (minhop), or over ways that go up and then down
// between ranks (up*/down*). On any fabric.
// Invariants: hops of a port count the link itself; hosts are not passed. Of the last call of `towards`.
// Sources: OpenSM's documentation of its engines minhop and updn; M. Schroeder and others, "Autonet: a high-speed,
// self-configuring local area network using point-to-point links", IEEE JSAC 9(8), 1991 (up*/down*).

import { NodeKind, type Fabric } from '../fabric/fabric.js';

/** No way by that port. */
export const noHops = 0x7fff;

/** Hops to one switch after the other. */
export interface PortHops {
  readonly fabric: Fabric;
  /** hops by each port to the last target, `noHops` without a way */
  readonly hops: Int16Array;
  /** the fewest of each node's, 0 for the target itself */
  readonly least: Int16Array;
  /** Counts the hops to a switch. */
  towards(target: number): void;
}

abstract class CountedHops implements PortHops {
  readonly hops: Int16Array;
  readonly least: Int16Array;
  protected readonly queue: Int32Array;

  constructor(readonly fabric: Fabric) {
    this.hops = new Int16Array(fabric.portCount);
    this.least = new Int16Array(fabric.nodeCount);
    this.queue = new Int32Array(fabric.nodeCount);
  }

  abstract towards(target: number): void;

  protected clear(target: number): void {
    this.hops.fill(noHops);
    this.least.fill(noHops);
    this.least[target] = 0;
  }
}

/** Hops over the shortest ways of all. */
export class ShortestHops extends CountedHops {
  override towards(target: number): void {
    const { fabric, hops, least, queue } = this;
    const { portOffset, portPeer, nodeKind, portNeighbour } = fabric;
    this.clear(target);
    let end = 0;
    queue[end++] = target;
    for (let head = 0; head < end; head++) {
      const node = queue[head]!;
      for (let port = portOffset[node]!; port < portOffset[node + 1]!; port++) {
        const peer = portNeighbour[port]!;
        if (nodeKind[peer] === NodeKind.host || peer === target) continue;
        hops[portPeer[port]!] = least[node]! + 1;
        if (least[peer] !== noHops) continue;
        least[peer] = least[node]! + 1;
        queue[end++] = peer;
      }
    }
  }
}

/** Rank of every switch, the roots' 0: links away from them. */
export function ranksBelow(fabric: Fabric, roots: Iterable<number>): Int16Array {
  const { portOffset, nodeKind, portNeighbour } = fabric;
  const rank = new Int16Array(fabric.nodeCount).fill(noHops);
  const queue = [...roots];
  for (const root of queue) rank[root] = 0;
  for (const node of queue)
    for (let port = portOffset[node]!; port < portOffset[node + 1]!; port++) {
      const peer = portNeighbour[port]!;
      if (nodeKind[peer] === NodeKind.host || rank[peer] !== noHops) continue;
      rank[peer] = rank[node]! + 1;
      queue.push(peer);
    }
  return rank;
}

/** Hops over ways that go towards the roots and then away from them. */
export class UpDownHops extends CountedHops {
  /** whether a node was come to by going down, and whether it waits in the queue */
  private readonly cameDown: Uint8Array;
  private readonly waits: Uint8Array;

  /**
   * @param rank of every switch
   * @param order of switches of equal rank: from a lower to a higher number is down
   */
  constructor(
    fabric: Fabric,
    private readonly rank: Int16Array,
    private readonly order: ArrayLike<number>,
  ) {
    super(fabric);
    this.cameDown = new Uint8Array(fabric.nodeCount);
    this.waits = new Uint8Array(fabric.nodeCount);
  }

  /** Breadth first from the target; a switch is looked at again if a way that was found later is shorter. */
  override towards(target: number): void {
    const { fabric, hops, least, queue, cameDown, waits } = this;
    const { portOffset, portPeer, nodeKind, portNeighbour } = fabric;
    this.clear(target);
    cameDown[target] = 0;
    waits.fill(0);
    let head = 0;
    let count = 1;
    queue[0] = target;
    waits[target] = 1;
    while (count > 0) {
      const node = queue[head]!;
      head = (head + 1) % queue.length;
      count--;
      waits[node] = 0;
      for (let port = portOffset[node]!; port < portOffset[node + 1]!; port++) {
        const peer = portNeighbour[port]!;
        if (nodeKind[peer] === NodeKind.host) continue;
        const down = this.isDown(node, peer);
        if (cameDown[node] === 1 && !down) continue;
        if (least[node]! + 1 >= hops[portPeer[port]!]!) continue;
        hops[portPeer[port]!] = least[node]! + 1;
        least[peer] = Math.min(least[peer]!, least[node]! + 1);
        if (waits[peer] === 1) continue;
        cameDown[peer] = down ? 1 : 0;
        waits[peer] = 1;
        queue[(head + count++) % queue.length] = peer;
      }
    }
  }

  /** Whether a link leads away from the roots; between two roots none does. */
  private isDown(from: number, to: number): boolean {
    const { rank, order } = this;
    if (rank[from] === 0 && rank[to] === 0) return false;
    return rank[from] === rank[to] ? order[from]! < order[to]! : rank[from]! < rank[to]!;
  }
}
