// Which channel a packet may hold while it waits for which other one: the graph whose cycles are deadlocks. Grows edge
// by edge and says beforehand whether one more would close a cycle. Source: W. Dally and C. Seitz, "Deadlock-free
// message routing in multiprocessor interconnection networks", IEEE Transactions on Computers 36, 1987.
// Invariants: a channel is the port that sends into it; an edge joins a port to a port of the switch that it leads to;
// without a cycle to begin with there is never one, if no edge is added that `leads` back.

import type { Fabric } from '../fabric/fabric.js';

export class GrowingDependencies {
  /** 1 where an edge is, by port x most ports of a switch + place of the next port on its switch */
  private readonly edges: Uint8Array;
  private readonly radix: number;
  private readonly seen: Int32Array;
  private readonly open: Int32Array;
  private stamp = 0;

  constructor(private readonly fabric: Fabric) {
    const { nodeCount, portOffset, portCount } = fabric;
    let radix = 1;
    for (let node = 0; node < nodeCount; node++) radix = Math.max(radix, portOffset[node + 1]! - portOffset[node]!);
    this.radix = radix;
    this.edges = new Uint8Array(portCount * radix);
    this.seen = new Int32Array(portCount);
    this.open = new Int32Array(portCount);
  }

  private place(from: number, to: number): number {
    return from * this.radix + to - this.fabric.portOffset[this.fabric.portNode[to]!]!;
  }

  has(from: number, to: number): boolean {
    return this.edges[this.place(from, to)] === 1;
  }

  /** @param to a port of the switch that `from` leads to */
  add(from: number, to: number): void {
    this.edges[this.place(from, to)] = 1;
  }

  remove(from: number, to: number): void {
    this.edges[this.place(from, to)] = 0;
  }

  /** Whether a chain of edges leads from one channel to another; a channel leads to itself. Linear in the edges. */
  leads(from: number, to: number): boolean {
    const { edges, radix, seen, open } = this;
    const { portOffset, portNeighbour } = this.fabric;
    const stamp = ++this.stamp;
    let count = 0;
    open[count++] = from;
    seen[from] = stamp;
    while (count > 0) {
      const port = open[--count]!;
      if (port === to) return true;
      const next = portNeighbour[port]!;
      const first = portOffset[next]!;
      const end = portOffset[next + 1]! - first;
      for (let i = 0; i < end; i++) {
        if (edges[port * radix + i] === 0 || seen[first + i] === stamp) continue;
        seen[first + i] = stamp;
        open[count++] = first + i;
      }
    }
    return false;
  }
}
