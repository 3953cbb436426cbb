// Cuts through the spines of irregular trees. What a leaf sends to other pods, or to another leaf of its pod, takes a
// link to a spine and one onward. So the lesser of the two sides, spine by spine, is a cut as well: less than all links
// of the leaf where cables behind the spines are missing or slow.
// Invariant: every up-down way of the flows of a cut crosses one of its links.

import { irregularity, type FatTree } from '../fabric/fat-tree.js';
import { leafPlaces, type LeafTraffic } from './leaf-traffic.js';
import { allFlows, MergedFlows } from './merged-flows.js';

/** Links by their worths (load per traffic), and what crosses them in parts that no routes split. */
interface SpineCut {
  readonly worths: readonly number[];
  readonly flows: number[];
}

/** Flows up to which they are worth their time: of more, each is a small part of a cut. */
const mostFlows = 1 << 20;

/** Leaves of a tree up to which pairs of them are looked at. */
const mostLeaves = 64;

/** Worths of links up from a switch, by the switch above. */
type UpLinks = ReadonlyMap<number, readonly number[]>;

/** Cuts with lesser sides on both levels. Linear in flows, and in pairs of leaves times spines. */
export function spineCuts(traffic: LeafTraffic, worth: Float64Array): readonly SpineCut[] {
  const { tree, offset, leaf, weight, lidOffset } = traffic;
  if (!tree.isTree || weight.length > mostFlows || irregularity(tree) === null) return [];
  const leaves = tree.switches[0]!;
  const place = leafPlaces(tree);
  const up = Array.from(leaves, (node) => upLinks(tree, worth, node));
  const onward = new Map(Array.from(tree.switches[1]!, (node) => [node, upLinks(tree, worth, node)]));
  const ofLeaf = (links: UpLinks): SpineCut | null =>
    lesserSides(links, (spine) => [...onward.get(spine)!.values()].flat());
  const [out, into] = [up.map(ofLeaf), up.map(ofLeaf)];
  /** all that goes to others or comes from them, in the pod as well */
  const ofAll = (node: number): SpineCut | null =>
    lesserSides(up[node]!, (spine) => [
      ...[...onward.get(spine)!.values()].flat(),
      ...up.flatMap((links, other) => (other === node ? [] : (links.get(spine) ?? []))),
    ]);
  const isSmall = leaves.length <= mostLeaves;
  const [outAll, intoAll] = isSmall ? [up.map((_, node) => ofAll(node)), up.map((_, node) => ofAll(node))] : [[], []];
  const pods = Array.from({ length: tree.podCount }, (_, pod) => {
    const all = new Map<number, readonly number[]>();
    up.forEach((links, node) => {
      if (tree.podOf[leaves[node]!] !== pod) return;
      for (const [spine, own] of links) all.set(spine, [...(all.get(spine) ?? []), ...own]);
    });
    return all;
  });
  const [podOut, podInto] = [pods.map(ofLeaf), pods.map(ofLeaf)];
  /** from leaf x leaves + to leaf */
  const pairs = !isSmall ? [] : up.flatMap((from) => up.map((to) => lesserSides(from, (spine) => to.get(spine) ?? [])));
  /** spines of each pod that lead to cores, and these: what a single one passes on goes on together */
  const spinesOf = Array.from({ length: tree.podCount }, () => new Set<number>());
  const coresOf = Array.from({ length: tree.podCount }, () => new Set<number>());
  for (const [spine, links] of onward)
    for (const core of links.keys()) {
      spinesOf[tree.podOf[spine]!]!.add(spine);
      coresOf[tree.podOf[spine]!]!.add(core);
    }
  const merged = new MergedFlows(lidOffset);
  for (let rank = 0; rank + 1 < offset.length; rank++) {
    const to = place[rank]!;
    const toPod = tree.podOf[leaves[to]!]!;
    for (let flow = offset[rank]!; flow < offset[rank + 1]!; flow++) {
      const from = leaf[flow]!;
      const own = weight[flow]!;
      outAll[from]?.flows.push(own);
      intoAll[to]?.flows.push(own);
      if (tree.podOf[leaves[from]!] === toPod) {
        pairs[from * leaves.length + to]?.flows.push(own);
        continue;
      }
      out[from]?.flows.push(own);
      const fromPod = tree.podOf[leaves[from]!]!;
      podOut[fromPod]?.flows.push(own);
      const group = coresOf[toPod]!.size === 1 ? allFlows : spinesOf[fromPod]!.size === 1 ? fromPod : null;
      for (const cut of [into[to], podInto[toPod]])
        if (cut !== null && cut !== undefined) merged.add(cut.flows, flow, own, group);
    }
    merged.push();
  }
  return [...pairs, ...out, ...into, ...outAll, ...intoAll, ...podOut, ...podInto].filter(
    (cut) => cut !== null && cut.flows.length > 0,
  ) as SpineCut[];
}

function upLinks({ fabric, nodeLevel }: FatTree, worth: Float64Array, node: number): UpLinks {
  const found = new Map<number, number[]>();
  for (let port = fabric.portOffset[node]!; port < fabric.portOffset[node + 1]!; port++) {
    const peer = fabric.portNeighbour[port]!;
    if (nodeLevel[peer]! > nodeLevel[node]!) found.set(peer, [...(found.get(peer) ?? []), worth[port]!]);
  }
  return found;
}

/** The lesser side of each spine; null if that is all links of the first. */
function lesserSides(first: UpLinks, behind: (spine: number) => readonly number[]): SpineCut | null {
  const worths: number[] = [];
  let isOther = false;
  for (const [spine, before] of first) {
    const after = behind(spine);
    const isLess = capacity(after) < capacity(before);
    isOther ||= isLess;
    worths.push(...(isLess ? after : before));
  }
  return isOther ? { worths, flows: [] } : null;
}

function capacity(worths: readonly number[]): number {
  return worths.reduce((sum, own) => sum + 1 / own, 0);
}
