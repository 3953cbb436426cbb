// Which links wait for which: a packet that came over one link and leaves by the next holds a buffer of the first while
// it waits for the second. If nothing waits in a circle, lossless routes cannot deadlock, and that is so only then
// where any traffic may come (W. Dally and C. Seitz, "Deadlock-free message routing in multiprocessor interconnection
// networks", IEEE Trans. Computers 36(5), 1987).
// Invariants: a channel is a directed link between switches (the port that sends into it) on one lane; links of hosts
// are in no circle, for hosts do not forward. Dependencies are only those of ways that some host's packets take.

import { CycleSearch, type WaitGraph } from '../base/cycle-search.js';
import { NodeKind, type Fabric } from '../fabric/fabric.js';
import type { ForwardingTables } from './forwarding-tables.js';
import type { TablesByOffset } from './lid-offsets.js';
import { laneCount, type FlowLevels, type LaneRule } from './route-lanes.js';

/** Channels that wait for each other in a circle: each for the next, the last for the first. */
export interface ChannelCycle {
  /** ports that send into the links */
  readonly ports: readonly number[];
  /** lane of each */
  readonly lanes: readonly number[];
}

/** The dependencies of a fabric's channels, collected as bits. */
export class DependencyGraph implements WaitGraph {
  /** ports of the nodes that stand behind the links of the ports before, by port */
  private readonly offset: Float64Array;
  private readonly bits: Uint32Array;

  /** @param lanes how many there are. Memory: ports x ports of a switch x lanes squared, in bits */
  constructor(
    readonly fabric: Fabric,
    readonly lanes = 1,
  ) {
    const { portCount } = fabric;
    this.offset = new Float64Array(portCount + 1);
    for (let port = 0; port < portCount; port++)
      this.offset[port + 1] = this.offset[port]! + (isSwitch(fabric, this.behind(port)) ? this.portsOf(port) : 0);
    this.bits = new Uint32Array(Math.ceil((this.offset[portCount]! * lanes * lanes) / 32));
  }

  /** Whoever comes over `port` on a lane leaves by `next`, a port of the switch behind it, on a lane. */
  add(port: number, next: number, lane = 0, nextLane = lane): void {
    const bit = this.place(port, lane) + (next - this.fabric.portOffset[this.behind(port)]!) * this.lanes + nextLane;
    this.bits[Math.floor(bit / 32)]! |= 1 << (bit % 32);
  }

  /** Whether that was added. */
  has(port: number, next: number, lane = 0, nextLane = lane): boolean {
    const bit = this.place(port, lane) + (next - this.fabric.portOffset[this.behind(port)]!) * this.lanes + nextLane;
    return ((this.bits[Math.floor(bit / 32)]! >>> (bit % 32)) & 1) === 1;
  }

  /** A circle of channels, null if there is none. Linear in what may depend. */
  cycle(): ChannelCycle | null {
    const channels = new CycleSearch(this.fabric.portCount * this.lanes).find(this);
    return channels === null ? null : this.named(channels);
  }

  /** The next channel that a channel waits for; -1 after the last. */
  successor(channel: number, at: Int32Array): number {
    const { fabric, lanes, bits } = this;
    const port = Math.floor(channel / lanes);
    const begin = this.place(port, channel % lanes);
    const count = (this.offset[port + 1]! - this.offset[port]!) * lanes;
    const node = this.behind(port);
    for (let i = at[channel]!; i < count; i++) {
      const bit = begin + i;
      const word = bits[Math.floor(bit / 32)]!;
      if (word === 0) {
        i += 31 - (bit % 32);
        continue;
      }
      if (((word >>> (bit % 32)) & 1) === 0) continue;
      at[channel] = i + 1;
      return fabric.portOffset[node]! * lanes + i;
    }
    at[channel] = count;
    return -1;
  }

  private place(port: number, lane: number): number {
    const { offset, lanes } = this;
    return (offset[port]! * lanes + lane * (offset[port + 1]! - offset[port]!)) * lanes;
  }

  private behind(port: number): number {
    return this.fabric.portNeighbour[port]!;
  }

