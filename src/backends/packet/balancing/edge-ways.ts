// The ways from a switch that decides to the hosts of a class (those that hang on the same switches), as rows of a
// table: all of them if they are few, else a random sample. For balancers that know something of every way.
// Invariants: every way of a row is a shortest one of the routes it was made for, and no two are the same; numbers of
// rows are never used again when routes change, so that what a packet carries about an old row is told from the new
// ones. Rows are made when they are first asked for, one for each pair of edge switches that talk.
// Not modelled: how a switch learns of its ways.

import { fail } from '../../../base/fail.js';
import { Float64List, Int32List } from '../../../base/columns.js';
import { RandomStream } from '../../../base/random.js';
import { portLatencyPs } from '../../../fabric/forwarding-latency.js';
import type { Fabric } from '../../../fabric/fabric.js';
import type { EqualCostRoutes } from '../../../routing/equal-cost.js';
import type { PathTracer } from '../../../routing/path.js';
import { wayBits } from './edge-decision.js';

/** most ways of a row */
export const mostWays = 64;
const wayNumbers = 1 << wayBits;
/** draws in vain after which a sample is as large as it gets */
const mostDraws = 8 * mostWays;

/** A way while it is found out: its number, where it ends, how long its links are. */
interface Way {
  readonly number: number;
  /** the last switch */
  readonly last: number;
  /** from the deciding switch to the last one, in picoseconds */
  readonly latencyPs: number;
}

export class EdgeWays {
  /**
   * by place, (row - firstRow) x mostWays + way: its number, its last switch, and the latency of its links up to there
   */
  readonly numbers = new Int32List();
  readonly lastSwitches = new Int32List();
  readonly latenciesPs = new Float64List();
  /** by row - firstRow: how many ways it has, the switch that decides, and the class of the hosts */
  readonly counts = new Int32List();
  readonly switches = new Int32List();
  readonly classes = new Int32List();
  /** rows below it were those of other routes */
  firstRow = 0;
  private readonly byKey = new Map<number, number>();
  private routes: EqualCostRoutes;
  private readonly fabric: Fabric;
  private readonly random: RandomStream;

  constructor(
    private readonly tracer: PathTracer,
    seed: number,
  ) {
    this.fabric = tracer.fabric;
    this.routes = tracer.routes;
    this.random = new RandomStream(seed, 'ways of the edge');
  }

  /** Whether routes have changed since rows were made: then all of them are forgotten. */
  isNew(): boolean {
    if (this.routes === this.tracer.routes) return false;
    this.routes = this.tracer.routes;
    this.firstRow += this.counts.length;
    for (const list of [this.numbers, this.lastSwitches, this.latenciesPs, this.counts, this.switches, this.classes])
      list.length = 0;
    this.byKey.clear();
    return true;
  }

  /** The row of the ways from a switch to a host; made if it is new. */
  rowOf(node: number, host: number): number {
    const key = node * this.fabric.nodeCount + this.routes.classOf(host);
    return this.byKey.get(key) ?? this.make(key, node, host);
  }

  /** The first place of a row; -1 if it was one of other routes, or is none. */
  placeOf(row: number): number {
    return row < this.firstRow ? -1 : (row - this.firstRow) * mostWays;
  }

  private make(key: number, node: number, host: number): number {
    const ways: Way[] = [];
    if (!this.list(ways, node, host)) this.sample(ways, node, host);
    if (ways.length === 0) fail(`switch ${node} decides on the way to node ${host}, to which there is none`);
    const row = this.firstRow + this.counts.length;
    this.counts.push(ways.length);
    this.switches.push(node);
    this.classes.push(this.routes.classOf(host));
    for (let i = 0; i < mostWays; i++) {
      const way = ways[i];
      this.numbers.push(way?.number ?? 0);
      this.lastSwitches.push(way?.last ?? -1);
      this.latenciesPs.push(way?.latencyPs ?? 0);
    }
    this.byKey.set(key, row);
    return row;
  }

  /** Lists all ways. @returns false if they are too many, or their numbers too large */
  private list(ways: Way[], node: number, host: number, radix = 1, number = 0, latencyPs = 0): boolean {
    const { setOffset, setPorts } = this.routes;
    const { portNode, portPeer } = this.fabric;
    const set = this.routes.nextHopSet(node, host);
    if (set < 0) return true;
    const first = setOffset[set]!;
    const count = setOffset[set + 1]! - first;
    if (radix * count > wayNumbers) return false;
    for (let i = 0; i < count; i++) {
      const port = setPorts[first + i]!;
      const further = portNode[portPeer[port]!]!;
      const own = number + i * radix;
      if (further === host) {
        if (ways.push({ number: own, last: node, latencyPs }) > mostWays) return false;
      } else if (!this.list(ways, further, host, radix * count, own, latencyPs + portLatencyPs(this.fabric, port)))
        return false;
    }
    return true;
  }

  /** Replaces what was listed by ways that are drawn, as far as they differ. */
  private sample(ways: Way[], node: number, host: number): void {
    ways.length = 0;
    const known = new Set<string>();
    for (let draw = 0; draw < mostDraws && ways.length < mostWays; draw++) {
      const number = this.random.nextUint32() >>> (32 - wayBits);
      const [way, ports] = this.walk(number, node, host);
      if (known.has(ports)) continue;
      known.add(ports);
      ways.push(way);
    }
  }

  private walk(number: number, node: number, host: number): [way: Way, ports: string] {
    const { setOffset, setPorts } = this.routes;
    const { portNode, portPeer } = this.fabric;
    let [at, rest, latencyPs, ports] = [node, number, 0, ''];
    for (;;) {
      const set = this.routes.nextHopSet(at, host);
      if (set < 0) fail(`switch ${at} has no route to node ${host}, on a way of its own`);
      const first = setOffset[set]!;
      const count = setOffset[set + 1]! - first;
      // as EdgeDecision does it: a switch without a choice takes nothing of the number
      const port = setPorts[first + (count === 1 ? 0 : rest % count)]!;
      if (count > 1) rest = (rest / count) | 0;
      const further = portNode[portPeer[port]!]!;
      ports += ` ${port}`;
      if (further === host) return [{ number, last: at, latencyPs }, ports];
      latencyPs += portLatencyPs(this.fabric, port);
      at = further;
    }
  }
}
