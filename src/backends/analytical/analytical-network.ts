// The analytical backend: every flow finishes when it would if nothing else were under way: its packets one after the
// other over its own path, and the last acknowledgement back. One event per flow.
// Invariants: alone on idle links that is the packet engine's time (routing/lone-transfer.ts). Beside others no flow is
// faster than this on the fluid backend, nor on the packet backend where all packets of a flow take its one path: from
// its start to its end a lower bound, up to the rounding of packets. When a flow starts is another matter: one that
// waits for others may start earlier or later. The parts of a flow with several queue pairs are one
// flow's: a link that several of them use carries all of their bytes. Source: the alpha-beta model with a term per hop
// (docs/models/analytical.md).
// Not modelled: sharing, queues, and so congestion of any kind; links that fail or change (scenarios with failures are
// refused); the new path of a flow that is moved under way.

import { grown } from '../../base/columns.js';
import { fail } from '../../base/fail.js';
import { TimeHeap } from '../../base/time-heap.js';
import type { Frontier } from '../../execution/frontier.js';
import type { Driver, Network, NetworkCounters, RunState, Verdict } from '../../execution/network.js';
import { checkHorizon } from '../../engine/time-horizon.js';
import type { Fabric } from '../../fabric/fabric.js';
import { pacedPs, type SenderPaces } from '../../execution/sender-paces.js';
import { portRateBps } from '../../fabric/receive-speed.js';
import { linkBytes } from '../../routing/base-delay.js';
import { lastArrivalPs, type PacketShape, pathLatencyPs } from '../../routing/lone-transfer.js';
import type { PathTracer } from '../../routing/path.js';
import { acknowledgementPs } from '../../routing/stream-tail.js';
import { WakeTokens } from '../../execution/wake-tokens.js';

export class AnalyticalNetwork implements Network {
  readonly paths = 'fixed';
  nowPs = 0;
  /** 2 x slot: the flow is over; 2 x wake + 1: a wake is due */
  private readonly heap = new TimeHeap();
  private readonly wakes = new WakeTokens();
  private readonly path: Int32Array;
  private readonly returnPath: Int32Array;
  /**
   * by port, of the flow with several queue pairs of which a part took it last: its number + 1, when the first of its
   * parts there started, link bits of those parts so far, least latency there and back
   */
  private readonly flowOfPort: Float64Array;
  private readonly startOfPort: Float64Array;
  private readonly bitsOfPort: Float64Array;
  private readonly latencyOfPort: Float64Array;
  /** by slot: when its flow began, and when it is over */
  private beganPs = new Float64Array(256);
  private endPs = new Float64Array(256);
  private driver!: Driver;
  private frontier!: Frontier;
  private events = 0;
  private live = 0;
  private draining = false;
  private payloadStarted = 0;
  private payloadDelivered = 0;

  constructor(
    private readonly fabric: Fabric,
    private readonly tracer: PathTracer,
    private readonly shape: PacketShape,
    private readonly paces: SenderPaces | null = null,
  ) {
    this.path = new Int32Array(tracer.maxLength);
    this.returnPath = new Int32Array(tracer.maxLength);
    this.flowOfPort = new Float64Array(fabric.portCount);
    this.startOfPort = new Float64Array(fabric.portCount);
    this.bitsOfPort = new Float64Array(fabric.portCount);
    this.latencyOfPort = new Float64Array(fabric.portCount);
  }

  get counters(): NetworkCounters {
    return { events: this.events, payloadBytesDelivered: this.payloadDelivered };
  }

  attach(driver: Driver, frontier: Frontier): void {
    this.driver = driver;
    this.frontier = frontier;
  }

  start(slot: number): void {
    const { fabric, frontier, tracer, path, returnPath, shape } = this;
    const { source, destination, sourcePort, destinationPort } = frontier;
    const sizeBytes = frontier.sizeBytes[slot]!;
    const length = tracer.trace(source[slot]!, destination[slot]!, sourcePort[slot]!, destinationPort[slot]!, path);
    const back = tracer.trace(destination[slot]!, source[slot]!, destinationPort[slot]!, sourcePort[slot]!, returnPath);
    if (length === 0 || back === 0) fail(`node ${source[slot]!} has no route to node ${destination[slot]!}`);
    const backPs = acknowledgementPs(fabric, returnPath, back, shape.acknowledgementBytes);
    let timePs = lastArrivalPs(fabric, path, length, sizeBytes, shape) + backPs;
    const first = frontier.first[slot]!;
    if (this.paces !== null) timePs = Math.max(timePs, this.pacedPs(this.paces, slot, length) + backPs);
    if (first !== slot || frontier.unfinished[slot]! > 1)
      timePs = Math.max(
        timePs,
        this.sharedPs(frontier.id[first]! + 1, length, sizeBytes, pathLatencyPs(fabric, path, length) + backPs),
      );
    this.live++;
    this.payloadStarted += sizeBytes;
    if (slot >= this.endPs.length) {
      this.beganPs = grown(this.beganPs, Math.max(256, 2 * slot));
      this.endPs = grown(this.endPs, Math.max(256, 2 * slot));
    }
    this.beganPs[slot] = this.nowPs;
    this.endPs[slot] = this.nowPs + timePs;
    this.heap.set(2 * slot, this.endPs[slot]!);
  }

