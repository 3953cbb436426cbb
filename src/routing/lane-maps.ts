// Which virtual lane a packet takes on a link, by its service level and the ports of the switch that sends it on. A map
// is whatever says it: the same lane on the whole way, tables drawn by the seed, tables that were read; other
// strategies (by switch, source and destination, or along the way) are other maps.
// Invariant: pair of nodes, level and ports alone decide the lane, so that what a lane of a link carries is known from
// its pairs (Taffet's dissertation, docs/SOURCES.md, 4.4).
// Source: the same, 4.4.1: functions 2 and 3; SL2VL tables: InfiniBand Architecture Specification vol. 1, 7.6.6.

import { RandomStream } from '../base/random.js';
import { ecmpHash } from './ecmp-hash.js';
import type { ServiceLevels } from './service-levels.js';

/** Stands for the port by which a packet came, at the node that made it. */
export const madeHere = -1;

/** Lanes of links. */
export interface LaneMap {
  /** number of lanes: one more than the highest that it gives */
  readonly count: number;
  /** pair and level alone decide: a packet has one lane on its whole way */
  readonly isSteady: boolean;
  /**
   * The lane on the link behind a port.
   * @param level of the pair
   * @param inPort port of the node by which the packet came, {@link madeHere} at its source
   * @param outPort port of the node by which it leaves
   */
  lane(level: number, source: number, destination: number, inPort: number, outPort: number): number;
}

/** Level s has lane s, or the rest of s by the number of lanes. */
export class SteadyLanes implements LaneMap {
  readonly isSteady = true;

  constructor(readonly count: number) {}

  lane(level: number): number {
    return level < this.count ? level : level % this.count;
  }
}

/** Drawn for every triple of port in, port out and level; at hosts for every level. */
export class DrawnLanes implements LaneMap {
  readonly isSteady = false;
  private readonly seed: number;

  /** @param count lanes to draw from @param seed of the run */
  constructor(
    readonly count: number,
    seed: number,
  ) {
    this.seed = new RandomStream(seed, 'sl2vl').nextUint32();
  }

  lane(level: number, _source: number, _destination: number, inPort: number, outPort: number): number {
    return ecmpHash(inPort, outPort, level, this.seed) % this.count;
  }
}

/** As {@link DrawnLanes}, but two levels have different lanes on a link where there are enough. */
export class PermutedLanes implements LaneMap {
  readonly isSteady = false;
  private readonly seed: number;
  /** numbers below `count` without a common divisor */
  private readonly strides: readonly number[];

  /** @param count lanes to draw from @param seed of the run */
  constructor(
    readonly count: number,
    seed: number,
  ) {
    this.seed = new RandomStream(seed, 'permuted sl2vl').nextUint32();
    this.strides = Array.from({ length: count }, (_, stride) => stride).filter(
      (stride) => greatestDivisor(stride, count) === 1,
    );
  }

  lane(level: number, _source: number, _destination: number, inPort: number, outPort: number): number {
    const { count, strides, seed } = this;
    if (count === 1) return 0;
    // levels beyond the lanes begin anew, by another permutation
    const drawn = ecmpHash(inPort, outPort, Math.floor(level / count), seed);
    const first = drawn % count;
    return (first + strides[Math.floor(drawn / count) % strides.length]! * level) % count;
  }
}

function greatestDivisor(one: number, other: number): number {
  return one === 0 ? other : greatestDivisor(other % one, one);
}

/** Drawn for every triple of port out, source and destination: no switch can, for it does not look at sources (4.4.2). */
export class PairLanes implements LaneMap {
  readonly isSteady = false;
  private readonly seed: number;

  /** @param count lanes to draw from @param seed of the run */
  constructor(
    readonly count: number,
    seed: number,
  ) {
    this.seed = new RandomStream(seed, 'lanes of pairs').nextUint32();
  }

  lane(_level: number, source: number, destination: number, _inPort: number, outPort: number): number {
    return ecmpHash(source, destination, outPort, this.seed) % this.count;
  }
}

/** Listed for every pair of ports, as SL2VL tables list them. */
export class ListedLanes implements LaneMap {
  readonly isSteady = false;

  /**
   * @param count lanes that the rows have
   * @param rowOf place of the row of two ports; of hosts, which make packets, of a port of theirs
   * @param rows 16 lanes each, by level
   */
  constructor(
    readonly count: number,
    private readonly rowOf: (inPort: number, outPort: number) => number,
    private readonly rows: Uint8Array,
  ) {}

  lane(level: number, _source: number, _destination: number, inPort: number, outPort: number): number {
    return this.rows[this.rowOf(inPort, outPort) * levelsPerRow + level]!;
  }
}

/** Levels of a row of an SL2VL table. */
export const levelsPerRow = 16;

/** Levels of pairs, and what switches make of them. */
export interface LaneAssignment {
  readonly levels: ServiceLevels;
  /** by traffic class: its level in place of that of the pair; -1: it has none */
  readonly levelOfClass: Int8Array;
  readonly map: LaneMap;
}
