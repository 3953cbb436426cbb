// The optimizer against all possible routes of small trees, against the bound on quartz1, and against the walk of its
// tables.

import { describe, expect, it } from 'vitest';
import { RandomStream } from '../../src/base/random.js';
import { FabricBuilder, type Fabric, type NodeKind } from '../../src/fabric/fabric.js';
import { recogniseFatTree, type FatTree } from '../../src/fabric/fat-tree.js';
import { generateFabric } from '../../src/fabric/generators/catalogue.js';
import { TrafficBuilder, type Traffic } from '../../src/flows/traffic/matrix.js';
import { evaluateRoutes, type RouteEvaluation } from '../../src/optimization/evaluate-routes.js';
import { FlowRouting } from '../../src/optimization/flow-routing.js';
import { withMinimalEntries } from '../../src/optimization/minimal-tables.js';
import { optimizeRoutes, type OptimizedRoutes, type OptimizerOptions } from '../../src/optimization/optimize-routes.js';
import { heaviestFirst, routeDemand } from '../../src/optimization/route-demand.js';
import { RouteNetwork } from '../../src/optimization/route-network.js';
import { scoreRoutes } from '../../src/optimization/route-score.js';
import { checkRoutes } from '../../src/optimization/route-validity.js';
import { SearchBudget } from '../../src/optimization/search-budget.js';
import { spreadLoads } from '../../src/optimization/spread-loads.js';
import { routeDmodK } from '../../src/routing/d-mod-k.js';
import { changedEntries, noPort } from '../../src/routing/forwarding-tables.js';
import { routeRandom } from '../../src/routing/random-minimal.js';
import { leastLargestLoad } from '../support/best-routes.js';
import { figure33Traffic, figure33Tree } from '../support/figure-3-3.js';
import { damaged, identifiedTree } from '../support/infiniband.js';
import { named, quartz1 } from '../support/quartz1.js';
import { seed } from '../support/seed.js';

function treeOf(shape: Readonly<Record<string, unknown>>): FatTree {
  return recogniseFatTree(generateFabric('fat-tree', shape)).tree!;
}

function randomTraffic(random: RandomStream, tree: FatTree, pairs: number, phases: number, uneven = false): Traffic {
  const hostCount = tree.fabric.hosts.length;
  return {
    name: 'random',
    hostCount,
    unit: 'relative',
    note: '',
    phases: Array.from({ length: phases }, (_, phase) => {
      const builder = new TrafficBuilder(hostCount, 'relative');
      // some sources send to few destinations, so that flows meet
      const targets = 1 + random.nextBelow(hostCount);
      for (let i = 0; i < pairs; i++)
        builder.add(
          random.nextBelow(hostCount),
          random.nextBelow(targets),
          uneven ? 1 + random.nextFraction() : 1 + random.nextBelow(6),
        );
      return { name: `${phase}`, matrix: builder.build() };
    }),
  };
}

/** Optimizes from d-mod-k, and evaluates the tables by walking them. */
function optimized(
  tree: FatTree,
  traffic: Traffic,
  options: Partial<OptimizerOptions> = {},
): { routes: OptimizedRoutes; evaluation: RouteEvaluation } {
  const routes = optimizeRoutes(tree, traffic, [routeDmodK(tree)], { seed: 1, mostWork: 1e6, ...options });
  const evaluation = evaluateRoutes(tree, [routes.tables], traffic);
  expect(evaluation.validity.valid).toBe(true);
  expect(routes.score.maxLoad).toBeCloseTo(evaluation.maxLoad, 6);
  return { routes, evaluation };
}

function netMaxLoad({ phases }: RouteEvaluation): number {
  return phases.reduce((sum, { loads }) => sum + loads.netMaxLoad, 0);
}

