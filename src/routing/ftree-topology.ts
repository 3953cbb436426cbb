// What OpenSM's ftree makes of a fabric before it routes: ranks, groups of ports, tuples, and whether it accepts the
// tree.
// Source: the behaviour of opensm 3.3.23 (-R ftree), described from runs. Invariant: the order of switches and of
// groups is OpenSM's, for it decides every tie. Not modelled: links between switches of one rank (refused here), CN and
// IO GUID files, quasi-ftree indexing.

import { NodeKind, type Fabric } from '../fabric/fabric.js';
import { tableOrder, type FabricIdentity } from '../fabric/identity.js';

/** The ports of a switch to one neighbour. */
export interface PortGroup {
  readonly remote: number;
  readonly remoteIsHost: boolean;
  /** ports of the fabric, ascending */
  readonly ports: number[];
  /** place of the neighbour's tuple among all tuples; 0 for hosts, whose groups are never sorted */
  order: number;
}

export interface FtreeSwitch {
  readonly node: number;
  readonly rank: number;
  readonly up: PortGroup[];
  readonly down: PortGroup[];
}

export interface FtreeTopology {
  /** by node, null for hosts */
  readonly switches: readonly (FtreeSwitch | null)[];
  /** switches in OpenSM's table order */
  readonly table: readonly FtreeSwitch[];
  /** leaf switches in the order of their tuples, from the first with a host to the last */
  readonly leaves: readonly FtreeSwitch[];
}

/** Why ftree would not route the fabric (OpenSM then falls back to another algorithm). */
export interface FtreeRefusal {
  readonly refusal: string;
  readonly nodes: readonly number[];
}

/**
 * Ranks, groups and tuples.
 * @param roots switches of rank 0 as OpenSM's -a gives them; without them the ranks are found from the hosts and the
 * tree must be whole
 */
export function ftreeTopology(
  fabric: Fabric,
  identity: FabricIdentity,
  roots: readonly number[] = [],
): FtreeTopology | FtreeRefusal {
  const order = [...tableOrder(identity.nodeGuid)];
  const rank = roots.length > 0 ? ranksBelow(fabric, roots) : ranksFromHosts(fabric);
  const tableNodes = order.filter((node) => fabric.nodeKind[node] !== NodeKind.host && rank[node] !== -1);
  const firstHost = order.find(
    (node) => fabric.nodeKind[node] === NodeKind.host && fabric.portOffset[node + 1]! > fabric.portOffset[node]!,
  );
  if (firstHost === undefined) return { refusal: 'there is no linked host', nodes: [] };
  const leafRank =
    roots.length > 0
      ? rank[peerOf(fabric, fabric.portOffset[firstHost]!)]!
      : tableNodes.reduce((most, node) => Math.max(most, rank[node]!), 0);
  if (leafRank < 1 || leafRank > 7)
    return { refusal: `a tree needs 2 to 8 levels of switches, this has ${leafRank + 1}`, nodes: [] };
  const switches: (FtreeSwitch | null)[] = Array.from({ length: fabric.nodeCount }, () => null);
  for (const node of tableNodes) {
    const made = makeGroups(fabric, rank, node, leafRank);
    if ('refusal' in made) return made;
    switches[node] = made;
  }
  const table = tableNodes.map((node) => switches[node]!);
  const leaves = indexTuples(table, switches, leafRank);
  if (leaves.length < 2) return { refusal: 'a tree needs two leaf switches or more', nodes: [] };
  const refusal = roots.length > 0 ? null : checkWhole(table, leafRank);
  return refusal ?? { switches, table, leaves };
}

function peerOf(fabric: Fabric, port: number): number {
  return fabric.portNeighbour[port]!;
}

function ranksBelow(fabric: Fabric, sources: Iterable<number>): Int32Array {
  const rank = new Int32Array(fabric.nodeCount).fill(-1);
  const queue = [...sources];
  for (const node of queue) rank[node] = 0;
  for (let at = 0; at < queue.length; at++) {
    const node = queue[at]!;
    for (let port = fabric.portOffset[node]!; port < fabric.portOffset[node + 1]!; port++) {
      const peer = peerOf(fabric, port);
      if (fabric.nodeKind[peer] === NodeKind.host || rank[peer] !== -1) continue;
      rank[peer] = rank[node]! + 1;
      queue.push(peer);
    }
  }
  return rank;
}

/** Up from the hosts, then down again from those that are highest. */
function ranksFromHosts(fabric: Fabric): Int32Array {
  const edge = new Set<number>();
  for (const host of fabric.hosts) {
    for (let port = fabric.portOffset[host]!; port < fabric.portOffset[host + 1]!; port++) {
      const peer = peerOf(fabric, port);
      if (fabric.nodeKind[peer] !== NodeKind.host) edge.add(peer);
    }
  }
  const height = ranksBelow(fabric, edge);
  const highest = height.reduce((most, own) => Math.max(most, own), 0);
  const roots: number[] = [];
  height.forEach((own, node) => {
    if (own === highest && fabric.nodeKind[node] !== NodeKind.host) roots.push(node);
  });
  return ranksBelow(fabric, roots);
}

