// Which of several next hops a packet takes, where switches look at their own ports: the one whose lane has the least
// to do, by the bytes that wait for it and the credits that are in use behind it.
// Invariants: `least-loaded` takes no port that has more to do than another, and each of those with the least is
// equally likely. `lowest-port` is the rule of the simulations of CODES: a port at random, or, if it has anything to
// do, the first of the least loaded, so that low ports get more. Source: docs/models/credit.md. Not modelled: what is
// further on, loads that are known late.

import { RandomStream } from '../../base/random.js';
import type { AdaptiveRule } from './settings.js';

/** What ports have to do. */
export interface LaneLoads {
  /** bytes that wait for a lane of an output port, and bytes of its credits that are in use */
  loadBytes(port: number, lane: number): number;
}

export class AdaptiveChoice {
  private readonly random: RandomStream;
  private readonly leastLoaded: Int32Array;

  /** @param mostPorts of a next-hop set @param seed of the run */
  constructor(
    private readonly loads: LaneLoads,
    private readonly rule: AdaptiveRule,
    mostPorts: number,
    seed: number,
  ) {
    this.random = new RandomStream(seed, 'adaptive');
    this.leastLoaded = new Int32Array(mostPorts);
  }

  /** One of ports[from .. end - 1], which are two or more. */
  choose(ports: Int32Array, from: number, end: number, lane: number): number {
    if (this.rule === 'lowest-port') return this.lowest(ports, from, end, lane);
    const { loads, leastLoaded } = this;
    let [least, ties] = [Infinity, 0];
    for (let i = from; i < end; i++) {
      const port = ports[i]!;
      const bytes = loads.loadBytes(port, lane);
      if (bytes > least) continue;
      if (bytes < least) {
        least = bytes;
        ties = 0;
      }
      leastLoaded[ties++] = port;
    }
    return leastLoaded[ties === 1 ? 0 : this.random.nextBelow(ties)]!;
  }

  private lowest(ports: Int32Array, from: number, end: number, lane: number): number {
    const { loads } = this;
    const drawn = ports[from + this.random.nextBelow(end - from)]!;
    if (loads.loadBytes(drawn, lane) === 0) return drawn;
    let [least, lowest] = [Infinity, -1];
    for (let i = from; i < end; i++) {
      const port = ports[i]!;
      const bytes = loads.loadBytes(port, lane);
      if (bytes < least || (bytes === least && port < lowest)) {
        least = bytes;
        lowest = port;
      }
    }
    return lowest;
  }
}
