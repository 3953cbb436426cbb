// Failed links: as many as asked for, never those of hosts, others for every seed; nodes and the numbers of the ports
// that are left stay.

import { describe, expect, it } from 'vitest';
import { NodeKind, type Fabric } from '../../src/fabric/fabric.js';
import { failLinks } from '../../src/fabric/failed-links.js';
import { identifiedTree } from '../support/infiniband.js';

const whole = identifiedTree('fat-tree', {
  pods: 3,
  edgesPerPod: 4,
  hostsPerEdge: 2,
  aggregationPerPod: 4,
  cores: 8,
  coreGroups: 2,
});

/** Every link by the names and port numbers of its ends. */
function linksOf({ fabric, identity: { nodeName, portNumber } }: typeof whole): Set<string> {
  const { linkCount, linkPorts, portNode } = fabric;
  return new Set(
    Array.from({ length: linkCount }, (_, link) =>
      [0, 1]
        .map((end) => {
          const port = linkPorts[2 * link + end]!;
          return `${nodeName[portNode[port]!]}[${portNumber[port]}]`;
        })
        .join(' - '),
    ),
  );
}

function innerCount({ linkCount, linkPorts, portNode, nodeKind }: Fabric): number {
  return Array.from({ length: linkCount }, (_, link) => link).filter((link) =>
    [0, 1].every((end) => nodeKind[portNode[linkPorts[2 * link + end]!]!] !== NodeKind.host),
  ).length;
}

describe('failed links', () => {
  it.each([0, 0.01, 0.1, 0.5])(
    '%s of them: the rounded share, all of them between switches, the others as they were',
    (share) => {
      // 3 pods x (4 x 4 leaf-spine + 4 x 4 spine-core)
      expect(innerCount(whole.fabric)).toBe(96);
      const { fabric, identity, failed, links } = failLinks(whole, share, 7);
      expect([failed, links]).toEqual([Math.round(96 * share), 96]);
      expect(innerCount(fabric)).toBe(96 - failed);
      const before = linksOf(whole);
      const after = linksOf({ fabric, identity });
      expect(after.size).toBe(before.size - failed);
      for (const link of after) expect(before).toContain(link);
    },
  );

  it('are drawn by the seed', () => {
    const [a, again, b] = [1, 1, 2].map((seed) => [...linksOf(failLinks(whole, 0.2, seed))].join('\n'));
    expect(again).toBe(a);
    expect(b).not.toBe(a);
  });
});
