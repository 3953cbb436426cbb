// Collisions of flows whose paths and times are known, after the fact or by prediction, per tier of links.
//   static: all flows count as if they were under way together. concurrent: only those whose windows overlap; a window
//   that ends when another begins does not overlap it.
// Links to hosts do not count: no choice of path avoids them. Source: central-controller document (docs/SOURCES.md), §8
// (static and concurrent counting); counted by collisions.ts, exact within its budget.
// Invariant: a pair counts once per tier and once in all, however many links it shares. Memory: some tens of bytes a
// flow and four a port of a path.

import { CollisionCounter } from './collisions.js';

/** Flows with the ports they took and when they were under way. */
export interface FlowPaths {
  readonly flows: number;
  /** windows: from start on, before finish; an empty one meets nobody */
  readonly startPs: Float64Array;
  readonly finishPs: Float64Array;
  /** ports of flow i: ports[offsets[i]] .. ports[offsets[i + 1] - 1], each once */
  readonly offsets: Int32Array;
  readonly ports: Int32Array;
}

/** Output ports that count, by tier. */
export interface CountedTiers {
  readonly names: readonly string[];
  /** by port: its tier; -1: it does not count */
  readonly tierOf: Int16Array;
}

/** What shares links in one tier, or in all together. */
export interface TierOverlap {
  readonly tier: string;
  /** directed links that carried anything, and those that carried several flows (at one time) */
  readonly usedLinks: number;
  readonly sharedLinks: number;
  /** most flows (at one time) on one link */
  readonly mostFlows: number;
  /** flows that shared a link, and pairs of flows that did */
  readonly flows: number;
  readonly flowPairs: number;
  /** false: counting stopped, and flowPairs is a lower bound */
  readonly exact: boolean;
}

/** Collisions in all tiers together, and tier by tier. */
export interface FlowOverlap {
  readonly all: TierOverlap;
  readonly tiers: readonly TierOverlap[];
}

/** Collisions as if all flows were under way together. */
export function staticOverlap(paths: FlowPaths, tiers: CountedTiers): FlowOverlap {
  const counts = new OverlapCounts(paths, tiers);
  for (let flow = 0; flow < paths.flows; flow++) counts.start(flow);
  return counts.result();
}

/** Collisions of flows that are under way at the same time. */
export function concurrentOverlap(paths: FlowPaths, tiers: CountedTiers): FlowOverlap {
  const { flows, startPs, finishPs } = paths;
  const counts = new OverlapCounts(paths, tiers);
  const lasting = Int32Array.from({ length: flows }, (_, flow) => flow).filter(
    (flow) => finishPs[flow]! > startPs[flow]!,
  );
  const starts = lasting.slice().sort((a, b) => startPs[a]! - startPs[b]! || a - b);
  const finishes = lasting.sort((a, b) => finishPs[a]! - finishPs[b]! || a - b);
  let finished = 0;
  for (const flow of starts) {
    while (finishPs[finishes[finished]!]! <= startPs[flow]!) counts.finish(finishes[finished++]!);
    counts.start(flow);
  }
  return counts.result();
}

/** One counter for each tier, and one for all. */
class OverlapCounts {
  private readonly counters: CollisionCounter[];
  /** by port: flows under way, and the flow that was alone there */
  private readonly active: Int32Array;
  private readonly lone: Int32Array;
  private readonly mostActive: Int32Array;
  /** by flow: bit t if it shared a link of tier t */
  private readonly sharedTiers: Uint32Array;
  private readonly scratch: Int32Array;

  constructor(
    private readonly paths: FlowPaths,
    private readonly tiers: CountedTiers,
  ) {
    const { tierOf, names } = tiers;
    this.counters = [...names, 'all'].map((_name, tier) => {
      const isCounted = Uint8Array.from(tierOf, (own) => ((tier === names.length ? own >= 0 : own === tier) ? 1 : 0));
      return new CollisionCounter(isCounted);
    });
    this.active = new Int32Array(tierOf.length);
    this.lone = new Int32Array(tierOf.length);
    this.mostActive = new Int32Array(tierOf.length);
    this.sharedTiers = new Uint32Array(paths.flows);
    let longest = 1;
    for (let flow = 0; flow < paths.flows; flow++)
      longest = Math.max(longest, paths.offsets[flow + 1]! - paths.offsets[flow]!);
    this.scratch = new Int32Array(longest);
  }

  start(flow: number): void {
    const { offsets, ports } = this.paths;
    const length = offsets[flow + 1]! - offsets[flow]!;
    for (let i = 0; i < length; i++) {
      const port = (this.scratch[i] = ports[offsets[flow]! + i]!);
      const tier = this.tiers.tierOf[port]!;
      if (tier < 0) continue;
      const before = this.active[port]!++;
      if (before === 0) this.lone[port] = flow;
      else {
        this.sharedTiers[flow]! |= 1 << tier;
        if (before === 1) this.sharedTiers[this.lone[port]!]! |= 1 << tier;
      }
      this.mostActive[port] = Math.max(this.mostActive[port]!, before + 1);
    }
    for (const counter of this.counters) counter.flowStarted(flow, this.scratch, length);
  }

  finish(flow: number): void {
    const { offsets, ports } = this.paths;
    for (let i = offsets[flow]!; i < offsets[flow + 1]!; i++) {
      const port = ports[i]!;
      // one that stays alone has shared already, so that who it was does not matter
      if (this.tiers.tierOf[port]! >= 0) this.active[port]!--;
    }
    for (const counter of this.counters) counter.flowFinished(flow);
  }

  result(): FlowOverlap {
    const { names } = this.tiers;
    return {
      all: this.overlapOf('all', names.length, (tier) => tier >= 0),
      tiers: names.map((name, tier) => this.overlapOf(name, tier, (own) => own === tier)),
    };
  }

  private overlapOf(name: string, counter: number, isOwn: (tier: number) => boolean): TierOverlap {
    const { tierOf, names } = this.tiers;
    let usedLinks = 0;
    let mostFlows = 0;
    for (let port = 0; port < tierOf.length; port++) {
      if (!isOwn(tierOf[port]!) || this.mostActive[port] === 0) continue;
      usedLinks++;
      mostFlows = Math.max(mostFlows, this.mostActive[port]!);
    }
    let flows = 0;
    for (const shared of this.sharedTiers)
      if (names.some((_name, tier) => isOwn(tier) && (shared >>> tier) & 1)) flows++;
    const { links, flowPairs, exact } = this.counters[counter]!.count();
    return { tier: name, usedLinks, sharedLinks: links, mostFlows, flows, flowPairs, exact };
  }
}
