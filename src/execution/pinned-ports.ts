// Source ports of pinned transfers: the next ones of the pair's counter whose path is where the pin wants it. Other
// transfers, and those that stay in their server, are admitted as if there were no pins. With a controller, it chooses
// among the paths that the pin allows.
// Invariant: while such a path exists (failures may take it away), a pinned transfer begins on one.

import type { PathTracer } from '../routing/path.js';
import type { PinnedPaths } from '../routing/pinned-paths.js';
import { type Admission, type CountedPorts, destinationPort } from './admission.js';
import type { ControllerRequests } from './controller-requests.js';
import type { Frontier } from './frontier.js';

/** Ports tried before the routes are asked whether a path exists at all. */
const triesBeforeAsking = 64;
const allPorts = 65_536;

/** Whose ports are pinned, and who admits what is not. */
export interface PinnedPortsParts {
  readonly frontier: Frontier;
  readonly tracer: PathTracer;
  /** by traffic class - 1; null: it asks nothing of paths */
  readonly pins: readonly (PinnedPaths | null)[];
  readonly counted: CountedPorts;
  /** to the central controller; null if there is none */
  readonly requests: ControllerRequests | null;
  /** admits what is not pinned, and is told what happens */
  readonly others: Admission;
}

export class PinnedPorts implements Admission {
  /** queue pairs that were pinned, and those for which no path remained */
  pinned = 0;
  unpinned = 0;

  private readonly frontier: Frontier;
  private readonly tracer: PathTracer;
  private readonly pins: readonly (PinnedPaths | null)[];
  private readonly counted: CountedPorts;
  private readonly requests: ControllerRequests | null;
  private readonly others: Admission;

  constructor({ frontier, tracer, pins, counted, requests, others }: PinnedPortsParts) {
    this.frontier = frontier;
    this.tracer = tracer;
    this.pins = pins;
    this.counted = counted;
    this.requests = requests;
    this.others = others;
  }

  admit(slot: number, nowPs: number): number {
    const { frontier, requests } = this;
    const pinned = this.pinOf(slot);
    if (pinned === null) return this.others.admit(slot, nowPs);
    const source = frontier.source[slot]!;
    const destination = frontier.destination[slot]!;
    if (pinned.staysInServer(this.tracer.routes, source, destination)) return this.others.admit(slot, nowPs);
    const port = this.nextPort(slot, pinned, source, destination);
    if (port < 0) {
      this.unpinned++;
      return this.others.admit(slot, nowPs);
    }
    this.pinned++;
    return requests === null ? port : requests.assign(slot, pinned, port, nowPs);
  }

  readmit(slot: number, nowPs: number, port: number): number {
    const { frontier, requests, tracer, others } = this;
    const source = frontier.source[slot]!;
    const destination = frontier.destination[slot]!;
    const pinned = this.pinOf(slot);
    if (pinned === null || pinned.staysInServer(tracer.routes, source, destination))
      return others.readmit?.(slot, nowPs, port) ?? port;
    if (!pinned.takes(tracer, source, destination, port, destinationPort)) return this.admit(slot, nowPs);
    this.pinned++;
    return requests === null ? port : requests.keep(slot, pinned, port, nowPs);
  }

  release(slot: number, nowPs: number): void {
    this.others.release(slot, nowPs);
  }

  linksChanged(nowPs: number): void {
    this.others.linksChanged?.(nowPs);
  }

  due(token: number, nowPs: number): void {
    this.others.due?.(token, nowPs);
  }

  /** What a queue pair asks of its path; null: nothing. */
  private pinOf(slot: number): PinnedPaths | null {
    const trafficClass = this.frontier.trafficClass[slot]!;
    return trafficClass === 0 ? null : this.pins[trafficClass - 1]!;
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
