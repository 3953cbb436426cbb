// An admission policy that Weft does not have: flows wait until three are there, or for ten microseconds; the three get
// source ports together, so that no two share a link between switches; when links change, a flow whose way is shared
// from then on is moved to one that is free.

import {
  type Admission,
  type AdmissionParts,
  destinationPort,
  firstSourcePort,
  heldBack,
} from '../../src/execution/admission.js';

const patiencePs = 10e6;
const mostPorts = 512;

export class ThreeAtOnce implements Admission {
  readonly movesFlows = true;
  /** for tests: how many were let in together, and how many were moved */
  readonly batches: number[] = [];
  moved = 0;
  private waiting: number[] = [];
  private readonly underWay = new Map<number, number[]>();
  private round = 0;

  constructor(private readonly parts: AdmissionParts) {}

  admit(slot: number, nowPs: number): number {
    this.waiting.push(slot);
    if (this.waiting.length === 1)
      this.parts.door.wakeAt(Math.max(nowPs, this.parts.door.nowPs) + patiencePs, ++this.round);
    if (this.waiting.length < 3) return heldBack;
    const [first, second] = this.waiting as [number, number];
    this.waiting = [];
    this.batches.push(3);
    const { door } = this.parts;
    door.enter(first, this.choose(first));
    door.enter(second, this.choose(second));
    return this.choose(slot);
  }

  release(slot: number): void {
    this.underWay.delete(slot);
  }

  due(round: number): void {
    if (round !== this.round || this.waiting.length === 0) return;
    this.batches.push(this.waiting.length);
    for (const slot of this.waiting.splice(0)) this.parts.door.enter(slot, this.choose(slot));
  }

  linksChanged(): void {
    for (const slot of this.underWay.keys()) {
      const now = this.pathOf(slot, this.parts.frontier.sourcePort[slot]!);
      this.underWay.set(slot, now);
    }
    for (const [slot, path] of this.underWay) {
      if (!this.isShared(slot, path)) continue;
      const before = this.parts.frontier.sourcePort[slot]!;
      const port = this.choose(slot);
      if (port === before) continue;
      this.parts.door.move(slot, port);
      this.moved++;
    }
  }

  /** The first port whose way nobody shares; the first of all if there is none. */
  private choose(slot: number): number {
    for (let port = firstSourcePort; port < firstSourcePort + mostPorts; port++) {
      const path = this.pathOf(slot, port);
      if (this.isShared(slot, path)) continue;
      this.underWay.set(slot, path);
      return port;
    }
    this.underWay.set(slot, this.pathOf(slot, firstSourcePort));
    return firstSourcePort;
  }

  /** The ports of switches on the way of a queue pair. */
  private pathOf(slot: number, port: number): number[] {
    const { frontier, tracer } = this.parts;
    const path = new Int32Array(tracer.maxLength);
    const length = tracer.trace(frontier.source[slot]!, frontier.destination[slot]!, port, destinationPort, path);
    return [...path.subarray(1, length)];
  }

  private isShared(slot: number, path: readonly number[]): boolean {
    for (const [other, ports] of this.underWay)
      if (other !== slot && ports.some((port) => path.includes(port))) return true;
    return false;
  }
}
