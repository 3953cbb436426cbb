// A toy backend on the kernel, which Weft does not have: every flow is one burst that is stored whole at each port of its
// way and forwarded behind those that came before. Two alarms, and the wheel of src/engine.
// Not modelled: packets, sharing, losses; a burst on a link that fails arrives.

import type { Backend, NetworkParts } from '../../src/backends/backend.js';
import type { Alarm } from '../../src/engine/alarms.js';
import { EventLoop } from '../../src/engine/event-loop.js';
import { EventWheel } from '../../src/engine/event-wheel.js';
import type { Frontier } from '../../src/execution/frontier.js';
import type { Driver, Network, NetworkCounters, RunState, Verdict } from '../../src/execution/network.js';
import { portLatencyPs } from '../../src/fabric/forwarding-latency.js';
import { portRateBps } from '../../src/fabric/receive-speed.js';
import { linkBytes } from '../../src/routing/base-delay.js';

class BurstNetwork implements Network {
  readonly paths = 'fixed';
  private readonly wheel: EventWheel;
  private readonly loop: EventLoop;
  private readonly arrival: Alarm;
  private readonly wakes: Alarm;
  /** by port: when what was sent by it last has left */
  private readonly freePs: Float64Array;
  /** by slot: the ports of its way, how many it has passed, and what the way back takes */
  private readonly ways: { ports: Int32Array; passed: number; backPs: number }[] = [];
  private driver!: Driver;
  private frontier!: Frontier;
  private started = 0;
  private delivered = 0;
  private live = 0;

  constructor(private readonly parts: NetworkParts) {
    const { wheelWidthPs, fabric } = parts;
    this.wheel = wheelWidthPs === null ? new EventWheel() : new EventWheel(wheelWidthPs);
    this.loop = new EventLoop(this.wheel);
    const { alarms } = this.loop;
    this.arrival = alarms.register('a burst arrives', (slot) => this.arrived(slot));
    this.wakes = alarms.register('wake', (token) => {
      if (this.driver.wake(token, this.nowPs)) alarms.pause();
    });
    this.freePs = new Float64Array(fabric.portCount);
  }

  get nowPs(): number {
    return this.wheel.nowPs;
  }

  get counters(): NetworkCounters {
    return { events: this.loop.events, payloadBytesDelivered: this.delivered };
  }

  attach(driver: Driver, frontier: Frontier): void {
    this.driver = driver;
    this.frontier = frontier;
  }

  start(slot: number): void {
    this.started += this.frontier.sizeBytes[slot]!;
    this.live++;
    this.ways[slot] = this.wayOf(slot);
    this.forward(slot);
  }

  reroute(): void {}

  linkChanged(): void {}

  routesChanged(): void {}

  wakeAt(timePs: number, token: number): void {
    this.wakes.at(timePs, token);
  }

  drain(): void {
    this.loop.stopWhen = () => this.live === 0;
  }

  advance(maxEvents: number): boolean {
    return this.loop.advance(maxEvents);
  }

  blockedReason(): string {
    return '';
  }

  close(): void {}

  verdicts(state: RunState): Verdict[] {
    const ok = state !== 'finished' || (this.live === 0 && this.started === this.delivered);
    return [{ name: 'bursts arrived', ok, detail: `${this.delivered} of ${this.started} bytes` }];
  }

  /** The burst is stored at the next port of its way, and leaves it when those before it have. */
  private forward(slot: number): void {
    const { fabric, shape } = this.parts;
    const way = this.ways[slot]!;
    const port = way.ports[way.passed++]!;
    const bytes = linkBytes(this.frontier.sizeBytes[slot]!, shape.payloadBytes, shape.overheadBytes);
    const leftPs = Math.max(this.nowPs, this.freePs[port]!) + Math.ceil((bytes * 8e12) / portRateBps(fabric, port));
    this.freePs[port] = leftPs;
    this.arrival.at(leftPs + portLatencyPs(fabric, port), slot);
  }

  /** At the next device; at the end the sender still has to hear of it. */
  private arrived(slot: number): void {
    const way = this.ways[slot]!;
    if (way.passed < way.ports.length) this.forward(slot);
    else if (way.passed++ === way.ports.length) this.arrival.at(this.nowPs + way.backPs, slot);
    else {
      this.live--;
      this.delivered += this.frontier.sizeBytes[slot]!;
      this.driver.finished(slot, this.nowPs);
    }
  }

  private wayOf(slot: number): { ports: Int32Array; passed: number; backPs: number } {
    const { tracer, fabric } = this.parts;
    const { source, destination, sourcePort, destinationPort } = this.frontier;
    const there = new Int32Array(tracer.maxLength);
    const back = new Int32Array(tracer.maxLength);
    const [from, to, out, into] = [source[slot]!, destination[slot]!, sourcePort[slot]!, destinationPort[slot]!];
    const length = tracer.trace(from, to, out, into, there);
    const returning = back.subarray(0, tracer.trace(to, from, into, out, back));
    return {
      ports: there.subarray(0, length),
      passed: 0,
      backPs: returning.reduce((sum, port) => sum + portLatencyPs(fabric, port), 0),
    };
  }
}

/** Weft's backends and this one: what `makePlan` takes as catalogue. */
export const burstBackend: Backend = {
  name: 'burst',
  description: 'every flow as one burst, stored and forwarded',
  groups: {},
  reads: [],
  marksPackets: false,
  noEffectRules: [],
  problems: () => [],
  tables: () => [],
  insteadOfPackets: 'every flow is one burst; no sharing, no packets',
  collectives: { kind: 'simulated' },
  counters: ['events', 'payloadBytesDelivered'],
  make: (parts) => ({ network: new BurstNetwork(parts) }),
};