function makeGroups(fabric: Fabric, rank: Int32Array, node: number, leafRank: number): FtreeSwitch | FtreeRefusal {
  const made: FtreeSwitch = { node, rank: rank[node]!, up: [], down: [] };
  const groups = new Map<number, PortGroup>();
  for (let port = fabric.portOffset[node]!; port < fabric.portOffset[node + 1]!; port++) {
    const remote = peerOf(fabric, port);
    const remoteIsHost = fabric.nodeKind[remote] === NodeKind.host;
    if (remoteIsHost && made.rank !== leafRank)
      return { refusal: 'a host hangs on a switch that is no leaf', nodes: [remote, node] };
    if (!remoteIsHost && rank[remote] === made.rank)
      return { refusal: 'two switches of one rank are linked', nodes: [node, remote] };
    let group = groups.get(remote);
    if (group === undefined) {
      group = { remote, remoteIsHost, ports: [], order: 0 };
      groups.set(remote, group);
      (remoteIsHost || rank[remote]! > made.rank ? made.down : made.up).push(group);
    }
    group.ports.push(port);
  }
  return made;
}

/** Breadth first from the first leaf: tuples give every switch its place. @returns the leaves in that order */
function indexTuples(
  table: readonly FtreeSwitch[],
  switches: readonly (FtreeSwitch | null)[],
  leafRank: number,
): FtreeSwitch[] {
  // a switch that lost its links upwards may hang below one without hosts
  const hasHosts = (own: FtreeSwitch): boolean => own.down.some(({ remoteIsHost }) => remoteIsHost);
  const first = table.find((own) => own.rank === leafRank && hasHosts(own));
  if (first === undefined) return [];
  const tuples = new Map<number, number[]>();
  const taken = new Set<string>();
  const give = (node: number, tuple: number[]): void => {
    tuples.set(node, tuple);
    taken.add(tuple.join('.'));
  };
  give(first.node, [leafRank, ...Array.from({ length: leafRank }, () => 0)]);
  const queue = [first];
  const visit = (own: FtreeSwitch, groups: readonly PortGroup[], step: number, digit: number): void => {
    for (const { remote } of groups) {
      if (tuples.has(remote)) continue;
      const tuple = [...tuples.get(own.node)!];
      tuple[0]! += step;
      tuple[digit] = 0;
      while (taken.has(tuple.join('.'))) tuple[digit]!++;
      give(remote, tuple);
      queue.push(switches[remote]!);
    }
  };
  for (let at = 0; at < queue.length; at++) {
    const own = queue[at]!;
    if (own.rank < leafRank) visit(own, own.down, 1, own.rank + 1);
    if (own.rank > 0) visit(own, own.up, -1, own.rank);
  }
  const ordered = [...tuples.keys()].sort((a, b) => compareTuples(tuples.get(a)!, tuples.get(b)!));
  const place = new Map(ordered.map((node, i) => [node, i]));
  // switches below the leaves have no tuple: OpenSM fills theirs with 0xff, so they come last
  for (const own of table) {
    for (const group of [...own.up, ...own.down])
      group.order = group.remoteIsHost ? 0 : (place.get(group.remote) ?? ordered.length);
    own.up.sort((a, b) => a.order - b.order);
    if (own.rank < leafRank) own.down.sort((a, b) => a.order - b.order);
  }
  const leaves = ordered.map((node) => switches[node]!).filter((own) => own.rank === leafRank);
  const withHosts = leaves.map(hasHosts);
  return leaves.slice(withHosts.indexOf(true), withHosts.lastIndexOf(true) + 1);
}

function compareTuples(a: readonly number[], b: readonly number[]): number {
  for (let i = 0; i < a.length; i++) if (a[i] !== b[i]) return a[i]! - b[i]!;
  return 0;
}

/**
 * The tests of a tree without a list of roots: every switch has as many groups and parallel links as the first of its
 * rank.
 */
function checkWhole(table: readonly FtreeSwitch[], leafRank: number): FtreeRefusal | null {
  const reference = new Map<number, FtreeSwitch>();
  for (const own of table) {
    const first = reference.get(own.rank) ?? own;
    reference.set(own.rank, first);
    const links = first.up[0]?.ports.length;
    if (own.up.length !== first.up.length)
      return {
        refusal: 'switches of one rank have different numbers of neighbours above',
        nodes: [first.node, own.node],
      };
    if (own.rank !== leafRank && own.down.length !== first.down.length)
      return {
        refusal: 'switches of one rank have different numbers of neighbours below',
        nodes: [first.node, own.node],
      };
    if (own.up.some((group) => group.ports.length !== links))
      return { refusal: 'the numbers of parallel links upwards differ', nodes: [first.node, own.node] };
    if (own.rank !== leafRank && own.down[0]?.ports.length !== first.down[0]?.ports.length)
      return { refusal: 'the numbers of parallel links downwards differ', nodes: [first.node, own.node] };
  }
  return null;
}
