// Which tier a link belongs to, and what links carried: counted by hand.

import { describe, expect, it } from 'vitest';
import { generateFabric } from '../../src/fabric/generators/catalogue.js';
import { linkTiers } from '../../src/fabric/link-tiers.js';
import { LinkLoads } from '../../src/measurement/link-loads.js';
import { EqualCostRoutes } from '../../src/routing/equal-cost.js';
import { PathTracer } from '../../src/routing/path.js';

describe('tiers of links', () => {
  it('are named by their ends, in the order in which a packet meets them', () => {
    const fabric = generateFabric('spectrum-x', { gpus: 16, pswSwitches: 4 });
    expect(linkTiers(fabric).tiers).toEqual([
      { name: 'host-NVSwitch', ports: 16 },
      { name: 'NVSwitch-host', ports: 16 },
      { name: 'host-leaf', ports: 16 },
      { name: 'leaf-spine', ports: 32 },
      { name: 'spine-leaf', ports: 32 },
      { name: 'leaf-host', ports: 16 },
    ]);
    expect(linkTiers(generateFabric('fat-tree', { k: 4 })).tiers.map(({ name, ports }) => `${name} ${ports}`)).toEqual([
      'host-leaf 16',
      'leaf-spine 16',
      'spine-core 16',
      'core-spine 16',
      'spine-leaf 16',
      'leaf-host 16',
    ]);
    expect(linkTiers(generateFabric('dumbbell')).tiers.map(({ name }) => name)).toEqual([
      'host-leaf',
      'leaf-leaf',
      'leaf-host',
    ]);
  });
});

describe('loads of links', () => {
  it('add up what paths carried', () => {
    const fabric = generateFabric('dumbbell', { bottleneckRate: '50Gbps' });
    const tracer = new PathTracer(new EqualCostRoutes(fabric, 'descending-node-id'));
    const loads = new LinkLoads(fabric);
    const path = new Int32Array(tracer.maxLength);
    // two flows over the middle from different hosts to one, one that stays on its side
    for (const [slot, [source, destination, bytes]] of (
      [
        [0, 4, 1000],
        [1, 4, 3000],
        [2, 3, 500],
      ] as const
    ).entries())
      loads.started(slot, path, tracer.trace(source, destination, 10_000, 100, path), bytes, 0);
    // the first two share the middle until 100, then the second is alone there until 400: on average with 1.25
    for (const [slot, nowPs] of [
      [0, 100],
      [2, 200],
      [1, 400],
    ] as const)
      loads.finished(slot, nowPs);
    expect(loads.byTier()).toMatchObject([
      {
        name: 'host-leaf',
        ports: 8,
        usedPorts: 3,
        flows: 3,
        busiestFlows: 1,
        bytes: 4500,
        busiestBytes: 3000,
        busiestPs: 240_000,
        meanPs: 45_000,
        rateBps: 100e9,
        heldUpBytes: 500,
        sharing: 1,
      },
      {
        name: 'leaf-leaf',
        ports: 2,
        usedPorts: 1,
        flows: 2,
        busiestFlows: 2,
        bytes: 4000,
        busiestBytes: 4000,
        busiestPs: 640_000,
        meanPs: 320_000,
        rateBps: 50e9,
        heldUpBytes: 4000,
        sharing: (1000 * 2 + 3000 * 1.25) / 4000,
      },
      {
        name: 'leaf-host',
        ports: 8,
        usedPorts: 2,
        flows: 3,
        busiestFlows: 2,
        bytes: 4500,
        busiestBytes: 4000,
        busiestPs: 320_000,
        meanPs: 45_000,
        rateBps: 100e9,
        heldUpBytes: 0,
        sharing: 0,
      },
    ]);
  });
});
