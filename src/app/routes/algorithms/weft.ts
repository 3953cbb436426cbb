// weft: a search for the smallest largest load, with a proof where it meets the bound: on fat trees
// optimization/optimize-routes.ts, on all other fabrics optimization/layered-search.ts.

import { fail } from '../../../base/fail.js';
import type { RoutedFabric } from '../../../fabric/routed-fabric.js';
import { searchLayered } from '../../../optimization/layered-search.js';
import { leaveFewestAbove } from '../../../optimization/fewest-above.js';
import { optimizeRoutes, type OptimizedRoutes, type OptimizerOptions } from '../../../optimization/optimize-routes.js';
import { routeDmodK } from '../../../routing/d-mod-k.js';
import type { ForwardingTables } from '../../../routing/forwarding-tables.js';
import { layeredLanes } from '../../../routing/lane-layers.js';
import { routeUpDown } from '../../../routing/minhop.js';
import { repairAnyTables } from '../../../routing/repair-any-tables.js';
import { routeSssp } from '../../../routing/sssp.js';
import { mostLanes, type ComputedTables, type SearchingAlgorithm, type SearchSettings } from '../route-algorithm.js';
import { counted } from '../../../report/text-style.js';
import type { SearchControl } from '../search-control.js';
import { ftreeOrNull } from './ftree.js';

export const weft = {
  kind: 'search',
  name: 'weft',
  about:
    'searches for the smallest largest load, phase by phase, and says whether it is proven (needs --traffic); ' +
    'begins with --current, too, and if it is proven changes few of its entries. On fabrics that are no trees: any ' +
    "ways, with lanes, from dfsssp's (or updn's, where dfsssp needs more than 8 lanes), never worse than these; its " +
    'bound is a linear programme over all ways',
  heeds: ['--objective', '--work', '--patience', '--workers', '--background', '--most-changes', '--trace-figure'],
  anyFabric: true,
  detours: true,
  severalLids: true,
  make: (source, settings, control) =>
    source.noTree === null ? onTree(source, settings, control) : onAnyFabric(source, settings, control),
} as const satisfies SearchingAlgorithm;

function onTree(source: RoutedFabric, settings: SearchSettings, control: SearchControl): ComputedTables {
  const { traffic, mostChanges, background, fewestAbove = null } = settings;
  const current = settings.current?.[0] ?? null;
  const made = settings.begin === undefined ? ftreeOrNull(source) : null;
  const isLimited = mostChanges !== null && current !== null;
  const begin = isLimited ? current : (settings.begin ?? made ?? routeDmodK(source.tree));
  const kept = control.begun?.(begin, made === null ? 'refused' : isLimited ? 'unknown' : 'same') ?? begin;
  const starts = isLimited || current === null ? [kept] : [kept, current];
  return watched(settings, control, made === null || isLimited ? made : kept, (options) => {
    const heeded = { ...options, ...(background === null || background === undefined ? {} : { background }) };
    const found = optimizeRoutes(source.tree, traffic!, starts, {
      ...heeded,
      ...(current === null ? {} : { near: current }),
      ...(isLimited ? { limit: { from: current, most: mostChanges } } : {}),
    });
    return fewestAbove === null ? found : leaveFewestAbove(source.tree, traffic!, found, fewestAbove, heeded);
  });
}

/** Begins with dfsssp's ways, and with those in use where they lead and have lanes; never worse than either. */
function onAnyFabric(source: RoutedFabric, settings: SearchSettings, control: SearchControl): ComputedTables {
  const { mostChanges, background } = settings;
  const inUse = settings.current?.[0];
  const current = inUse === undefined ? null : repairAnyTables(inUse);
  const hasLanes = current !== null && layeredLanes([current], mostLanes) !== null;
  const isLimited = mostChanges !== null && hasLanes;
  const made = isLimited ? current : (settings.begin ?? layeredStart(source));
  const start = control.begun?.(made, 'refused') ?? made;
  return watched(settings, control, null, (options) =>
    searchLayered(source.tree, settings.traffic!, isLimited || !hasLanes ? [start] : [start, current], mostLanes, {
      ...options,
      ...(background === null || background === undefined ? {} : { background }),
      ...(isLimited ? { limit: { from: inUse!, most: mostChanges } } : {}),
    }),
  );
}

/** Carries out a search that tells how far it is, and ends it when its time is over or somebody wishes it. */
function watched(
  { seed, seconds, mostWork, threshold, patience = 1 }: SearchSettings,
  { wallMs, stopRequested, report, bettered, rivals }: SearchControl,
  ftree: ForwardingTables | null,
  search: (options: OptimizerOptions) => OptimizedRoutes,
): ComputedTables {
  const untilMs = wallMs() + 1000 * seconds;
  let outOfTime = false;
  const { tables, work, proven, provenWork, score, trace, leastLinksAbove } = search({
    seed,
    mostWork,
    hot: threshold,
    patience,
    place: rivals?.place ?? 0,
    stopped: ({ incumbent, bound, stage, work: done, provenWork: proof, best }) => {
      report({ stage, incumbent, bound });
      bettered?.(incumbent, best);
      outOfTime = wallMs() >= untilMs;
      if (proof !== null) rivals?.proof.found(proof);
      return outOfTime || stopRequested() || rivals?.proof.isLate(done) === true;
    },
  });
  if (provenWork !== null) rivals?.proof.found(provenWork);
  const end = proven
    ? 'the bound was met'
    : stopRequested()
      ? 'it was stopped'
      : outOfTime
        ? `after ${seconds} s`
        : work >= mostWork
          ? 'by its work'
          : 'nothing better was found for long';
  return {
    tables: [tables],
    notes: leastLinksAbove === undefined ? [] : [fewestNote(score.linksAboveThreshold, leastLinksAbove)],
    outOfTime,
    ftree,
    search: { work, trace, score, provenWork, end },
  };
}

/** What is known of the fewest links above a load. */
function fewestNote(links: number, least: number): string {
  const found = `${counted(links, 'link')} above the load of --objective`;
  return links <= least ? `${found}: no routes have fewer` : `${found}; no routes have fewer than ${least}`;
}

/** Tables to begin with on what is no tree: dfsssp's, or, where these need too many lanes, up and down from a root. */
export function layeredStart({ fabric, identity, roots }: RoutedFabric): ForwardingTables {
  const shortest = routeSssp(fabric, identity);
  if (layeredLanes([shortest], mostLanes) !== null) return shortest;
  const [first] = shortest.switches;
  return routeUpDown(fabric, identity, roots.length > 0 ? roots : [first!]) ?? fail('no up*/down* ways');
}
