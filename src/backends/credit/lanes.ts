// Which virtual lane a queue pair's packets take, from its sender to its receiver: drawn for each ordered pair of hosts.
// Invariant: the same pair has the same lane for a whole run; lanes do not depend on the order of flows.

import { RandomStream } from '../../base/random.js';
import { ipv4OfNode } from '../../fabric/addresses.js';
import { ecmpHash } from '../../routing/ecmp-hash.js';

export class Lanes {
  private readonly seed: number;

  /** @param count lanes on every link @param seed of the run */
  constructor(
    private readonly count: number,
    seed: number,
  ) {
    this.seed = new RandomStream(seed, 'lanes').nextUint32();
  }

  /** The lane of a pair of nodes, from 0. */
  of(source: number, destination: number): number {
    return this.count === 1 ? 0 : ecmpHash(ipv4OfNode(source), ipv4OfNode(destination), 0, this.seed) % this.count;
  }
}
