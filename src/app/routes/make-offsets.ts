// Tables that a search makes for hosts with several LIDs. It searches for one LID per host first, then for two, four
// and eight, each time for all LIDs at once, which are hosts of their own for it (fabric/lid-hosts.ts).
// Invariants: the largest load (summed over phases) is never above that with fewer LIDs and the same limits: a step
// takes the ways of the one before where it finds no better ones. What a step may cost does not depend on later ones.

import { InputError } from '../../base/diagnostics.js';
import type { Fabric } from '../../fabric/fabric.js';
import { hostLidCount, maxRadix } from '../../fabric/identity.js';
import { mostLidHosts, samePort, withLidHosts } from '../../fabric/lid-hosts.js';
import type { RoutedFabric } from '../../fabric/routed-fabric.js';
import { lidTraffic, loadsByOffset, usualLidUse, type LidUse } from '../../optimization/lid-use.js';
import { interSwitchPorts } from '../../optimization/table-loads.js';
import { routeDmodK } from '../../routing/d-mod-k.js';
import type { ForwardingTables } from '../../routing/forwarding-tables.js';
import { joinedOffsets, splitByOffset, type TablesByOffset } from '../../routing/lid-offsets.js';
import type { FlowLevels } from '../../routing/route-lanes.js';
import { ssspByOffset } from '../../routing/sssp.js';
import { lanesFor, type ComputedTables, type SearchSettings, type TimedTables } from './route-algorithm.js';
import type { SearchControl } from './search-control.js';

/** How a search for one LID per host is carried out, and what its tables still need to be whole. */
export interface LidSearch extends Pick<SearchControl, 'wallMs' | 'stopRequested'> {
  readonly search: (source: RoutedFabric, settings: SearchSettings) => Promise<TimedTables>;
  /** adds detours to tables of all LIDs */
  readonly finish: (made: ComputedTables) => ComputedTables;
}

/**
 * Searches for tables of all LIDs of hosts, their number doubled from step to step.
 * @throws InputError if changes are limited and a switch has more ports to LIDs than tables can tell apart
 */
export async function searchLids(
  source: RoutedFabric,
  settings: SearchSettings,
  host: LidSearch,
): Promise<TimedTables> {
  const { lidUse = usualLidUse, mostChanges } = settings;
  const lids = hostLidCount(source.fabric, source.identity);
  const steps = new LidSteps(source, { ...settings, lidUse }, host);
  const most = typeof lidUse === 'number' ? 1 : mostLidHosts(source, lids);
  if (mostChanges !== null && typeof lidUse !== 'number' && most < lids)
    throw InputError.about('too-large', '--most-changes', `a switch has too many hosts for ${lids} LIDs each`, {
      wanted: `at most ${most} LIDs per host, so that its ports and these are not more than ${maxRadix}`,
      hint: `take a smaller --lmc, or leave --most-changes out`,
    });
  // changes are counted against the tables of all LIDs at once
  for (let count = mostChanges === null ? 1 : most; count <= most; count *= 2) if (!(await steps.search(count))) break;
  return steps.made(lids);
}

/** Tables for so many LIDs, finished, with their largest load. */
interface Candidate {
  readonly made: ComputedTables;
  readonly load: number;
}

class LidSteps {
  private best: Candidate | null = null;
  private work = 0;
  private cpuSeconds = 0;
  private outOfTime = false;
  /** why each search ended */
  private readonly ends: { readonly count: number; readonly end: string }[] = [];
  private readonly startMs: number;

  constructor(
    private readonly source: RoutedFabric,
    private readonly settings: SearchSettings & { readonly lidUse: LidUse },
    private readonly host: LidSearch,
  ) {
    this.startMs = host.wallMs();
  }

  /** Searches with so many LIDs per host. @returns false if nothing is left of the limits */
  async search(count: number): Promise<boolean> {
    const { best: fewer } = this;
    if (fewer === null) await this.try(count, null, 1);
    else {
      if (this.isOver()) return false;
      await this.try(count, this.otherWays(count), 0.5);
      // where ways of their own carry more: from those of the LIDs before
      if (this.best === fewer && !this.isOver())
        await this.try(
          count,
          Array.from({ length: count }, (_, offset) => fewer.made.tables[offset % fewer.made.tables.length]!),
          1,
        );
    }
    return true;
  }

  /** The tables found, for all LIDs. */
  made(lids: number): TimedTables {
    const { work, cpuSeconds, outOfTime, ends } = this;
    const { tables, notes, lanes, search } = this.best!.made;
    const common = {
      cpuSeconds,
      outOfTime,
      ftree: null,
      ...(search === undefined ? {} : { search: { ...search, work, end: endText(ends) } }),
    };
    const unused = this.withUnused(lids);
    if (unused !== null) return { ...common, notes, ...unused };
    const place = (offset = 0): number => offset % tables.length;
    const own: FlowLevels | null =
      lanes === undefined
        ? null
        : { ...lanes, count: lanes.count, levels: (from, to, offset) => lanes.levels(from, to, place(offset)) };
    const note = `LIDs of a host beyond ${tables.length === 1 ? 'the first' : `the first ${tables.length}`} have the same ways`;
    return {
      ...common,
      notes: tables.length === lids ? notes : [...notes, note],
      tables: Array.from({ length: lids }, (_, offset) => tables[place(offset)]!),
      ...(own === null ? {} : { lanes: own }),
    };
  }

