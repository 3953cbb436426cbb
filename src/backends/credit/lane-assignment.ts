// The levels and lanes of a run: what files say of them goes before what is drawn.

import type { SettingValues } from '../../base/settings.js';
import { DrawnLanes, type LaneAssignment, type LaneMap, SteadyLanes } from '../../routing/lane-maps.js';
import { DrawnLevels } from '../../routing/service-levels.js';
import type { creditSettings } from './settings.js';

type CreditSettings = SettingValues<typeof creditSettings>;

/** Number of service levels that are drawn for pairs. */
export function drawnLevels({ levels, lanes }: Pick<CreditSettings, 'levels' | 'lanes'>): number {
  return levels === 'auto' ? lanes : levels;
}

/** The levels and lanes of a run. @param listed what files say; null or left out: nothing */
export function assignedLanes(
  own: Pick<CreditSettings, 'levels' | 'lanes' | 'sl2vl'>,
  seed: number,
  listed: Partial<LaneAssignment> | null = null,
): LaneAssignment {
  return {
    levels: listed?.levels ?? new DrawnLevels(drawnLevels(own), seed),
    levelOfClass: listed?.levelOfClass ?? new Int8Array(256).fill(-1),
    map: listed?.map ?? mapOf(own, seed),
  };
}

function mapOf({ sl2vl, lanes }: Pick<CreditSettings, 'lanes' | 'sl2vl'>, seed: number): LaneMap {
  return sl2vl === 'random' && lanes > 1 ? new DrawnLanes(lanes, seed) : new SteadyLanes(lanes);
}
