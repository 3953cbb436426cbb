// The routing matrix R of t = R x, by whatever decides the way of a pair: tables with levels and lanes, one for each LID
// of hosts, or switches that choose among equal-cost paths, of which nobody knows how, or by fixed fractions. For `weft
// reconstruct` and for each epoch of `weft adapt`.

import type { Fabric } from '../../fabric/fabric.js';
import type { LidUse } from '../../optimization/lid-use.js';
import { EqualCostRows } from '../../reconstruction/equal-cost-rows.js';
import { PairRows, type PairCounters } from '../../reconstruction/pair-rows.js';
import { SplitRows, type Split } from '../../reconstruction/split-rows.js';
import { EqualCostRoutes } from '../../routing/equal-cost.js';
import type { ForwardingTables } from '../../routing/forwarding-tables.js';
import { lidOfPair, type TablesByOffset } from '../../routing/lid-offsets.js';
import { TableRoutes } from '../../routing/table-routes.js';
import { oneLane, type LaneDraw } from './lane-strategies.js';

/** What decides the ways of pairs. */
export interface PairWays {
  /** by LID offset; null: switches choose among equal-cost paths */
  readonly tables: TablesByOffset | null;
  /** which LIDs pairs send to */
  readonly lidUse: LidUse;
  /** how switches choose; null: nobody knows */
  readonly split: Pick<Split, 'portWeights' | 'drawnPorts'> | null;
  /** whether fractions are what they are: see {@link Split} */
  readonly isExact: boolean;
}

const nextHopOrder = 'descending-node-id';

/** The counters that pairs move. @param tables null: switches hash over equal-cost paths */
export function pairCounters(fabric: Fabric, tables: ForwardingTables | null, lanes: LaneDraw = oneLane): PairCounters {
  return tables === null ? new EqualCostRows(fabric) : new PairRows(fabric, tables, lanes);
}

const onlyLid: readonly number[] = [0];

const toOnlyLid = (): readonly number[] => onlyLid;

/** The same of traffic that may be split over several ways. */
export function splitCounters(
  fabric: Fabric,
  { tables, lidUse, split, isExact }: PairWays,
  lanes: LaneDraw,
): PairCounters {
  if (tables === null) {
    if (split === null) return pairCounters(fabric, null);
    return new SplitRows(fabric, new EqualCostRoutes(fabric, nextHopOrder), lanes, {
      ...split,
      lidsOf: toOnlyLid,
      isExact,
    });
  }
  if (tables.length === 1 || typeof lidUse === 'number')
    return pairCounters(fabric, tables[typeof lidUse === 'number' ? lidUse : 0]!, lanes);
  const routes = new TableRoutes(fabric, tables, { nextHopOrder, withinServers: 'nvlink' });
  const spread = [...tables.keys()];
  const rankOf = new Map(Array.from(fabric.hosts, (host, rank) => [host, rank]));
  const lidsOf =
    lidUse === 'spread'
      ? (): readonly number[] => spread
      : (source: number, destination: number): readonly number[] => [
          lidOfPair(rankOf.get(source)!, rankOf.get(destination)!, tables.length),
        ];
  return new SplitRows(fabric, routes, lanes, { lidsOf, portWeights: null, drawnPorts: null, isExact });
}

/** Counters of ports and lanes as rows have them. */
export function asRowsHave(rows: PairCounters, counters: Float64Array): Float64Array {
  return rows instanceof EqualCostRows ? rows.gathered(counters) : counters;
}