  private portsOf(port: number): number {
    const node = this.behind(port);
    return this.fabric.portOffset[node + 1]! - this.fabric.portOffset[node]!;
  }

  private named(channels: Int32Array): ChannelCycle {
    return {
      ports: Array.from(channels, (channel) => Math.floor(channel / this.lanes)),
      lanes: Array.from(channels, (channel) => channel % this.lanes),
    };
  }
}

function isSwitch(fabric: Fabric, node: number): boolean {
  return fabric.nodeKind[node] !== NodeKind.host;
}

/** Switches that have hosts, ascending: where packets come from. */
export function switchesWithHosts(fabric: Fabric): Int32Array {
  const has = new Uint8Array(fabric.nodeCount);
  for (const host of fabric.hosts)
    for (let port = fabric.portOffset[host]!; port < fabric.portOffset[host + 1]!; port++) {
      const peer = fabric.portNeighbour[port]!;
      if (isSwitch(fabric, peer)) has[peer] = 1;
    }
  return Int32Array.from(Array.from(has, (_, node) => node).filter((node) => has[node] === 1));
}

/**
 * What the ways of all hosts' packets to all hosts depend on. A way that ends nowhere counts as far as it goes, one in
 * circles once round.
 * @param offsets tables by LID offset: of all together
 * @param levels null = everything has level 0
 * @param rule lane of a level; left out: as the levels say
 * @param lanes how many lanes there are; left out: as the levels say
 */
export function routeDependencies(
  offsets: TablesByOffset,
  levels: FlowLevels | null = null,
  rule: LaneRule | null = levels?.lanes?.rule ?? null,
  lanes = laneCount(levels),
): DependencyGraph {
  const { fabric, rowOf } = offsets[0]!;
  const { portOffset, portPeer, portNeighbour } = fabric;
  const graph = new DependencyGraph(fabric, lanes);
  const sources = switchesWithHosts(fabric);
  // way of which a channel was part last
  const seen = new Int32Array(fabric.portCount * lanes).fill(-1);
  let way = 0;
  const walk = (tables: ForwardingTables, from: number, injected: number, destination: number, level: number): void => {
    let inPort = injected;
    let before = -1;
    let beforeLane = 0;
    for (let node = from; ;) {
      const port = tables.port(node, destination);
      if (port === -1) return;
      const peer = portNeighbour[port]!;
      if (rowOf[peer] === -1) return;
      const lane = rule === null ? level : rule(level, inPort, port);
      if (before !== -1) graph.add(before, port, beforeLane, lane);
      // from here on others to this host have gone the same way
      if (seen[port * lanes + lane] === way) return;
      seen[port * lanes + lane] = way;
      before = port;
      beforeLane = lane;
      inPort = portPeer[port]!;
      node = peer;
    }
  };
  const most = levels?.count ?? 1;
  offsets.forEach((tables, offset) => {
    for (const destination of fabric.hosts) {
      for (let level = 0; level < most; level++) {
        way++;
        for (const from of sources) {
          if (levels !== null && ((levels.levels(from, destination, offset) >>> level) & 1) === 0) continue;
          if (rule === null) walk(tables, from, -1, destination, level);
          else
            for (let port = portOffset[from]!; port < portOffset[from + 1]!; port++) {
              const host = portNeighbour[port]!;
              if (rowOf[host] === -1 && host !== destination) walk(tables, from, port, destination, level);
            }
        }
      }
    }
  });
  return graph;
}

/** What the check for deadlock came to. */
export interface DeadlockCheck {
  /** lanes that routes use */
  readonly lanes: number;
  /** links that may wait for each other in a circle; null = the routes cannot deadlock */
  readonly cycle: ChannelCycle | null;
}

/**
 * Whether lossless routes may deadlock, on any fabric.
 * @param levels service levels by flow, each a lane of its own unless they say otherwise; null = one lane
 */
export function checkDeadlock(tables: TablesByOffset, levels: FlowLevels | null = null): DeadlockCheck {
  return { lanes: laneCount(levels), cycle: routeDependencies(tables, levels).cycle() };
}
