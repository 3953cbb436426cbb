// The rule `lowest-port` of adaptive routing, that of the simulations of CODES: a port at random, or, if it has anything
// to do, the first of the least loaded, so that low ports get more. Source: docs/models/credit.md.

import { LeastLoaded } from '../least-loaded.js';

export class LowestPort extends LeastLoaded {
  override choose(ports: Int32Array, from: number, end: number, lane: number): number {
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
