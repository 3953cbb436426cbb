// Tables that a search makes for hosts with several LIDs: one search for each LID offset, which knows what the offsets
// before it put on links.
// Invariants: the largest load (summed over phases) is never above that of the first offset's tables for all LIDs: an
// offset whose own tables would make it so takes the first one's. The limits of time and work are divided evenly.

import { InputError } from '../../base/diagnostics.js';
import { hostLidCount } from '../../fabric/identity.js';
import type { RoutedFabric } from '../../fabric/routed-fabric.js';
import { LidShare, lidShare, usualLidUse, type LidUse } from '../../optimization/lid-use.js';
import { interSwitchPorts, tableLoads } from '../../optimization/table-loads.js';
import { routeDmodK } from '../../routing/d-mod-k.js';
import type { ForwardingTables } from '../../routing/forwarding-tables.js';
import type { Traffic } from '../../flows/traffic/matrix.js';
import type { SearchSettings, TimedTables } from './route-algorithm.js';

/**
 * Searches for tables of all LIDs of hosts of a fat tree, one offset after the other.
 * @param search carries one out
 * @throws InputError if the settings have what is meant for one LID
 */
export async function searchOffsets(
  source: RoutedFabric,
  settings: SearchSettings,
  search: (settings: SearchSettings) => Promise<TimedTables>,
): Promise<TimedTables> {
  const { tree, fabric, identity } = source;
  const { lidUse: use = usualLidUse, traffic, current, background, mostChanges } = settings;
  const lids = hostLidCount(fabric, identity);
  for (const [option, value] of [
    ['--background', background ?? null],
    ['--most-changes', mostChanges],
  ] as const)
    if (value !== null)
      throw InputError.about('unused-option', option, 'it is heeded where hosts have one LID alone', {
        got: `${lids} LIDs per host`,
        hint: '--lmc 0 takes the first LID of each host alone',
      });
  const between = interSwitchPorts(tree);
  const carried = traffic!.phases.map(() => new Float64Array(fabric.portCount));
  const offsets: ForwardingTables[] = [];
  const notes: string[] = [];
  let cpuSeconds = 0;
  let outOfTime = false;
  for (let offset = 0; offset < lids; offset++) {
    if (typeof use === 'number' && use !== offset) {
      // nobody sends to it: whoever does is led another way
      offsets.push(current?.[offset] ?? routeDmodK(tree, offset));
      continue;
    }
    const inUse = current?.[offset];
    const made = await search({
      ...settings,
      traffic: lidShare(traffic!, use, lids, offset),
      seconds: typeof use === 'number' ? settings.seconds : settings.seconds / lids,
      mostWork: typeof use === 'number' ? settings.mostWork : Math.floor(settings.mostWork / lids),
      lidOffset: offset,
      current: inUse === undefined ? null : [inUse],
      // loads of other traffic are the same in every phase, those of other LIDs are not
      background: offset > 0 && carried.length === 1 ? carried[0]! : null,
    });
    cpuSeconds += made.cpuSeconds;
    outOfTime ||= made.outOfTime === true;
    const [first] = offsets;
    const [tables] = made.tables;
    const own = loadsOf(source, traffic!, use, lids, offset, tables!);
    const other = first === undefined ? null : loadsOf(source, traffic!, use, lids, offset, first);
    const isWorse = other !== null && largest(carried, own, between) > largest(carried, other, between) * (1 + 1e-12);
    offsets.push(isWorse ? first! : tables!);
    carried.forEach((load, phase) => {
      const more = (isWorse ? other! : own)[phase]!;
      for (let port = 0; port < load.length; port++) load[port]! += more[port]!;
    });
    notes.push(...made.notes.map((note) => `LID offset ${offset}: ${note}`));
    if (isWorse) notes.push(`LID offset ${offset} takes the tables of offset 0: its own would carry more`);
  }
  return { tables: offsets, notes, cpuSeconds, outOfTime, ftree: null };
}

/** Loads by what goes to one LID offset, phase by phase. */
function loadsOf(
  { tree }: RoutedFabric,
  { phases }: Traffic,
  use: LidUse,
  lids: number,
  offset: number,
  tables: ForwardingTables,
): Float64Array[] {
  return phases.map(({ matrix }) => tableLoads(tree, tables, new LidShare(matrix, use, lids, offset)).load);
}

/** Largest load between switches of two together, summed over phases. */
function largest(carried: readonly Float64Array[], more: readonly Float64Array[], between: Uint8Array): number {
  return carried.reduce((sum, load, phase) => {
    let most = 0;
    for (let port = 0; port < load.length; port++)
      if (between[port] === 1) most = Math.max(most, load[port]! + more[phase]![port]!);
    return sum + most;
  }, 0);
}
