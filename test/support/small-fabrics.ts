// Small fabrics and traffic at random, of a size that all methods of static routes can be held against each other: two
// and three levels, tapered, with core groups, parallel links, missing hosts and missing links; several phases now and
// then.
// Invariant: every host that traffic goes to can be reached on a minimal way.

import { RandomStream } from '../../src/base/random.js';
import { irregularity, recogniseFatTree, type FatTree } from '../../src/fabric/fat-tree.js';
import type { IdentifiedFabric } from '../../src/formats/subnet-records.js';
import { TrafficBuilder, type Traffic } from '../../src/flows/traffic/matrix.js';
import { evaluateRoutes } from '../../src/optimization/evaluate-routes.js';
import { BasicMcf } from '../../src/exact/basic-mcf.js';
import { routeDmodK } from '../../src/routing/d-mod-k.js';
import { leafTraffic } from './exact-routes.js';
import { damaged } from './infiniband.js';
import { randomTree } from './random-tree.js';

export interface SmallCase {
  readonly tree: FatTree;
  readonly traffic: Traffic;
  /** whole trees have a closed form for the adaptive bound */
  readonly whole: boolean;
  readonly description: string;
}

/**
 * A fabric of at most 32 hosts and its traffic: number `index` of a seed, drawn again until it can be routed and fits.
 * @param mostChoices entries with a choice times ports, times phases: 100 is about a second for HiGHS at most
 */
export function smallCase(seed: number, index: number, mostChoices = 100): SmallCase {
  for (let draw = 0; ; draw++) {
    const random = new RandomStream(seed, `small fabric ${index} ${draw}`);
    const pick = (least: number, most: number): number => least + random.nextBelow(most - least + 1);
    const levels = index % 2 === 0 ? 2 : 3;
    const parallel = index % 7 === 3 ? 2 : 1;
    const shape =
      levels === 2
        ? {
            pods: 1,
            edgesPerPod: pick(2, 8),
            hostsPerEdge: pick(1, 4),
            groups: 1,
            spinesPerGroup: pick(2, 4),
            coresPerGroup: 0,
          }
        : {
            pods: pick(2, 4),
            edgesPerPod: pick(1, 2),
            hostsPerEdge: pick(1, 4),
            groups: pick(1, 2),
            spinesPerGroup: pick(1, 2),
            coresPerGroup: pick(1, 3),
          };
    const identified = randomTree(
      { ...shape, parallel, missing: index % 5 === 4 ? 0.25 : 0, draw: pick(0, 1 << 30) },
      0,
    );
    const lost = index % 3 === 2 ? 0.05 + 0.2 * random.nextFraction() : 0;
    const made = routable(
      lost === 0
        ? identified
        : damaged(identified, (_low, _high, link) => isInner(identified, link) && random.nextFraction() < lost),
      random,
      index % 4 === 1 ? pick(2, 3) : 1,
    );
    if (made === null || (lost > 0 && made.whole)) continue;
    // most draws that are too large are seen without making their models
    if (BasicMcf.mostFlows(made.tree, leafTraffic(made.tree, made.traffic)) > 8 * mostChoices) continue;
    const choices =
      BasicMcf.ofStaticRoutes(made.tree, leafTraffic(made.tree, made.traffic)).program.wholeCount *
      made.traffic.phases.length;
    if (choices < 8 || choices > mostChoices) continue;
    const { hosts } = made.tree.fabric;
    return {
      ...made,
      description: `fabric ${index}: ${levels} levels, ${hosts.length} hosts, ${JSON.stringify(shape)}, parallel ${parallel}, ${made.whole ? 'whole' : 'not whole'}, ${made.traffic.phases.length} phases`,
    };
  }
}

function isInner({ fabric }: IdentifiedFabric, link: number): boolean {
  return [0, 1].every((end) => fabric.hosts.indexOf(fabric.portNode[fabric.linkPorts[2 * link + end]!]!) === -1);
}

function routable(
  { fabric }: IdentifiedFabric,
  random: RandomStream,
  phases: number,
): Omit<SmallCase, 'description'> | null {
  const { tree } = recogniseFatTree(fabric);
  if (tree === null || fabric.hosts.length > 32 || tree.switches[0]!.length < 2) return null;
  const traffic = fewFlows(random, tree, phases);
  const { validity, phases: loads } = evaluateRoutes(tree, [routeDmodK(tree)], traffic, 0.9, 'cuts');
  if (!validity.valid || loads.every((phase) => phase.loads.netMaxLoad === 0)) return null;
  return { tree, traffic, whole: irregularity(tree) === null };
}

/** Pairs of hosts with whole weights from 1 to 6: of few senders, of few receivers, or of any. */
function fewFlows(random: RandomStream, { fabric }: FatTree, phases: number): Traffic {
  const hostCount = fabric.hosts.length;
  const pairs = phases > 1 ? 5 + random.nextBelow(5) : 8 + random.nextBelow(10);
  return {
    name: 'few flows',
    hostCount,
    unit: 'relative',
    note: '',
    phases: Array.from({ length: phases }, (_, phase) => {
      const builder = new TrafficBuilder(hostCount, 'relative');
      const sources = 1 + random.nextBelow(hostCount);
      const targets = 1 + random.nextBelow(hostCount);
      for (let i = 0; i < pairs; i++)
        builder.add(random.nextBelow(sources), hostCount - 1 - random.nextBelow(targets), 1 + random.nextBelow(6));
      return { name: `${phase}`, matrix: builder.build() };
    }),
  };
}