describe(`small random trees against all routes (WEFT_SEED=${seed})`, () => {
  const shapes = {
    'two levels': { pods: 1, edgesPerPod: 4, hostsPerEdge: 2, aggregationPerPod: 3 },
    'three levels': { pods: 2, edgesPerPod: 2, hostsPerEdge: 2, aggregationPerPod: 2, cores: 4 },
    'core groups': { pods: 2, edgesPerPod: 1, hostsPerEdge: 4, aggregationPerPod: 4, cores: 4, coreGroups: 2 },
  };
  for (const [name, shape] of Object.entries(shapes)) {
    it(name, () => {
      const tree = treeOf(shape);
      for (let trial = 0; trial < 25; trial++) {
        const traffic = randomTraffic(new RandomStream(seed + trial, name), tree, 6, 1 + (trial % 2));
        const { evaluation } = optimized(tree, traffic, { seed: trial });
        // what hosts send and receive counts first: below it a phase has nothing to win
        const { portOffset, portPeer, hosts } = tree.fabric;
        const ofHosts = evaluation.phases.map(({ load }) =>
          Math.max(
            ...Array.from(hosts, (host) => Math.max(load[portOffset[host]!]!, load[portPeer[portOffset[host]!]!]!)),
          ),
        );
        expect(evaluation.maxLoad, `trial ${trial}`).toBeCloseTo(leastLargestLoad(tree, traffic, ofHosts), 9);
        if (traffic.phases.length === 1)
          expect(netMaxLoad(evaluation), `trial ${trial}`).toBeCloseTo(leastLargestLoad(tree, traffic), 9);
      }
    });
  }
});

/** Every link between switches twice. */
function doubled({ fabric }: FatTree): Fabric {
  const builder = new FabricBuilder();
  for (let node = 0; node < fabric.nodeCount; node++) builder.addNode(fabric.nodeKind[node] as NodeKind);
  for (let link = 0; link < fabric.linkCount; link++) {
    const [a, b] = [0, 1].map((end) => fabric.portNode[fabric.linkPorts[2 * link + end]!]!) as [number, number];
    const times = fabric.hosts.includes(a) || fabric.hosts.includes(b) ? 1 : 2;
    for (let i = 0; i < times; i++) builder.addLink(a, b, fabric.linkRateBps[link]!, fabric.linkLatencyPs[link]!);
  }
  return builder.build();
}

