// What ports have to do at the time when a packet chooses among them (least-loaded.ts).

import type { Clock } from '../../engine/event-wheel.js';
import type { PortLoads } from '../least-loaded.js';
import type { CreditPools } from './credit-pools.js';
import type { QueueLoads } from './queue-loads.js';

/** Stands for a lane where a packet has another one at every port. */
export const anyLane = -1;

/** The loads of ports as they are now. */
export class LoadsNow implements PortLoads {
  constructor(
    private readonly loads: QueueLoads,
    private readonly credits: CreditPools,
    private readonly clock: Clock,
    private readonly lanes: number,
  ) {}

  /**
   * Bytes that wait for a lane of a port, and bytes of its credits that are in use; {@link anyLane}: for all of them.
   */
  loadBytes(port: number, lane: number): number {
    if (lane === anyLane) return this.ofAll(port);
    const queue = port * this.lanes + lane;
    const { nowPs } = this.clock;
    if (this.loads.isLate(queue, nowPs)) this.credits.ripen(queue, nowPs);
    return this.loads.of(queue);
  }

  private ofAll(port: number): number {
    let bytes = 0;
    for (let lane = 0; lane < this.lanes; lane++) bytes += this.loadBytes(port, lane);
    return bytes;
  }
}
