// Other places for the ranks of a job: is there a mapping onto the nodes that it has under which less has to cross the
// switches?
//   A mapping is judged by the time that the busiest link would need for all bytes of the job, were they spread over all
//   shortest ways: of the links of hosts, and of those between switches.
//   Proposals: ranks in order over nodes in the order of their leaves; the same begun at another node (shifted); and
//   parts of the graph of who sends to whom, grown leaf by leaf and node by node from the heaviest edges and improved by
//   exchanging ranks (graph partitioning; Taffet's dissertation 2.4.1 and 2.4.2, docs/SOURCES.md).
// Invariant: every node has at most as many ranks as before; proposals come in the same order every time.

import { addTo } from '../base/lists-by-key.js';
import type { Fabric } from '../fabric/fabric.js';
import { isOfHost } from '../fabric/link-tiers.js';
import { rateOf } from '../measurement/usual-rates.js';
import { networkPort, SpreadWays } from './spread-ways.js';

/** Bytes from one rank to another. */
export interface RankTraffic {
  readonly from: Int32Array;
  readonly to: Int32Array;
  readonly bytes: Float64Array;
}

/** Time that the busiest link needs, in picoseconds. */
export interface MappingCost {
  readonly hostsPs: number;
  readonly switchesPs: number;
}

export interface MappingProposal extends MappingCost {
  readonly name: 'linear' | 'shifted' | 'graph partition';
  /** by rank: node */
  readonly nodes: Int32Array;
}

/** Shifts that are tried at most, and exchanges of ranks that are looked at. */
const mostShifts = 64;
const mostExchanges = 400_000;

/**
 * The cost of a job's mapping, and the best of the proposals.
 * @param nodes by rank @param background bytes of others by output port, beside which links the job's own count; null: none
 */
export function proposeMapping(
  fabric: Fabric,
  traffic: RankTraffic,
  nodes: Int32Array,
  background: Float64Array | null = null,
): { readonly now: MappingCost; readonly best: MappingProposal } {
  const judge = new MappingJudge(fabric, traffic, background);
  const now = judge.cost(nodes);
  const places = placesOf(fabric, nodes);
  const proposals: MappingProposal[] = [];
  const propose = (name: MappingProposal['name'], proposed: Int32Array): void => {
    proposals.push({ name, nodes: proposed, ...judge.cost(proposed) });
  };
  propose('linear', inOrder(places, 0));
  for (let shift = 1; shift < Math.min(places.length, mostShifts); shift++) propose('shifted', inOrder(places, shift));
  propose('graph partition', partitioned(fabric, traffic, places, nodes.length, judge));
  const worst = ({ hostsPs, switchesPs }: MappingCost): number => Math.max(hostsPs, switchesPs);
  const best = proposals.reduce((a, b) =>
    worst(b) < worst(a) * (1 - 1e-9) || (worst(b) <= worst(a) && b.switchesPs < a.switchesPs * (1 - 1e-9)) ? b : a,
  );
  return { now, best };
}

class MappingJudge {
  readonly ways: SpreadWays;

  constructor(
    private readonly fabric: Fabric,
    private readonly traffic: RankTraffic,
    private readonly background: Float64Array | null,
  ) {
    this.ways = new SpreadWays(fabric);
  }

  cost(nodes: Int32Array): MappingCost {
    const { fabric, traffic } = this;
    const { portNeighbour, portPeer } = fabric;
    const between = new Map<number, number>();
    const bytes = new Float64Array(fabric.portCount);
    for (let i = 0; i < traffic.from.length; i++) {
      const [source, destination] = [nodes[traffic.from[i]!]!, nodes[traffic.to[i]!]!];
      if (source === destination) continue;
      const [up, down] = [networkPort(fabric, source), networkPort(fabric, destination)];
      bytes[up]! += traffic.bytes[i]!;
      bytes[portPeer[down]!]! += traffic.bytes[i]!;
      const key = portNeighbour[up]! * fabric.nodeCount + portNeighbour[down]!;
      between.set(key, (between.get(key) ?? 0) + traffic.bytes[i]!);
    }
    for (const [key, sum] of between) {
      const way = this.ways.between(Math.floor(key / fabric.nodeCount), key % fabric.nodeCount);
      way.ports.forEach((port, i) => (bytes[port]! += sum * way.shares[i]!));
    }
    let [hostsPs, switchesPs] = [0, 0];
    bytes.forEach((own, port) => {
      // links that the job does not cross are others' own affair
      if (own === 0) return;
      const sum = own + (this.background?.[port] ?? 0);
      const ps = (8e12 * sum) / rateOf(fabric, port);
      if (isOfHost(fabric, port)) hostsPs = Math.max(hostsPs, ps);
      else switchesPs = Math.max(switchesPs, ps);
    });
    return { hostsPs, switchesPs };
  }
}

/** A node of the job, and how many ranks it has room for. */
interface Place {
  readonly node: number;
  readonly leaf: number;
  readonly ranks: number;
}

function leafOf(fabric: Fabric, node: number): number {
  return fabric.portNeighbour[networkPort(fabric, node)]!;
}

