// Recognises a fat tree of one to three levels of switches in any fabric: levels, pods and core groups, and whether it
// is whole.
// Invariants: hosts hang on leaf switches (level 0) alone; every link between switches joins neighbouring levels.
// Missing hosts, missing links and parallel links are no obstacle. A pod is what hangs together without the top level;
// a core group is what hangs together of the top two levels. Source: Taffet's dissertation (docs/SOURCES.md), section
// 3.3.1.
// Not modelled: trees of four or more levels, hosts with ports on several switches (their ports are hosts of their
// own).

import { NodeKind, type Fabric } from './fabric.js';

export interface FatTree {
  readonly fabric: Fabric;
  /** false for a fabric that is none, all of whose switches stand on one level: {@link oneLevel} */
  readonly isTree: boolean;
  /** levels of switches: 1 (a single leaf), 2 or 3 */
  readonly levels: number;
  /** level of each node: -1 hosts, 0 leaves, 1 spines, 2 cores */
  readonly nodeLevel: Int8Array;
  /** the switches of each level, ascending */
  readonly switches: readonly Int32Array[];
  /** pod of each node, from 0; -1 for cores. A tree of two levels is one pod */
  readonly podOf: Int32Array;
  readonly podCount: number;
  /** core group of spines and cores of a three-level tree, from 0; -1 for all other nodes */
  readonly coreGroupOf: Int32Array;
  readonly coreGroupCount: number;
  /** leaf switch (node) of each host, by rank: the place in fabric.hosts */
  readonly hostLeaf: Int32Array;
  /** rank of each node among the hosts, -1 for switches */
  readonly hostRank: Int32Array;
}

/** Why a fabric is no fat tree, in words; nodes are left to the caller to name. */
export interface NotAFatTree {
  readonly reason: string;
  /** nodes that show it, at most a few */
  readonly nodes: readonly number[];
  readonly hint: string;
}

export type Recognition =
  | { readonly tree: FatTree; readonly problem: null }
  | { readonly tree: null; readonly problem: NotAFatTree };

/**
 * Recognises a fat tree.
 * @param roots the switches of the top level, if they are known; otherwise the levels are found from the hosts up
 */
export function recogniseFatTree(fabric: Fabric, roots: readonly number[] = []): Recognition {
  const found = findLevels(fabric, roots);
  if ('reason' in found) return { tree: null, problem: found };
  const problem = checkLinks(fabric, found);
  return problem === null ? { tree: describe(fabric, found), problem } : { tree: null, problem };
}

/** Distance of every switch from the given nodes over switches; -1 where there is no way. */
function switchDistances(fabric: Fabric, from: Iterable<number>): Int8Array {
  const distance = new Int8Array(fabric.nodeCount).fill(-1);
  let frontier = [...from];
  for (const node of frontier) distance[node] = 0;
  for (let steps = 1; frontier.length > 0 && steps < 127; steps++) {
    const next: number[] = [];
    for (const node of frontier) {
      for (const peer of neighbours(fabric, node)) {
        if (fabric.nodeKind[peer] === NodeKind.host || distance[peer] !== -1) continue;
        distance[peer] = steps;
        next.push(peer);
      }
    }
    frontier = next;
  }
  return distance;
}

function neighbours(fabric: Fabric, node: number): number[] {
  const peers: number[] = [];
  for (let port = fabric.portOffset[node]!; port < fabric.portOffset[node + 1]!; port++)
    peers.push(fabric.portNode[fabric.portPeer[port]!]!);
  return peers;
}

