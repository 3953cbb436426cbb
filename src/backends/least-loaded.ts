// Adaptive routing by a switch's own ports: which of several next hops a packet takes, by what each has to do.
// Invariant: no next hop has less to do than the one that is taken; equal ones are equally likely. Source: per-packet
// local adaptive routing as data-centre switches have it (docs/models/load-balancing.md, docs/models/credit.md). Not
// modelled: coarse classes of queue lengths, congestion further on, loads that are known late.

import { RandomStream } from '../base/random.js';

/** What ports have to do. */
export interface PortLoads {
  /** bytes that wait for a lane of an output port, and bytes of its credits that are in use where there are any */
  loadBytes(port: number, lane: number): number;
}

/** A choice among next hops. */
export class LeastLoaded {
  protected readonly random: RandomStream;
  private readonly tied: Int32Array;

  /** @param mostPorts of a set of next hops @param seed of the run */
  constructor(
    protected readonly loads: PortLoads,
    mostPorts: number,
    seed: number,
  ) {
    this.random = new RandomStream(seed, 'adaptive');
    this.tied = new Int32Array(mostPorts);
  }

  /** One of ports[from .. end - 1], which are two or more. */
  choose(ports: Int32Array, from: number, end: number, lane: number): number {
    const { loads, tied } = this;
    let [least, ties] = [Infinity, 0];
    for (let i = from; i < end; i++) {
      const port = ports[i]!;
      const bytes = loads.loadBytes(port, lane);
      if (bytes > least) continue;
      if (bytes < least) {
        least = bytes;
        ties = 0;
      }
      tied[ties++] = port;
    }
    return tied[ties === 1 ? 0 : this.random.nextBelow(ties)]!;
  }
}
