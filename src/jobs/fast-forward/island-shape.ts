// What an island looks like without the names of its nodes: two islands of the same text behave alike to the picosecond
// if the same is asked of them at the same times.
// Invariant: the text names, of every way between two places that send to each other, the interfaces that it leaves by
// and what it passes, nodes by the order in which they are met; and of every node that it meets what its forwarding
// hangs on: kind, latency, and of all its ports rate, latency, error rate and speed of the other end. Where a hash
// chooses among ways there is no text: the names decide.

import { interfaceIndex, type Fabric } from '../../fabric/fabric.js';
import { portSpeed } from '../../fabric/receive-speed.js';
import type { EqualCostRoutes } from '../../routing/equal-cost.js';
import { type GroupPairs, visitPairs } from './group-pairs.js';

export class IslandShape {
  private readonly fabric: Fabric;
  private readonly numbers = new Map<number, number>();
  private readonly parts: string[] = [];
  private readonly ports: Int32Array;
  private hasChoice = false;

  constructor(private readonly routes: EqualCostRoutes) {
    const { nodeCount, portOffset } = (this.fabric = routes.fabric);
    let most = 1;
    for (let node = 0; node < nodeCount; node++) most = Math.max(most, portOffset[node + 1]! - portOffset[node]!);
    this.ports = new Int32Array(most);
  }

  /** The text of an island; null: a hash decides on some way. @param groups of the island, in order */
  of(groups: readonly GroupPairs[]): string | null {
    for (const pairs of groups) {
      this.parts.push(`${pairs.group.name} ${pairs.group.ranks.length}`);
      visitPairs(pairs, (source, destination) => this.way(source, destination));
      if (this.hasChoice) return null;
    }
    return this.parts.join(';');
  }

  private way(source: number, destination: number): void {
    const { routes, fabric, ports } = this;
    if (this.hasChoice) return;
    const steps: (number | string)[] = [this.node(source)];
    let count = routes.sourcePorts(source, destination, ports);
    let port = ports[0]!;
    while (count === 1) {
      const node = fabric.portNode[fabric.portPeer[port]!]!;
      steps.push(interfaceIndex(fabric, port), this.node(node));
      if (node === destination) break;
      const set = routes.nextHopSet(node, destination);
      count = set < 0 ? 0 : routes.setOffset[set + 1]! - routes.setOffset[set]!;
      if (count > 0) port = routes.setPorts[routes.setOffset[set]!]!;
    }
    if (count !== 1) this.hasChoice = true;
    this.parts.push(steps.join(' '));
  }

  /** A node by the order in which it was met; what it is stands where it is met first. */
  private node(node: number): number {
    const known = this.numbers.get(node);
    if (known !== undefined) return known;
    const { fabric } = this;
    const { nodeKind, nodeLatencyPs, portOffset, portLink, linkRateBps, linkLatencyPs, linkErrorRate } = fabric;
    const number = this.numbers.size;
    this.numbers.set(node, number);
    const ports: string[] = [];
    for (let port = portOffset[node]!; port < portOffset[node + 1]!; port++) {
      const link = portLink[port]!;
      ports.push(`${linkRateBps[link]} ${linkLatencyPs[link]} ${linkErrorRate[link]} ${portSpeed(fabric, port)}`);
    }
    this.parts.push(`${number}: ${nodeKind[node]} ${nodeLatencyPs[node]} ${ports.join(',')}`);
    return number;
  }
}
