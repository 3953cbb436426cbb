// The example of the dissertation's Figure 3.3: small flows inside a pod and a large one into it. Balanced small flows leave no link for the
// large one (20), routed with it in mind the largest load is 15, and no routes do better. Here with four spines per pod.

import { TrafficBuilder, type Traffic } from '../../src/flows/traffic/matrix.js';
import { identifiedTree } from './infiniband.js';

/** Two pods of four leaves with three hosts and four spines; leaf 0 of pod 0 has h1, h2 and h3: ranks 0, 1, 2. */
export const figure33Tree = identifiedTree('fat-tree', { pods: 2, edgesPerPod: 4, hostsPerEdge: 3, aggregationPerPod: 4, cores: 4 });

/** 5 units from a host on each of leaves 1, 2, 3 to h1, 5 more from leaf 3 to h2, 15 from the other pod to h3. */
export function figure33Traffic(): Traffic {
  const builder = new TrafficBuilder(24, 'relative');
  for (const source of [3, 6, 9]) builder.add(source, 0, 5);
  builder.add(10, 1, 5);
  builder.add(12, 2, 15);
  return { name: 'figure 3.3', hostCount: 24, unit: 'relative', note: '', phases: [{ name: 'all', matrix: builder.build() }] };
}
