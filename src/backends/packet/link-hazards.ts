// What a packet can meet on a link: a random loss at the link's error rate, or a link that went down while the packet
// was on it.
// Invariant: no random number is drawn for a link without an error rate, so other links' losses never depend on it.
// Not modelled: bursts of errors, forward error correction; control frames meet failed links always, random loss only
// if pauses run out (pfc.pauseTime).

import { RandomStream } from '../../base/random.js';
import type { LinkStates } from '../../fabric/link-states.js';
import type { Ports } from './ports.js';

export class LinkHazards {
  private readonly random: RandomStream;

  constructor(
    private readonly states: LinkStates,
    private readonly ports: Ports,
    seed: number,
  ) {
    this.random = new RandomStream(seed, 'loss');
  }

  /** True if a packet that comes in by a port was lost on the way. */
  strikes(packet: number, port: number): boolean {
    if (this.isCut(packet, port)) return true;
    const errorRate = this.states.errorRate[this.states.fabric.portLink[port]!]!;
    return errorRate > 0 && this.random.nextFraction() < errorRate;
  }

  /** True if the link was down at any time while the packet, control frames included, was on it. */
  isCut(packet: number, port: number): boolean {
    const { fabric, lastDownPs } = this.states;
    const downPs = lastDownPs[fabric.portLink[port]!]!;
    return downPs !== -Infinity && this.ports.sentAtPs(packet) < downPs;
  }
}
