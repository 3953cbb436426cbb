// What flows still have to drain, and when the next one will have. A flow's bits are counted from those of its bundle
// (path-bundles.ts); while flows are a crowd (crowd-rates.ts), a bundle's from those of the link that holds it back. So
// of flows with the same rate only one has a time, whatever their number, and a new rate touches that one alone.
// Invariants: the order of flows in a bundle, and of bundles at a link, does not depend on rates (end-queues.ts); the
// bits that drained are the bits that were started; what ends together by the same sums in another order still does.
// Not modelled: what comes after a flow's last bit (fluid-network.ts).

import { grown, Int32List } from '../../base/columns.js';
import { TimeHeap } from '../../base/time-heap.js';
import { EndQueues } from './end-queues.js';
import type { FairShare, ShareListener } from './fair-share.js';

const none = -1;
/** starts of flows between two of the same rank among ends of one time: more are never under way together */
const startsInTurn = 2 ** 22;

/** so much less than a picosecond is rounding */
const roundingPs = 1 / 1024;

export class Drains implements ShareListener {
  nowPs = 0;
  startedBits = 0;
  drainedBits = 0;
  /** by link: when the first of those that it holds back has drained */
  readonly linkEnds = new TimeHeap();
  private readonly queues = new EndQueues();
  /** by slot: its bundle; -1: the flow is not draining */
  private bundleOf = new Int32Array(0);
  /**
   * by bundle: bits that the flow with which it began had to drain (negative after its end), since when, and place. Of
   * a bundle that a link holds back: bits beyond those of the link
   */
  private leftBits = new Float64Array(0);
  private sincePs = new Float64Array(0);
  private place = new Float64Array(0);
  /** by bundle: the link that holds it back, in a crowd; else -1 */
  private holder = new Int32Array(0);
  /**
   * by link that holds flows back: their bundles, their number and rate, the bits they count from, since when, place
   */
  private readonly heldBundles = new EndQueues();
  private readonly heldFlows: Int32Array;
  private readonly levelBps: Float64Array;
  private readonly linkBits: Float64Array;
  private readonly linkSincePs: Float64Array;
  private readonly linkPlace: Float64Array;
  /** links whose first end may be another one */
  private readonly stale = new Int32List();
  private readonly isStale: Uint8Array;
  private starts = 0;

  /** @param bundleEnds by bundle: when its first flow has drained, of bundles that are looked at one by one */
  constructor(
    private readonly share: FairShare,
    private readonly bundleEnds: TimeHeap,
  ) {
    const links = share.capacityBps.length;
    this.heldFlows = new Int32Array(links);
    this.levelBps = new Float64Array(links);
    this.linkBits = new Float64Array(links);
    this.linkSincePs = new Float64Array(links);
    this.linkPlace = new Float64Array(links);
    this.isStale = new Uint8Array(links);
  }

  /** Slots that were ever given a bundle are below this. */
  get slots(): number {
    return this.bundleOf.length;
  }

  isDraining(slot: number): boolean {
    return slot < this.bundleOf.length && this.bundleOf[slot]! >= 0;
  }

  /** A flow begins to drain, over a path. @param bits that it has to drain */
  join(slot: number, bits: number, path: Int32Array, length: number): void {
    const bundle = this.share.enter(path, length);
    if (slot >= this.bundleOf.length) this.bundleOf = grown(this.bundleOf, Math.max(256, slot + 1, 2 * slot), none);
    if (bundle >= this.leftBits.length) this.growBundles(bundle + 1);
    this.bundleOf[slot] = bundle;
    const flows = this.share.flowsOf(bundle);
    if (flows === 1) {
      this.leftBits[bundle] = bits;
      this.sincePs[bundle] = this.nowPs;
      this.holder[bundle] = none;
    } else this.progress(bundle, this.share.rateBps[bundle]!, flows - 1);
    this.queues.add(bundle, slot, bits - this.bitsOf(bundle), this.starts++);
    const link = this.holder[bundle]!;
    if (link < 0) return;
    this.heldFlows[link]!++;
    if (this.queues.first(bundle) !== slot) return;
    this.heldBundles.remove(link, bundle);
    this.queueAtLink(bundle, link);
  }