function findLevels(fabric: Fabric, roots: readonly number[]): Int8Array | NotAFatTree {
  const { hosts, nodeKind, nodeCount } = fabric;
  if (nodeKind.includes(NodeKind.nvswitch))
    return {
      reason: 'there are NVSwitches in it',
      nodes: [nodeKind.indexOf(NodeKind.nvswitch)],
      hint: 'routes are computed for fabrics of hosts and switches',
    };
  if (hosts.length === 0) return { reason: 'there is no host in it', nodes: [], hint: 'is the file complete?' };
  const leaves = new Set<number>();
  for (const host of hosts) {
    for (const peer of neighbours(fabric, host)) {
      if (nodeKind[peer] === NodeKind.host)
        return {
          reason: 'two hosts are linked to each other',
          nodes: [host, peer],
          hint: 'a host hangs on a leaf switch',
        };
      leaves.add(peer);
    }
  }
  const level = roots.length > 0 ? levelsBelow(fabric, roots, leaves) : switchDistances(fabric, leaves);
  const unreached: number[] = [];
  for (let node = 0; node < nodeCount; node++) {
    if (nodeKind[node] === NodeKind.host) level[node] = -1;
    else if (level[node] === -1) unreached.push(node);
  }
  if (unreached.length > 0)
    return {
      reason: `${unreached.length} switches have no way to the rest`,
      nodes: unreached.slice(0, 3),
      hint: 'remove them, or the fabric is cut in two',
    };
  if (roots.length === 0) lowerIdleSwitches(fabric, level);
  const levels = level.reduce((most, own) => Math.max(most, own), 0) + 1;
  if (levels > 3)
    return {
      reason: `its switches stand on ${levels} levels`,
      nodes: [level.indexOf(levels - 1)],
      hint:
        roots.length > 0
          ? 'are all roots in the list?'
          : 'trees have up to three; hosts on spine or core switches mislead, name the roots then',
    };
  return level;
}

/**
 * Levels from the roots down. In a tree of three levels a spine that lost all its links upwards is come to from below,
 * by way of a leaf, and so is a leaf that hangs on such spines alone: deeper than the leaves, they are spines and
 * leaves in turn.
 */
function levelsBelow(fabric: Fabric, roots: readonly number[], leaves: ReadonlySet<number>): Int8Array {
  const depth = switchDistances(fabric, roots);
  const bottom = [...leaves].reduce((least, leaf) => (depth[leaf] === -1 ? least : Math.min(least, depth[leaf]!)), 127);
  const deepest = bottom === 2 ? bottom : depth.reduce((most, own) => Math.max(most, own), 0);
  return depth.map((own) => (own === -1 ? -1 : own <= deepest ? deepest - own : (own - deepest) % 2));
}

/**
 * Leaves without hosts look like cores from below, spines without leaves like switches above the cores: puts them where
 * they belong.
 */
function lowerIdleSwitches(fabric: Fabric, level: Int8Array): void {
  const pod = components(fabric, (node) => level[node] === 0 || level[node] === 1);
  const podsBelow = (node: number): number =>
    new Set(
      neighbours(fabric, node)
        .filter((peer) => level[peer] === 1)
        .map((peer) => pod.of[peer]),
    ).size;
  const idleLeaves: number[] = [];
  const idleSpines: number[] = [];
  for (let node = 0; node < fabric.nodeCount; node++) {
    const peers = level[node]! >= 2 ? neighbours(fabric, node) : [];
    if (level[node] === 2 && podsBelow(node) === 1 && !peers.some((peer) => level[peer] === 3)) idleLeaves.push(node);
    else if (level[node] === 3 && peers.every((peer) => level[peer] === 2 && podsBelow(peer) > 1))
      idleSpines.push(node);
  }
  for (const node of idleLeaves) level[node] = 0;
  for (const node of idleSpines) level[node] = 1;
}

/** Components of the switches that `belongs` chooses: the number of each node, -1 for all others. */
export function components(fabric: Fabric, belongs: (node: number) => boolean): { of: Int32Array; count: number } {
  const of = new Int32Array(fabric.nodeCount).fill(-1);
  let count = 0;
  for (let first = 0; first < fabric.nodeCount; first++) {
    if (fabric.nodeKind[first] === NodeKind.host || of[first] !== -1 || !belongs(first)) continue;
    const stack = [first];
    of[first] = count;
    while (stack.length > 0) {
      for (const peer of neighbours(fabric, stack.pop()!)) {
        if (fabric.nodeKind[peer] === NodeKind.host || of[peer] !== -1 || !belongs(peer)) continue;
        of[peer] = count;
        stack.push(peer);
      }
    }
    count++;
  }
  return { of, count };
}

