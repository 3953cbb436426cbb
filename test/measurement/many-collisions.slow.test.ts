// Collisions that are too many to count are said to be so.

import { describe, expect, it } from 'vitest';
import { generateFabric } from '../../src/fabric/generators/catalogue.js';
import { CollisionCounter } from '../../src/measurement/collisions.js';
import { EqualCostRoutes } from '../../src/routing/equal-cost.js';
import { PathTracer } from '../../src/routing/path.js';

describe('collisions', () => {
  it('says so when there are too many to count', () => {
    const fabric = generateFabric('leaf-spine', { leaves: 2, spines: 1, hostsPerLeaf: 2 });
    const tracer = new PathTracer(new EqualCostRoutes(fabric, 'descending-node-id'));
    const path = new Int32Array(tracer.maxLength);
    const length = tracer.trace(0, 2, 1, 100, path);
    const counter = new CollisionCounter(fabric);
    // each start looks at all before it on two links: 16,000 starts are 256 million looks
    for (let flow = 0; flow < 16_000; flow++) counter.flowStarted(flow, path, length);
    const { links, flowPairs, exact } = counter.count();
    expect([links, exact]).toEqual([2, false]);
    expect(flowPairs).toBeGreaterThan(50e6);
    expect(flowPairs).toBeLessThan((16_000 * 15_999) / 2);
    // links are found all the same: the way back is two more, on which a second flow meets the first
    const back = tracer.trace(2, 0, 1, 100, path);
    counter.flowStarted(16_000, path, back);
    expect(counter.count().links).toBe(2);
    counter.flowStarted(16_001, path, back);
    expect(counter.count().links).toBe(4);
  });
});
