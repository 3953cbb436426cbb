// What a packet's way would load if all shortest ways were taken alike: at every switch each next hop that leads on gets
// the same share.

import { NodeKind, type Fabric } from '../fabric/fabric.js';

/** The first link of a host that leads to a switch, and not to one of its server; of a host without any the first. */
export function networkPort({ portOffset, portNeighbour, nodeKind }: Fabric, host: number): number {
  for (let port = portOffset[host]!; port < portOffset[host + 1]!; port++)
    if (nodeKind[portNeighbour[port]!] === NodeKind.switch) return port;
  return portOffset[host]!;
}

/** Links of all shortest ways between two switches, with the share of the traffic that each gets. */
export interface SpreadWay {
  /** output ports */
  readonly ports: Int32Array;
  /** 0 to 1; those at one distance add up to 1 */
  readonly shares: Float64Array;
  /** links from the end */
  readonly distances: Int32Array;
}

const nowhere: SpreadWay = { ports: new Int32Array(0), shares: new Float64Array(0), distances: new Int32Array(0) };

export class SpreadWays {
  private readonly distanceTo = new Map<number, Int32Array>();
  private readonly ways = new Map<number, SpreadWay>();

  constructor(private readonly fabric: Fabric) {}

  /** Links between two switches; Infinity: none lead there. */
  distance(from: number, to: number): number {
    const own = this.distances(to)[from]!;
    return own < 0 ? Infinity : own;
  }

  /** @param from switch @param to switch */
  between(from: number, to: number): SpreadWay {
    const key = from * this.fabric.nodeCount + to;
    let way = this.ways.get(key);
    if (way === undefined) this.ways.set(key, (way = this.make(from, to)));
    return way;
  }

  private make(from: number, to: number): SpreadWay {
    const { portOffset, portNeighbour, nodeKind } = this.fabric;
    const distances = this.distances(to);
    if (from === to || distances[from]! < 0) return nowhere;
    const ports: number[] = [];
    const shares: number[] = [];
    const steps: number[] = [];
    let front = new Map([[from, 1]]);
    for (let left = distances[from]!; left > 0; left--) {
      const next = new Map<number, number>();
      for (const [node, share] of front) {
        const hops: number[] = [];
        for (let port = portOffset[node]!; port < portOffset[node + 1]!; port++) {
          const peer = portNeighbour[port]!;
          if (nodeKind[peer] === NodeKind.switch && distances[peer] === left - 1) hops.push(port);
        }
        for (const port of hops) {
          ports.push(port);
          shares.push(share / hops.length);
          steps.push(left);
          next.set(portNeighbour[port]!, (next.get(portNeighbour[port]!) ?? 0) + share / hops.length);
        }
      }
      front = next;
    }
    return { ports: Int32Array.from(ports), shares: Float64Array.from(shares), distances: Int32Array.from(steps) };
  }

  private distances(to: number): Int32Array {
    const known = this.distanceTo.get(to);
    if (known !== undefined) return known;
    const { nodeCount, portOffset, portNeighbour, nodeKind } = this.fabric;
    const distance = new Int32Array(nodeCount).fill(-1);
    distance[to] = 0;
    let front = [to];
    for (let step = 1; front.length > 0; step++) {
      const next: number[] = [];
      for (const node of front)
        for (let port = portOffset[node]!; port < portOffset[node + 1]!; port++) {
          const peer = portNeighbour[port]!;
          if (nodeKind[peer] !== NodeKind.switch || distance[peer] !== -1) continue;
          distance[peer] = step;
          next.push(peer);
        }
      front = next;
    }
    this.distanceTo.set(to, distance);
    return distance;
  }
}
