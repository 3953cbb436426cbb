// Source ports that a file gives to pairs of hosts (static source routes); of several for one pair its queue pairs take
// one after the other, and begin anew. Pairs that the file does not name are admitted as if there were no file.

import type { Admission } from './admission.js';
import type { Frontier } from './frontier.js';

/** Source ports by pair: source node x number of nodes + destination node. */
export type PortsOfPairs = ReadonlyMap<number, readonly number[]>;

export class GivenPorts implements Admission {
  private readonly used = new Map<number, number>();

  constructor(
    private readonly frontier: Frontier,
    private readonly nodeCount: number,
    private readonly ports: PortsOfPairs,
    private readonly others: Admission,
  ) {}

  admit(slot: number, nowPs: number): number {
    const pair = this.frontier.source[slot]! * this.nodeCount + this.frontier.destination[slot]!;
    const ports = this.ports.get(pair);
    if (ports === undefined) return this.others.admit(slot, nowPs);
    const turn = this.used.get(pair) ?? 0;
    this.used.set(pair, turn + 1);
    return ports[turn % ports.length]!;
  }

  release(slot: number, nowPs: number): void {
    this.others.release(slot, nowPs);
  }
}
