// Routes and their loads together, so that one entry can be changed at a time: what local search works on.
// Invariants: `load` is always what loadsOfFlows would give for `tables` and the traffic, up to rounding (recount()
// takes the rounding out); tables stay free of loops as long as only ports on minimal up-down paths are given. Loads
// are by sending port, weighted by rate.

import type { ForwardingTables } from '../routing/forwarding-tables.js';
import type { LeafTraffic } from './leaf-traffic.js';
import { loadPerTraffic, loadsOfFlows } from './table-loads.js';

export class MovableRoutes {
  readonly tables: ForwardingTables;
  /** by sending port of the fabric */
  load: Float64Array;
  private readonly worth: Float64Array;

  /** @param tables are copied */
  constructor(
    tables: ForwardingTables,
    readonly traffic: LeafTraffic,
  ) {
    this.tables = tables.copy();
    this.worth = loadPerTraffic(tables.fabric);
    this.load = loadsOfFlows(this.tables, traffic);
  }

  /** Traffic to a host (by rank) that passes a switch. Linear in the flows to the host times their hops. */
  weightThrough(node: number, rank: number): number {
    const { tables } = this;
    const { tree, offset, leaf, weight } = this.traffic;
    const { portNeighbour } = tree.fabric;
    const destination = tree.fabric.hosts[rank]!;
    const leaves = tree.switches[0]!;
    let sum = 0;
    for (let flow = offset[rank]!; flow < offset[rank + 1]!; flow++) {
      let at = leaves[leaf[flow]!]!;
      for (let hops = 0; hops < 2 * tree.levels; hops++) {
        if (at === node) {
          sum += weight[flow]!;
          break;
        }
        const port = tables.port(at, destination);
        if (port === -1) break;
        at = portNeighbour[port]!;
        if (at === destination) break;
      }
    }
    return sum;
  }

  /**
   * Lets a switch send to a host by another port, and moves the load of what passes the switch.
   * @param port a port of the switch on a minimal up-down path to the host @param weight what passes: weightThrough, if
   * it is known already
   */
  move(node: number, rank: number, port: number, weight = this.weightThrough(node, rank)): void {
    const destination = this.traffic.tree.fabric.hosts[rank]!;
    if (weight > 0) this.addAlong(node, destination, -weight);
    this.tables.setPort(node, destination, port);
    if (weight > 0) this.addAlong(node, destination, weight);
  }

  /** Counts all loads anew. */
  recount(): void {
    this.load = loadsOfFlows(this.tables, this.traffic);
  }

  private addAlong(from: number, destination: number, weight: number): void {
    const { tables, load, worth } = this;
    const { portNeighbour } = tables.fabric;
    let node = from;
    for (let hops = 0; hops < 2 * this.traffic.tree.levels; hops++) {
      const port = tables.port(node, destination);
      if (port === -1) return;
      node = portNeighbour[port]!;
      if (node === destination) return;
      load[port]! += weight * worth[port]!;
    }
  }
}
