// Service levels of pairs of nodes: the number with which a packet is created and which it keeps on its whole way; what
// a switch makes of it is said by a map of lanes (lane-maps.ts).
// Invariant: an ordered pair has one level for a whole run, whatever the order of flows; levels count from 0.
// Source: Taffet's dissertation (docs/SOURCES.md), 4.4.1 (levels drawn over pairs, function 1); InfiniBand Architecture
// Specification vol. 1, 7.6.5.

import { RandomStream } from '../base/random.js';
import { ipv4OfNode } from '../fabric/addresses.js';
import { ecmpHash } from './ecmp-hash.js';

/** Levels of pairs. */
export interface ServiceLevels {
  /** number of levels: one more than the highest that some pair has */
  readonly count: number;
  /** The level of what one node sends to another. */
  of(source: number, destination: number): number;
}

/** Drawn for every ordered pair, each level as likely as every other. */
export class DrawnLevels implements ServiceLevels {
  private readonly seed: number;

  /** @param count levels to draw from @param seed of the run */
  constructor(
    readonly count: number,
    seed: number,
  ) {
    this.seed = new RandomStream(seed, 'lanes').nextUint32();
  }

  of(source: number, destination: number): number {
    return this.count === 1 ? 0 : ecmpHash(ipv4OfNode(source), ipv4OfNode(destination), 0, this.seed) % this.count;
  }
}

/** Listed for every pair of hosts, as path records list them. */
export class ListedLevels implements ServiceLevels {
  readonly count: number;

  /**
   * @param rankOf by node: its place among the hosts, -1 for others, which have level 0
   * @param levels by rank of the source x hosts + rank of the destination
   */
  constructor(
    private readonly rankOf: Int32Array,
    private readonly hosts: number,
    private readonly levels: Uint8Array,
  ) {
    this.count = levels.reduce((most, level) => Math.max(most, level), 0) + 1;
  }

  of(source: number, destination: number): number {
    const [from, to] = [this.rankOf[source]!, this.rankOf[destination]!];
    return from < 0 || to < 0 ? 0 : this.levels[from * this.hosts + to]!;
  }
}
