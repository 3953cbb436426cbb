// `nodeTile` and `leafTile` of a program -> blocks of its grid on nodes and leaves.

import type { Diagnostics } from '../base/diagnostics.js';
import type { MappingSite, Tile } from '../programs/mappings.js';
import { tiles } from '../programs/mappings.js';
import { errorAt, keyPlaceOf, nodeAt, pathText, type LocatedMap, type Path } from './located.js';
import { wordAt } from './resolve.js';

const defaultTiles = { nodeTile: '3x3x4', leafTile: '4x4x2' } as const;

/**
 * The tiling of a program.
 * @param nodes that it has @returns null after an error
 */
export function tilingAt(
  root: LocatedMap,
  path: Path,
  grid: readonly number[] | undefined,
  ranksPerNode: number,
  nodes: number,
  diagnostics: Diagnostics,
): MappingSite['tiling'] {
  const refuse = (key: string, message: string, got: string, wanted: string): null => {
    const at = nodeAt(root, [...path, key]) === undefined ? [...path, 'mapping'] : [...path, key];
    errorAt(diagnostics, 'program-mapping', keyPlaceOf(root, at), message, { got, wanted });
    return null;
  };
  if (grid === undefined)
    return refuse('mapping', 'this program lies on no grid', 'tiled', 'another mapping, such as linear');
  const sides: Tile = [grid[0] ?? 1, grid[1] ?? 1, grid[2] ?? 1];
  const text = (key: keyof typeof defaultTiles): string => wordAt(root, [...path, key]) ?? defaultTiles[key];
  const nodeTile = tile(text('nodeTile'));
  const leafTile = tile(text('leafTile'));
  for (const [key, value] of [
    ['nodeTile', nodeTile],
    ['leafTile', leafTile],
  ] as const)
    if (value === null)
      return refuse(key, `${pathText([...path, key])} is no block`, text(key), 'three sides, such as 3x3x4');
  const tiling = { grid: sides, nodeTile: nodeTile!, leafTile: leafTile! };
  for (const [key, block] of [
    ['nodeTile', nodeTile!],
    ['leafTile', nodeTile!.map((side, axis) => side * leafTile![axis]!)],
  ] as const)
    if (sides.some((side, axis) => side % block[axis]! !== 0))
      return refuse(
        key,
        `${pathText([...path, key])} does not divide the grid`,
        text(key),
        `divisors of ${grid.join('x')}`,
      );
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
