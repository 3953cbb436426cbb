// Levels and lanes of pairs: drawn by a strategy, or as files of a fabric or run list them.
// Source: Taffet's dissertation (docs/SOURCES.md), section 4.4.

import { FileProblems, InputError, type Diagnostics } from '../../base/diagnostics.js';
import type { Host } from '../../base/host.js';
import type { RoutedFabric } from '../../fabric/routed-fabric.js';
import { listedLanes } from '../../formats/listed-lanes.js';
import { PathRecordReader } from '../../formats/opensm-path-records.js';
import { readLaneTables } from '../../formats/opensm-sl2vl.js';
import { galoisLanes, GaloisLanes } from '../../reconstruction/galois-lanes.js';
import type { TablesByOffset } from '../../routing/lid-offsets.js';
import { SeparatedLevels } from '../../reconstruction/separated-levels.js';
import {
  DrawnLanes,
  levelsPerRow,
  PairLanes,
  PermutedLanes,
  SteadyLanes,
  type LaneAssignment,
  type LaneMap,
} from '../../routing/lane-maps.js';
import { DrawnLevels, type ServiceLevels } from '../../routing/service-levels.js';
import { requireTree } from '../routes/fabric-input.js';
import { ownPieces, readOwnKind } from '../routes/file-kinds.js';
import type { LaneStrategy, ReconstructionRequest } from './reconstruction-request.js';

/** Levels of pairs, and their lanes. */
export type LaneDraw = Pick<LaneAssignment, 'levels' | 'map'>;

/** Every port has one lane, and all pairs take it. */
export const oneLane: LaneDraw = { levels: new DrawnLevels(1, 1), map: new SteadyLanes(1) };

/** Levels of a class of service: as many as pairs have, behind those of the classes before (4.4). */
export function levelsOfClass(levels: ServiceLevels, place: number): ServiceLevels {
  if (place === 0) return levels;
  return { count: (place + 1) * levels.count, of: (from, to) => place * levels.count + levels.of(from, to) };
}

/** The levels and lanes of a request. @param tables by LID offset; null: switches choose @throws InputError, HostFileError */
export async function assignmentOf(
  { lanes = 1, serviceLevels = lanes, classes = 1, strategy = 'random', pathRecords, sl2vl }: ReconstructionRequest,
  seed: number,
  files: Host,
  source: RoutedFabric,
  tables: TablesByOffset | null,
  diagnostics: Diagnostics,
): Promise<LaneDraw> {
  const given = pathRecords === undefined ? null : await levelsOf(pathRecords, files, source, diagnostics);
  const levels = given ?? new DrawnLevels(serviceLevels, seed);
  if (levels.count * classes > levelsPerRow)
    throw InputError.about('too-many-levels', '--classes', `there are ${levelsPerRow} service levels`, {
      got: `${classes} classes of ${levels.count} levels`,
      wanted: 'fewer classes, or fewer --service-levels for each',
      hint: 'levels of all classes together have to fit',
    });
  if (sl2vl === undefined) {
    const map = drawnMap(strategy, lanes, seed, source, tables);
    return {
      levels: strategy === 'separated' && given === null ? new SeparatedLevels(source.tree, levels, map) : levels,
      map,
    };
  }
  const { text, name } = await readOwnKind(files, sl2vl, 'lanes');
  const listed = readLaneTables(text, name, source, diagnostics);
  diagnostics.throwIfErrors();
  const limits = { levels: levels.count * classes, most: lanes, setting: '--lanes' };
  const map = listedLanes(source, listed, limits, new FileProblems(name, diagnostics));
  diagnostics.throwIfErrors();
  return { levels, map };
}

function drawnMap(
  strategy: LaneStrategy,
  lanes: number,
  seed: number,
  source: RoutedFabric,
  tables: TablesByOffset | null,
): LaneMap {
  if (strategy === 'galois') {
    if (lanes !== galoisLanes)
      throw InputError.about('bad-setting', '--strategy', `galois is for ${galoisLanes} lanes`, {
        got: `--lanes ${lanes}`,
        wanted: `--lanes ${galoisLanes}`,
        hint: 'take --strategy random for other counts of lanes',
      });
    if (tables?.length !== 1)
      throw InputError.about('bad-setting', '--strategy', 'galois is for one way of each pair', {
        got: tables === null ? 'ways that switches choose' : `${tables.length} LIDs of each host`,
        wanted: 'tables of one LID',
        hint: 'take --strategy random, or --tables ftree',
      });
    requireTree(source);
    return new GaloisLanes(source.tree, tables[0]!, seed);
  }
  if (strategy === 'pairs') return new PairLanes(lanes, seed);
  if (strategy === 'separated') return new PermutedLanes(lanes, seed);
  return strategy === 'steady' || lanes === 1 ? new SteadyLanes(lanes) : new DrawnLanes(lanes, seed);
}

async function levelsOf(
  from: NonNullable<ReconstructionRequest['pathRecords']>,
  files: Host,
  source: RoutedFabric,
  diagnostics: Diagnostics,
): Promise<ServiceLevels> {
  const { name, pieces } = ownPieces(files, from, 'levels');
  const reader = new PathRecordReader(source, name, diagnostics, true);
  for await (const piece of pieces) {
    reader.push(piece);
    if (diagnostics.full) break;
  }
  reader.end();
  diagnostics.throwIfErrors();
  return reader.levelsOfPairs();
}
