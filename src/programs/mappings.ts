// Which rank is on which node: a place in a list of nodes for each rank.
// Invariant: a node has at most ranksPerNode ranks.
// Source: cyclic within a leaf and block between leaves, and two-level tiling: Taffet's dissertation 2.4.2; shifted:
// 2.4.1 (docs/SOURCES.md).

import { addTo } from '../base/lists-by-key.js';
import { count, choice, type SettingGroup } from '../base/settings.js';

/** How ranks are mapped. */
const mappingNames = ['linear', 'cyclic', 'cyclic-leaf', 'shifted', 'tiled'] as const;
export type MappingName = (typeof mappingNames)[number];

export const mappingSettings = {
  mapping: choice(
    mappingNames,
    'linear',
    'which rank is where: linear, node after node; cyclic, one rank on each node, then the next on each; ' +
      'cyclic-leaf, the same on the nodes of a leaf, leaf after leaf; shifted, linear from node `shift` on and ' +
      'round; tiled, blocks of the grid on nodes (nodeTile) and leaves (leafTile)',
  ),
  shift: count(0, 'place among the nodes at which a shifted mapping begins', { minimum: 0, maximum: 1_000_000 }),
} as const satisfies SettingGroup;

/** Sides of a block, x first. */
export type Tile = readonly [number, number, number];

/** What a mapping is made of. */
export interface MappingSite {
  readonly ranks: number;
  readonly ranksPerNode: number;
  /** by place in the list of nodes: its leaf */
  readonly leaves: Int32Array;
  readonly shift: number;
  /** of a tiled mapping: the grid, blocks of ranks on a node, blocks of nodes on a leaf */
  readonly tiling: { readonly grid: Tile; readonly nodeTile: Tile; readonly leafTile: Tile } | null;
}

/** The node of each rank, as its place in the list of nodes. @param site with a place for each rank */
export function nodesOfRanks(mapping: MappingName, site: MappingSite): Int32Array {
  const { ranks, ranksPerNode, leaves, shift, tiling } = site;
  const nodes = leaves.length;
  const all = Int32Array.from({ length: ranks }, (_, rank) => rank);
  switch (mapping) {
    case 'linear':
      return all.map((rank) => Math.floor(rank / ranksPerNode));
    case 'cyclic':
      return all.map((rank) => rank % nodes);
    case 'shifted':
      return all.map((rank) => (Math.floor(rank / ranksPerNode) + shift) % nodes);
    case 'cyclic-leaf':
      return cyclicOnLeaves(ranks, ranksPerNode, leaves);
    case 'tiled':
      return all.map((rank) => tileOf(rank, tiling!));
  }
}

/** How many nodes a tiling takes. */
export function tiles({ grid, nodeTile }: NonNullable<MappingSite['tiling']>): number {
  return grid.reduce((product, side, axis) => (product * side) / nodeTile[axis]!, 1);
}

function cyclicOnLeaves(ranks: number, ranksPerNode: number, leaves: Int32Array): Int32Array {
  const byLeaf = new Map<number, number[]>();
  leaves.forEach((leaf, node) => addTo(byLeaf, leaf, node));
  const nodeOf = new Int32Array(ranks);
  let rank = 0;
  for (const nodes of byLeaf.values()) {
    const end = Math.min(ranks, rank + nodes.length * ranksPerNode);
    for (let place = 0; rank < end; rank++, place++) nodeOf[rank] = nodes[place % nodes.length]!;
  }
  return nodeOf;
}

/** The node of a rank: leaves of blocks in turn, x first, and the nodes of each in turn, x first. */
function tileOf(rank: number, { grid, nodeTile, leafTile }: NonNullable<MappingSite['tiling']>): number {
  let [rest, inLeaf, leaf, leafStride, nodeStride] = [rank, 0, 0, 1, 1];
  for (let axis = 0; axis < 3; axis++) {
    const node = Math.floor((rest % grid[axis]!) / nodeTile[axis]!);
    rest = Math.floor(rest / grid[axis]!);
    inLeaf += nodeStride * (node % leafTile[axis]!);
    nodeStride *= leafTile[axis]!;
    leaf += leafStride * Math.floor(node / leafTile[axis]!);
    leafStride *= grid[axis]! / nodeTile[axis]! / leafTile[axis]!;
  }
  return leaf * nodeStride + inLeaf;
}