function checkLinks(fabric: Fabric, level: Int8Array): NotAFatTree | null {
  for (let link = 0; link < fabric.linkCount; link++) {
    const a = fabric.portNode[fabric.linkPorts[2 * link]!]!;
    const b = fabric.portNode[fabric.linkPorts[2 * link + 1]!]!;
    const [low, high] = level[a]! <= level[b]! ? [a, b] : [b, a];
    if (level[low] === -1 && level[high]! > 0)
      return {
        reason: `a host hangs on a switch of level ${level[high]! + 1}`,
        nodes: [low, high],
        hint: 'hosts on spine or core switches are not supported',
      };
    if (level[low]! >= 0 && level[high]! - level[low]! !== 1) {
      const where =
        level[low] === level[high]
          ? `two switches of level ${level[low]! + 1} are linked to each other`
          : `a link passes over a level`;
      return {
        reason: where,
        nodes: [low, high],
        hint: 'links join neighbouring levels, and hosts hang on leaves alone; --roots FILE names the top level of a tree with holes',
      };
    }
  }
  for (const host of fabric.hosts) {
    const ports = fabric.portOffset[host + 1]! - fabric.portOffset[host]!;
    if (ports !== 1)
      return {
        reason: ports === 0 ? 'a host has no link' : `a host has ${ports} links`,
        nodes: [host],
        hint: 'every host has one link; a port of an adapter is a host of its own',
      };
  }
  return null;
}

/**
 * Any fabric as a "tree" of one level, on which switches are linked to each other and all may have hosts: what loads,
 * reach and traffic need to know of it. Null if hosts are not each on a switch, with one link.
 */
export function oneLevel(fabric: Fabric): FatTree | null {
  const { hosts, nodeKind, portOffset } = fabric;
  if (hosts.length === 0 || nodeKind.includes(NodeKind.nvswitch)) return null;
  for (const host of hosts) {
    if (portOffset[host + 1]! - portOffset[host]! !== 1) return null;
    if (nodeKind[neighbours(fabric, host)[0]!] === NodeKind.host) return null;
  }
  return {
    ...describe(
      fabric,
      Int8Array.from(nodeKind, (kind) => (kind === NodeKind.host ? -1 : 0)),
    ),
    isTree: false,
  };
}

function describe(fabric: Fabric, nodeLevel: Int8Array): FatTree {
  const levels = nodeLevel.reduce((most, own) => Math.max(most, own), 0) + 1;
  const all = Array.from(nodeLevel, (_, node) => node);
  const switches = Array.from({ length: levels }, (_, level) =>
    Int32Array.from(all.filter((node) => nodeLevel[node] === level)),
  );
  const pods = components(fabric, (node) => levels < 3 || nodeLevel[node]! < 2);
  const groups = components(fabric, (node) => levels === 3 && nodeLevel[node]! >= 1);
  const hostRank = new Int32Array(fabric.nodeCount).fill(-1);
  const hostLeaf = Int32Array.from(fabric.hosts, (host, rank) => {
    hostRank[host] = rank;
    return fabric.portNode[fabric.portPeer[fabric.portOffset[host]!]!]!;
  });
  fabric.hosts.forEach((host, rank) => {
    pods.of[host] = pods.of[hostLeaf[rank]!]!;
  });
  return {
    fabric,
    isTree: true,
    levels,
    nodeLevel,
    switches,
    podOf: pods.of,
    podCount: pods.count,
    coreGroupOf: groups.of,
    coreGroupCount: groups.count,
    hostLeaf,
    hostRank,
  };
}

/**
 * Links that minimal up-down paths between two hosts take: 2 on one leaf, 4 in one pod, 6 otherwise (0 from a host to
 * itself).
 */
