// Which rank is on which node: from the places that there are to a place for each rank.
// Invariant: no two ranks have the same place; a node has at most ranksPerNode of them.

import { choice, type SettingGroup } from '../base/settings.js';

/** How ranks are mapped. */
export const mappingNames = ['linear', 'cyclic'] as const;
export type MappingName = (typeof mappingNames)[number];

export const mappingSettings = {
  mapping: choice(
    mappingNames,
    'linear',
    'which rank is where: linear, node after node; cyclic, one rank on each node, then the next on each',
  ),
} as const satisfies SettingGroup;

/**
 * The node of each rank, as its place in a list of nodes.
 * @param ranks to be placed, at most nodes x ranksPerNode
 */
export function nodesOfRanks(mapping: MappingName, ranks: number, nodes: number, ranksPerNode: number): Int32Array {
  return Int32Array.from({ length: ranks }, (_, rank) =>
    mapping === 'linear' ? Math.floor(rank / ranksPerNode) : rank % nodes,
  );
}
