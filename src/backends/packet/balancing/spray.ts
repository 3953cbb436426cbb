// Packet spraying: every data packet takes one of the equal-cost next hops on its own, at random or in turn.
// Invariants: in turn, each of n next hops of a switch gets every n-th packet that has the choice; at random, each is
// as likely as any other. Source: random packet spraying, Dixit et al., INFOCOM 2013; in turn, digit-reversal
// bouncing's simpler relative, Cao et al., CoNEXT 2013, section 3. Not modelled: turns by flow or by destination (the
// counter is one for each set of next hops of a switch), weights by what failures left behind a next hop.

import { grown } from '../../../base/columns.js';
import { RandomStream } from '../../../base/random.js';
import { choice, type SettingGroup } from '../../../base/settings.js';
import type { EqualCostRoutes } from '../../../routing/equal-cost.js';
import { DataBalancing, type DataBalancingParts } from './data-balancing.js';

export const spraySettings = {
  order: choice(
    ['random', 'round-robin'],
    'random',
    'which of the next hops a packet takes: each on its own, or in turn, from a random one on',
  ),
} as const satisfies SettingGroup;

/** Every packet at random. */
export class RandomSpray extends DataBalancing {
  private readonly random: RandomStream;

  constructor(parts: DataBalancingParts) {
    super(parts);
    this.random = new RandomStream(parts.seed, 'spray');
  }

  protected choose(_packet: number, _set: number, first: number, count: number): number {
    return this.tracer.routes.setPorts[first + this.random.nextBelow(count)]!;
  }
}

/** Every packet in turn. */
export class RoundRobinSpray extends DataBalancing {
  private readonly random: RandomStream;
  /** by set of next hops: whose turn it is, plus 1; 0: nobody has had one */
  private turn = new Uint16Array(64);
  /** the routes whose sets these are */
  private routes: EqualCostRoutes;

  constructor(parts: DataBalancingParts) {
    super(parts);
    this.random = new RandomStream(parts.seed, 'spray');
    this.routes = parts.tracer.routes;
  }

  protected choose(_packet: number, set: number, first: number, count: number): number {
    const { routes } = this.tracer;
    if (routes !== this.routes) {
      this.routes = routes;
      this.turn.fill(0);
    }
    if (set >= this.turn.length) this.turn = grown(this.turn, routes.setOffset.length);
    const last = this.turn[set]!;
    const index = last === 0 ? this.random.nextBelow(count) : last % count;
    this.turn[set] = index + 1;
    return routes.setPorts[first + index]!;
  }
}
