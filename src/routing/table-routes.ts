// Routes by forwarding tables: the one port that a switch has for a LID of a host, in place of all equal-cost ones.
// Whatever walks over EqualCostRoutes walks over these.
// Invariants: the next-hop set of a LID is one port, set p that of port p, so that no hash decides anything but the LID;
// the set of a host has the ports of all its LIDs, for those who ask which ways there may be. A way is as long as the tables make it. Links that fail take their
// ways with them: tables stay as they are, as without a subnet manager that sweeps again, and nobody changes the LID.

import { Int32List } from '../base/columns.js';
import { fail } from '../base/fail.js';
import type { Fabric } from '../fabric/fabric.js';
import { EqualCostRoutes, equalCostRoutes, type KnownLinks, type RoutingRules } from './equal-cost.js';
import { lidOfPair, type TablesByOffset } from './lid-offsets.js';
import { walkTables } from './table-walk.js';

/** Routes of a fabric by the rules of a run, all links up: by its tables, if it has any. */
export function routesByRules(fabric: Fabric, rules: RoutingRules): EqualCostRoutes {
  const { tables = [] } = rules;
  return tables.length === 0 ? equalCostRoutes(fabric, rules) : new TableRoutes(fabric, tables, rules);
}

export class TableRoutes extends EqualCostRoutes {
  override readonly setPorts: Int32Array;
  override readonly setOffset: Int32Array;
  override readonly longestPath: number;
  /** by set x ports + port: the set of both */
  private readonly joined = new Map<number, number>();
  private readonly rankOf: Int32Array;

  /**
   * @param tables by LID offset, of this fabric or of the one that it was made from, which has the same ports
   * @param known what routing knows of failed links; left out, all are up
   */
  constructor(
    fabric: Fabric,
    private readonly tables: TablesByOffset,
    private readonly rules: RoutingRules,
    known?: KnownLinks,
  ) {
    super(fabric, rules.nextHopOrder, known, rules.withinServers);
    const { portCount, nodeCount, hosts } = fabric;
    if (tables[0]!.columns !== nodeCount) fail('tables of another fabric');
    this.rankOf = new Int32Array(nodeCount).fill(-1);
    hosts.forEach((host, rank) => {
      this.rankOf[host] = rank;
    });
    const [ports, offset] = [new Int32List(), new Int32List()];
    for (let port = 0; port < portCount; port++) ports.push(port);
    for (let set = 0; set <= portCount; set++) offset.push(set);
    if (tables.length > 1)
      for (const node of tables[0]!.switches) for (const host of hosts) this.join(node, host, ports, offset);
    this.setPorts = ports.toArray();
    this.setOffset = offset.toArray();
    this.longestPath = 1 + tables.reduce((most, own) => Math.max(most, walkTables(own).longest), 0);
  }

  override knowing(known: KnownLinks): EqualCostRoutes {
    return new TableRoutes(this.fabric, this.tables, this.rules, known);
  }

  override get isByHost(): boolean {
    return true;
  }

  override get lids(): number {
    return this.tables.length;
  }

  /** By the rule of the run: source ports of a pair of hosts count up, so queue pairs take the LIDs in turn. */
  override lidOffset(source: number, destination: number, sourcePort: number): number {
    const { rankOf, rules, lids } = this;
    return rules.lidOffset === 'hash' ? lidOfPair(rankOf[source]!, rankOf[destination]!, lids) : sourcePort % lids;
  }

  /** The set of the one port of a switch for a LID; -1 without one, or if its link is down. */
  override nextHopSetOfLid(node: number, destination: number, offset: number): number {
    const port = this.tables[offset]!.port(node, destination);
    return port >= 0 && this.leads(port) ? port : -1;
  }

  /** The set of the ports of all LIDs, those whose link is down among them; -1 if none leads there. */
  override nextHopSet(node: number, destination: number): number {
    const { tables } = this;
    if (tables.length === 1) return this.nextHopSetOfLid(node, destination, 0);
    let [set, isReached] = [-1, false];
    for (const own of tables) {
      const port = own.port(node, destination);
      if (port < 0) continue;
      isReached ||= this.leads(port);
      if (set < 0) set = port;
      else if (!this.setPorts.subarray(this.setOffset[set]!, this.setOffset[set + 1]!).includes(port))
        set = this.joined.get(set * this.fabric.portCount + port)!;
    }
    return isReached ? set : -1;
  }

  /** Makes the sets that the ports of a host's LIDs are at a switch, one LID after the other. */
  private join(node: number, host: number, ports: Int32List, offset: Int32List): void {
    let set = -1;
    for (const tables of this.tables) {
      const port = tables.port(node, host);
      if (port < 0) continue;
      if (set < 0) set = port;
      else if (!ports.values.subarray(offset.values[set]!, offset.values[set + 1]!).includes(port)) {
        const key = set * this.fabric.portCount + port;
        let made = this.joined.get(key);
        if (made === undefined) {
          made = offset.length - 1;
          for (let i = offset.values[set]!; i < offset.values[set + 1]!; i++) ports.push(ports.values[i]!);
          ports.push(port);
          offset.push(ports.length);
          this.joined.set(key, made);
        }
        set = made;
      }
    }
  }
}
