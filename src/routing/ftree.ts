// OpenSM's ftree routing: routes are laid destination by destination, each over the ports that carry the fewest so far.
// Invariant: the tables are those of opensm 3.3.23 (-R ftree), entry for entry, on trees it accepts; compared with
// captured tables.
// Source: its behaviour, described from runs. Not modelled: CN and IO GUID files, reverse hops, LMC, connecting roots
// (-z): some pairs of switches (core to core) have no entry, as there. With a list of roots damaged trees are routed as
// well.

import type { Fabric } from '../fabric/fabric.js';
import type { FabricIdentity } from '../fabric/identity.js';
import { ForwardingTables } from './forwarding-tables.js';
import {
  ftreeTopology,
  type FtreeRefusal,
  type FtreeSwitch,
  type FtreeTopology,
  type PortGroup,
} from './ftree-topology.js';

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
  /** hops by row and destination; the last column is that of dummy hosts */
  private readonly hops: Uint8Array;
  /** whether a dummy's route was laid over a switch, and over which port: kept apart, no table holds it */
  private readonly dummyPort: Int32Array;
  private readonly columns: number;
  private destination = 0;

  constructor(
    private readonly fabric: Fabric,
    private readonly topology: FtreeTopology,
  ) {
    this.tables = new ForwardingTables(fabric);
    this.columns = fabric.nodeCount + 1;
    this.hops = new Uint8Array(this.tables.switches.length * this.columns).fill(unknown);
    this.dummyPort = new Int32Array(fabric.nodeCount).fill(-1);
  }

  route(): ForwardingTables {
    const { leaves, table } = this.topology;
    const most = leaves.reduce((count, leaf) => Math.max(count, hostPorts(leaf)), 0);
    for (const leaf of leaves) {
      for (const group of leaf.down) {
        // a switch that hangs below a leaf, because it lost its links upwards, is no host
        if (group.remoteIsHost) for (const port of group.ports) this.toHost(leaf, group.remote, port);
      }
      for (let i = hostPorts(leaf); i < most; i++) this.toDummy(leaf);
    }
    for (const own of table) {
      this.destination = own.node;
      this.setHops(own.node, 0);
      this.goUp(own, -1, false, 0);
    }
    return this.tables;
  }

  private toHost(leaf: FtreeSwitch, host: number, port: number): void {
    this.destination = host;
    this.tables.setPort(leaf.node, host, port);
    this.setHops(leaf.node, 1);
    this.goUp(leaf, -1, true, 1);
  }

  private toDummy(leaf: FtreeSwitch): void {
    this.destination = this.fabric.nodeCount;
    this.setHops(leaf.node, 1);
    this.goUp(leaf, -1, true, 1);
    for (const { node } of this.topology.table) this.setHops(node, unknown);
    this.dummyPort.fill(-1);
  }

  private setHops(node: number, hops: number): void {
    this.hops[this.tables.rowOf[node]! * this.columns + this.destination] = hops;
  }

  private hopsOf(node: number): number {
    return this.hops[this.tables.rowOf[node]! * this.columns + this.destination]!;
  }

  private isRouted(node: number): boolean {
    if (this.destination === this.fabric.nodeCount) return this.dummyPort[node] !== -1;
    return this.tables.port(node, this.destination) !== -1;
  }

  /** The neighbour at the far end of a port sends to the destination through it. */
  private lay(remote: number, port: number, hops: number): void {
    const remotePort = this.fabric.portPeer[port]!;
    if (this.destination === this.fabric.nodeCount) this.dummyPort[remote] = remotePort;
    else this.tables.setPort(remote, this.destination, remotePort);
    this.setHops(remote, hops);
  }

  /**
   * Lets everything below a switch reach the destination through it.
   * @returns whether there is a leaf with hosts below
   */
  private goDown(own: FtreeSwitch, from: number, hops: number): boolean {
    const { down } = own;
    if (own.changed) {
      sortGroups(down, true);
      own.changed = false;
    }
    let result = false;
    for (let i = 0; i < down.length; i++) {
      const group = down[i]!;
      if (group.remoteIsHost) {
        result = true;
        continue;
      }
      if (group.remote === from) continue;
      const known = this.hopsOf(group.remote);
      if (known !== unknown && hops + 1 >= known) continue;
      const at = smallest(group.portUp);
      this.lay(group.remote, group.ports[at]!, hops + 1);
      if (this.goDown(this.topology.switches[group.remote]!, -1, hops + 1)) {
        group.portUp[at]!++;
        group.up++;
        own.changed = true;
        result = true;
      }
    }
    return result;
  }

  private goUp(own: FtreeSwitch, from: number, main: boolean, hops: number): void {
    this.goDown(own, from, hops);
    const { up } = own;
    if (own.rank === 0 || up.length === 0) return;
    sortGroups(up, false);
    // fixed here: deeper calls do not come back to this switch's own list, but the order below must be this one
    const groups = up.slice();
    let first = 0;
    if (main) {
      first = 1;
      const group = groups[0]!;
      const at = smallest(group.portDown);
      group.down++;
      group.portDown[at]!++;
      if (!this.isRouted(group.remote) || hops + 1 < this.hopsOf(group.remote))
        this.lay(group.remote, group.ports[at]!, hops + 1);
      this.goUp(this.topology.switches[group.remote]!, own.node, true, hops + 1);
    }
    for (let i = first; i < groups.length; i++) {
      const group = groups[i]!;
      if (this.isRouted(group.remote) && hops + 1 >= this.hopsOf(group.remote)) continue;
      this.lay(group.remote, group.ports[smallest(group.portDown)]!, hops + 1);
      this.goUp(this.topology.switches[group.remote]!, own.node, false, hops + 1);
    }
  }
}

/** End ports below a leaf. */
function hostPorts(leaf: FtreeSwitch): number {
  return leaf.down.reduce((count, group) => count + (group.remoteIsHost ? group.ports.length : 0), 0);
}

/** Place of the first smallest number. */
function smallest(counts: readonly number[]): number {
  let at = 0;
  for (let i = 1; i < counts.length; i++) if (counts[i]! < counts[at]!) at = i;
  return at;
}

/** By counter, then by the neighbours' tuples; the list is nearly sorted already. */
function sortGroups(groups: PortGroup[], byUp: boolean): void {
  for (let i = 1; i < groups.length; i++) {
    const group = groups[i]!;
    const count = byUp ? group.up : group.down;
    let j = i - 1;
    for (; j >= 0; j--) {
      const other = groups[j]!;
      const difference = (byUp ? other.up : other.down) - count;
      if (difference < 0 || (difference === 0 && other.order < group.order)) break;
      groups[j + 1] = other;
    }
    groups[j + 1] = group;
  }
}
