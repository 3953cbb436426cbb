// Routes by forwarding tables: the one port that a switch has for a host, in place of all equal-cost ones. Whatever
// walks over EqualCostRoutes walks over these.
// Invariants: the next-hop set of a port is that port alone, so that no hash decides anything; a way is as long as the
// tables make it. Links that fail take their ways with them: tables stay as they are, as without a subnet manager that
// sweeps again. Not modelled: several LIDs of a host (the tables of the first offset are taken).

import { fail } from '../base/fail.js';
import type { Fabric } from '../fabric/fabric.js';
import { EqualCostRoutes, equalCostRoutes, type KnownLinks, type RoutingRules } from './equal-cost.js';
import type { ForwardingTables } from './forwarding-tables.js';
import { walkTables } from './table-walk.js';

/** Routes of a fabric by the rules of a run, all links up: by its tables, if it has any. */
export function routesByRules(fabric: Fabric, rules: RoutingRules): EqualCostRoutes {
  const tables = rules.tables?.[0];
  return tables === undefined ? equalCostRoutes(fabric, rules) : new TableRoutes(fabric, tables, rules);
}

export class TableRoutes extends EqualCostRoutes {
  override readonly setPorts: Int32Array;
  override readonly setOffset: Int32Array;
  override readonly longestPath: number;

  /**
   * @param tables of this fabric or of the one that it was made from, which has the same ports
   * @param known what routing knows of failed links; left out, all are up
   */
  constructor(
    fabric: Fabric,
    private readonly tables: ForwardingTables,
    private readonly rules: RoutingRules,
    known?: KnownLinks,
  ) {
    super(fabric, rules.nextHopOrder, known, rules.withinServers);
    if (tables.columns !== fabric.nodeCount) fail('tables of another fabric');
    this.setPorts = Int32Array.from({ length: fabric.portCount }, (_, port) => port);
    this.setOffset = Int32Array.from({ length: fabric.portCount + 1 }, (_, port) => port);
    this.longestPath = walkTables(tables).longest + 1;
  }

  override knowing(known: KnownLinks): EqualCostRoutes {
    return new TableRoutes(this.fabric, this.tables, this.rules, known);
  }

  /** The set of the one port of a switch for a host; -1 without one, or if its link is down. */
  override nextHopSet(node: number, destination: number): number {
    const port = this.tables.port(node, destination);
    return port >= 0 && this.leads(port) ? port : -1;
  }
}