  wakeAt(timePs: number, token: number): void {
    this.heap.set(2 * this.wakes.keep(token) + 1, timePs);
  }

  linkChanged(): void {
    fail('the analytical backend has no failures');
  }

  routesChanged(): void {
    fail('the analytical backend has no failures');
  }

  /** The flow goes on as it began: its time was known when it started. */
  reroute(): void {}

  get isIdle(): boolean {
    return this.heap.size === 0;
  }

  /** The share of the flow's time that has gone, of its payload. */
  deliveredBytes(slot: number): number {
    const beganPs = this.beganPs[slot]!;
    const share = (this.nowPs - beganPs) / (this.endPs[slot]! - beganPs);
    return Math.floor(this.frontier.sizeBytes[slot]! * Math.min(1, share));
  }

  drain(): void {
    this.draining = true;
  }

  advance(maxEvents: number): boolean {
    const { heap } = this;
    for (let n = 0; n < maxEvents; n++) {
      if (heap.size === 0 || (this.draining && this.live === 0)) return false;
      checkHorizon(heap.firstPs);
      this.nowPs = heap.firstPs;
      this.events++;
      const key = heap.pop();
      const index = key >> 1;
      if ((key & 1) === 0) {
        this.live--;
        this.payloadDelivered += this.frontier.sizeBytes[index]!;
        this.driver.finished(index, this.nowPs);
      } else if (this.driver.wake(this.wakes.take(index), this.nowPs)) return true;
    }
    return true;
  }

  blockedReason(): string {
    return '';
  }

  close(): void {}

  verdicts(state: RunState): Verdict[] {
    const isWhole = this.live === 0 && this.payloadStarted === this.payloadDelivered;
    return [
      {
        name: 'conservation',
        ok: state !== 'finished' || isWhole,
        detail: `${this.payloadStarted} B started, ${this.payloadDelivered} B delivered, ${this.live} flows under way`,
      },
    ];
  }

  /**
   * From the start of a queue pair to the arrival of its last packet, as its sender's pace lets it: alone on its path
   * that is exact where the sender is slower than every link; else a lower bound.
   */
  private pacedPs(paces: SenderPaces, slot: number, length: number): number {
    const { fabric, frontier, path, shape } = this;
    const { payloadBytes, overheadBytes } = shape;
    const first = frontier.first[slot]!;
    const { rateBps, burstBytes, gapPs } = paces.of(frontier.id[first]!);
    const sizeBytes = frontier.sizeBytes[slot]!;
    const share = sizeBytes / frontier.flowBytes[first]!;
    const packets = Math.ceil(sizeBytes / payloadBytes);
    const waitPs = pacedPs({ rateBps: rateBps * share, burstBytes: burstBytes * share, gapPs }, packets, {
      lineBps: portRateBps(fabric, path[0]!),
      packetBytes: payloadBytes + overheadBytes,
      payloadBytes,
    });
    return waitPs + lastArrivalPs(fabric, path, length, sizeBytes - (packets - 1) * payloadBytes, shape);
  }

  /**
   * What a part of a flow needs at least, from now on, because of the parts before it: its links carry their bytes,
   * too, from when the first of them started.
   * @param flow number of the flow, more than 0 @param latencyPs there and back
   */
  private sharedPs(flow: number, length: number, sizeBytes: number, latencyPs: number): number {
    const { fabric, path, nowPs, flowOfPort, startOfPort, bitsOfPort, latencyOfPort } = this;
    const { payloadBytes, overheadBytes } = this.shape;
    const bits = linkBytes(sizeBytes, payloadBytes, overheadBytes) * 8;
    let leastPs = 0;
    for (let hop = 0; hop < length; hop++) {
      const port = path[hop]!;
      if (flowOfPort[port] !== flow) {
        flowOfPort[port] = flow;
        startOfPort[port] = nowPs;
        bitsOfPort[port] = 0;
        latencyOfPort[port] = latencyPs;
      }
      bitsOfPort[port]! += bits;
      if (latencyPs < latencyOfPort[port]!) latencyOfPort[port] = latencyPs;
      leastPs = Math.max(
        leastPs,
        Math.floor((bitsOfPort[port]! * 1e12) / portRateBps(fabric, port)) +
          latencyOfPort[port]! -
          (nowPs - startOfPort[port]!),
      );
    }
    return leastPs;
  }
}
