// How a flow gets its source port before it enters the network.

import type { CentralController } from '../controller/central-controller.js';
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

/** A counter per ordered pair of hosts from 10,000 on, in 16 bits: SimAI's rule. */
export class CountedPorts implements Admission {
  private readonly used = new Map<number, number>();

  constructor(
    private readonly frontier: Frontier,
    private readonly nodeCount: number,
  ) {}

  admit(slot: number): number {
    const pair = this.frontier.source[slot]! * this.nodeCount + this.frontier.destination[slot]!;
    const count = this.used.get(pair) ?? 0;
    this.used.set(pair, count + 1);
    return (firstSourcePort + count) & 0xffff;
  }

  release(): void {}
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
    return this.controller.assignSourcePort(slot, this.frontier.source[slot]!, this.frontier.destination[slot]!, destinationPort, fallbackPort);
  }

  release(slot: number): void {
    this.controller.release(slot);
  }
}