  /** A flow leaves before it has drained. @returns bits that it still has to drain */
  take(slot: number): number {
    const bundle = this.bundleOf[slot]!;
    this.progress(bundle, this.share.rateBps[bundle]!);
    const bits = Math.max(0, this.bitsOf(bundle) + this.queues.offsetBits[slot]!);
    this.part(bundle, slot);
    return bits;
  }

  /** Bits that a flow still has to drain now; 0 of one that does not drain. Changes nothing. */
  leftOf(slot: number): number {
    if (!this.isDraining(slot)) return 0;
    const bundle = this.bundleOf[slot]!;
    const link = this.holder[bundle]!;
    const sincePs = link < 0 ? this.sincePs[bundle]! : this.linkSincePs[link]!;
    const rateBps = link < 0 ? this.share.rateBps[bundle]! : this.levelBps[link]!;
    const drainedBits = (rateBps * (this.nowPs - sincePs)) / 1e12;
    return Math.max(0, this.bitsOf(bundle) + this.queues.offsetBits[slot]! - drainedBits);
  }

  /** The first flow of a bundle that is looked at by itself has drained. @returns its slot */
  bundleDrained(bundle: number): number {
    const slot = this.drained(bundle);
    if (this.queues.first(bundle) >= 0) this.schedule(bundle);
    return slot;
  }

  /** The first flow of those that a link holds back has drained. @returns its slot */
  linkDrained(link: number): number {
    const slot = this.drained(this.heldBundles.first(link));
    this.scheduleLink(link);
    return slot;
  }

  moved(bundle: number, beforeBps: number): void {
    this.progress(bundle, beforeBps);
    this.place[bundle] = this.share.place[bundle]!;
    this.schedule(bundle);
  }

  held(bundle: number, link: number): void {
    const before = this.holder[bundle]!;
    const flows = this.share.flowsOf(bundle);
    this.progress(bundle, this.share.rateBps[bundle]!);
    const bits = this.bitsOf(bundle);
    if (before < 0) this.bundleEnds.remove(bundle);
    else {
      this.heldBundles.remove(before, bundle);
      this.heldFlows[before]! -= flows;
      this.isStaleNow(before);
    }
    this.holder[bundle] = link;
    this.leftBits[bundle] = bits;
    this.sincePs[bundle] = this.nowPs;
    if (link < 0) {
      this.place[bundle] = this.share.nextPlace();
      this.schedule(bundle);
      return;
    }
    if (this.heldFlows[link]! > 0) this.progressLink(link);
    else {
      this.linkBits[link] = 0;
      this.linkSincePs[link] = this.nowPs;
    }
    this.leftBits[bundle] = bits - this.linkBits[link]!;
    this.heldFlows[link]! += flows;
    this.queueAtLink(bundle, link);
  }

  levelled(link: number, rateBps: number): void {
    this.progressLink(link);
    this.levelBps[link] = rateBps;
    this.isStaleNow(link);
  }

  /** Rates are as they should be: from here on the ends of flows that links hold back are, too. */
  settled(): void {
    const { stale } = this;
    for (let i = 0; i < stale.length; i++) {
      const link = stale.values[i]!;
      this.isStale[link] = 0;
      this.linkPlace[link] = this.share.nextPlace();
      this.scheduleLink(link);
    }
    stale.length = 0;
  }

  private isStaleNow(link: number): void {
    if (this.isStale[link] === 1) return;
    this.isStale[link] = 1;
    this.stale.push(link);
  }

  /** What the flow with which a bundle began has left, as of when the bundle was looked at last. */
  private bitsOf(bundle: number): number {
    const link = this.holder[bundle]!;
    return link < 0 ? this.leftBits[bundle]! : this.linkBits[link]! + this.leftBits[bundle]!;
  }