  /** Where one LID alone is sent to: other ways for the others, so that whoever does send to them is led; else null. */
  private withUnused(lids: number): Pick<ComputedTables, 'tables' | 'lanes'> | null {
    const { source, settings, best } = this;
    const { lidUse, current } = settings;
    if (typeof lidUse !== 'number') return null;
    const { tables: found, lanes } = best!.made;
    const others = this.host.finish({ tables: current ?? this.otherWays(lids) ?? found, notes: [] }).tables;
    const tables = Array.from({ length: lids }, (_, offset) =>
      offset === lidUse ? found[0]! : others[offset % others.length]!,
    );
    if (source.noTree === null && lanes === undefined) return { tables };
    const own = lanesFor(tables);
    return own === null ? null : { tables, lanes: own.lanes };
  }

  private isOver(): boolean {
    return this.secondsLeft() <= 0 || this.settings.mostWork <= this.work || this.host.stopRequested();
  }

  private secondsLeft(): number {
    return this.settings.seconds - (this.host.wallMs() - this.startMs) / 1000;
  }

  /**
   * Searches, and keeps what carries less than the best, or no more by ways of its own.
   * @param begin tables of every LID; null = the search's own @param share of what is left of the limits
   */
  private async try(count: number, begin: TablesByOffset | null, share: number): Promise<void> {
    const { source, settings, best, host } = this;
    const { traffic, current, lidUse, background = null } = settings;
    const one = {
      ...settings,
      seconds: share * this.secondsLeft(),
      mostWork: Math.floor(share * (settings.mostWork - this.work)),
    };
    let made: TimedTables;
    if (typeof lidUse === 'number' || count === 1) {
      const own = current?.[typeof lidUse === 'number' ? lidUse : 0];
      made = await host.search(source, { ...one, current: own === undefined ? null : [own] });
    } else {
      const joined = withLidHosts(source, count);
      const join = (tables: TablesByOffset): ForwardingTables => joinedOffsets(joined.fabric, tables.slice(0, count));
      made = await host.search(joined, {
        ...one,
        traffic: lidTraffic(traffic!, lidUse, count),
        current: current === null ? null : [join(current)],
        background: background === null ? null : movedPorts(background, source.fabric, joined.fabric),
        ...(begin === null ? {} : { begin: join(begin) }),
      });
      made = { ...made, tables: splitByOffset(source.fabric, made.tables[0]!) };
    }
    this.cpuSeconds += made.cpuSeconds;
    this.outOfTime ||= made.outOfTime === true;
    if (made.search !== undefined) {
      this.work += made.search.work;
      this.ends.push({ count, end: made.search.end });
    }
    const whole = host.finish(made);
    const load = this.largestLoad(whole.tables);
    if (best === null || load <= best.load * (1 + rounding)) this.best = { made: whole, load };
  }

  /** Ways of its own for every LID, to begin with; null = the search's own, where these would need too many lanes. */
  private otherWays(count: number): TablesByOffset | null {
    const { fabric, identity, tree, noTree } = this.source;
    if (noTree === null) return Array.from({ length: count }, (_, offset) => routeDmodK(tree, offset));
    const shortest = ssspByOffset(fabric, identity, count);
    return lanesFor(shortest) === null ? null : shortest;
  }

  /** Largest load between switches, other traffic included, summed over phases. */
  private largestLoad(tables: TablesByOffset): number {
    const { tree } = this.source;
    const { traffic, lidUse, background = null } = this.settings;
    const between = interSwitchPorts(tree);
    return traffic!.phases.reduce((sum, { matrix }) => {
      let most = 0;
      loadsByOffset(tree, tables, matrix, lidUse).load.forEach((load, port) => {
        if (between[port] === 1) most = Math.max(most, load + (background?.[port] ?? 0));
      });
      return sum + most;
    }, 0);
  }
}

const rounding = 1e-9;

/** Why searches ended, in words; once if all for the same reason. */
function endText(ends: readonly { readonly count: number; readonly end: string }[]): string {
  const [first] = ends;
  if (first === undefined || ends.every(({ end }) => end === first.end)) return first?.end ?? '';
  return ends.map(({ count, end }) => `${end}, with ${count} LID${count === 1 ? '' : 's'} per host`).join('; ');
}

/** A column by ports of a fabric as one of the same fabric with more hosts. */
function movedPorts(column: Float64Array, from: Fabric, to: Fabric): Float64Array {
  const moved = new Float64Array(to.portCount);
  column.forEach((value, port) => {
    moved[samePort(from, to, port)] = value;
  });
  return moved;
}
