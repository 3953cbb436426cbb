// The groups of ports of all switches in one direction, up or down, in columns, with how often ftree laid routes over
// them. Routing looks at every group for every destination: columns keep that within the cache.
// Invariant: the groups of a switch stand together, in the order that OpenSM would look at them in after `sort`.

import type { Fabric } from '../fabric/fabric.js';
import type { FtreeSwitch, PortGroup } from './ftree-topology.js';

export class FtreeGroups {
  /** places of the groups of each node, nodeCount + 1 offsets */
  readonly offset: Int32Array;
  /** neighbour, by place; -1 for hosts */
  readonly remote: Int32Array;
  /** group, by place */
  private readonly group: Int32Array;
  /** by group: place of the neighbour's tuple, routes laid over it, and its ports, groups + 1 offsets */
  private readonly order: Int32Array;
  private readonly uses: Int32Array;
  private readonly portOffset: Int32Array;
  /** by port of a group: entry of the neighbour that leads back over it, and routes laid over it */
  readonly peerEntry: Uint8Array;
  private readonly portUses: Int32Array;

  /** @param groupsOf the groups of a switch in the direction */
  constructor(fabric: Fabric, switches: readonly FtreeSwitch[], groupsOf: (own: FtreeSwitch) => readonly PortGroup[]) {
    const { nodeCount, portPeer, portOffset, portNeighbour } = fabric;
    this.offset = new Int32Array(nodeCount + 1);
    const ordered = [...switches].sort((a, b) => a.node - b.node);
    for (const own of ordered) this.offset[own.node + 1] = groupsOf(own).length;
    for (let node = 0; node < nodeCount; node++) this.offset[node + 1]! += this.offset[node]!;
    const groups = ordered.flatMap((own) => groupsOf(own));
    this.remote = Int32Array.from(groups, ({ remote, remoteIsHost }) => (remoteIsHost ? -1 : remote));
    this.group = Int32Array.from(groups, (_, group) => group);
    this.order = Int32Array.from(groups, ({ order }) => order);
    this.uses = new Int32Array(groups.length);
    this.portOffset = new Int32Array(groups.length + 1);
    groups.forEach(({ ports }, group) => {
      this.portOffset[group + 1] = this.portOffset[group]! + ports.length;
    });
    this.peerEntry = Uint8Array.from(
      groups.flatMap(({ ports }) => ports),
      (port) => portPeer[port]! - portOffset[portNeighbour[port]!]!,
    );
    this.portUses = new Int32Array(this.peerEntry.length);
  }

  /** The first of the ports at a place that the fewest routes use. */
  leastUsed(place: number): number {
    const { group, portOffset, portUses } = this;
    const own = group[place]!;
    let least = portOffset[own]!;
    for (let port = least + 1; port < portOffset[own + 1]!; port++)
      if (portUses[port]! < portUses[least]!) least = port;
    return least;
  }

  /** Counts a route over a port of the group at a place. */
  use(place: number, port: number): void {
    this.uses[this.group[place]!]!++;
    this.portUses[port]!++;
  }

  /** Sorts the groups of a node by use, then by the neighbours' tuples, equal ones as they stood: nearly sorted already. */
  sort(node: number): void {
    const { offset, remote, group, order, uses } = this;
    const first = offset[node]!;
    const end = offset[node + 1]!;
    for (let at = first + 1; at < end; at++) {
      const own = group[at]!;
      const ownRemote = remote[at]!;
      const ownUses = uses[own]!;
      const ownOrder = order[own]!;
      let to = at - 1;
      for (; to >= first; to--) {
        const other = group[to]!;
        const difference = uses[other]! - ownUses;
        if (difference < 0 || (difference === 0 && order[other]! <= ownOrder)) break;
        group[to + 1] = other;
        remote[to + 1] = remote[to]!;
      }
      group[to + 1] = own;
      remote[to + 1] = ownRemote;
    }
  }
}
