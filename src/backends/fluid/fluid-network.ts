// The fluid backend: flows are streams that share links max-min fairly; no packets, queues, marks, pauses or losses. A
// flow drains at its fair rate, which changes whenever a flow comes or goes; what a last packet needs for the rest of
// its way and its acknowledgement for the way back is added as a constant. Alone on idle links that is the time that
// packets take.
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
import { FairShare } from './fair-share.js';

/** What packets would look like: for bytes on the wire and the last packet's way. */
export interface FluidSettings {
  readonly payloadBytes: number;
  /** header and gap of a data packet */
  readonly overheadBytes: number;
  /** an acknowledgement with its gap */
  readonly acknowledgementBytes: number;
}

/** flows on links that are looked at while rates are computed in the time of one event, roughly */
const looksPerEvent = 64;

export class FluidNetwork implements Network {
  readonly paths = 'fixed';
  nowPs = 0;
  private readonly share: FairShare;
  /** by 2 x slot: when the flow has drained; by 2 x slot + 1: when its last acknowledgement is there */
  private readonly ends = new TimeHeap();
  private readonly wakes = new TimeHeap();
  private readonly moved = (slot: number, beforeBps: number): void => this.rateChanged(slot, beforeBps);
  private readonly tokens = new WakeTokens();
  private readonly path: Int32Array;
  /** by slot: bits yet to drain, since when, and what comes after */
  private leftBits = new Float64Array(0);
  private sincePs = new Float64Array(0);
  private tailPs = new Float64Array(0);
  private isStreaming = new Uint8Array(0);
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

  /** @param links given if links change during the run; else null */
  constructor(
    private readonly fabric: Fabric,
    private readonly tracer: PathTracer,
    private readonly settings: FluidSettings,
    private readonly links: LinkStates | null = null,
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
    this.leftBits[slot] = bits;
    this.startedBits += bits;
    this.sincePs[slot] = this.nowPs;
    this.isStreaming[slot] = 1;
    this.live++;
    this.join(slot);
  }

  wakeAt(timePs: number, token: number): void {
    this.wakes.set(this.tokens.keep(token), timePs);
  }

  linkChanged(link: number): void {
    const { isUp, rateBps } = this.links!;
    for (let end = 0; end < 2; end++) {
      const port = this.fabric.linkPorts[2 * link + end]!;
      this.share.setCapacity(port, isUp[link] === 1 ? rateBps[link]! * portSpeed(this.fabric, port) : 0);
    }
  }

  routesChanged(): void {
    for (let slot = 0; slot < this.isStreaming.length; slot++) this.reroute(slot);
  }

  /** What has not drained yet takes the path that is now the flow's, and its rate is shared anew. */
  reroute(slot: number): void {
    if (this.isStreaming[slot] !== 1) return;
    this.progress(slot, this.share.rateBps[slot]!);
    this.share.remove(slot);
    this.ends.remove(2 * slot);
    this.join(slot);
  }

  drain(): void {
    this.draining = true;
  }

  advance(maxEvents: number): boolean {
    const { ends, wakes, share } = this;
    for (let left = maxEvents; left > 0; left--) {
      if (this.draining && this.live === 0) return false;
      // everything that happens at one time is over before rates are computed; that may take many calls
      if (this.isSettling || (share.isDirty && Math.min(ends.firstPs, wakes.firstPs) > this.nowPs)) {
        left -= share.settle(this.moved, left * looksPerEvent) / looksPerEvent;
        this.isSettling = share.isDirty;
        if (this.isSettling) return true;
      }
      const nextPs = Math.min(ends.firstPs, wakes.firstPs);
      if (nextPs === Infinity) return false;
      checkHorizon(nextPs);
      this.nowPs = nextPs;
      this.events++;
      if (ends.firstPs === nextPs) {
        const key = ends.pop();
        if ((key & 1) === 0) this.drained(key >> 1);
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
  private join(slot: number): void {
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
    this.share.add(slot, this.path, length);
  }

  private rateChanged(slot: number, beforeBps: number): void {
    this.progress(slot, beforeBps);
    const rateBps = this.share.rateBps[slot]!;
    if (rateBps > 0) this.ends.set(2 * slot, this.nowPs + Math.ceil((this.leftBits[slot]! / rateBps) * 1e12));
    else this.ends.remove(2 * slot);
  }

  private progress(slot: number, rateBps: number): void {
    const bits = Math.min(this.leftBits[slot]!, (rateBps * (this.nowPs - this.sincePs[slot]!)) / 1e12);
    this.leftBits[slot]! -= bits;
    this.drainedBits += bits;
    this.sincePs[slot] = this.nowPs;
  }

  private drained(slot: number): void {
    this.drainedBits += this.leftBits[slot]!;
    this.leftBits[slot] = 0;
    this.isStreaming[slot] = 0;
    this.share.remove(slot);
    this.ends.set(2 * slot + 1, this.nowPs + this.tailPs[slot]!);
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
    if (slot < this.leftBits.length) return;
    const capacity = Math.max(256, slot + 1, 2 * this.leftBits.length);
    this.leftBits = grown(this.leftBits, capacity);
    this.sincePs = grown(this.sincePs, capacity);
    this.tailPs = grown(this.tailPs, capacity);
    this.isStreaming = grown(this.isStreaming, capacity);
  }
}
