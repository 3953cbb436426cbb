// Virtual lanes of routes: which service level (and so which lane) the packets of a flow have. Links keep a buffer for
// every lane, so that what waits in one never waits for another.
// Invariants: a flow is what hosts of one switch send to one host, by one of its LIDs if it has several (offset 0: the
// first); it has at least one level. Levels count from 0; a
// packet keeps its level on its whole way. Without lanes everything is level 0.

import { fail } from '../base/fail.js';
import type { Fabric } from '../fabric/fabric.js';

/** The most service levels: 15 would mean management on lane 15. */
export const mostLevels = 15;

/**
 * The lane on which a switch sends on what has a service level (SL2VL).
 * @param inPort port of the switch that it came by
 * @param outPort port of the switch that it leaves by
 */
export type LaneRule = (level: number, inPort: number, outPort: number) => number;

/** Which service levels flows have. */
export interface FlowLevels {
  /** number of levels: one more than the highest that some flow uses */
  readonly count: number;
  /** lanes of levels, and how many there are; left out: level s has lane s */
  readonly lanes?: { readonly rule: LaneRule; readonly count: number };
  /** levels of the flow from the hosts of a switch to a LID of a host: bit s is level s */
  levels(from: number, destination: number, offset?: number): number;
}

/** Without lanes: everything has level 0. */
export const levelZero: FlowLevels = { count: 1, levels: () => 1 };

/** The service levels of flows, as sets of bits. */
export class RouteLanes implements FlowLevels {
  /** place of each node among the switches, -1 for hosts */
  private readonly rowOf: Int32Array;
  /** bit s: level s is used; by LID offset x switch (row) x node */
  private readonly sets: Uint16Array;

  constructor(
    readonly fabric: Fabric,
    private readonly switches: Int32Array,
    lidOffsets = 1,
  ) {
    this.rowOf = new Int32Array(fabric.nodeCount).fill(-1);
    switches.forEach((node, row) => {
      this.rowOf[node] = row;
    });
    this.sets = new Uint16Array(lidOffsets * switches.length * fabric.nodeCount).fill(1);
  }

  /** Levels of the flow from the hosts of a switch to a LID of a host: bit s is level s. */
  levels(from: number, destination: number, offset = 0): number {
    return this.sets[this.place(from, destination, offset)]!;
  }

  /** The lowest level of a flow. */
  level(from: number, destination: number, offset = 0): number {
    const levels = this.levels(from, destination, offset);
    return 31 - Math.clz32(levels & -levels);
  }

  /** Gives a flow one level. @throws InvariantError if there is no such level */
  setLevel(from: number, destination: number, level: number, offset = 0): void {
    if (!(level >= 0 && level < mostLevels)) fail(`service level ${level} of ${mostLevels}`);
    this.sets[this.place(from, destination, offset)] = 1 << level;
  }

  /** Takes all levels from all flows, so that {@link addLevel} begins anew. */
  clear(): void {
    this.sets.fill(0);
  }

  /** Gives a flow one more level. @throws InvariantError if there is no such level */
  addLevel(from: number, destination: number, level: number, offset = 0): void {
    if (!(level >= 0 && level < mostLevels)) fail(`service level ${level} of ${mostLevels}`);
    this.sets[this.place(from, destination, offset)]! |= 1 << level;
  }

  private place(from: number, destination: number, offset: number): number {
    return (offset * this.switches.length + this.rowOf[from]!) * this.fabric.nodeCount + destination;
  }

  /** Number of levels: one more than the highest that some flow uses. */
  get count(): number {
    let all = 0;
    for (const set of this.sets) all |= set;
    return 32 - Math.clz32(all);
  }
}

/** How many lanes flows use. */
export function laneCount(levels: FlowLevels | null): number {
  return levels === null ? 1 : (levels.lanes?.count ?? levels.count);
}

/** The levels that flows have before or after something: those of both. Both have a lane of its own for each level. */
export function eitherLevels(before: FlowLevels, after: FlowLevels): FlowLevels {
  return {
    count: Math.max(before.count, after.count),
    levels: (from, destination, offset) =>
      before.levels(from, destination, offset) | after.levels(from, destination, offset),
  };
}
