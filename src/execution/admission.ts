// How a flow gets its source port before it enters the network.

import type { CentralController } from '../controller/central-controller.js';
import type { PathTracer } from '../routing/path.js';
import type { PinnedPaths } from '../routing/pinned-paths.js';
import type { Frontier } from './frontier.js';

/** Gives each flow its source port, which decides its path; may hold something for it until it is released. */
export interface Admission {
  /** @returns the source port of the flow in a slot */
  admit(slot: number, nowPs: number): number;
  /** The flow has finished. */
  release(slot: number, nowPs: number): void;
}

export const firstSourcePort = 10_000;
export const destinationPort = 100;

/**
 * A counter per ordered pair of hosts from 10,000 on, in 16 bits: SimAI's rule. The pairs stand in a hash table with
 * linear probing in two columns: millions of transfers ask it.
 */
export class CountedPorts implements Admission {
  private pairs = new Float64Array(256).fill(noPair);
  private used = new Uint16Array(256);
  private count = 0;

  constructor(
    private readonly frontier: Frontier,
    private readonly nodeCount: number,
  ) {}

  admit(slot: number): number {
    const source = this.frontier.source[slot]!;
    const destination = this.frontier.destination[slot]!;
    const at = this.placeOf(source * this.nodeCount + destination, source, destination);
    const used = this.used[at]!;
    this.used[at] = used + 1;
    return (firstSourcePort + used) & 0xffff;
  }

  release(): void {}

  private placeOf(pair: number, source: number, destination: number): number {
    const { pairs } = this;
    const mask = pairs.length - 1;
    let at = home(source, destination) & mask;
    for (; pairs[at] !== pair; at = (at + 1) & mask) {
      if (pairs[at] !== noPair) continue;
      if (2 * ++this.count > mask) {
        this.grow();
        return this.placeOf(pair, source, destination);
      }
      pairs[at] = pair;
      break;
    }
    return at;
  }

  private grow(): void {
    const { pairs, used } = this;
    const mask = 2 * pairs.length - 1;
    this.pairs = new Float64Array(mask + 1).fill(noPair);
    this.used = new Uint16Array(mask + 1);
    pairs.forEach((pair, i) => {
      if (pair === noPair) return;
      const source = Math.floor(pair / this.nodeCount);
      let at = home(source, pair - source * this.nodeCount) & mask;
      while (this.pairs[at] !== noPair) at = (at + 1) & mask;
      this.pairs[at] = pair;
      this.used[at] = used[i]!;
    });
    this.count--;
  }
}

const noPair = -1;

function home(source: number, destination: number): number {
  const mixed = Math.imul(Math.imul(source, 0x9e3779b1) ^ destination, 0x85ebca6b);
  return mixed ^ (mixed >>> 15);
}

/** Ports by the central controller; where it has no say, the counter's. */
export class ControlledPorts implements Admission {
  constructor(
    private readonly frontier: Frontier,
    private readonly controller: CentralController,
    private readonly fallback: Admission,
  ) {}

  admit(slot: number, nowPs: number): number {
    const fallbackPort = this.fallback.admit(slot, nowPs);
    return this.controller.assignSourcePort(
      slot,
      this.frontier.source[slot]!,
      this.frontier.destination[slot]!,
      destinationPort,
      fallbackPort,
    );
  }

  release(slot: number): void {
    this.controller.release(slot);
  }
}

/** Ports tried before the routes are asked whether a path exists at all. */
const triesBeforeAsking = 64;
const allPorts = 65_536;

/**
 * Ports of pinned transfers: the next ones of the pair's counter whose path is where the pin wants it. Other transfers,
 * and those that stay in their server, are admitted as if there were no pins. With a controller, it chooses among the
 * paths that the pin allows.
 * Invariant: while such a path exists (failures may take it away), a pinned transfer begins on one.
 */
export class PinnedPorts implements Admission {
  /** queue pairs that were pinned, and those for which no path remained */
  pinned = 0;
  unpinned = 0;

  /**
   * @param pins by traffic class - 1
   * @param controller null if there is none
   * @param others admits what is not pinned
   */
  constructor(
    private readonly frontier: Frontier,
    private readonly tracer: PathTracer,
    private readonly pins: readonly PinnedPaths[],
    private readonly counted: CountedPorts,
    private readonly controller: CentralController | null,
    private readonly others: Admission,
  ) {}

  admit(slot: number, nowPs: number): number {
    const { frontier, controller } = this;
    const trafficClass = frontier.trafficClass[slot]!;
    if (trafficClass === 0) return this.others.admit(slot, nowPs);
    const pinned = this.pins[trafficClass - 1]!;
    const source = frontier.source[slot]!;
    const destination = frontier.destination[slot]!;
    if (pinned.staysInServer(this.tracer.routes, source, destination)) return this.others.admit(slot, nowPs);
    const port = this.nextPort(slot, pinned, source, destination);
    if (port < 0) {
      this.unpinned++;
      return this.others.admit(slot, nowPs);
    }
    this.pinned++;
    return controller === null
      ? port
      : controller.assignSourcePort(slot, source, destination, destinationPort, port, pinned);
  }

  release(slot: number, nowPs: number): void {
    this.others.release(slot, nowPs);
  }

  /** @returns -1 if no port leads where the pin wants it */
  private nextPort(slot: number, pinned: PinnedPaths, source: number, destination: number): number {
    const { tracer } = this;
    for (let tries = 0; tries < allPorts; tries++) {
      if (tries === triesBeforeAsking && !pinned.exists(tracer.routes, source, destination)) return -1;
      const port = this.counted.admit(slot);
      if (pinned.takes(tracer, source, destination, port, destinationPort)) return port;
    }
    return -1;
  }
}
