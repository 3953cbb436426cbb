// Adaptive balancing: every data packet takes the next hop behind which the fewest bytes wait (backends/least-loaded.ts).

import { LeastLoaded } from '../../least-loaded.js';
import { DataBalancing, type QueueBalancingParts } from './data-balancing.js';

export class AdaptiveBalancing extends DataBalancing {
  private readonly hops: LeastLoaded;

  constructor(parts: QueueBalancingParts) {
    super(parts);
    const { ports, fabric, seed } = parts;
    this.hops = new LeastLoaded({ loadBytes: (port) => ports.backlogBytes(port) }, fabric.portCount, seed);
  }

  protected choose(_packet: number, _set: number, first: number, count: number): number {
    return this.hops.choose(this.tracer.routes.setPorts, first, first + count, 0);
  }
}
