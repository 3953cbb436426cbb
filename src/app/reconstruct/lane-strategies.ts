// Levels and lanes of pairs.
// Source: Taffet's dissertation (docs/SOURCES.md), section 4.4.

import { DrawnLanes, PairLanes, SteadyLanes, type LaneAssignment } from '../../routing/lane-maps.js';
import { DrawnLevels } from '../../routing/service-levels.js';
import type { LaneStrategy } from './reconstruction-request.js';

/** Levels of pairs, and their lanes. */
type LaneDraw = Pick<LaneAssignment, 'levels' | 'map'>;

/** The assignment of a strategy. */
export function assignmentOf(strategy: LaneStrategy, lanes: number, levels: number, seed: number): LaneDraw {
  const own = new DrawnLevels(levels, seed);
  if (strategy === 'pairs') return { levels: own, map: new PairLanes(lanes, seed) };
  return {
    levels: own,
    map: strategy === 'steady' || lanes === 1 ? new SteadyLanes(lanes) : new DrawnLanes(lanes, seed),
  };
}
