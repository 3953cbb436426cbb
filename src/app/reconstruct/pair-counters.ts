// The routing matrix R of t = R x, by whatever decides the way of a pair: tables with levels and lanes, or switches
// that hash, of which nobody knows how. For `weft reconstruct` and for each epoch of `weft adapt`.

import type { Fabric } from '../../fabric/fabric.js';
import { EqualCostRows } from '../../reconstruction/equal-cost-rows.js';
import { PairRows, type PairCounters } from '../../reconstruction/pair-rows.js';
import type { ForwardingTables } from '../../routing/forwarding-tables.js';
import { oneLane, type LaneDraw } from './lane-strategies.js';

/** The counters that pairs move. @param tables null: switches hash over equal-cost paths */
export function pairCounters(fabric: Fabric, tables: ForwardingTables | null, lanes: LaneDraw = oneLane): PairCounters {
  return tables === null ? new EqualCostRows(fabric) : new PairRows(fabric, tables, lanes);
}

/** Counters of ports and lanes as rows have them. */
export function asRowsHave(rows: PairCounters, counters: Float64Array): Float64Array {
  return rows instanceof EqualCostRows ? rows.gathered(counters) : counters;
}