describe('tables', () => {
  it(`are valid on trees with missing links, and no worse than the start (WEFT_SEED=${seed})`, () => {
    const whole = identifiedTree('fat-tree', {
      pods: 3,
      edgesPerPod: 3,
      hostsPerEdge: 4,
      aggregationPerPod: 4,
      cores: 8,
      coreGroups: 2,
    });
    let routed = 0;
    for (let trial = 0; trial < 20; trial++) {
      const random = new RandomStream(seed + trial, 'damage');
      const { fabric } = damaged(
        whole,
        (low, high) => /leaf|spine/.test(low) && high !== '' && random.nextFraction() < 0.08,
      );
      const { tree } = recogniseFatTree(fabric);
      if (tree === null) continue;
      const traffic = randomTraffic(random, tree, 60, 1);
      const start = evaluateRoutes(tree, [routeDmodK(tree)], traffic);
      if (!start.validity.valid) continue;
      routed++;
      const { evaluation } = optimized(tree, traffic);
      expect(evaluation.maxLoad).toBeLessThanOrEqual(start.maxLoad);
      expect(evaluation.maxLoad).toBeGreaterThanOrEqual(evaluation.lowerBound * (1 - 1e-9));
    }
    expect(routed).toBeGreaterThan(0);
  });

  it('use parallel links: twice the links, half the load', () => {
    const tree = treeOf({ pods: 2, edgesPerPod: 2, hostsPerEdge: 4, aggregationPerPod: 2, cores: 4 });
    const twice = recogniseFatTree(doubled(tree)).tree!;
    const builder = new TrafficBuilder(16, 'relative');
    for (let host = 0; host < 16; host++) builder.add(host, (host + 8) % 16, 1);
    const traffic: Traffic = {
      name: 'halves',
      hostCount: 16,
      unit: 'relative',
      note: '',
      phases: [{ name: 'all', matrix: builder.build() }],
    };
    expect(netMaxLoad(optimized(tree, traffic).evaluation)).toBe(2);
    expect(netMaxLoad(optimized(twice, traffic).evaluation)).toBe(1);
  });

  it('change at most as many entries as they may, better the more they may', () => {
    const tree = treeOf({ pods: 2, edgesPerPod: 4, hostsPerEdge: 8, aggregationPerPod: 4, cores: 8 });
    const traffic = randomTraffic(new RandomStream(6, 'limit'), tree, 300, 1);
    const current = routeRandom(tree, 1);
    const before = evaluateRoutes(tree, [current], traffic).maxLoad;
    const reached = [0, 5, 20, 1000].map((most) => {
      const { tables } = optimizeRoutes(tree, traffic, [], { seed: 1, mostWork: 1e6, limit: { from: current, most } });
      expect(changedEntries(current, tables)).toBeLessThanOrEqual(most);
      const { validity, maxLoad } = evaluateRoutes(tree, [tables], traffic);
      expect(validity.valid).toBe(true);
      return maxLoad;
    });
    expect(reached[0]).toBe(before);
    expect(reached[1]).toBeLessThan(before);
    expect(reached[2]).toBeLessThan(reached[1]!);
    expect(reached[3]).toBeLessThanOrEqual(reached[2]!);
  });

  it('go round what other traffic loads', () => {
    const tree = treeOf({ pods: 1, edgesPerPod: 2, hostsPerEdge: 4, aggregationPerPod: 4 });
    const builder = new TrafficBuilder(8, 'relative');
    for (let host = 0; host < 3; host++) builder.add(host, 4 + host, 5);
    const traffic: Traffic = {
      name: 'three',
      hostCount: 8,
      unit: 'relative',
      note: '',
      phases: [{ name: 'all', matrix: builder.build() }],
    };
    const leaf = tree.hostLeaf[0]!;
    const busy = Array.from({ length: tree.fabric.portCount }, (_, port) => port).filter(
      (port) =>
        tree.fabric.portNode[port] === leaf && tree.nodeLevel[tree.fabric.portNode[tree.fabric.portPeer[port]!]!] === 1,
    )[2]!;
    const background = new Float64Array(tree.fabric.portCount);
    background[busy] = 4;
    const { tables, score } = optimizeRoutes(tree, traffic, [routeDmodK(tree)], { seed: 1, mostWork: 1e6, background });
    expect(score.netMaxLoad).toBe(5);
    expect([4, 5, 6].map((host) => tables.port(leaf, host))).not.toContain(busy);
  });

  it('are made minimal first where those given are not', () => {
    const tree = treeOf({ pods: 2, edgesPerPod: 2, hostsPerEdge: 2, aggregationPerPod: 2, cores: 2 });
    const broken = routeDmodK(tree);
    const [spine, otherSpine] = tree.switches[1]!;
    // a spine that does not know a host below it, and a leaf that does not know one beside it
    broken.entries[broken.rowOf[spine!]! * broken.columns + 0] = noPort;
    broken.entries[broken.rowOf[tree.hostLeaf[0]!]! * broken.columns + 1] = noPort;
    broken.setPort(otherSpine!, 1, tree.fabric.portOffset[otherSpine! + 1]! - 1);
    expect(evaluateRoutes(tree, [broken], onePair(8)).validity.valid).toBe(false);
    expect(optimizeRoutes(tree, onePair(8), [broken], { seed: 1, mostWork: 1e5 }).proven).toBe(true);
    expect(checkRoutes(tree, [withMinimalEntries(tree, broken)])).toMatchObject({ valid: true, otherSwitches: 0 });
    expect(withMinimalEntries(tree, routeDmodK(tree)).entries).toEqual(routeDmodK(tree).entries);
  });

  it('of one seed are the same, and a search that a clock ended is repeated by its work', () => {
    const tree = treeOf({ pods: 3, edgesPerPod: 4, hostsPerEdge: 6, aggregationPerPod: 4, cores: 8 });
    const traffic = randomTraffic(new RandomStream(3, 'repeat'), tree, 400, 1, true);
    const first = optimized(tree, traffic, { mostWork: 1e9, stopped: ({ work }) => work > 4e5 }).routes;
    expect(first.work).toBeGreaterThan(4e5);
    expect(first.work).toBeLessThan(1e6);
    const again = optimized(tree, traffic, { mostWork: first.work }).routes;
    expect(again.tables.entries).toEqual(first.tables.entries);
    expect(again.trace).toEqual(first.trace);
    expect(again.work).toBe(first.work);
  });

  it('the trace goes down in load and up in work, and ends with the load of the tables', () => {
    const tree = treeOf({ pods: 2, edgesPerPod: 4, hostsPerEdge: 8, aggregationPerPod: 4, cores: 8 });
    const {
      routes: { trace, score },
    } = optimized(tree, randomTraffic(new RandomStream(4, 'trace'), tree, 200, 1));
    expect(trace.incumbent.length).toBeGreaterThan(1);
    expect(trace.incumbent).toEqual([...trace.incumbent].sort((a, b) => b - a));
    expect(trace.work).toEqual([...trace.work].sort((a, b) => a - b));
    expect(trace.incumbent.at(-1)).toBe(score.maxLoad);
  });
});

