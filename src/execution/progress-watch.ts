// Finds runs that go in circles: packets are sent, and not one byte arrives in order for the first time.
// Invariant: what it looks at are totals, so it never changes a result but to end a run that would not end.
// Not modelled: circles in a network that counts no packets; there are none.

import type { NetworkCounters } from './network.js';

/** Simulated time between two looks, in picoseconds. */
export const progressIntervalPs = 100e9;
/** Without progress for this many packets at least: on slow or very long links a first byte takes its time. */
const circlingPackets = 10_000;

export class ProgressWatch {
  /** packets circulate and bring no flow forward */
  isCircling = false;
  /** packets sent at the last look, and at the last look that saw progress; bytes delivered and flows started then */
  private sentAtLook = -0;
  private sentBefore = -0;
  private deliveredBefore = -0;
  private startedBefore = 0;

  /**
   * Compares with the last look.
   * @param started flows so far
   * @param isHopeful something may yet help by itself, such as a repair
   * @returns whether another look is due: packets were sent since the last one
   */
  look(counters: NetworkCounters, started: number, isHopeful: boolean): boolean {
    const { dataPacketsSent = 0, payloadBytesDelivered } = counters;
    const isActive = dataPacketsSent !== this.sentAtLook;
    this.sentAtLook = dataPacketsSent;
    if (!isHopeful && payloadBytesDelivered === this.deliveredBefore && started === this.startedBefore)
      this.isCircling = isActive && dataPacketsSent - this.sentBefore > circlingPackets;
    else {
      this.sentBefore = dataPacketsSent;
      this.deliveredBefore = payloadBytesDelivered;
      this.startedBefore = started;
    }
    return isActive;
  }
}
