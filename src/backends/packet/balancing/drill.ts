// DRILL: every data packet takes the shortest queue of a few next hops: some drawn at random, and those that were the
// best ones of the last packet that had the same choice.
// Invariant: the queue that is taken is no longer than those of the other candidates. Source: Ghorbani et al., SIGCOMM
// 2017, section 3.2, DRILL(d, m) with d = 2 and m = 1. Not modelled: several forwarding engines in a switch, each with
// a memory of its own, and the weights of its section 3.4 for asymmetric fabrics.

import { RandomStream } from '../../../base/random.js';
import { count, type SettingGroup, valuesOfGroup } from '../../../base/settings.js';
import type { EqualCostRoutes } from '../../../routing/equal-cost.js';
import { DataBalancing, type QueueBalancingParts } from './data-balancing.js';

export const drillSettings = {
  samples: count(2, 'next hops that are drawn for every packet, each from all of them (d of the paper)', {
    minimum: 1,
    maximum: 64,
  }),
  memory: count(1, 'next hops that were the best ones of the last packet and are candidates again (m of the paper)', {
    minimum: 0,
    maximum: 64,
  }),
} as const satisfies SettingGroup;

export class Drill extends DataBalancing {
  private readonly ports: QueueBalancingParts['ports'];
  private readonly random: RandomStream;
  private readonly samples: number;
  private readonly memory: number;
  /** set of next hops x memory: the best ones of its last packet, -1: none */
  private best: Int32Array;
  private routes: EqualCostRoutes;
  /** candidates of a choice, and what waits behind them */
  private readonly candidates: Int32Array;
  private readonly bytes: Float64Array;

  constructor(parts: QueueBalancingParts) {
    super(parts);
    const { samples, memory } = valuesOfGroup(parts.settings.own, 'drill', drillSettings);
    this.ports = parts.ports;
    this.random = new RandomStream(parts.seed, 'drill');
    this.samples = samples;
    this.memory = memory;
    this.candidates = new Int32Array(samples + memory);
    this.bytes = new Float64Array(samples + memory);
    this.routes = parts.tracer.routes;
    this.best = this.noneFor(this.routes);
  }

  protected choose(_packet: number, set: number, first: number, count: number): number {
    const { routes } = this.tracer;
    if (routes !== this.routes) {
      this.routes = routes;
      this.best = this.noneFor(routes);
    }
    const { candidates, memory, best } = this;
    let length = 0;
    for (let i = 0; i < this.samples; i++)
      length = this.add(routes.setPorts[first + this.random.nextBelow(count)]!, length);
    for (let i = set * memory; i < (set + 1) * memory; i++) if (best[i]! >= 0) length = this.add(best[i]!, length);
    for (let i = 0; i < memory; i++) best[set * memory + i] = i < length ? candidates[i]! : -1;
    return candidates[0]!;
  }

  /**
   * Puts a candidate in its place, the shortest queue first, unless it is there; of equal ones the earlier goes first.
   */
  private add(port: number, length: number): number {
    const { candidates, bytes } = this;
    for (let i = 0; i < length; i++) if (candidates[i] === port) return length;
    const own = this.ports.backlogBytes(port);
    let at = length;
    for (; at > 0 && bytes[at - 1]! > own; at--) {
      candidates[at] = candidates[at - 1]!;
      bytes[at] = bytes[at - 1]!;
    }
    candidates[at] = port;
    bytes[at] = own;
    return length + 1;
  }

  private noneFor(routes: EqualCostRoutes): Int32Array {
    return new Int32Array((routes.setOffset.length - 1) * this.memory).fill(-1);
  }
}