it(`spreading lowers the l2 norm and raises no load above the largest (WEFT_SEED=${seed})`, () => {
  for (let trial = 0; trial < 10; trial++) {
    const tree = treeOf({ pods: 2, edgesPerPod: 4, hostsPerEdge: 4, aggregationPerPod: 4, cores: 8 });
    const demand = routeDemand(
      tree,
      randomTraffic(new RandomStream(seed + trial, 'spread'), tree, 150, 1 + (trial % 2), true),
    );
    const routing = new FlowRouting(new RouteNetwork(tree), demand);
    routing.follow(routeRandom(tree, trial));
    const before = scoreRoutes(routing, 0.9);
    routing.ceiling.set(before.phaseMax);
    expect(spreadLoads(routing, heaviestFirst(demand), new SearchBudget(1e9), 1e9)).toBeGreaterThan(0);
    const counted = routing.load.slice();
    routing.recount();
    routing.load.forEach((load, cell) => {
      expect(load).toBeCloseTo(counted[cell]!, 9);
    });
    const after = scoreRoutes(routing, 0.9);
    expect(after.l2).toBeLessThan(before.l2);
    after.phaseMax.forEach((load, phase) => {
      expect(load).toBeLessThanOrEqual(before.phaseMax[phase]! * (1 + 1e-8));
    });
  }
});

/** One host sends to the last. */
function onePair(hostCount: number): Traffic {
  const builder = new TrafficBuilder(hostCount, 'relative');
  builder.add(0, hostCount - 1, 1);
  return { name: 'one', hostCount, unit: 'relative', note: '', phases: [{ name: 'all', matrix: builder.build() }] };
}

it('Figure 3.3: 15, proven, though balanced small flows would make it 20', () => {
  const tree = recogniseFatTree(figure33Tree.fabric).tree!;
  const { routes, evaluation } = optimized(tree, figure33Traffic());
  expect(netMaxLoad(evaluation)).toBe(15);
  expect(evaluation.maxLoad).toBe(15);
  expect(routes.proven).toBe(true);
});

// the rest of quartz1: optimize-routes.slow.test.ts
describe('quartz1, from d-mod-k', () => {
  it('random shuffle of halves: the adaptive bound', () => {
    const { evaluation } = optimized(quartz1, named('bs-random-shuffle'), { mostWork: 4e7 });
    expect(evaluation.arGap).toBe(0);
    expect(evaluation.netGap).toBe(0);
    expect(evaluation.provenOptimal).toBe(true);
  });

  it('scrambled cyclic stencil: in each of 6 phases 32 flows of a leaf over 16 links, 12 in all', () => {
    const { evaluation } = optimized(quartz1, named('cyclic-stencil-scrambled'), { mostWork: 4e7 });
    expect(evaluation.maxLoad).toBe(12);
    expect(evaluation.lowerBound).toBe(12);
  });
});
