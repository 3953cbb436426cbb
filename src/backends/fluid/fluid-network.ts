// The fluid backend: flows are streams that share links max-min fairly; no packets, queues, marks, pauses or losses. A
// flow drains at its fair rate, which changes whenever a flow comes or goes; what a last packet needs for the rest of
// its way and its acknowledgement for the way back is added as a constant. Alone on idle links that is the time that
// packets take. Flows over the same links are a bundle: they have one rate, and one time at which the first of them has
// drained (end-queues.ts).
// Invariants: no link carries more than its rate; the bits that drained are the bits that were started; time never goes
// back.
// Source: max-min fairness as the ideal of congestion control, Bertsekas and Gallager, Data Networks, 6.5. Not
// modelled: windows, the time that controls take to converge, priorities (fair-share.ts), anything that needs a queue.

import { grown } from '../../base/columns.js';
import { TimeHeap } from '../../base/time-heap.js';
import type { Frontier } from '../../execution/frontier.js';
import type { Driver, Network, NetworkCounters, RunState, Verdict } from '../../execution/network.js';
import { checkHorizon } from '../../engine/time-horizon.js';
import type { Fabric } from '../../fabric/fabric.js';
import type { LinkStates } from '../../fabric/link-states.js';
import { portRateBps, portSpeed } from '../../fabric/receive-speed.js';
import { linkBytes } from '../../routing/base-delay.js';
import type { PathTracer } from '../../routing/path.js';
import { acknowledgementPs, lastPacketPs } from '../../routing/stream-tail.js';
import { WakeTokens } from '../../execution/wake-tokens.js';
import { EndQueues } from './end-queues.js';
import { FairShare } from './fair-share.js';
import { Patience } from './patience.js';

/** What packets would look like: for bytes on the wire and the last packet's way. */
export interface FluidSettings {
  readonly payloadBytes: number;
  /** header and gap of a data packet */
  readonly overheadBytes: number;
  /** an acknowledgement with its gap */
  readonly acknowledgementBytes: number;
}

const none = -1;
/** starts of flows between two of the same rank among ends of one time: more are never under way together */
const startsInTurn = 2 ** 22;

/** so much less than a picosecond is rounding: what ends together by the same sums in another order still does */
const roundingPs = 1 / 1024;

/** bundles on links that are looked at while rates are computed in the time of one event, roughly */
const looksPerEvent = 64;

export class FluidNetwork implements Network {
  readonly paths = 'fixed';
  nowPs = 0;
  private readonly share: FairShare;
  /**
   * by 2 x bundle: when its first flow has drained; by 2 x slot + 1: when the flow's last acknowledgement is there. Of
   * one time, in the order of places (fair-share.ts), then the newest flow first
   */
  private readonly ends = new TimeHeap();
  private readonly queues = new EndQueues();
  private readonly wakes = new TimeHeap();
  private readonly moved = (bundle: number, beforeBps: number): void => this.rateChanged(bundle, beforeBps);
  private readonly tokens = new WakeTokens();
  private readonly path: Int32Array;
  /** by bundle: bits that the flow with which it began had to drain (negative after its end), since when, and place */
  private leftBits = new Float64Array(0);
  private sincePs = new Float64Array(0);
  private place = new Float64Array(0);
  /** by slot: its bundle (-1: the flow is not draining), and what comes after */
  private bundleOf = new Int32Array(0);
  private tailPs = new Float64Array(0);
  private starts = 0;
  private driver!: Driver;
  private frontier!: Frontier;
  private events = 0;
  private live = 0;
  private draining = false;
  /** rates are being computed: nothing else may happen before that is done */
  private isSettling = false;
  private payloadDelivered = 0;
  private startedBits = 0;
  private drainedBits = 0;

  /** @param links given if links change during the run; else null @param patience left out: the usual one */
  constructor(
    private readonly fabric: Fabric,
    private readonly tracer: PathTracer,
    private readonly settings: FluidSettings,
    private readonly links: LinkStates | null = null,
    private readonly patience = new Patience(),
  ) {
    this.path = new Int32Array(tracer.maxLength);
    this.share = new FairShare(
      Float64Array.from(fabric.portLink, (_, port) => portRateBps(fabric, port)),
      tracer.maxLength,
    );
  }

  get counters(): NetworkCounters {
    return { events: this.events, payloadBytesDelivered: this.payloadDelivered };
  }

