// A limit on how many entries may differ from tables in use: what an operator is ready to change at a time.
// Invariant: `changed` is the number of entries on the ways of flows that differ from the reference; all others are the
// reference's.

import type { ForwardingTables } from '../routing/forwarding-tables.js';
import { wayLength, type FlowRouting } from './flow-routing.js';

export class ChangeLimit {
  changed = 0;

  constructor(
    private readonly routing: FlowRouting,
    private readonly reference: ForwardingTables,
    readonly most: number,
  ) {}

  /** Counts anew. */
  recount(): void {
    const { spinePorts, corePorts, way } = this.routing;
    const { spineCount, coreCount, hostCount } = this.routing.network;
    const { flowCount, rank } = this.routing.demand;
    this.changed = 0;
    for (let flow = 0; flow < flowCount; flow++)
      if (way[wayLength * flow] !== -1) this.changed += this.differs(way[wayLength * flow]!, rank[flow]!);
    for (const [ports, count] of [
      [spinePorts, spineCount],
      [corePorts, coreCount],
    ] as const) {
      for (let own = 0; own < count; own++) {
        for (let host = 0; host < hostCount; host++) {
          const port = ports.port(own, host);
          if (port !== -1) this.changed += this.differs(port, host);
        }
      }
    }
  }

  /** Whether a flow that was taken off may go on `next` instead of `before`. */
  allows(flow: number, before: Int32Array, next: Int32Array): boolean {
    const more = this.changesOf(flow, next) - this.changesOf(flow, before);
    return more <= 0 || this.changed + more <= this.most;
  }

  /** Tells that a flow that is taken off goes on `next` instead of `before`. */
  moved(flow: number, before: Int32Array, next: Int32Array): void {
    this.changed += this.changesOf(flow, next) - this.changesOf(flow, before);
  }

  /** Entries that a flow that is taken off would change by itself. */
  private changesOf(flow: number, ports: Int32Array): number {
    const { spinePorts, corePorts, demand } = this.routing;
    const { portFrom } = this.routing.network;
    const rank = demand.rank[flow]!;
    let changes = this.differs(ports[0]!, rank);
    if (ports[1] !== -1) {
      if (spinePorts.usesOf(portFrom[ports[1]!]!, rank) === 0) changes += this.differs(ports[1]!, rank);
      if (corePorts.usesOf(portFrom[ports[2]!]!, rank) === 0) changes += this.differs(ports[2]!, rank);
    }
    if (spinePorts.usesOf(portFrom[ports[3]!]!, rank) === 0) changes += this.differs(ports[3]!, rank);
    return changes;
  }

  private differs(port: number, rank: number): 0 | 1 {
    const { fabric } = this.routing.network.tree;
    return this.reference.port(fabric.portNode[port]!, fabric.hosts[rank]!) === port ? 0 : 1;
  }
}
