// Which counters a pair of hosts moves: those of the lanes of the links on its way. The routing matrix R of t = R x
// (Taffet's dissertation, docs/SOURCES.md, 4.2 and 4.4), whose columns are made when they are asked for: of 9.4 million
// pairs with five lanes they would fill 200 MB.
// Invariants: a row is the port that sends on a link x number of lanes + lane; tables, level and ports alone decide it.

import type { Fabric } from '../fabric/fabric.js';
import type { ForwardingTables } from '../routing/forwarding-tables.js';
import { madeHere, type LaneAssignment } from '../routing/lane-maps.js';

/** More links than any way has that leads. */
export const mostLinksOfWay = 64;

/** The counters that pairs of hosts move. */
export interface PairCounters {
  /** counters in all */
  readonly count: number;
  /** rows of the pair that was asked for last; a buffer that is used again */
  readonly rows: Int32Array;
  /** which share of the pair each of them counts, in a buffer as well; null: all of it, always */
  readonly shares: Float64Array | null;
  /**
   * Finds the counters of a pair of hosts, in the order of its way.
   * @param counters what each row counted, NaN: it was not read; null: all rows are wanted
   * @returns how many there are in {@link rows}, of those that were read; 0 if one counted nothing, no way leads there,
   * or a host is its own
   */
  open(source: number, destination: number, counters: Float64Array | null): number;
  /** The row that has what a counter counted. */
  rowOf(counter: number): number;
}

export class PairRows implements PairCounters {
  readonly count: number;
  readonly rows = new Int32Array(mostLinksOfWay);
  readonly shares = null;
  private readonly lanes: number;

  constructor(
    private readonly fabric: Fabric,
    private readonly tables: ForwardingTables,
    private readonly assignment: Pick<LaneAssignment, 'levels' | 'map'>,
  ) {
    this.lanes = assignment.map.count;
    this.count = fabric.portCount * this.lanes;
  }

  /** Every counter has a row of its own. */
  rowOf(counter: number): number {
    return counter;
  }

  /** As of {@link PairCounters}. */
  open(source: number, destination: number, counters: Float64Array | null): number {
    const { fabric, tables, assignment, lanes, rows } = this;
    const { portOffset, portPeer, portNeighbour } = fabric;
    const { levels, map } = assignment;
    if (source === destination) return 0;
    const level = levels.of(source, destination);
    let inPort = madeHere;
    let port = portOffset[source]!;
    let read = 0;
    for (let links = 0; links < mostLinksOfWay; links++) {
      const row = port * lanes + map.lane(level, source, destination, inPort, port);
      const counted = counters === null ? 1 : counters[row]!;
      if (counted === 0) return 0;
      if (!Number.isNaN(counted)) rows[read++] = row;
      const node = portNeighbour[port]!;
      if (node === destination) return read;
      if (tables.rowOf[node] === -1) return 0;
      inPort = portPeer[port]!;
      port = tables.port(node, destination);
      if (port === -1) return 0;
    }
    return 0;
  }
}
