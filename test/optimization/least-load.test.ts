// The least load of small problems against all routes tried one by one, by an oracle of its own.

import { describe, expect, it } from 'vitest';
import { RandomStream } from '../../src/base/random.js';
import { leastLoad, suitsLeastLoad } from '../../src/optimization/least-load.js';
import { routeBounds } from '../../src/optimization/route-bounds.js';
import { leastLargestLoad } from '../support/best-routes.js';
import { leafTraffic, randomTraffic, treeOf } from '../support/exact-routes.js';
import { seed } from '../support/seed.js';

const shapes = {
  'two levels': { pods: 1, edgesPerPod: 4, hostsPerEdge: 2, aggregationPerPod: 2 },
  'three levels': { pods: 2, edgesPerPod: 2, hostsPerEdge: 2, aggregationPerPod: 2, cores: 2 },
  'three levels, two core groups': {
    pods: 3,
    edgesPerPod: 1,
    hostsPerEdge: 2,
    aggregationPerPod: 2,
    cores: 2,
    coreGroups: 2,
  },
};

describe.each(Object.entries(shapes))('%s', (name, shape) => {
  const tree = treeOf(shape);
  it(`is the least of all routes, and comes with ways that have it (WEFT_SEED=${seed})`, () => {
    const random = new RandomStream(seed, `least load ${name}`);
    for (let trial = 0; trial < 12; trial++) {
      const traffic = randomTraffic(random, tree, 4 + random.nextBelow(4));
      const [flows] = leafTraffic(tree, traffic);
      if (!suitsLeastLoad(flows!)) continue;
      const wanted = leastLargestLoad(tree, traffic);
      const { bound, ways } = leastLoad(flows!, routeBounds(flows!).staticNet);
      expect(bound, `trial ${trial}`).toBeCloseTo(wanted, 6);
      // the ways end at their hosts' leaves, leave a switch for a host by one port, and have that load
      const { portNode, portPeer, portCount } = tree.fabric;
      const load = new Float64Array(portCount);
      const portOf = new Map<string, number>();
      for (let rank = 0; rank + 1 < flows!.offset.length; rank++)
        for (let flow = flows!.offset[rank]!; flow < flows!.offset[rank + 1]!; flow++) {
          let node = tree.switches[0]![flows!.leaf[flow]!]!;
          for (const port of ways![flow]!) {
            expect(portNode[port]).toBe(node);
            expect(portOf.get(`${node} ${rank}`) ?? port).toBe(port);
            portOf.set(`${node} ${rank}`, port);
            load[port]! += flows!.weight[flow]!;
            node = portNode[portPeer[port]!]!;
          }
          expect(node).toBe(tree.hostLeaf[rank]);
        }
      expect(Math.max(...load)).toBeCloseTo(wanted, 6);
    }
  });
});

it('a problem that is not small is left as it is', () => {
  const tree = treeOf({ pods: 1, edgesPerPod: 8, hostsPerEdge: 8, aggregationPerPod: 4 });
  const [flows] = leafTraffic(tree, randomTraffic(new RandomStream(1, 'large'), tree, 400));
  expect(suitsLeastLoad(flows!)).toBe(false);
  expect(leastLoad(flows!, 3)).toEqual({ bound: 3, ways: null });
});
