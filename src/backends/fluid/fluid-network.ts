// The fluid backend: flows are streams that share links max-min fairly; no packets, queues, marks, pauses or losses. A
// flow drains at its fair rate, which changes whenever a flow comes or goes; what a last packet needs for the rest of
// its way and its acknowledgement for the way back is added as a constant. Alone on idle links that is the time that
// packets take. Rates are computed in fair-share.ts; drains.ts says who has drained next.
// Invariants: no link carries more than its rate; the bits that drained are the bits that were started; time never goes
// back.
// Source: max-min fairness as the ideal of congestion control, Bertsekas and Gallager, Data Networks, 6.5. Not
// modelled: windows, the time that controls take to converge, priorities (fair-share.ts), anything that needs a queue.

import { grown } from '../../base/columns.js';
import { TimeHeap } from '../../base/time-heap.js';
import type { Frontier } from '../../execution/frontier.js';
import type { Driver, Network, NetworkCounters, RunState, Verdict } from '../../execution/network.js';
import type { SenderPaces } from '../../execution/sender-paces.js';
import { checkHorizon } from '../../engine/time-horizon.js';
import type { Fabric } from '../../fabric/fabric.js';
import type { LinkStates } from '../../fabric/link-states.js';
import { portRateBps, portSpeed } from '../../fabric/receive-speed.js';
import { linkBytes } from '../../routing/base-delay.js';
import { PairMemory } from '../../routing/pair-memory.js';
import type { PathTracer } from '../../routing/path.js';
import { acknowledgementPs, lastPacketPs } from '../../routing/stream-tail.js';
import { WakeTokens } from '../../execution/wake-tokens.js';
import { Arrivals } from './arrivals.js';
import { Drains } from './drains.js';
import { type CrowdLimits, FairShare } from './fair-share.js';
import { PacedSenders } from './paced-senders.js';
import { Patience, type PatienceLimits } from './patience.js';

/** What packets would look like: for bytes on the wire and the last packet's way. */
export interface FluidSettings {
  readonly payloadBytes: number;
  /** header and gap of a data packet */
  readonly overheadBytes: number;
  /** an acknowledgement with its gap */
  readonly acknowledgementBytes: number;
  /** senders with a rate of their own; null or left out: none has one */
  readonly paces?: SenderPaces | null;
  /** most queue pairs of a flow, for the rates of their own; left out: 1 */
  readonly mostParts?: number;
}

/** How rates are computed when they are much work. Left out: as usual. */
export interface WorkLimits {
  readonly patience?: PatienceLimits;
  readonly crowd?: CrowdLimits;
}

/** bundles on links that are looked at while rates are computed in the time of one event, roughly */
const looksPerEvent = 64;

export class FluidNetwork implements Network {
  readonly paths = 'fixed';
  nowPs = 0;
  private readonly share: FairShare;
  /**
   * by bundle: when its first flow has drained. Of one time, these and arrivals are in the order of places
   * (fair-share.ts), then the newest flow first
   */
  private readonly ends = new TimeHeap();
  private readonly arrivals = new Arrivals();
  private readonly drains: Drains;
  private readonly patience: Patience;
  /** null: no sender has a rate of its own */
  private readonly paced: PacedSenders | null;
  private readonly wakes = new TimeHeap();
  private readonly tokens = new WakeTokens();
  private readonly path: Int32Array;
  /** by slot: what comes after its last bit */
  private tailPs = new Float64Array(0);
  /** the same by pair of nodes and bytes of the last packet, where there is one path only */
  private readonly tails = new PairMemory();
  private driver!: Driver;
  private frontier!: Frontier;
  private events = 0;
  private live = 0;
  private draining = false;
  /** rates are being computed: nothing else may happen before that is done */
  private isSettling = false;
  private payloadDelivered = 0;

  /**
   * @param links given if links change during the run; else null
   * @param limits left out: the usual ones
   */
  constructor(
    private readonly fabric: Fabric,
    private readonly tracer: PathTracer,
    private readonly settings: FluidSettings,
    private readonly links: LinkStates | null = null,
    limits: WorkLimits = {},
  ) {
    this.path = new Int32Array(tracer.maxLength + 1);
    const ratesBps = Float64Array.from(fabric.portLink, (_, port) => portRateBps(fabric, port));
    this.paced = settings.paces ? new PacedSenders(settings.paces, ratesBps.length, settings.mostParts ?? 1) : null;
    this.share = new FairShare(
      this.paced === null ? ratesBps : this.paced.withRates(ratesBps),
      tracer.maxLength + (this.paced === null ? 0 : 1),
      limits.crowd,
    );
    this.patience = new Patience(limits.patience);
    this.drains = new Drains(this.share, this.ends);
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
    this.drains.startedBits += bits;
    this.live++;
    this.patience.end(this.nowPs, this.share.looks);
    this.join(slot, this.paced === null ? bits : this.firstBurst(this.paced, slot, bits));
  }

  private firstBurst(paced: PacedSenders, slot: number, bits: number): number {
    return paced.begin(slot, bits, this.frontier, this.settings.payloadBytes, (link, capacityBps) =>
      this.share.setCapacity(link, capacityBps),
    );
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
    this.tails.clear();
    for (let slot = 0; slot < this.drains.slots; slot++) this.reroute(slot);
  }

