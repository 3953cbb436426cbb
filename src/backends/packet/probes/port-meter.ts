// What every port sent on average since somebody asked last, from its counters.

import { type PortCounters, PortValue } from './port-counters.js';

export class PortMeter {
  private readonly before: Float64Array;
  private beforePs = 0;

  constructor(private readonly counters: PortCounters) {
    this.before = new Float64Array(counters.ports.length / 2);
  }

  /**
   * @param into by port, in bit/s; zeros if no time has gone by
   * @returns the time since it was asked last, in picoseconds
   */
  rates(nowPs: number, into: Float64Array): number {
    const { before } = this;
    const { ports } = this.counters;
    const sincePs = nowPs - this.beforePs;
    const seconds = sincePs / 1e12;
    this.beforePs = nowPs;
    for (let port = 0; port < before.length; port++) {
      const bytes = ports[(port << 1) + PortValue.bytesSent]!;
      into[port] = seconds === 0 ? 0 : ((bytes - before[port]!) * 8) / seconds;
      before[port] = bytes;
    }
    return sincePs;
  }
}
