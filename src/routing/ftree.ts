// OpenSM's ftree routing: routes are laid destination by destination, each over the ports that carry the fewest so far.
// Invariant: the tables are those of opensm 3.3.23 (-R ftree), entry for entry, on trees it accepts; compared with
// captured tables.
// Source: its behaviour, described from runs. Not modelled: CN and IO GUID files, reverse hops, LMC, connecting roots
// (-z): some pairs of switches (core to core) have no entry, as there. With a list of roots damaged trees are routed as
// well.

import type { Fabric } from '../fabric/fabric.js';
import type { FabricIdentity } from '../fabric/identity.js';
import { ForwardingTables, noPort, ownPort } from './forwarding-tables.js';
import { FtreeGroups } from './ftree-groups.js';
import { ftreeTopology, type FtreeRefusal, type FtreeTopology } from './ftree-topology.js';
import { TableColumns } from './table-columns.js';

const unknown = 255;

/**
 * Tables as OpenSM's ftree makes them.
 * @param roots switches of rank 0 (OpenSM's -a), empty to find them
 * @returns tables for all hosts and switches, or why ftree refuses
 */
export function routeFtree(
  fabric: Fabric,
  identity: FabricIdentity,
  roots: readonly number[] = [],
): ForwardingTables | FtreeRefusal {
  const topology = ftreeTopology(fabric, identity, roots);
  if ('refusal' in topology) return topology;
  return new FtreeRouter(fabric, topology).route();
}

class FtreeRouter {
  private readonly tables: ForwardingTables;
  private readonly columns: TableColumns;
  private readonly down: FtreeGroups;
  private readonly up: FtreeGroups;
  /** by node: the groups below have to be sorted before they are used again */
  private readonly changed: Uint8Array;
  /** entry of each switch for the destination in hand, by node, and its hops to it */
  private readonly entry: Uint8Array;
  private readonly hops: Uint8Array;
  /** of hosts with several ports, which are come back to */
  private readonly kept = new Map<number, { readonly entry: Uint8Array; readonly hops: Uint8Array }>();

  constructor(
    private readonly fabric: Fabric,
    private readonly topology: FtreeTopology,
  ) {
    const { nodeCount } = fabric;
    this.tables = new ForwardingTables(fabric);
    this.columns = new TableColumns(this.tables);
    this.down = new FtreeGroups(fabric, topology.table, ({ down }) => down);
    this.up = new FtreeGroups(fabric, topology.table, ({ up }) => up);
    this.changed = new Uint8Array(nodeCount);
    this.entry = new Uint8Array(nodeCount);
    this.hops = new Uint8Array(nodeCount);
  }

  route(): ForwardingTables {
    const { leaves, table } = this.topology;
    const hostPorts = leaves.map((leaf) =>
      // a switch that hangs below a leaf, because it lost its links upwards, is no host
      leaf.down.flatMap(({ remoteIsHost, remote, ports }) =>
        remoteIsHost ? ports.map((port) => ({ host: remote, port })) : [],
      ),
    );
    const most = hostPorts.reduce((count, own) => Math.max(count, own.length), 0);
    leaves.forEach(({ node }, place) => {
      for (const { host, port } of hostPorts[place]!) this.toHost(node, host, port);
      for (let i = hostPorts[place]!.length; i < most; i++) this.toDummy(node);
    });
    for (const { node } of table) {
      this.begin();
      this.hops[node] = 0;
      this.goUp(node, false, 0);
      this.entry[node] = ownPort;
      this.columns.put(node, this.entry);
    }
    this.columns.flush();
    return this.tables;
  }

  private toHost(leaf: number, host: number, port: number): void {
    const { fabric, entry, hops, kept } = this;
    const hasSeveralPorts = fabric.portOffset[host + 1]! > fabric.portOffset[host]! + 1;
    this.begin();
    const before = hasSeveralPorts ? kept.get(host) : undefined;
    if (before !== undefined) {
      entry.set(before.entry);
      hops.set(before.hops);
    }
    entry[leaf] = port - fabric.portOffset[leaf]!;
    hops[leaf] = 1;
    this.goUp(leaf, true, 1);
    if (hasSeveralPorts) kept.set(host, { entry: entry.slice(), hops: hops.slice() });
    this.columns.put(host, entry);
  }

  /** Loads the ways up as one more host would, which no table holds. */
  private toDummy(leaf: number): void {
    this.begin();
    this.hops[leaf] = 1;
    this.goUp(leaf, true, 1);
  }

  private begin(): void {
    this.entry.fill(noPort);
    this.hops.fill(unknown);
  }

  /**
   * Lets everything below a switch reach the destination through it; what is as near already is passed over, the switch
   * that this came from among it.
   * @returns whether there is a leaf with hosts below
   */
  private goDown(own: number, hops: number): boolean {
    const { down, hops: known, entry, changed } = this;
    const { offset, remote } = down;
    if (changed[own] === 1) {
      down.sort(own);
      changed[own] = 0;
    }
    let result = false;
    const next = hops + 1;
    const end = offset[own + 1]!;
    for (let at = offset[own]!; at < end; at++) {
      const below = remote[at]!;
      if (below === -1) result = true;
      else if (next < known[below]!) {
        const port = down.leastUsed(at);
        entry[below] = down.peerEntry[port]!;
        known[below] = next;
        if (this.goDown(below, next)) {
          down.use(at, port);
          changed[own] = 1;
          result = true;
        }
      }
    }
    return result;
  }

  private goUp(own: number, main: boolean, hops: number): void {
    this.goDown(own, hops);
    const { up, hops: known, entry } = this;
    const { offset, remote } = up;
    const first = offset[own]!;
    const end = offset[own + 1]!;
    if (first === end) return;
    up.sort(own);
    const next = hops + 1;
    for (let at = first; at < end; at++) {
      const above = remote[at]!;
      const isMain = main && at === first;
      const isNearer = entry[above] === noPort || next < known[above]!;
      if (!isMain && !isNearer) continue;
      const port = up.leastUsed(at);
      if (isMain) up.use(at, port);
      if (isNearer) {
        entry[above] = up.peerEntry[port]!;
        known[above] = next;
      }
      this.goUp(above, isMain, next);
    }
  }
}