  /** What has not drained yet takes the path that is now the flow's, and its rate is shared anew. */
  reroute(slot: number): void {
    if (!this.drains.isDraining(slot)) return;
    this.patience.end(this.nowPs, this.share.looks);
    this.join(slot, this.drains.take(slot));
  }

  portRates(into: Float64Array): number {
    into.set(this.share.loads().subarray(0, into.length));
    return 0;
  }

  get isIdle(): boolean {
    return this.nextPs === Infinity && !this.share.isDirty;
  }

  /** What has left its sender, in proportion to its bits: of a flow whose last bit is on its way all of it. */
  deliveredBytes(slot: number): number {
    const { payloadBytes, overheadBytes } = this.settings;
    const sizeBytes = this.frontier.sizeBytes[slot]!;
    const bits = linkBytes(sizeBytes, payloadBytes, overheadBytes) * 8;
    const leftBits = this.drains.leftOf(slot) + (this.paced?.bitsBehind(slot) ?? 0);
    return Math.min(sizeBytes, Math.max(0, Math.floor(sizeBytes * (1 - leftBits / bits))));
  }

  drain(): void {
    this.draining = true;
  }

  advance(maxEvents: number): boolean {
    const { ends, arrivals, wakes, share, drains } = this;
    const { linkEnds } = drains;
    for (let left = maxEvents; left > 0; left--) {
      if (this.draining && this.live === 0) return false;
      // everything that happens at one time is over before rates are computed; that may take many calls
      if (this.isSettling || (share.isDirty && this.nextPs > this.patience.untilPs)) {
        left -= share.settle(drains, left * looksPerEvent) / looksPerEvent;
        this.isSettling = share.isDirty;
        if (this.isSettling) return true;
        drains.settled();
        this.patience.settled(this.nowPs, share.looks);
      }
      const { nextPs } = this;
      if (nextPs === Infinity) return false;
      checkHorizon(nextPs);
      this.nowPs = nextPs;
      drains.nowPs = nextPs;
      this.patience.isAt(nextPs);
      this.events++;
      if (this.paced !== null && this.paced.firstPs === nextPs) this.nextBurst(this.paced);
      else if (linkEnds.firstPs === nextPs) this.drained(drains.linkDrained(linkEnds.pop()));
      else if (ends.firstPs === nextPs && (arrivals.firstPs > nextPs || ends.firstOrder < arrivals.firstPlace))
        this.drained(drains.bundleDrained(ends.pop()));
      else if (arrivals.firstPs === nextPs) this.completed(arrivals.take());
      else if (this.driver.wake(this.tokens.take(wakes.pop()), this.nowPs)) return true;
    }
    return true;
  }

  /** When something happens next; Infinity: never. */
  private get nextPs(): number {
    const nextPs = Math.min(this.drains.linkEnds.firstPs, this.ends.firstPs, this.arrivals.firstPs, this.wakes.firstPs);
    return this.paced === null ? nextPs : Math.min(nextPs, this.paced.firstPs);
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
    const { startedBits, drainedBits } = this.drains;
    const leftBits = startedBits - drainedBits;
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
        ok: state !== 'finished' || Math.abs(leftBits) <= 1e-6 * startedBits + 1,
        detail: `${startedBits} bits started, ${drainedBits} drained`,
      },
    ];
  }

  /** The flow takes the route in force; without one it stands still until there is. */
  private join(slot: number, bits: number): void {
    const { payloadBytes, overheadBytes } = this.settings;
    const { source, destination, sizeBytes } = this.frontier;
    const [from, to] = [source[slot]!, destination[slot]!];
    const lastBytes = Math.min(sizeBytes[slot]!, payloadBytes) + overheadBytes;
    let length = this.trace(slot);
    const isOnlyPath = this.tracer.isOnlyPath && length > 0;
    if (isOnlyPath && this.tails.finds(from, to, lastBytes)) this.tailPs[slot] = this.tails.first;
    else {
      const backPs = this.backPs(slot);
      const isOnlyWayBack = this.tracer.isOnlyPath;
      length = this.trace(slot);
      const tailPs = lastPacketPs(this.fabric, this.path, length, lastBytes) + backPs;
      this.tailPs[slot] = tailPs;
      if (isOnlyPath && isOnlyWayBack) this.tails.keep(from, to, lastBytes, tailPs, 0);
    }
    const total = this.paced === null ? length : this.paced.lengthen(this.path, length, slot);
    this.drains.join(slot, bits, this.path, total);
  }

  /** A sender that has rested between two bursts goes on. */
  private nextBurst(paced: PacedSenders): void {
    const slot = paced.take();
    this.patience.end(this.nowPs, this.share.looks);
    this.join(slot, paced.burstBits(slot));
  }

  /** The last bit of a flow, or of a burst, is on its way. */
  private drained(slot: number): void {
    if (this.paced !== null && this.paced.rests(slot, this.nowPs)) return;
    this.arrivals.add(slot, this.nowPs, this.tailPs[slot]!, this.share.nextPlace());
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
    this.tailPs = grown(this.tailPs, Math.max(256, slot + 1, 2 * this.tailPs.length));
  }
}
