// What can strike on a link: it went down while something was on it, or a loss model says that the packet is lost.
// Invariant: what a cut link takes is asked of no loss model, so the random numbers of a model never depend on cuts of
// other links.

import type { LinkStates } from '../fabric/link-states.js';

/** Knows when a record that has just arrived began its way over its link. */
export interface LinkClock {
  /** @returns picoseconds */
  sentAtPs(record: number): number;
}

/** Which packets are lost on links that are up. */
export interface LossModel {
  /** packets are lost on links without an error rate as well; left out: they are not, and nobody need ask */
  readonly always?: boolean;
  /**
   * A packet has crossed the link of a port, undamaged as far as is known.
   * @param port the one it came in by
   * @returns true if it was lost on the way
   */
  loses(packet: number, port: number): boolean;
}

export class LinkHazards {
  constructor(
    private readonly states: LinkStates,
    private readonly clock: LinkClock,
    private readonly losses: LossModel,
  ) {}

  /** True if a packet that comes in by a port was lost on the way. */
  strikes(packet: number, port: number): boolean {
    return this.isCut(packet, port) || this.losses.loses(packet, port);
  }

  /** True if the link was down at any time while the packet, control frames included, was on it. */
  isCut(packet: number, port: number): boolean {
    const { fabric, lastDownPs } = this.states;
    const downPs = lastDownPs[fabric.portLink[port]!]!;
    return downPs !== -Infinity && this.clock.sentAtPs(packet) < downPs;
  }
}