  private queueAtLink(bundle: number, link: number): void {
    const first = this.queues.first(bundle);
    const offsetBits = this.leftBits[bundle]! + this.queues.offsetBits[first]!;
    this.heldBundles.add(link, bundle, offsetBits, this.queues.started[first]!);
    this.isStaleNow(link);
  }

  private drained(bundle: number): number {
    const slot = this.queues.first(bundle);
    this.progress(bundle, this.share.rateBps[bundle]!);
    // its end was rounded up to a picosecond
    this.drainedBits += this.bitsOf(bundle) + this.queues.offsetBits[slot]!;
    this.part(bundle, slot);
    return slot;
  }

  /** A flow leaves its bundle. What the others still have to drain is not changed. */
  private part(bundle: number, slot: number): void {
    const link = this.holder[bundle]!;
    const wasFirst = this.queues.first(bundle) === slot;
    this.bundleOf[slot] = none;
    this.queues.remove(bundle, slot);
    const isLast = this.share.leave(bundle) === 0;
    if (link < 0) {
      if (isLast) this.bundleEnds.remove(bundle);
      return;
    }
    this.heldFlows[link]!--;
    if (!isLast && !wasFirst) return;
    this.heldBundles.remove(link, bundle);
    if (isLast) this.isStaleNow(link);
    else this.queueAtLink(bundle, link);
  }

  /** Sets when the first flow of a bundle will have drained, at the rate of now. */
  private schedule(bundle: number): void {
    const first = this.queues.first(bundle);
    const bits = this.leftBits[bundle]! + this.queues.offsetBits[first]!;
    const rateBps = this.share.rateBps[bundle]!;
    this.setEnd(this.bundleEnds, bundle, bits, rateBps, this.sincePs[bundle]!, this.place[bundle]!, first);
  }

  /** Sets when the first flow of those that a link holds back will have drained, at the rate of now. */
  private scheduleLink(link: number): void {
    const bundle = this.heldBundles.first(link);
    if (bundle < 0) {
      this.linkEnds.remove(link);
      return;
    }
    const bits = this.linkBits[link]! + this.heldBundles.offsetBits[bundle]!;
    const first = this.queues.first(bundle);
    const rateBps = this.levelBps[link]!;
    this.setEnd(this.linkEnds, link, bits, rateBps, this.linkSincePs[link]!, this.linkPlace[link]!, first);
  }

  private setEnd(
    ends: TimeHeap,
    key: number,
    bits: number,
    rateBps: number,
    sincePs: number,
    place: number,
    first: number,
  ): void {
    if (!(rateBps > 0)) {
      ends.remove(key);
      return;
    }
    const takesPs = Math.max(0, Math.ceil((bits / rateBps) * 1e12 - roundingPs));
    const rank = 1 - ((this.queues.started[first]! % startsInTurn) + 1) / startsInTurn;
    ends.set(key, sincePs + takesPs, place + rank);
  }

  /** What a bundle's flows have drained since it was looked at last. @param rateBps of one that no link holds back */
  private progress(bundle: number, rateBps: number, flows = this.share.flowsOf(bundle)): void {
    const link = this.holder[bundle]!;
    if (link >= 0) {
      this.progressLink(link);
      return;
    }
    const bits = (rateBps * (this.nowPs - this.sincePs[bundle]!)) / 1e12;
    this.leftBits[bundle]! -= bits;
    this.drainedBits += bits * flows;
    this.sincePs[bundle] = this.nowPs;
  }

  private progressLink(link: number): void {
    const bits = (this.levelBps[link]! * (this.nowPs - this.linkSincePs[link]!)) / 1e12;
    this.linkBits[link]! -= bits;
    this.drainedBits += bits * this.heldFlows[link]!;
    this.linkSincePs[link] = this.nowPs;
  }

  private growBundles(bundles: number): void {
    const capacity = Math.max(256, bundles, 2 * this.leftBits.length);
    this.leftBits = grown(this.leftBits, capacity);
    this.sincePs = grown(this.sincePs, capacity);
    this.place = grown(this.place, capacity);
    this.holder = grown(this.holder, capacity, none);
  }
}
