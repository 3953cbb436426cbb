// Max-min fair rates of a crowd: flows that nearly all feel each other's changes. Flows that the same link holds back
// have the same rate, the level of that link. So rates are computed by links: what those that one link holds back take
// of another is their number times their level (link-pairs.ts), and a flow is touched only if another link now holds it
// back.
// Progressive filling over links: the link with the least share left for each flow without a rate is next; whoever
// crosses it and has none is held back by it. Most were before, and need no look; the others are moved to it first. The
// result is the max-min fair allocation, whatever was known before.
// Invariants: after a filling each bundle with links has a link that holds it back; of links with equal shares, to the
// rounding of sums, the one with the least number is first, so that nobody moves to and fro.
// Source: progressive filling, Bertsekas and Gallager, Data Networks, 6.5.2; that levels of links are what counts:
// Ros-Giralt et al., On the Bottleneck Structure of Congestion-Controlled Networks, 2019. Not modelled: weights,
// priorities, rate limits of flows.

import { grown, Int32List } from '../../base/columns.js';
import { CrossingLists } from './crossing-lists.js';
import { LinkPairs } from './link-pairs.js';
import type { PathBundles } from './path-bundles.js';

const none = -1;
/** a share times this, minus that minus the share, has 31 bits: sums of the same terms in another order are equal */
const rounder = 2 ** 22 + 1;
/** relative differences of levels below this are rounding */
const tolerance = 1e-9;

/** Who shares what. */
export interface Crossings {
  readonly bundles: PathBundles;
  readonly capacityBps: Float64Array;
  /** by link: flows on it; and flows in all that have links */
  readonly flowsOn: Int32Array;
  readonly flowsWithLinks: number;
}

/** Who is told what a filling came to: all bundles first, then levels. */
export interface CrowdListener {
  /** A link holds a bundle back that it did not hold back before; -1: its rate is its own again. */
  held(bundle: number, link: number): void;
  /** The rate of each flow that a link holds back. */
  levelled(link: number, rateBps: number): void;
}

export class CrowdRates {
  /** by bundle: the link that holds it back; -1: none is known */
  private holder = new Int32Array(0);
  /** by link: the level that was told */
  private readonly levelBps: Float64Array;
  /** by link: flows that it holds back; the filling in which it got its level */
  private readonly heldFlows: Int32Array;
  private readonly filledIn: Float64Array;
  private fillings = 0;
  private readonly pairs = new LinkPairs();
  private readonly lists: CrossingLists;
  /** by link, while filling: bit/s that are left, flows without a rate, share of each */
  private readonly leftBps: Float64Array;
  private readonly sharers: Int32Array;
  private openFlows = 0;
  private readonly newBps: Float64Array;
  /** links by (key, number): a heap */
  private readonly keyBps: Float64Array;
  private readonly heap = new Int32List();
  /** bundles that another link holds back since they were told of, in the order in which they moved */
  private readonly moved = new Int32List();
  private isMoved = new Uint8Array(0);
  private readonly filled = new Int32List();

  constructor(private readonly crossings: Crossings) {
    const links = crossings.capacityBps.length;
    this.lists = new CrossingLists(links, crossings.bundles);
    this.levelBps = new Float64Array(links);
    this.heldFlows = new Int32Array(links);
    this.filledIn = new Float64Array(links);
    this.leftBps = new Float64Array(links);
    this.sharers = new Int32Array(links);
    this.newBps = new Float64Array(links);
    this.keyBps = new Float64Array(links);
  }

  /** The rate of a bundle's flows; 0 if no link holds it back. */
  rateBps(bundle: number): number {
    const link = this.holderOf(bundle);
    return link < 0 ? 0 : this.levelBps[link]!;
  }

  /** Flows are a crowd from now on: nobody's holder is known. */
  gather(): void {
    this.lists.fill();
  }

  /** There is a new bundle. */
  add(bundle: number): void {
    this.lists.add(bundle);
  }

  /** A bundle has more flows than before, or fewer, none perhaps. @param flows negative: fewer */
  change(bundle: number, flows: number): void {
    const link = this.holderOf(bundle);
    if (link >= 0) this.count(bundle, link, flows);
  }

  /** A bundle is no more; its links are still known. */
  forget(bundle: number): void {
    this.lists.remove(bundle);
    if (bundle < this.holder.length) this.holder[bundle] = none;
  }

  /** Forgets everybody, and tells that their rates are their own. @param before told of each with its rate, earlier */
  dissolve(listener: CrowdListener, before: (bundle: number, rateBps: number) => void): void {
    const { holder } = this;
    for (let bundle = 0; bundle < holder.length; bundle++) {
      const link = holder[bundle]!;
      if (link < 0) continue;
      before(bundle, this.levelBps[link]!);
      holder[bundle] = none;
      listener.held(bundle, none);
    }
    this.heldFlows.fill(0);
    this.pairs.clear();
  }

