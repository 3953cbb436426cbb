// Fat trees with GUIDs, LIDs, port numbers, parallel links and missing hosts at random.

import * as fc from 'fast-check';
import { RandomStream } from '../../src/base/random.js';
import { FabricBuilder, NodeKind } from '../../src/fabric/fabric.js';
import type { IdentifiedFabric } from '../../src/formats/subnet-records.js';
import { identifiedTree } from './infiniband.js';

/** What a random tree is drawn from. */
export const treeShape = fc.record({
  pods: fc.integer({ min: 2, max: 4 }),
  edgesPerPod: fc.integer({ min: 1, max: 4 }),
  hostsPerEdge: fc.integer({ min: 1, max: 4 }),
  groups: fc.integer({ min: 1, max: 2 }),
  spinesPerGroup: fc.integer({ min: 1, max: 2 }),
  coresPerGroup: fc.integer({ min: 1, max: 3 }),
  parallel: fc.integer({ min: 1, max: 2 }),
  missing: fc.double({ min: 0, max: 0.3, noNaN: true }),
  draw: fc.nat(),
});

export type TreeShape = typeof treeShape extends fc.Arbitrary<infer T> ? T : never;

/** 0..count-1 in random order. */
function shuffled(count: number, random: RandomStream): number[] {
  return Array.from({ length: count }, (_, i) => [random.nextFraction(), i] as const)
    .sort(([a], [b]) => a - b)
    .map(([, i]) => i);
}

/**
 * A tree with random GUIDs, LIDs and port numbers.
 * @param order seed of the numbers of nodes and the order of links here, which must have no meaning
 */
export function randomTree(
  { pods, edgesPerPod, hostsPerEdge, groups, spinesPerGroup, coresPerGroup, parallel, missing, draw }: TreeShape,
  order: number,
): IdentifiedFabric {
  const plan = identifiedTree('fat-tree', {
    pods,
    edgesPerPod,
    hostsPerEdge,
    aggregationPerPod: groups * spinesPerGroup,
    cores: groups * coresPerGroup,
    coreGroups: coresPerGroup === 0 ? 0 : groups,
  }).fabric;
  const random = new RandomStream(draw, 'tree');
  const links: { a: number; b: number; numberA: number; numberB: number }[] = [];
  const used = Array.from({ length: plan.nodeCount }, () => 0);
  for (let link = 0; link < plan.linkCount; link++) {
    const [a, b] = [plan.portNode[plan.linkPorts[2 * link]!]!, plan.portNode[plan.linkPorts[2 * link + 1]!]!];
    const isHost = plan.nodeKind[a] === NodeKind.host;
    // the first host of every leaf stays
    if (isHost && a % hostsPerEdge !== 0 && random.nextFraction() < missing) continue;
    for (let i = 0; i < (isHost ? 1 : parallel); i++) links.push({ a, b, numberA: used[a]!++, numberB: used[b]!++ });
  }
  const numbering = used.map((count) => shuffled(count, random));
  const guids = Array.from(
    { length: plan.nodeCount },
    () => (BigInt(random.nextUint32()) << 32n) | BigInt(random.nextUint32()),
  );
  const lids = shuffled(plan.nodeCount, random).map((lid) => lid + 1);
  const kept = guids.map((_, node) => node).filter((node) => used[node]! > 0);
  const arrange = new RandomStream(order, 'order');
  const nodes = order === 0 ? kept : shuffled(kept.length, arrange).map((i) => kept[i]!);
  const builder = new FabricBuilder();
  const idOf = new Map(nodes.map((node) => [node, builder.addNode(plan.nodeKind[node] as NodeKind)]));
  const numbers: number[] = [];
  for (const { a, b, numberA, numberB } of order === 0
    ? links
    : shuffled(links.length, arrange).map((i) => links[i]!)) {
    builder.addLink(idOf.get(a)!, idOf.get(b)!, 100e9, 0);
    numbers.push(numbering[a]![numberA]! + 1, numbering[b]![numberB]! + 1);
  }
  const fabric = builder.build(numbers);
  const portNumber = new Uint8Array(fabric.portCount);
  numbers.forEach((number, end) => {
    portNumber[fabric.linkPorts[end]!] = number;
  });
  const guid = BigUint64Array.from(nodes, (node) => guids[node]!);
  return {
    fabric,
    identity: {
      nodeName: nodes.map((node) => `n${node}`),
      nodeGuid: guid,
      portGuid: guid,
      lid: Uint16Array.from(nodes, (node) => lids[node]!),
      radix: Uint8Array.from(nodes, (node) => used[node]!),
      portNumber,
    },
  };
}
