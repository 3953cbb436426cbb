// Which counters a pair of hosts moves where its traffic is split: over the LIDs of its destination, or over ports among
// which switches choose by themselves, with fixed fractions. R has the share of the pair that each link carries then.
// Invariants: the shares of the links of a step add up to what has not arrived yet; a share of 1 is all of the pair.
// Source: Taffet's dissertation (docs/SOURCES.md), 6.1.2: fixed coefficients by port, which counters may say, and a
// random subset of the ports up for each destination.
// Not modelled: a choice that depends on who else is sending, which is what a switch does. Its shares are other ones.

import { grown } from '../base/columns.js';
import { mostPortsOfHost, type Fabric } from '../fabric/fabric.js';
import { ecmpHash } from '../routing/ecmp-hash.js';
import type { EqualCostRoutes } from '../routing/equal-cost.js';
import { madeHere, type LaneAssignment } from '../routing/lane-maps.js';
import { mostLinksOfWay, type PairCounters } from './pair-rows.js';

/** How the traffic of a pair is split. */
export interface Split {
  /** LIDs of a destination that a pair sends to, each the same share of it */
  readonly lidsOf: (source: number, destination: number) => readonly number[];
  /** by port: its weight among those that a switch chooses from; null: all weigh the same */
  readonly portWeights: Float64Array | null;
  /** of more ports each switch takes so many for each destination, drawn by the seed; null: all */
  readonly drawnPorts: { readonly count: number; readonly seed: number } | null;
  /** whether the shares are what they are: a share that counted nothing is that of a pair that sent nothing */
  readonly isExact: boolean;
}

/**
 * Weights of ports among which a switch chooses, by what they waited: m / (m + w) for a wait of w, where m is the mean of
 * those that waited at all. A choice of our own, of the kind that the source names: who waited long was taken less.
 * @param waits by port, in any unit
 */
export function weightsByWaits(waits: Float64Array): Float64Array {
  const waited = waits.filter((own) => own > 0);
  const mean = waited.reduce((sum, own) => sum + own, 0) / Math.max(1, waited.length);
  return waits.map((own) => (mean === 0 ? 1 : mean / (mean + own)));
}

export class SplitRows implements PairCounters {
  readonly count: number;
  rows = new Int32Array(mostLinksOfWay);
  shares = new Float64Array(mostLinksOfWay);
  /** a place that traffic comes to is a node, where no lane depends on the port it came by, and else that port */
  private readonly isByNode: boolean;
  /** by row and by place: the share of the pair there; 0 between two questions */
  private readonly shareOf: Float64Array;
  private readonly shareAt: Float64Array;
  /** by place: whether some way there has no counter of 0 */
  private readonly isLedTo: Uint8Array;
  /** places of this step, and of the next one */
  private now: Int32Array;
  private next: Int32Array;
  /** ports that traffic goes on by */
  private readonly chosen: Int32Array;
  /** rows that the pair touches, and places of the next step, so far */
  private touched = 0;
  private coming = 0;
  /** what is asked for */
  private source = 0;
  private destination = 0;
  private level = 0;
  private counters: Float64Array | null = null;

  constructor(
    private readonly fabric: Fabric,
    private readonly routes: EqualCostRoutes,
    private readonly assignment: Pick<LaneAssignment, 'levels' | 'map'>,
    private readonly split: Split,
  ) {
    const { portCount, nodeCount } = fabric;
    this.isByNode = assignment.map.isSteady;
    this.count = portCount * assignment.map.count;
    this.shareOf = new Float64Array(this.count);
    const places = Math.max(portCount, nodeCount);
    this.shareAt = new Float64Array(places);
    this.isLedTo = new Uint8Array(places);
    this.now = new Int32Array(places);
    this.next = new Int32Array(places);
    this.chosen = new Int32Array(Math.max(portCount, mostPortsOfHost(fabric)));
  }

  /** Every counter has a row of its own. */
  rowOf(counter: number): number {
    return counter;
  }

  /**
   * As of {@link PairCounters}. Where shares are not exact, a pair is left out if each of its ways has a counter of 0,
   * and other counters of 0 are taken as not read.
   */
  open(source: number, destination: number, counters: Float64Array | null): number {
    if (source === destination) return 0;
    this.source = source;
    this.destination = destination;
    this.level = this.assignment.levels.of(source, destination);
    this.counters = counters;
    this.touched = 0;
    const lids = this.split.lidsOf(source, destination);
    let mayHaveSent = false;
    let isLost = false;
    for (const lid of lids) {
      const end = this.walk(lid, 1 / lids.length);
      mayHaveSent ||= end === 'open';
      isLost ||= end === 'lost';
    }
    return this.gather(mayHaveSent && !isLost);
  }

