// What can strike on a link: it went down while something was on it, or a loss model says that the packet is lost.
// Invariant: what a cut link takes is asked of no loss model, so the random numbers of a model never depend on cuts of
// other links.

import type { LinkStates } from '../fabric/link-states.js';

/** Knows when a record that has just arrived began its way over its link. */
export interface LinkClock {
  /** @returns picoseconds */
  sentAtPs(record: number): number;
}

/** Why packets are lost, as far as links and loss models know. Records have these numbers (records/loss-records.ts). */
export const LossCause = {
  single: 1,
  frequent: 2,
  burst: 3,
  sequence: 4,
  time: 5,
  trace: 6,
  channel: 7,
  other: 8,
  linkError: 9,
  linkDown: 10,
  noRoute: 11,
  buffer: 12,
  watchdog: 13,
} as const;

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
  /** {@link LossCause} of the last packet that it lost; left out: `other` */
  readonly cause?: number;
  /** Packets that it was asked about at a port, if it counts them; left out: it does not. */
  seenAt?(port: number): number;
}

export class LinkHazards {
  private wasCut = false;

  constructor(
    private readonly states: LinkStates,
    private readonly clock: LinkClock,
    private readonly losses: LossModel,
  ) {}

  /** True if a packet that comes in by a port was lost on the way. */
  strikes(packet: number, port: number): boolean {
    this.wasCut = this.isCut(packet, port);
    return this.wasCut || this.losses.loses(packet, port);
  }

  /** {@link LossCause} of the last packet that was struck. */
  get cause(): number {
    return this.wasCut ? LossCause.linkDown : (this.losses.cause ?? LossCause.other);
  }

  /** True if the link was down at any time while the packet, control frames included, was on it. */
  isCut(packet: number, port: number): boolean {
    const { fabric, lastDownPs } = this.states;
    const downPs = lastDownPs[fabric.portLink[port]!]!;
    return downPs !== -Infinity && this.clock.sentAtPs(packet) < downPs;
  }
}
