// Tables of fabrics whose hosts have several LIDs (LMC above 0): one set of tables for each LID offset, 0 to 2^LMC - 1.
// A packet to the base LID of a host plus k goes by the tables of offset k.
// Invariants: all tables are of one fabric; a fabric with one LID per host has one set. Columns of end ports with one
// LID (switches, mostly) mean something at offset 0 alone.

import type { Fabric } from '../fabric/fabric.js';
import { lidCount, type FabricIdentity } from '../fabric/identity.js';
import { ecmpHash } from './ecmp-hash.js';
import { changesBySwitch, ForwardingTables, type SwitchChanges } from './forwarding-tables.js';

/** Tables by LID offset: 1, 2, 4 or 8 sets. */
export type TablesByOffset = readonly ForwardingTables[];

/**
 * How runs choose among the LIDs of a destination. round-robin: queue pairs of a pair of hosts take them in turn, as MPI
 * libraries stripe messages over the paths of an LMC (Open MPI's openib, btl_openib_max_lmc: a module for each LID, in
 * turn). hash: one for each pair of hosts. first: the base LID.
 */
export const lidRules = ['round-robin', 'hash', 'first'] as const;
export type LidRule = (typeof lidRules)[number];

/** Seed of the hash that chooses a LID for a pair of hosts. */
const pairSeed = 0x1d5;

/** The LID offset that a hash chooses for a pair of hosts, by their ranks. */
export function lidOfPair(source: number, destination: number, lids: number): number {
  return ecmpHash(source, destination, 0, pairSeed) % lids;
}

/** The switches whose tables differ, ascending, with entries of all LID offsets. */
export function changesByOffset(identity: FabricIdentity, from: TablesByOffset, to: TablesByOffset): SwitchChanges[] {
  const { fabric } = from[0]!;
  const changed = new Map(changesBySwitch(from[0]!, to[0]!).map(({ node, entries }) => [node, entries]));
  for (let offset = 1; offset < Math.max(from.length, to.length); offset++)
    for (const node of from[0]!.switches)
      for (let destination = 0; destination < fabric.nodeCount; destination++)
        if (
          lidCount(identity, destination) > offset &&
          from[offset]?.entry(node, destination) !== to[offset]?.entry(node, destination)
        )
          changed.set(node, (changed.get(node) ?? 0) + 1);
  return [...changed].sort(([a], [b]) => a - b).map(([node, entries]) => ({ node, entries }));
}

/**
 * Number of entries in which two sets differ: what an operator would change. An offset that one has not counts whole.
 */
export function changedByOffset(identity: FabricIdentity, from: TablesByOffset, to: TablesByOffset): number {
  return changesByOffset(identity, from, to).reduce((sum, { entries }) => sum + entries, 0);
}

/**
 * How many different ways a host has to another one by the offsets of its LID, on average over all pairs of a switch
 * with hosts and a host elsewhere. Linear in these pairs times their switches times the offsets.
 * @param sources switches with hosts
 * @returns 1 if all offsets take the same ways, at most their number; 1 without such pairs
 */
export function differentWays(fabric: Fabric, tables: TablesByOffset, sources: Int32Array): number {
  if (tables.length === 1) return 1;
  const { portOffset, hosts, portNeighbour } = fabric;
  let pairs = 0;
  let ways = 0;
  // whether offsets a and b take the same ports, link by link
  const same = (a: ForwardingTables, b: ForwardingTables, from: number, destination: number): boolean => {
    let node = from;
    for (let steps = 0; steps <= a.switches.length; steps++) {
      const port = a.port(node, destination);
      if (port !== b.port(node, destination)) return false;
      if (port === -1) return true;
      node = portNeighbour[port]!;
      if (a.rowOf[node] === -1) return true;
    }
    return true;
  };
  for (const host of hosts) {
    const own = portNeighbour[portOffset[host]!]!;
    for (const from of sources) {
      if (from === own) continue;
      pairs++;
      for (let offset = 0; offset < tables.length; offset++) {
        let isNew = true;
        for (let other = 0; other < offset && isNew; other++)
          isNew = !same(tables[offset]!, tables[other]!, from, host);
        if (isNew) ways++;
      }
    }
  }
  return pairs === 0 ? 1 : ways / pairs;
}

/**
 * Tables of all LID offsets as those of a fabric with a host for every LID (fabric/lid-hosts.ts).
 * @param joined that fabric
 */
export function joinedOffsets(joined: Fabric, offsets: TablesByOffset): ForwardingTables {
  const { fabric, entries: first, columns } = offsets[0]!;
  const made = new ForwardingTables(joined);
  made.switches.forEach((_, row) =>
    made.entries.set(first.subarray(row * columns, row * columns + columns), row * made.columns),
  );
  offsets.forEach((tables, offset) => copyHosts(tables, made, fabric.hosts, hostsOfOffset(joined, fabric, offset)));
  return made;
}

/** The tables of every LID offset, from those of a fabric with a host for every LID. @param fabric with its hosts */
export function splitByOffset(fabric: Fabric, joined: ForwardingTables): TablesByOffset {
  return Array.from({ length: joined.fabric.hosts.length / fabric.hosts.length }, (_, offset) => {
    const made = new ForwardingTables(fabric);
    const { columns } = made;
    // the columns of switches mean something at offset 0 alone, and stand in all
    made.switches.forEach((_node, row) => {
      const from = row * joined.columns;
      made.entries.set(joined.entries.subarray(from, from + columns), row * columns);
    });
    copyHosts(joined, made, hostsOfOffset(joined.fabric, fabric, offset), fabric.hosts);
    return made;
  });
}

function hostsOfOffset(joined: Fabric, { hosts: { length } }: Fabric, offset: number): Int32Array {
  return joined.hosts.subarray(offset * length, (offset + 1) * length);
}

/** Copies the columns of hosts to those of others, each on the same switch, which sends to it by its own link. */
function copyHosts(from: ForwardingTables, to: ForwardingTables, hosts: Int32Array, others: Int32Array): void {
  hosts.forEach((host, rank) => {
    const other = others[rank]!;
    for (let row = 0; row < from.switches.length; row++)
      to.entries[row * to.columns + other] = from.entries[row * from.columns + host]!;
    const link = to.fabric.portPeer[to.fabric.portOffset[other]!]!;
    const node = to.fabric.portNode[link]!;
    if (from.port(node, host) === from.fabric.portPeer[from.fabric.portOffset[host]!]) to.setPort(node, other, link);
  });
}
