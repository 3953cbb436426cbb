// Small random fat trees with traffic, for an exact solver: whole ones, ones that lost links, with parallel cables, with
// cables of several rates, and so broken that pairs of leaves have no up-down way. Levels and links are known by making
// them, so that whoever judges routes needs nothing of what recognises trees.
// Invariant: number `index` of a seed is the same tree and traffic always.

import { RandomStream } from '#weft/base/random.js';
import { type Fabric, FabricBuilder, NodeKind } from '#weft/fabric/fabric.js';
import { Draw } from './draw.js';

export const treeKinds = ['whole', 'links missing', 'parallel cables', 'several rates', 'pairs lost'] as const;

export type TreeKind = (typeof treeKinds)[number];

/** A tree, who sends how much to whom, and what it was drawn as. */
export interface SmallTree {
  readonly kind: TreeKind;
  readonly fabric: Fabric;
  /** -1 hosts, 0 leaves, 1 spines, 2 cores */
  readonly level: readonly number[];
  /** by rank of the host: the leaf's node */
  readonly leafOf: readonly number[];
  /** pairs of ranks, each once, destinations ascending and then sources */
  readonly pairs: readonly { readonly source: number; readonly destination: number; readonly weight: number }[];
}

const gigabit = 1e9;

/** Of a cable between switches, in Gb/s: EDR, and what it falls back to. */
const fallenRates = [100, 100, 100, 56, 50, 25, 20];

/** Draws a tree with traffic of at most 18 flows (leaf, destination). */
export function smallTree(seed: number, index: number): SmallTree {
  const draw = new Draw(new RandomStream(seed, `small tree ${index}`));
  const mostFlows = draw.between(6, 18);
  const kind = treeKinds[index % treeKinds.length]!;
  const levels = draw.chance(0.6) ? 2 : 3;
  const pods = levels === 2 ? 1 : draw.between(2, 3);
  const leavesPerPod = levels === 2 ? draw.between(2, 5) : draw.between(1, 2);
  const spinesPerPod = levels === 2 ? draw.between(2, 4) : 2;
  const coresPerSpine = levels === 2 ? 0 : draw.between(1, 2);
  const groups = levels === 2 ? 1 : draw.between(1, 2);
  const hostsPerLeaf = draw.between(1, 4);
  const cables = kind === 'parallel cables' || (kind === 'several rates' && draw.chance(0.6)) ? draw.between(2, 3) : 1;
  const missing = kind === 'links missing' ? 0.15 : kind === 'pairs lost' ? 0.35 : 0;
  const rate = (): number => (kind === 'several rates' ? draw.of(fallenRates) : 100) * gigabit;

  const builder = new FabricBuilder();
  const level: number[] = [];
  const leafOf: number[] = [];
  const leafCount = pods * leavesPerPod;
  builder.addNodes(NodeKind.host, leafCount * hostsPerLeaf);
  const leaf = builder.addNodes(NodeKind.switch, leafCount);
  const spine = builder.addNodes(NodeKind.switch, pods * spinesPerPod);
  const core = builder.addNodes(NodeKind.switch, groups * coresPerSpine);
  for (let rank = 0; rank < leafCount * hostsPerLeaf; rank++) {
    leafOf.push(leaf + Math.floor(rank / hostsPerLeaf));
    level.push(-1);
    builder.addLink(rank, leafOf[rank]!, 100 * gigabit, 0);
  }
  const connect = (low: number, high: number): void => {
    if (missing > 0 && draw.chance(missing)) return;
    for (let cable = 0; cable < cables; cable++) builder.addLink(low, high, rate(), 0);
  };
  for (let i = 0; i < leafCount; i++) {
    level.push(0);
    const pod = Math.floor(i / leavesPerPod);
    for (let s = 0; s < spinesPerPod; s++) connect(leaf + i, spine + pod * spinesPerPod + s);
  }
  for (let i = 0; i < pods * spinesPerPod; i++) {
    level.push(1);
    const group = (i % spinesPerPod) % groups;
    for (let c = 0; c < coresPerSpine; c++) connect(spine + i, core + group * coresPerSpine + c);
  }
  for (let i = 0; i < groups * coresPerSpine; i++) level.push(2);
  return { kind, fabric: builder.build(), level, leafOf, pairs: pairsOf(draw, leafOf, mostFlows) };
}

/** Many to few, few to many, all to all, or a permutation; amounts of 1, of 1 to 6, or with noise. */
function pairsOf(draw: Draw, leafOf: readonly number[], mostFlows: number): SmallTree['pairs'] {
  const hosts = leafOf.length;
  const amounts = draw.of(['ones', 'small', 'noise'] as const);
  const amount = (): number =>
    amounts === 'ones' ? 1 : amounts === 'small' ? draw.between(1, 6) : 1 + draw.between(0, 50) / 1000;
  const shape = draw.of(['random', 'all-to-all', 'permutation', 'few receive'] as const);
  const targets = shape === 'few receive' ? draw.between(1, Math.max(1, hosts >> 1)) : hosts;
  const shift = draw.between(1, Math.max(1, hosts - 1));
  const weights = new Map<string, number>();
  const flows = new Set<string>();
  const add = (source: number, destination: number): void => {
    if (source === destination) return;
    if (leafOf[source] !== leafOf[destination]) {
      const flow = `${leafOf[source]} ${destination}`;
      if (flows.size === mostFlows && !flows.has(flow)) return;
      flows.add(flow);
    }
    const key = `${destination} ${source}`;
    weights.set(key, (weights.get(key) ?? 0) + amount());
  };
  if (shape === 'all-to-all') for (let d = 0; d < hosts; d++) for (let s = 0; s < hosts; s++) add(s, d);
  else if (shape === 'permutation') for (let s = 0; s < hosts; s++) add(s, (s + shift) % hosts);
  else
    for (let i = draw.between(6, 3 * mostFlows); i > 0; i--)
      add(draw.between(0, hosts - 1), draw.between(0, targets - 1));
  return [...weights]
    .map(([key, weight]) => {
      const [destination, source] = key.split(' ').map(Number);
      return { source: source!, destination: destination!, weight };
    })
    .sort((a, b) => a.destination - b.destination || a.source - b.source);
}
