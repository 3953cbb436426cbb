// Adaptive routing by the switch's own queues: every data packet takes the next hop behind which the fewest bytes wait,
// at random among those that are equal.
// Invariant: no next hop has fewer bytes than the one that is taken; equal ones are equally likely. Source: per-packet
// local adaptive routing as data-centre switches have it (docs/models/load-balancing.md). Not modelled: coarse classes
// of queue lengths, notifications of congestion further on, measurements that are late.

import { RandomStream } from '../../../base/random.js';
import { DataBalancing, type QueueBalancingParts } from './data-balancing.js';

export class AdaptiveBalancing extends DataBalancing {
  private readonly ports: QueueBalancingParts['ports'];
  private readonly random: RandomStream;
  /** the shortest queues of a choice */
  private readonly shortest: Int32Array;

  constructor(parts: QueueBalancingParts) {
    super(parts);
    this.ports = parts.ports;
    this.random = new RandomStream(parts.seed, 'adaptive');
    this.shortest = new Int32Array(parts.fabric.portCount);
  }

  protected choose(_packet: number, _set: number, first: number, count: number): number {
    const { ports, shortest } = this;
    const { setPorts } = this.tracer.routes;
    let [least, ties] = [Infinity, 0];
    for (let i = first; i < first + count; i++) {
      const port = setPorts[i]!;
      const bytes = ports.backlogBytes(port);
      if (bytes > least) continue;
      if (bytes < least) {
        least = bytes;
        ties = 0;
      }
      shortest[ties++] = port;
    }
    return shortest[ties === 1 ? 0 : this.random.nextBelow(ties)]!;
  }
}
