// CONGA's discounting rate estimators: by output port a register that grows with what is sent by it and is multiplied
// by 1 - gain once per interval, so that it stands for the load of the last interval / gain; and that as a small
// number, as it travels in packets.
// Invariant: a port that sends at the rate of its link settles at the top of its register's scale. Registers are
// brought up to date when they are looked at; no event is scheduled.
// Source: Alizadeh et al., SIGCOMM 2014, section 3.2.

import type { Clock } from '../../../engine/event-wheel.js';

export interface EstimatorSettings {
  readonly intervalPs: number;
  readonly gain: number;
  /** bits of the number in packets */
  readonly bits: number;
}

export class RateEstimators {
  /** by port: bytes, and the interval in which they were last brought up to date */
  private readonly bytes: Float64Array;
  private readonly interval: Float64Array;
  /** (1 - gain)^n */
  private readonly decay = new Float64Array(512);
  private readonly intervalPs: number;
  private readonly levels: number;
  /** levels of a register by byte, x the rate of its link in bit/s */
  private readonly scale: number;

  /** @param rateBps by port; may change */
  constructor(
    private readonly clock: Clock,
    private readonly rateBps: Float64Array,
    { intervalPs, gain, bits }: EstimatorSettings,
  ) {
    this.bytes = new Float64Array(rateBps.length);
    this.interval = new Float64Array(rateBps.length);
    this.intervalPs = intervalPs;
    this.levels = 1 << bits;
    this.scale = (this.levels * 8e12 * gain) / intervalPs;
    this.decay[0] = 1;
    for (let n = 1; n < this.decay.length; n++) this.decay[n] = this.decay[n - 1]! * (1 - gain);
  }

  /** Counts a packet that goes out by a port. */
  add(port: number, bytes: number): void {
    this.update(port);
    this.bytes[port]! += bytes;
  }

  /** The load of a port, from 0 to 2^bits - 1. */
  level(port: number): number {
    this.update(port);
    const level = Math.floor((this.bytes[port]! * this.scale) / this.rateBps[port]!);
    return level < this.levels ? level : this.levels - 1;
  }

  private update(port: number): void {
    const now = Math.floor(this.clock.nowPs / this.intervalPs);
    const passed = now - this.interval[port]!;
    if (passed === 0) return;
    this.interval[port] = now;
    this.bytes[port]! *= passed < this.decay.length ? this.decay[passed]! : 0;
  }
}
