// Routes with the fewest links above a load, beside all routes that there are: small leaf-spine fabrics, on which a flow
// (leaf, destination) chooses a spine and nothing else.

import { expect, it } from 'vitest';
import { RandomStream } from '../../src/base/random.js';
import { recogniseFatTree, type FatTree } from '../../src/fabric/fat-tree.js';
import { generateFabric } from '../../src/fabric/generators/catalogue.js';
import { TrafficBuilder, type Traffic } from '../../src/flows/traffic/matrix.js';
import { evaluateRoutes } from '../../src/optimization/evaluate-routes.js';
import { leaveFewestAbove } from '../../src/optimization/fewest-above.js';
import { optimizeRoutes } from '../../src/optimization/optimize-routes.js';
import { routeDmodK } from '../../src/routing/d-mod-k.js';
import { seed } from '../support/seed.js';

const hostsPerLeaf = 4;
const options = { seed: 1, mostWork: 1e7 };

function leafSpine(leaves: number, spines: number): FatTree {
  return recogniseFatTree(generateFabric('leaf-spine', { leaves, spines, hostsPerLeaf })).tree!;
}

type Sent = readonly (readonly [from: number, to: number, weight: number])[];

function trafficOf(hostCount: number, sent: Sent): Traffic {
  const builder = new TrafficBuilder(hostCount, 'relative');
  for (const [from, to, weight] of sent) builder.add(from, to, weight);
  return { name: '', hostCount, unit: 'relative', note: '', phases: [{ name: '', matrix: builder.build() }] };
}

/** The fewest links above a load of all choices of a spine for each flow. */
function fewestOfAll(leaves: number, spines: number, sent: Sent, load: number): number {
  const flows = new Map<string, { from: number; to: number; weight: number }>();
  for (const [source, destination, weight] of sent) {
    const [from, to] = [Math.floor(source / hostsPerLeaf), Math.floor(destination / hostsPerLeaf)];
    if (from === to) continue;
    const own = flows.get(`${from} ${destination}`) ?? { from, to, weight: 0 };
    own.weight += weight;
    flows.set(`${from} ${destination}`, own);
  }
  const all = [...flows.values()];
  let fewest = Infinity;
  for (let choice = 0; choice < spines ** all.length; choice++) {
    const up = new Float64Array(leaves * spines);
    const down = new Float64Array(leaves * spines);
    all.forEach(({ from, to, weight }, i) => {
      const spine = Math.floor(choice / spines ** i) % spines;
      up[from * spines + spine]! += weight;
      down[to * spines + spine]! += weight;
    });
    fewest = Math.min(fewest, [...up, ...down].filter((own) => own > load).length);
  }
  return fewest;
}

function search(tree: FatTree, traffic: Traffic, load: number) {
  const start = optimizeRoutes(tree, traffic, [routeDmodK(tree)], options);
  const found = leaveFewestAbove(tree, traffic, start, load, options);
  const evaluated = evaluateRoutes(tree, [found.tables], traffic, { load });
  const plain = evaluateRoutes(tree, [start.tables], traffic, { load });
  return { found, links: evaluated.collapsed.loads.linksAboveThreshold, before: plain, after: evaluated };
}

it('puts on one link of a leaf what fits on none, where the smallest largest load puts too much on both', () => {
  const sent = [0, 1, 2, 3].map((host) => [host, 4 * (host + 1), 100] as const);
  const { found, links, before, after } = search(leafSpine(5, 2), trafficOf(20, sent), 150);
  // four flows of 100 on two links: 200 and 200, or 300 and 100
  expect([before.maxLoad, before.collapsed.loads.linksAboveThreshold]).toEqual([200, 2]);
  expect([links, after.maxLoad, found.leastLinksAbove, found.proven]).toEqual([1, 300, 1, true]);
  expect(after.validity.valid).toBe(true);
});

it(`leaves as few links above a load as the best of all routes (WEFT_SEED=${seed})`, () => {
  const random = new RandomStream(seed, 'fewest above');
  for (let draw = 0; draw < 20; draw++) {
    const [leaves, spines] = [3 + random.nextBelow(2), 2 + random.nextBelow(2)];
    const hosts = leaves * hostsPerLeaf;
    const sent = Array.from({ length: 4 + random.nextBelow(5 - (spines - 2)) }, () => {
      const from = random.nextBelow(hosts);
      return [from, (from + 1 + random.nextBelow(hosts - 1)) % hosts, 10 * (1 + random.nextBelow(10))] as const;
    });
    const load = 40 + 10 * random.nextBelow(8);
    const { found, links } = search(leafSpine(leaves, spines), trafficOf(hosts, sent), load);
    const fewest = fewestOfAll(leaves, spines, sent, load);
    expect(found.leastLinksAbove, JSON.stringify({ sent, load })).toBeLessThanOrEqual(fewest);
    expect(links, JSON.stringify({ leaves, spines, sent, load })).toBe(fewest);
  }
});
