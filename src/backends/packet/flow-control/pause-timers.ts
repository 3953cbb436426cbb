// How long a pause lasts: a number of quanta of the link, after which the paused port goes on by itself, and half of
// which the pausing port waits before it says so again. A timer that was set anew or given up is known by its time: its
// event finds another one and does nothing.
// Source: IEEE 802.1Qbb (802.1Q-2018, 36.1.3) and 802.3, annex 31D: 16 bits of quanta of 512 bit times. When to repeat
// a pause is left to the pausing side there.

import type { Alarm } from '../../../engine/alarms.js';
import type { Clock } from '../../../engine/event-wheel.js';
import { type Ports, queuesPerPort } from '../ports.js';

/** The most quanta that a pause can last: the frame has 16 bits for them. */
export const mostPauseQuanta = 65_535;

const quantumBits = 512;

/** Quanta of a pause on a link: the time in whole quanta, at least one. May be more than a frame can carry. */
export function pauseQuanta(pauseTimePs: number, rateBps: number): number {
  return Math.max(1, Math.round((pauseTimePs * rateBps) / (quantumBits * 1e12)));
}

/** The time of some quanta on a link, in whole picoseconds. */
export function quantaPs(quanta: number, rateBps: number): number {
  return Math.round((quanta * quantumBits * 1e12) / rateBps);
}

export class PauseTimers {
  /** timers that wait in the wheel, also those that will do nothing */
  waiting = 0;
  /** port x 8 + queue: when a paused port goes on, and when a pausing port repeats its pause; 0: never */
  private readonly expiryPs: Float64Array;
  private readonly refreshPs: Float64Array;

  constructor(
    private readonly ports: Ports,
    private readonly clock: Clock,
    private readonly pauseTimePs: number,
    private readonly alarms: { readonly expiry: Alarm; readonly refresh: Alarm },
  ) {
    this.expiryPs = new Float64Array(ports.count * queuesPerPort);
    this.refreshPs = new Float64Array(ports.count * queuesPerPort);
  }

  /** How long a pause over a port's link lasts, in picoseconds. */
  durationPs(port: number): number {
    const rateBps = this.ports.rateBps[port]!;
    return quantaPs(Math.min(mostPauseQuanta, pauseQuanta(this.pauseTimePs, rateBps)), rateBps);
  }

  /** A pause has taken effect at a port, or was repeated. */
  startExpiry(index: number): void {
    this.expiryPs[index] = this.clock.nowPs + this.durationPs(index >> 3);
    this.schedule(this.expiryPs[index]!, index, this.alarms.expiry);
  }

  stopExpiry(index: number): void {
    this.expiryPs[index] = 0;
  }

  /** True if a paused queue will go on by itself. */
  willExpire(index: number): boolean {
    return this.expiryPs[index]! > 0;
  }

  /** A port has sent a pause. */
  startRefresh(index: number): void {
    this.refreshPs[index] = this.clock.nowPs + Math.ceil(this.durationPs(index >> 3) / 2);
    this.schedule(this.refreshPs[index]!, index, this.alarms.refresh);
  }

  stopRefresh(index: number): void {
    this.refreshPs[index] = 0;
  }

  /** An expiry event has come. @returns true if the pause has run out */
  takeExpiry(index: number): boolean {
    return this.take(this.expiryPs, index);
  }

  /** A refresh event has come. @returns true if the pause is to be sent again */
  takeRefresh(index: number): boolean {
    return this.take(this.refreshPs, index);
  }

  private take(column: Float64Array, index: number): boolean {
    this.waiting--;
    if (column[index] !== this.clock.nowPs) return false;
    column[index] = 0;
    return true;
  }

  private schedule(timePs: number, index: number, alarm: Alarm): void {
    this.waiting++;
    alarm.at(timePs, index);
  }
}