export function hopCount(tree: FatTree, fromRank: number, toRank: number): number {
  if (fromRank === toRank) return 0;
  const from = tree.hostLeaf[fromRank]!;
  const to = tree.hostLeaf[toRank]!;
  return from === to ? 2 : tree.podOf[from] === tree.podOf[to] ? 4 : 6;
}

/**
 * Whether the tree is whole, so that spreading traffic evenly is possible and best: within a pod every leaf has equally
 * many links to every spine; every spine has equally many to every core of its group, in every group and pod; all links
 * between two levels have one rate. @returns what disturbs it, or null
 */
export function irregularity(tree: FatTree): string | null {
  if (!tree.isTree) return 'the fabric is no tree';
  const { fabric, nodeLevel, podOf, switches } = tree;
  const rates = new Map<number, number>();
  const spineLinks = new Map<string, number>();
  const perPair = new Map<number, number>();
  for (let link = 0; link < fabric.linkCount; link++) {
    const a = fabric.portNode[fabric.linkPorts[2 * link]!]!;
    const b = fabric.portNode[fabric.linkPorts[2 * link + 1]!]!;
    const [low, high] = nodeLevel[a]! < nodeLevel[b]! ? [a, b] : [b, a];
    const level = nodeLevel[high]!;
    if (level === 0) continue;
    if ((rates.get(level) ?? fabric.linkRateBps[link]) !== fabric.linkRateBps[link])
      return `links between levels ${level} and ${level + 1} have different rates`;
    rates.set(level, fabric.linkRateBps[link]!);
    const pair = low * fabric.nodeCount + high;
    perPair.set(pair, (perPair.get(pair) ?? 0) + 1);
    if (level === 2) {
      const key = `${high} ${podOf[low]}`;
      spineLinks.set(key, (spineLinks.get(key) ?? 0) + 1);
    }
  }
  const leafSpine = wholePairs(tree, perPair, 0, (leaf, spine) => podOf[leaf] === podOf[spine]);
  if (leafSpine !== null || tree.levels < 3) return leafSpine;
  const spineCore = wholePairs(tree, perPair, 1, (spine, core) => tree.coreGroupOf[spine] === tree.coreGroupOf[core]);
  if (spineCore !== null) return spineCore;
  const firstCore = switches[2]![0]!;
  for (const core of switches[2]!) {
    for (let pod = 0; pod < tree.podCount; pod++) {
      if ((spineLinks.get(`${core} ${pod}`) ?? 0) !== (spineLinks.get(`${firstCore} ${pod}`) ?? 0))
        return `cores have different numbers of links to pod ${pod}`;
    }
  }
  return spineUplinksDiffer(tree);
}

function wholePairs(
  tree: FatTree,
  perPair: ReadonlyMap<number, number>,
  level: number,
  together: (low: number, high: number) => boolean,
): string | null {
  if (tree.levels <= level + 1) return null;
  const expected = new Map<number, number>();
  for (const low of tree.switches[level]!) {
    for (const high of tree.switches[level + 1]!) {
      if (!together(low, high)) continue;
      const count = perPair.get(low * tree.fabric.nodeCount + high) ?? 0;
      const pod = level === 0 ? tree.podOf[low]! : 0;
      if (count === 0 || count !== (expected.get(pod) ?? count))
        return `not every ${level === 0 ? 'leaf has the same links to every spine of its pod' : 'spine has the same links to every core of its group'}`;
      expected.set(pod, count);
    }
  }
  return null;
}

function spineUplinksDiffer(tree: FatTree): string | null {
  const { fabric, nodeLevel } = tree;
  const uplinks = new Map<number, number>();
  for (const spine of tree.switches[1]!) {
    const up = neighbours(fabric, spine).filter((peer) => nodeLevel[peer] === 2).length;
    const pod = tree.podOf[spine]!;
    if ((uplinks.get(pod) ?? up) !== up) return `spines of pod ${pod} have different numbers of links to cores`;
    uplinks.set(pod, up);
  }
  return null;
}
