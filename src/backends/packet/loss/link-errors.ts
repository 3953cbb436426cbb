// Error rates of links: every packet that crosses a link is lost with the link's rate, whatever it is, on its own.
// Invariant: no random number is drawn for a link without an error rate, so other links' losses never depend on it.
// Not modelled: bursts of errors (loss.model has them), forward error correction.

import { RandomStream } from '../../../base/random.js';
import { LossCause, type LossModel } from '../../../engine/link-hazards.js';
import type { LinkStates } from '../../../fabric/link-states.js';

export class LinkErrors implements LossModel {
  readonly cause = LossCause.linkError;
  private readonly random: RandomStream;

  constructor(
    private readonly links: LinkStates,
    seed: number,
  ) {
    this.random = new RandomStream(seed, 'loss');
  }

  loses(_packet: number, port: number): boolean {
    const { errorRate, fabric } = this.links;
    const rate = errorRate[fabric.portLink[port]!]!;
    return rate > 0 && this.random.nextFraction() < rate;
  }
}
