// What a reconstruction is asked for.

import type { FabricRequest } from '../routes/fabric-input.js';
import type { GivenText } from '../routes/file-kinds.js';
import type { TablesRequest } from '../routes/tables-input.js';
import type { TrafficRequest } from '../routes/traffic-input.js';

/** How levels and lanes are given to pairs. */
export type LaneStrategy = 'random' | 'pairs' | 'steady';

/** Which counters, and how they came about. */
export interface ReconstructionRequest extends Pick<FabricRequest, 'fabric' | 'guid2lid' | 'roots'> {
  /** `ftree`, `dmodk`, or tables as {@link readTables} takes them */
  readonly tables: TablesRequest;
  /** what is sent: it makes the counters, and is compared with what is found */
  readonly traffic?: TrafficRequest['traffic'];
  /** as of {@link TrafficRequest}, or `alone`, if left out: one job on hosts in a row, from the eleventh */
  readonly allocation?: string;
  /** what ports counted, as perfquery and ibqueryerrors print it; and an earlier reading */
  readonly counters?: string | GivenText;
  readonly before?: string | GivenText;
  /** virtual lanes that counters tell apart; 1 if left out */
  readonly lanes?: number;
  /** service levels of pairs; as many as lanes if left out */
  readonly serviceLevels?: number;
  readonly strategy?: LaneStrategy;
  /** a basis (i, s, cd, scd, cs, scs), several joined by +, or od, if left out */
  readonly dictionary?: string;
  /** of levels, lanes and random traffic; 1 if left out */
  readonly seed?: number;
  /** limits of the search: wall-clock seconds, and steps */
  readonly seconds?: number;
  readonly mostWork?: number;
}
