// Tables in use after links or switches failed, on a fabric of any kind: every entry that still leads to its destination
// stays, all others lead to the neighbour that is nearest to the destination, over the link that carries the least for
// its rate.
// Invariants: a switch from which links lead to a destination has an entry that leads there; no entry that led there is
// changed; no way is a circle. Not held: freedom of deadlock, which lanes give (lane-layers.ts).

import { NodeKind } from '../fabric/fabric.js';
import type { ForwardingTables } from './forwarding-tables.js';

/** What is known of the way of a switch to a destination. */
const unknown = 0;
const leads = 1;
const lost = 2;
const walked = 3;

/** Repairs tables. @returns a copy, or the given ones if every entry leads. Switches times nodes, and links where not */
export function repairAnyTables(given: ForwardingTables): ForwardingTables {
  return new AnyTableRepair(given).run();
}

class AnyTableRepair {
  private tables: ForwardingTables;
  /** by node, of the destination in hand; hops are -1 where no links lead there */
  private readonly way: Uint8Array;
  private readonly hops: Int32Array;
  private readonly trail: Int32Array;
  /** destinations that leave by each port */
  private readonly carried: Float64Array;

  constructor(private readonly given: ForwardingTables) {
    const { nodeCount, portCount } = given.fabric;
    this.tables = given;
    this.way = new Uint8Array(nodeCount);
    this.hops = new Int32Array(nodeCount);
    this.trail = new Int32Array(nodeCount);
    this.carried = new Float64Array(portCount);
    for (const node of given.switches)
      for (let destination = 0; destination < nodeCount; destination++) {
        const port = given.port(node, destination);
        if (port !== -1) this.carried[port]!++;
      }
  }

  run(): ForwardingTables {
    const { given, way } = this;
    const { nodeCount, nodeKind, portOffset, portPeer, portNode } = given.fabric;
    for (let destination = 0; destination < nodeCount; destination++) {
      const isHost = nodeKind[destination] === NodeKind.host;
      if (isHost && portOffset[destination]! >= portOffset[destination + 1]!) continue;
      const last = isHost ? portPeer[portOffset[destination]!]! : -1;
      const target = isHost ? portNode[last]! : destination;
      if (given.rowOf[target] === -1) continue;
      way.fill(unknown);
      way[target] = leads;
      if (isHost && this.tables.port(target, destination) !== last) this.set(target, destination, last);
      for (const node of given.switches) if (way[node] === unknown) this.walk(node, destination);
      // tables may leave out how a switch is reached from all others; only hosts need every way
      const isLeftOut = !isHost && given.switches.every((node) => given.port(node, destination) === -1);
      const missing = isLeftOut ? [] : Array.from(given.switches).filter((node) => way[node] === lost);
      if (missing.length > 0) this.mend(missing, target, destination);
    }
    return this.tables;
  }

  /** Whether the entries of a switch lead on to where a way is known. */
  private walk(from: number, destination: number): void {
    const { way, trail, tables } = this;
    let depth = 0;
    let node = from;
    while (way[node] === unknown) {
      way[node] = walked;
      trail[depth++] = node;
      const port = tables.port(node, destination);
      const next = port === -1 ? node : tables.fabric.portNeighbour[port]!;
      if (next === node || (next !== destination && tables.rowOf[next] === -1)) break;
      node = next;
    }
    const found = way[node] === leads ? leads : lost;
    while (depth > 0) way[trail[--depth]!] = found;
  }

  /** Gives switches without a way one, nearest first: the next one then has a neighbour with a way. */
  private mend(missing: number[], target: number, destination: number): void {
    const { way, hops } = this;
    this.measure(target);
    missing.sort((a, b) => hops[a]! - hops[b]!);
    for (const node of missing) {
      const port = this.bestPort(node);
      if (port === -1) continue;
      this.set(node, destination, port);
      way[node] = leads;
    }
  }

  /** Hops of all switches to one, over switches. */
  private measure(target: number): void {
    const { hops } = this;
    const { portOffset, portNeighbour } = this.given.fabric;
    hops.fill(-1);
    hops[target] = 0;
    const queue = [target];
    for (const node of queue)
      for (let port = portOffset[node]!; port < portOffset[node + 1]!; port++) {
        const peer = portNeighbour[port]!;
        if (hops[peer] !== -1 || this.given.rowOf[peer] === -1) continue;
        hops[peer] = hops[node]! + 1;
        queue.push(peer);
      }
  }

  /** The port to the nearest neighbour with a way, of several that which carries the least for its rate; -1: none. */
  private bestPort(node: number): number {
    const { way, hops, carried } = this;
    const { portOffset, portNeighbour, portLink, linkRateBps } = this.given.fabric;
    let [best, nearest, least] = [-1, Infinity, Infinity];
    for (let port = portOffset[node]!; port < portOffset[node + 1]!; port++) {
      const peer = portNeighbour[port]!;
      const own = hops[peer]!;
      if (way[peer] !== leads || own === -1 || own > nearest) continue;
      const cost = (carried[port]! + 1) / linkRateBps[portLink[port]!]!;
      if (own === nearest && cost >= least) continue;
      [best, nearest, least] = [port, own, cost];
    }
    return best;
  }

  private set(node: number, destination: number, port: number): void {
    if (this.tables === this.given) this.tables = this.given.copy();
    const before = this.tables.port(node, destination);
    if (before !== -1) this.carried[before]!--;
    this.carried[port]!++;
    this.tables.setPort(node, destination, port);
  }
}
