// The example of the dissertation's Figure 3.3: small flows inside a pod and a large one into it. Balanced small flows
// leave no link for the large one (20), routed with it in mind the largest load is 15, and no routes do better. Here
// with four spines per pod.

import { recogniseFatTree, type FatTree } from '../../src/fabric/fat-tree.js';
import { TrafficBuilder, type Traffic } from '../../src/flows/traffic/matrix.js';
import { ForwardingTables } from '../../src/routing/forwarding-tables.js';
import { routeFtree } from '../../src/routing/ftree.js';
import { identifiedTree } from './infiniband.js';

/** Two pods of four leaves with three hosts and four spines; leaf 0 of pod 0 has h1, h2 and h3: ranks 0, 1, 2. */
const shape = { pods: 2, edgesPerPod: 4, hostsPerEdge: 3, aggregationPerPod: 4, cores: 4 };

/** Every spine of a pod is a core group of its own. */
export const figure33Tree = identifiedTree('fat-tree', shape);

/** All spines are in one core group, so that large flows may still change spines at the cores. */
export const figure33OneGroup = identifiedTree('fat-tree', { ...shape, coreGroups: 1 });

/** 5 units from a host on each of leaves 1, 2, 3 to h1, 5 more from leaf 3 to h2, 15 from the other pod to h3. */
export function figure33Traffic(): Traffic {
  const builder = new TrafficBuilder(24, 'relative');
  for (const source of [3, 6, 9]) builder.add(source, 0, 5);
  builder.add(10, 1, 5);
  builder.add(12, 2, 15);
  return {
    name: 'figure 3.3',
    hostCount: 24,
    unit: 'relative',
    note: '',
    phases: [{ name: 'all', matrix: builder.build() }],
  };
}

/** ftree's tables. */
export function figure33Ftree({ fabric, identity }: typeof figure33Tree): ForwardingTables {
  const made = routeFtree(fabric, identity, []);
  if (!(made instanceof ForwardingTables)) throw new Error(made.refusal);
  return made;
}

/** The routes of Figure 3.3a: the four small flows take a spine each, so that 15 more come to 20 on whatever link. */
export function figure33Balanced(identified: typeof figure33Tree): { tables: ForwardingTables; tree: FatTree } {
  const tree = recogniseFatTree(identified.fabric).tree!;
  const tables = figure33Ftree(identified);
  const { hosts, portOffset } = identified.fabric;
  const up = (leaf: number, rank: number, spine: number): void => {
    const node = tree.switches[0]![leaf]!;
    tables.setPort(node, hosts[rank]!, portOffset[node]! + 3 + spine);
  };
  [1, 2, 3].forEach((leaf) => {
    up(leaf, 0, leaf - 1);
  });
  up(3, 1, 3);
  for (let leaf = 4; leaf < 8; leaf++) up(leaf, 2, 1);
  return { tables, tree };
}
