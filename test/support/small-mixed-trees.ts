// Small trees as operators have them, with traffic: two or three levels, 8 to 40 hosts, cables of several rates, with
// and without missing ones.

import type { RandomStream } from '../../src/base/random.js';
import { FabricBuilder, NodeKind } from '../../src/fabric/fabric.js';
import { recogniseFatTree, type FatTree } from '../../src/fabric/fat-tree.js';
import { TrafficBuilder, UniformTraffic, type Traffic, type TrafficMatrix } from '../../src/flows/traffic/matrix.js';

/** Of cables between switches, in Gb/s: EDR mostly, and what they fall back to. */
const rates = [100, 100, 100, 100, 56, 50, 40, 25, 20];

/**
 * Draws a tree and traffic; null if so many cables are missing that it is none.
 * @param isTiny so small that all routes can be tried: two hosts a leaf at most, up to five pairs
 */
export function smallMixedTree(
  random: RandomStream,
  isTiny = false,
): { readonly tree: FatTree; readonly traffic: Traffic } | null {
  const between = (least: number, most: number): number => least + random.nextBelow(most - least + 1);
  const levels = between(2, 3);
  const pods = levels === 2 ? 1 : between(2, 3);
  const leavesPerPod = levels === 2 ? between(2, 5) : between(1, 3);
  const most = isTiny ? 2 : 3;
  const spinesPerPod = between(1, most);
  const cores = levels === 2 ? 0 : between(1, most);
  const leafCount = pods * leavesPerPod;
  const fewest = Math.ceil(8 / leafCount);
  const hostsPerLeaf = isTiny ? between(1, 2) : between(fewest, Math.max(fewest, Math.floor(40 / leafCount)));
  const parallel = between(1, most);
  const missing = random.nextBelow(2) === 0 ? 0 : 0.1;
  const mixed = random.nextBelow(4) > 0;
  const hosts = leafCount * hostsPerLeaf;
  const builder = new FabricBuilder();
  builder.addNodes(NodeKind.host, hosts);
  const leaf = builder.addNodes(NodeKind.switch, leafCount);
  const spine = builder.addNodes(NodeKind.switch, pods * spinesPerPod);
  const core = builder.addNodes(NodeKind.switch, cores);
  for (let host = 0; host < hosts; host++) builder.addLink(host, leaf + Math.floor(host / hostsPerLeaf), 100e9, 0);
  const connect = (low: number, high: number): void => {
    for (let cable = 0; cable < parallel; cable++) {
      const rate = mixed ? rates[random.nextBelow(rates.length)]! : 100;
      if (random.nextFraction() >= missing) builder.addLink(low, high, rate * 1e9, 0);
    }
  };
  for (let l = 0; l < leafCount; l++)
    for (let s = 0; s < spinesPerPod; s++) connect(leaf + l, spine + Math.floor(l / leavesPerPod) * spinesPerPod + s);
  for (let s = 0; s < pods * spinesPerPod; s++) for (let c = 0; c < cores; c++) connect(spine + s, core + c);
  const { tree } = recogniseFatTree(builder.build());
  if (tree === null || tree.levels < 2) return null;
  const matrix = isTiny ? fewPairs(random, hosts, 5) : drawnMatrix(random, hosts);
  return {
    tree,
    traffic: { name: 'drawn', hostCount: hosts, unit: 'relative', note: '', phases: [{ name: 'all', matrix }] },
  };
}

/** All-to-all, a permutation, or a few pairs of several amounts. */
function drawnMatrix(random: RandomStream, hosts: number): TrafficMatrix {
  const kind = random.nextBelow(4);
  if (kind <= 1) return new UniformTraffic(hosts, 'relative', 1);
  if (kind === 3) return fewPairs(random, hosts, 2 * hosts);
  const builder = new TrafficBuilder(hosts, 'relative');
  const order = Array.from({ length: hosts }, (_, rank) => ({ rank, key: random.nextFraction() }))
    .sort((a, b) => a.key - b.key)
    .map(({ rank }) => rank);
  order.forEach((to, from) => {
    if (to !== from) builder.add(from, to, 1);
  });
  return builder.build();
}

/** Pairs of any amounts from 1 to 5. */
function fewPairs(random: RandomStream, hosts: number, count: number): TrafficMatrix {
  const builder = new TrafficBuilder(hosts, 'relative');
  for (let i = 0; i < count; i++) {
    const [from, to] = [random.nextBelow(hosts), random.nextBelow(hosts)];
    if (from !== to) builder.add(from, to, 1 + random.nextBelow(5));
  }
  return builder.build();
}
