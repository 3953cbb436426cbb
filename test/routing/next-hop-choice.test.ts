// Whether shortest ways branch, by hand and against the routes themselves.

import { describe, expect, it } from 'vitest';
import { FabricBuilder, NodeKind } from '../../src/fabric/fabric.js';
import { generateFabric } from '../../src/fabric/generators/catalogue.js';
import { EqualCostRoutes } from '../../src/routing/equal-cost.js';
import { shortestWaysBranch } from '../../src/routing/next-hop-choice.js';

/** @param links pairs of nodes; hosts come first */
function fabricOf(hosts: number, switches: number, links: readonly (readonly [number, number])[]) {
  const builder = new FabricBuilder();
  builder.addNodes(NodeKind.host, hosts);
  builder.addNodes(NodeKind.switch, switches);
  for (const [a, b] of links) builder.addLink(a, b, 100e9, 1e6);
  return builder.build();
}

describe('shortest ways', () => {
  it.each([
    [
      'one switch',
      false,
      fabricOf(2, 1, [
        [0, 2],
        [1, 2],
      ]),
    ],
    [
      'two cables between switches',
      true,
      fabricOf(2, 2, [
        [0, 2],
        [1, 3],
        [2, 3],
        [2, 3],
      ]),
    ],
    [
      'a ring of five',
      false,
      fabricOf(
        5,
        5,
        [0, 1, 2, 3, 4].flatMap((i): [number, number][] => [
          [i, 5 + i],
          [5 + i, 5 + ((i + 1) % 5)],
        ]),
      ),
    ],
    [
      'a ring of four',
      true,
      fabricOf(
        4,
        4,
        [0, 1, 2, 3].flatMap((i): [number, number][] => [
          [i, 4 + i],
          [4 + i, 4 + ((i + 1) % 4)],
        ]),
      ),
    ],
    [
      'a host on two leaves',
      true,
      fabricOf(2, 3, [
        [0, 2],
        [0, 3],
        [2, 4],
        [3, 4],
        [1, 4],
      ]),
    ],
    [
      'a host between switches forwards nothing',
      false,
      fabricOf(3, 2, [
        [0, 3],
        [1, 3],
        [1, 4],
        [2, 4],
        [3, 4],
      ]),
    ],
  ])('of %s: %s', (_, expected, fabric) => {
    expect(shortestWaysBranch(fabric)).toBe(expected);
    // the routes that runs take say the same
    const { hosts, nodeKind } = fabric;
    const routes = new EqualCostRoutes(fabric, 'descending-node-id');
    let most = 0;
    for (let node = 0; node < fabric.nodeCount; node++)
      if (nodeKind[node] === NodeKind.switch)
        for (const host of hosts) {
          const set = routes.nextHopSet(node, host);
          if (set >= 0) most = Math.max(most, routes.setOffset[set + 1]! - routes.setOffset[set]!);
        }
    expect(most > 1).toBe(expected);
  });

  it('of leaf-spine: more than one spine', () => {
    expect(
      [1, 2].map((spines) => shortestWaysBranch(generateFabric('leaf-spine', { leaves: 2, spines, hostsPerLeaf: 2 }))),
    ).toEqual([false, true]);
  });
});