  /** Follows what is sent to one LID. @returns whether it may have been sent, or was not, or is lost on its way */
  private walk(lid: number, share: number): 'open' | 'closed' | 'lost' {
    const { fabric, routes, shareAt, isLedTo, source, destination, isByNode } = this;
    const nics = routes.sourcePorts(source, destination, this.chosen);
    if (nics === 0) return 'lost';
    this.coming = 0;
    let isOpen = this.send(madeHere, nics, share, true);
    let isLost = false;
    for (let links = 1; this.coming > 0; links++) {
      [this.now, this.next] = [this.next, this.now];
      const places = this.coming;
      this.coming = 0;
      isLost ||= links === mostLinksOfWay;
      for (let i = 0; i < places; i++) {
        const place = this.now[i]!;
        const own = shareAt[place]!;
        shareAt[place] = 0;
        if (isLost) continue;
        const node = isByNode ? place : fabric.portNode[place]!;
        const set = routes.nextHopSetOfLid(node, destination, lid);
        if (set < 0) isLost = true;
        else if (this.send(place, this.choose(set, node), own, isLedTo[place] === 1)) isOpen = true;
      }
    }
    return isLost ? 'lost' : isOpen ? 'open' : 'closed';
  }

  /**
   * Sends a share on by the ports in {@link chosen}.
   * @param place where it came to @param isLed whether it can have come there
   * @returns whether it may have come to its end
   */
  private send(place: number, count: number, share: number, isLed: boolean): boolean {
    const { fabric, assignment, shareAt, isLedTo, chosen, source, destination, level, counters, isByNode } = this;
    const { map } = assignment;
    let isOpen = false;
    let all = 0;
    for (let i = 0; i < count; i++) all += this.weightOf(chosen[i]!);
    for (let i = 0; i < count; i++) {
      const port = chosen[i]!;
      const own = all === 0 ? share / count : (share * this.weightOf(port)) / all;
      if (own === 0) continue;
      const row = port * map.count + map.lane(level, source, destination, isByNode ? madeHere : place, port);
      this.add(row, own);
      const mayHaveSent = isLed && (counters === null || counters[row] !== 0);
      const peer = fabric.portPeer[port]!;
      const node = fabric.portNode[peer]!;
      if (node === destination) {
        isOpen ||= mayHaveSent;
        continue;
      }
      const next = isByNode ? node : peer;
      if (shareAt[next] === 0) {
        this.next[this.coming++] = next;
        isLedTo[next] = 0;
      }
      shareAt[next]! += own;
      if (mayHaveSent) isLedTo[next] = 1;
    }
    return isOpen;
  }

  private weightOf(port: number): number {
    const { portWeights } = this.split;
    return portWeights === null ? 1 : portWeights[port]!;
  }

  /** Puts the ports that a switch takes into {@link chosen}: all of a set, or some that are drawn. */
  private choose(set: number, node: number): number {
    const { routes, split, chosen, destination } = this;
    const { drawnPorts } = split;
    const [from, end] = [routes.setOffset[set]!, routes.setOffset[set + 1]!];
    const wanted = Math.min(end - from, drawnPorts === null ? Infinity : drawnPorts.count);
    let taken = 0;
    // selection sampling: Knuth, The Art of Computer Programming, volume 2, 3.4.2, algorithm S
    for (let at = from; taken < wanted; at++) {
      const [left, missing] = [end - at, wanted - taken];
      if (left === missing || (ecmpHash(node, destination, at - from, drawnPorts!.seed) / 2 ** 32) * left < missing)
        chosen[taken++] = routes.setPorts[at]!;
    }
    return taken;
  }

  private add(row: number, share: number): void {
    const { shareOf } = this;
    if (shareOf[row] === 0) {
      this.rows = grown(this.rows, this.touched + 1 > this.rows.length ? 2 * this.touched : 0);
      this.rows[this.touched++] = row;
    }
    shareOf[row]! += share;
  }

  /** Puts shares beside the rows that were touched. @returns how many were read; 0 if the pair is left out */
  private gather(mayHaveSent: boolean): number {
    const { shareOf, rows, touched, counters } = this;
    this.shares = grown(this.shares, rows.length);
    let read = 0;
    let isOpen = mayHaveSent;
    for (let i = 0; i < touched; i++) {
      const row = rows[i]!;
      const counted = counters === null ? 1 : counters[row]!;
      if (counted === 0) isOpen &&= !this.split.isExact;
      else if (!Number.isNaN(counted)) {
        rows[read] = row;
        this.shares[read++] = shareOf[row]!;
      }
      shareOf[row] = 0;
    }
    return isOpen ? read : 0;
  }
}