/** In the order of leaves, then of nodes. */
function placesOf(fabric: Fabric, nodes: Int32Array): Place[] {
  const counts = new Map<number, number>();
  for (const node of nodes) counts.set(node, (counts.get(node) ?? 0) + 1);
  const places = [...counts].map(([node, ranks]) => ({ node, ranks, leaf: leafOf(fabric, node) }));
  return places.sort((a, b) => a.leaf - b.leaf || a.node - b.node);
}

function inOrder(places: readonly Place[], shift: number): Int32Array {
  const nodes: number[] = [];
  for (let i = 0; i < places.length; i++) {
    const { node, ranks } = places[(i + shift) % places.length]!;
    for (let k = 0; k < ranks; k++) nodes.push(node);
  }
  return Int32Array.from(nodes);
}

type Neighbours = readonly (readonly { readonly rank: number; readonly bytes: number }[])[];

function neighboursOf({ from, to, bytes }: RankTraffic, ranks: number): Neighbours {
  const sums = new Map<number, number>();
  for (let i = 0; i < from.length; i++)
    for (const [a, b] of [
      [from[i]!, to[i]!],
      [to[i]!, from[i]!],
    ] as const)
      if (a !== b) sums.set(a * ranks + b, (sums.get(a * ranks + b) ?? 0) + bytes[i]!);
  const lists = new Map<number, { rank: number; bytes: number }[]>();
  for (const [key, sum] of sums) addTo(lists, Math.floor(key / ranks), { rank: key % ranks, bytes: sum });
  return Array.from({ length: ranks }, (_, rank) => lists.get(rank) ?? []);
}

/** Parts grown from the heaviest edges: leaf by leaf, and within a leaf node by node; then improved. */
function partitioned(
  fabric: Fabric,
  traffic: RankTraffic,
  places: readonly Place[],
  ranks: number,
  judge: MappingJudge,
): Int32Array {
  const neighbours = neighboursOf(traffic, ranks);
  const nodes = new Int32Array(ranks).fill(-1);
  const left = new Set(Array.from({ length: ranks }, (_, rank) => rank));
  for (let first = 0; first < places.length;) {
    let end = first;
    while (end < places.length && places[end]!.leaf === places[first]!.leaf) end++;
    const room = places.slice(first, end).reduce((sum, { ranks: own }) => sum + own, 0);
    const ofLeaf = new Set(grown(left, neighbours, room));
    for (const rank of ofLeaf) left.delete(rank);
    for (const { node, ranks: own } of places.slice(first, end))
      for (const rank of grown(ofLeaf, neighbours, own)) {
        nodes[rank] = node;
        ofLeaf.delete(rank);
      }
    first = end;
  }
  exchange(fabric, neighbours, nodes, judge);
  return nodes;
}

/** Some of a set of ranks that send much to each other. */
function grown(from: ReadonlySet<number>, neighbours: Neighbours, count: number): number[] {
  const part: number[] = [];
  const pull = new Map<number, number>();
  const taken = new Set<number>();
  while (part.length < count) {
    let [next, most] = [-1, -1];
    for (const [rank, bytes] of pull) if (bytes > most || (bytes === most && rank < next)) [next, most] = [rank, bytes];
    // a new beginning: who has least to do with those that are left
    if (next === -1) {
      let fewest = Infinity;
      for (const rank of from) {
        if (taken.has(rank)) continue;
        const own = neighbours[rank]!.reduce(
          (sum, one) => sum + (from.has(one.rank) && !taken.has(one.rank) ? one.bytes : 0),
          0,
        );
        if (own < fewest) [next, fewest] = [rank, own];
      }
      if (next === -1) break;
    }
    pull.delete(next);
    taken.add(next);
    part.push(next);
    for (const { rank, bytes } of neighbours[next]!)
      if (from.has(rank) && !taken.has(rank)) pull.set(rank, (pull.get(rank) ?? 0) + bytes);
  }
  return part;
}

/** Exchanges ranks while that brings bytes nearer: their sum over links between switches falls. */
function exchange(fabric: Fabric, neighbours: Neighbours, nodes: Int32Array, judge: MappingJudge): void {
  const far = (a: number, b: number): number =>
    a === b ? 0 : 2 + judge.ways.distance(leafOf(fabric, a), leafOf(fabric, b));
  const cost = (rank: number, node: number, other: number): number =>
    neighbours[rank]!.reduce(
      (sum, { rank: peer, bytes }) => (peer === other ? sum : sum + bytes * far(node, nodes[peer]!)),
      0,
    );
  let looked = 0;
  for (let improved = true; improved && looked < mostExchanges;) {
    improved = false;
    for (let a = 0; a < nodes.length; a++)
      for (let b = a + 1; b < nodes.length && looked < mostExchanges; b++) {
        const [here, there] = [nodes[a]!, nodes[b]!];
        if (here === there) continue;
        looked++;
        const before = cost(a, here, b) + cost(b, there, a);
        const after = cost(a, there, b) + cost(b, here, a);
        if (after >= before * (1 - 1e-12)) continue;
        nodes[a] = there;
        nodes[b] = here;
        improved = true;
      }
  }
}
