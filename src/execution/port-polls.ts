// Reads the port counters for a controller that does not place all flows, at regular times while anything is sent.
// Invariant: a run in which nothing is sent any more is not kept going.

import type { CentralController } from '../controller/central-controller.js';
import type { Network } from './network.js';

export class PortPolls {
  private readonly ratesBps: Float64Array;
  private isPolling = false;

  /** @param wakeAt has `due` called at a time */
  constructor(
    private readonly network: Pick<Network, 'nowPs' | 'portRates'>,
    private readonly controller: CentralController,
    portCount: number,
    private readonly intervalPs: number,
    private readonly wakeAt: (timePs: number) => void,
  ) {
    this.ratesBps = new Float64Array(portCount);
  }

  /** A flow is about to start. */
  flowComes(): void {
    if (this.isPolling || this.network.portRates === undefined) return;
    this.isPolling = true;
    this.read();
    this.wakeAt(this.network.nowPs + this.intervalPs);
  }

  due(): void {
    this.isPolling = this.read();
    if (this.isPolling) this.wakeAt(this.network.nowPs + this.intervalPs);
  }

  /** @returns whether anything was sent since the last time */
  private read(): boolean {
    this.controller.portsPolled(this.ratesBps, this.network.portRates!(this.ratesBps));
    return this.ratesBps.some((rate) => rate > 0);
  }
}
