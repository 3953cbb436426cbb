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
    const {
      routing: {
        network: { tree, hostCount },
        spinePort,
        corePort,
        way,
        demand: { flowCount, rank },
      },
    } = this;
    this.changed = 0;
    for (let flow = 0; flow < flowCount; flow++)
      if (way[wayLength * flow] !== -1) this.changed += this.differs(way[wayLength * flow]!, rank[flow]!);
    for (const [ports, count] of [
      [spinePort, tree.switches[1]?.length ?? 0],
      [corePort, tree.switches[2]?.length ?? 0],
    ] as const) {
      for (let cell = 0; cell < count * hostCount; cell++)
        if (ports[cell] !== -1) this.changed += this.differs(ports[cell]!, cell % hostCount);
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
    const {
      network: { portFrom, hostCount },
      spineUses,
      coreUses,
      demand,
    } = this.routing;
    const rank = demand.rank[flow]!;
    let changes = this.differs(ports[0]!, rank);
    if (ports[1] !== -1) {
      if (spineUses[portFrom[ports[1]!]! * hostCount + rank] === 0) changes += this.differs(ports[1]!, rank);
      if (coreUses[portFrom[ports[2]!]! * hostCount + rank] === 0) changes += this.differs(ports[2]!, rank);
    }
    if (spineUses[portFrom[ports[3]!]! * hostCount + rank] === 0) changes += this.differs(ports[3]!, rank);
    return changes;
  }

  private differs(port: number, rank: number): 0 | 1 {
    const { fabric } = this.routing.network.tree;
    return this.reference.port(fabric.portNode[port]!, fabric.hosts[rank]!) === port ? 0 : 1;
  }
}