  attach(driver: Driver, frontier: Frontier): void {
    this.driver = driver;
    this.frontier = frontier;
  }

  start(slot: number): void {
    this.reserve(slot);
    const { payloadBytes, overheadBytes } = this.settings;
    const sizeBytes = this.frontier.sizeBytes[slot]!;
    const bits = linkBytes(sizeBytes, payloadBytes, overheadBytes) * 8;
    this.startedBits += bits;
    this.live++;
    this.patience.end(this.nowPs, this.share.looks);
    this.join(slot, bits);
  }

  wakeAt(timePs: number, token: number): void {
    this.wakes.set(this.tokens.keep(token), timePs);
  }

  linkChanged(link: number): void {
    const { isUp, rateBps } = this.links!;
    this.patience.end(this.nowPs, this.share.looks);
    for (let end = 0; end < 2; end++) {
      const port = this.fabric.linkPorts[2 * link + end]!;
      this.share.setCapacity(port, isUp[link] === 1 ? rateBps[link]! * portSpeed(this.fabric, port) : 0);
    }
  }

  routesChanged(): void {
    for (let slot = 0; slot < this.bundleOf.length; slot++) this.reroute(slot);
  }

  /** What has not drained yet takes the path that is now the flow's, and its rate is shared anew. */
  reroute(slot: number): void {
    const bundle = slot < this.bundleOf.length ? this.bundleOf[slot]! : none;
    if (bundle < 0) return;
    this.patience.end(this.nowPs, this.share.looks);
    this.progress(bundle, this.share.rateBps[bundle]!);
    const bits = Math.max(0, this.leftBits[bundle]! + this.queues.offsetBits[slot]!);
    this.part(bundle, slot);
    this.join(slot, bits);
  }

  drain(): void {
    this.draining = true;
  }

  advance(maxEvents: number): boolean {
    const { ends, wakes, share } = this;
    for (let left = maxEvents; left > 0; left--) {
      if (this.draining && this.live === 0) return false;
      // everything that happens at one time is over before rates are computed; that may take many calls
      if (this.isSettling || (share.isDirty && Math.min(ends.firstPs, wakes.firstPs) > this.patience.untilPs)) {
        left -= share.settle(this.moved, left * looksPerEvent) / looksPerEvent;
        this.isSettling = share.isDirty;
        if (this.isSettling) return true;
        this.patience.settled(this.nowPs, share.looks);
      }
      const nextPs = Math.min(ends.firstPs, wakes.firstPs);
      if (nextPs === Infinity) return false;
      checkHorizon(nextPs);
      this.nowPs = nextPs;
      this.patience.isAt(nextPs);
      this.events++;
      if (ends.firstPs === nextPs) {
        const key = ends.pop();
        if ((key & 1) === 0) this.drained(key >> 1, this.queues.first(key >> 1));
        else this.completed(key >> 1);
      } else if (this.driver.wake(this.tokens.take(wakes.pop()), this.nowPs)) return true;
    }
    return true;
  }

  blockedReason(): string {
    return '';
  }

  close(): void {}

  verdicts(state: RunState): Verdict[] {
    const { capacityBps, isDirty } = this.share;
    const loads = this.share.loads();
    // a run that was stopped while rates were computed has half of them only
    const overloaded = isDirty
      ? 0
      : loads.reduce((count, load, port) => count + (load > capacityBps[port]! * (1 + 1e-6) ? 1 : 0), 0);
    const leftBits = this.startedBits - this.drainedBits;
    return [
      {
        name: 'no link above its rate',
        ok: overloaded === 0,
        detail: isDirty
          ? 'not looked at: the run was stopped while rates were computed'
          : `${overloaded} of ${loads.length} link directions carry more than they can`,
      },
      {
        name: 'conservation',
        ok: state !== 'finished' || Math.abs(leftBits) <= 1e-6 * this.startedBits + 1,
        detail: `${this.startedBits} bits started, ${this.drainedBits} drained`,
      },
    ];
  }

