// `nodeTile` and `leafTile` of a program -> blocks of its grid on nodes and leaves.

import { Section } from '../form/section.js';
import type { MappingSite, Tile } from '../../programs/mappings.js';
import { tiles } from '../../programs/mappings.js';
import { errorAt, keyPlaceOf } from '../form/located.js';

const defaultTiles = { nodeTile: '3x3x4', leafTile: '4x4x2' } as const;

/**
 * The tiling of a program.
 * @param nodes that it has @returns null after an error
 */
export function tilingAt(
  block: Section,
  grid: readonly number[] | undefined,
  ranksPerNode: number,
  nodes: number,
): MappingSite['tiling'] {
  const refuse = (key: string, message: string, got: string, wanted: string): null => {
    const at = !block.has(key) ? [...block.path, 'mapping'] : [...block.path, key];
    errorAt(block.diagnostics, 'program-mapping', keyPlaceOf(block.root, at), message, { got, wanted });
    return null;
  };
  if (grid === undefined)
    return refuse('mapping', 'this program lies on no grid', 'tiled', 'another mapping, such as linear');
  const sides: Tile = [grid[0] ?? 1, grid[1] ?? 1, grid[2] ?? 1];
  const text = (key: keyof typeof defaultTiles): string => block.word(key) ?? defaultTiles[key];
  const nodeTile = tile(text('nodeTile'));
  const leafTile = tile(text('leafTile'));
  for (const [key, value] of [
    ['nodeTile', nodeTile],
    ['leafTile', leafTile],
  ] as const)
    if (value === null) return refuse(key, `${block.text(key)} is no block`, text(key), 'three sides, such as 3x3x4');
  const tiling = { grid: sides, nodeTile: nodeTile!, leafTile: leafTile! };
  for (const [key, extents] of [
    ['nodeTile', nodeTile!],
    ['leafTile', nodeTile!.map((side, axis) => side * leafTile![axis]!)],
  ] as const)
    if (sides.some((side, axis) => side % extents[axis]! !== 0))
      return refuse(key, `${block.text(key)} does not divide the grid`, text(key), `divisors of ${grid.join('x')}`);
  if (nodeTile!.reduce((product, side) => product * side, 1) > ranksPerNode)
    return refuse('nodeTile', 'a block has more ranks than a node', text('nodeTile'), `at most ${ranksPerNode} ranks`);
  if (tiles(tiling) > nodes)
    return refuse('nodeTile', 'there are more blocks than nodes', `${tiles(tiling)} blocks`, `at most ${nodes}`);
  return tiling;
}

function tile(text: string): Tile | null {
  const match = /^\s*(\d{1,6})x(\d{1,6})x(\d{1,6})\s*$/.exec(text);
  if (match === null) return null;
  const sides = [Number(match[1]), Number(match[2]), Number(match[3])] as const;
  return sides.includes(0) ? null : sides;
}