  /** Begins a filling of all links. @returns links that were looked at */
  begin(): number {
    const { capacityBps, flowsOn, bundles } = this.crossings;
    if (bundles.capacity > this.holder.length) {
      this.holder = grown(this.holder, bundles.capacity, none);
      this.isMoved = grown(this.isMoved, bundles.capacity);
    }
    this.pairs.tidy();
    this.fillings++;
    this.filled.length = 0;
    this.heap.length = 0;
    this.openFlows = this.crossings.flowsWithLinks;
    for (let link = 0; link < capacityBps.length; link++) {
      this.leftBps[link] = capacityBps[link]!;
      const flows = flowsOn[link]!;
      this.sharers[link] = flows;
      if (flows === 0) continue;
      this.keyBps[link] = rounded(capacityBps[link]! / flows);
      this.heap.push(link);
    }
    for (let at = (this.heap.length - 2) >> 2; at >= 0; at--) this.sink(at, this.heap.values[at]!);
    return capacityBps.length;
  }

  /** Goes on with the filling. @param mostLooks entries to look at @returns entries looked at; `isFilled` when done */
  fill(mostLooks: number): number {
    const { heap, keyBps, leftBps, sharers, pairs } = this;
    let looked = 0;
    while (this.openFlows > 0 && looked < mostLooks) {
      const link = heap.values[0]!;
      looked++;
      if (sharers[link] === 0) {
        this.dropFirst();
        continue;
      }
      const share = leftBps[link]! / sharers[link]!;
      const key = rounded(share);
      // shares only grow while others are filled: whoever is no longer the least waits for its turn
      if (key > keyBps[link]!) {
        keyBps[link] = key;
        this.sink(0, link);
        if (heap.values[0] !== link) continue;
      }
      this.dropFirst();
      if (this.heldFlows[link] !== sharers[link]) looked += this.takeOpen(link);
      this.filledIn[link] = this.fillings;
      this.newBps[link] = share;
      this.filled.push(link);
      this.openFlows -= sharers[link]!;
      const row = pairs.row(link)!;
      const { links, flows, count } = row;
      looked += count;
      for (let i = 0; i < count; i++) {
        const other = links[i]!;
        const rest = leftBps[other]! - share * flows[i]!;
        leftBps[other] = rest > 0 ? rest : 0;
        sharers[other]! -= flows[i]!;
      }
    }
    return looked;
  }

  get isFilled(): boolean {
    return this.openFlows === 0;
  }

  /** Tells of the filling that has ended. @returns how many were told of */
  tell(listener: CrowdListener): number {
    const { moved, filled, levelBps, newBps } = this;
    for (let i = 0; i < moved.length; i++) {
      const bundle = moved.values[i]!;
      this.isMoved[bundle] = 0;
      listener.held(bundle, this.holder[bundle]!);
    }
    for (let i = 0; i < filled.length; i++) {
      const link = filled.values[i]!;
      if (Math.abs(newBps[link]! - levelBps[link]!) <= tolerance * levelBps[link]!) continue;
      levelBps[link] = newBps[link]!;
      listener.levelled(link, newBps[link]!);
    }
    const told = moved.length + filled.length;
    moved.length = 0;
    return told;
  }

  private holderOf(bundle: number): number {
    return bundle < this.holder.length ? this.holder[bundle]! : none;
  }

  /** Everybody on a link without a rate is now held back by it. @returns entries looked at */
  private takeOpen(link: number): number {
    const { holder, filledIn, fillings } = this;
    const { shift, flows } = this.crossings.bundles;
    const row = this.lists.rows[link]!;
    const crossing = this.lists.counts[link]!;
    for (let i = 0; i < crossing; i++) {
      const bundle = row[i]! >> shift;
      const before = holder[bundle]!;
      if (before === link || (before >= 0 && filledIn[before] === fillings)) continue;
      if (before >= 0) this.count(bundle, before, -flows[bundle]!);
      holder[bundle] = link;
      this.count(bundle, link, flows[bundle]!);
      if (this.isMoved[bundle] === 1) continue;
      this.isMoved[bundle] = 1;
      this.moved.push(bundle);
    }
    return crossing;
  }

  /** So many flows more of a bundle are held back by a link. */
  private count(bundle: number, holder: number, flows: number): void {
    const { links, length, shift } = this.crossings.bundles;
    this.heldFlows[holder]! += flows;
    const end = (bundle << shift) + length[bundle]!;
    for (let hop = bundle << shift; hop < end; hop++) this.pairs.add(holder, links[hop]!, flows);
  }

  /** Takes the first link out of the heap. */
  private dropFirst(): void {
    const { heap } = this;
    const last = heap.values[--heap.length]!;
    if (heap.length > 0) this.sink(0, last);
  }

  /** Puts a link into a place of the heap, or below it, where it belongs. Each place has four below it. */
  private sink(place: number, link: number): void {
    const { keyBps } = this;
    const { values, length } = this.heap;
    const key = keyBps[link]!;
    let at = place;
    for (let child = 4 * at + 1; child < length; child = 4 * at + 1) {
      let least = child;
      let leastKey = keyBps[values[child]!]!;
      const end = child + 4 < length ? child + 4 : length;
      for (let other = child + 1; other < end; other++) {
        const otherKey = keyBps[values[other]!]!;
        if (otherKey < leastKey || (otherKey === leastKey && values[other]! < values[least]!)) {
          least = other;
          leastKey = otherKey;
        }
      }
      if (leastKey > key || (leastKey === key && values[least]! > link)) break;
      values[at] = values[least]!;
      at = least;
    }
    values[at] = link;
  }
}

/** A share without its last bits, in which sums in another order differ. */
function rounded(share: number): number {
  const scaled = rounder * share;
  return scaled - (scaled - share);
}
