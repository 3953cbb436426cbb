// A small fabric whose hosts have two LIDs, in the files of InfiniBand: two leaves of two hosts, two spines; to the first
// LID everything goes over the first spine, to the second one over the other.

import { generateFabric } from '../../src/fabric/generators/catalogue.js';
import { recogniseFatTree } from '../../src/fabric/fat-tree.js';
import { withColdStartLids, withLmc } from '../../src/fabric/identity.js';
import { levelIdentity } from '../../src/fabric/level-identity.js';
import { lftTexts } from '../../src/formats/opensm-lfts-writer.js';
import { writeIbnetdiscover } from '../../src/formats/ibnetdiscover-writer.js';
import { routeDmodK } from '../../src/routing/d-mod-k.js';

/** The files: what ibnetdiscover prints, and the tables of both LIDs. */
export function severalLids(): { readonly net: string; readonly lfts: string } {
  const fabric = generateFabric('leaf-spine', { leaves: 2, spines: 2, hostsPerLeaf: 2 });
  const { tree } = recogniseFatTree(fabric);
  const identity = withColdStartLids(fabric, levelIdentity(fabric, 'leaf-spine', tree!))!;
  const several = { fabric, identity: withColdStartLids(fabric, withLmc(fabric, identity, 1))! };
  const overSpine = (spine: number) => {
    const tables = routeDmodK(tree!);
    const leaf = (host: number): number => fabric.portNeighbour[fabric.portOffset[host]!]!;
    const leaves = [...new Set(Array.from(fabric.hosts, leaf))];
    for (const node of leaves)
      for (const host of fabric.hosts) {
        const up = Array.from(
          { length: fabric.portOffset[node + 1]! - fabric.portOffset[node]! },
          (_, i) => fabric.portOffset[node]! + i,
        ).filter((port) => !fabric.hosts.includes(fabric.portNeighbour[port]!));
        if (leaf(host) !== node) tables.setPort(node, host, up[spine]!);
      }
    return tables;
  };
  return {
    net: [...writeIbnetdiscover(several)].join(''),
    lfts: [...lftTexts(several, [overSpine(0), overSpine(1)])].join(''),
  };
}