  /** The flow takes the route in force; without one it stands still until there is. */
  private join(slot: number, bits: number): void {
    const { share } = this;
    const { payloadBytes, overheadBytes } = this.settings;
    const backPs = this.backPs(slot);
    const length = this.trace(slot);
    this.tailPs[slot] =
      lastPacketPs(
        this.fabric,
        this.path,
        length,
        Math.min(this.frontier.sizeBytes[slot]!, payloadBytes) + overheadBytes,
      ) + backPs;
    const bundle = share.enter(this.path, length);
    this.reserveBundle(bundle);
    if (share.flowsOf(bundle) > 1) this.progress(bundle, share.rateBps[bundle]!, share.flowsOf(bundle) - 1);
    else {
      this.leftBits[bundle] = bits;
      this.sincePs[bundle] = this.nowPs;
    }
    this.bundleOf[slot] = bundle;
    this.queues.add(bundle, slot, bits - this.leftBits[bundle]!, this.starts++);
  }

  /** A flow leaves its bundle. What the others still have to drain is not changed. */
  private part(bundle: number, slot: number): void {
    this.bundleOf[slot] = none;
    this.queues.remove(bundle, slot);
    if (this.share.leave(bundle) === 0) this.ends.remove(2 * bundle);
  }

  private rateChanged(bundle: number, beforeBps: number): void {
    this.progress(bundle, beforeBps);
    this.place[bundle] = this.share.place[bundle]!;
    this.schedule(bundle);
  }

  /** Sets when the first flow of a bundle will have drained, at the rate of now. */
  private schedule(bundle: number): void {
    const rateBps = this.share.rateBps[bundle]!;
    if (!(rateBps > 0)) {
      this.ends.remove(2 * bundle);
      return;
    }
    const first = this.queues.first(bundle);
    const bits = this.leftBits[bundle]! + this.queues.offsetBits[first]!;
    const takesPs = Math.max(0, Math.ceil((bits / rateBps) * 1e12 - roundingPs));
    const rank = 1 - ((this.queues.started[first]! % startsInTurn) + 1) / startsInTurn;
    this.ends.set(2 * bundle, this.sincePs[bundle]! + takesPs, this.place[bundle]! + rank);
  }

  /** What a bundle's flows have drained since it was looked at last. @param flows of that time */
  private progress(bundle: number, rateBps: number, flows = this.share.flowsOf(bundle)): void {
    const bits = (rateBps * (this.nowPs - this.sincePs[bundle]!)) / 1e12;
    this.leftBits[bundle]! -= bits;
    this.drainedBits += bits * flows;
    this.sincePs[bundle] = this.nowPs;
  }

  /** The first flow of a bundle has drained; the next one may have at the same time. */
  private drained(bundle: number, slot: number): void {
    const { queues, share } = this;
    this.progress(bundle, share.rateBps[bundle]!);
    // its end was rounded up to a picosecond
    this.drainedBits += this.leftBits[bundle]! + queues.offsetBits[slot]!;
    this.part(bundle, slot);
    if (queues.first(bundle) >= 0) this.schedule(bundle);
    this.ends.set(2 * slot + 1, this.nowPs + this.tailPs[slot]!, share.nextPlace());
    this.driver.sent?.(slot, this.nowPs);
  }

  private completed(slot: number): void {
    this.live--;
    this.payloadDelivered += this.frontier.sizeBytes[slot]!;
    this.driver.finished(slot, this.nowPs);
  }

  /** The flow's path, into this.path. @returns its length; 0 without a route */
  private trace(slot: number): number {
    const { source, destination, sourcePort, destinationPort } = this.frontier;
    return this.tracer.trace(source[slot]!, destination[slot]!, sourcePort[slot]!, destinationPort[slot]!, this.path);
  }

  /** The acknowledgement's way back over an idle fabric. */
  private backPs(slot: number): number {
    const { source, destination, sourcePort, destinationPort } = this.frontier;
    const length = this.tracer.trace(
      destination[slot]!,
      source[slot]!,
      destinationPort[slot]!,
      sourcePort[slot]!,
      this.path,
    );
    return acknowledgementPs(this.fabric, this.path, length, this.settings.acknowledgementBytes);
  }

  private reserve(slot: number): void {
    if (slot < this.tailPs.length) return;
    const capacity = Math.max(256, slot + 1, 2 * this.tailPs.length);
    this.tailPs = grown(this.tailPs, capacity);
    this.bundleOf = grown(this.bundleOf, capacity, none);
  }

  private reserveBundle(bundle: number): void {
    if (bundle < this.leftBits.length) return;
    const capacity = Math.max(256, bundle + 1, 2 * this.leftBits.length);
    this.leftBits = grown(this.leftBits, capacity);
    this.sincePs = grown(this.sincePs, capacity);
    this.place = grown(this.place, capacity);
  }
}
