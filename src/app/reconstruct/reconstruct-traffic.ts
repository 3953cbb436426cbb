// Who sent how much to whom, from what ports counted: `weft reconstruct`.
// Invariant: the search sees counters, tables and lanes alone; traffic that is given makes the counters, and is compared
// with what was found once it has ended.
// Source: Taffet's dissertation (docs/SOURCES.md), chapter 4.

import { InputError, type Diagnostic } from '../../base/diagnostics.js';
import type { RoutedFabric } from '../../fabric/routed-fabric.js';
import { collapsed, TrafficBuilder, type Traffic } from '../../flows/traffic/matrix.js';
import { trafficCsv } from '../../formats/traffic-matrix.js';
import { bases, PairGrid } from '../../reconstruction/pair-grid.js';
import { Reconstruction } from '../../reconstruction/restarted-pdhg.js';
import type { FoundTraffic, ReconstructedTraffic } from '../../report/reconstruct/reconstruction-text.js';
import { memoryHost } from '../memory-host.js';
import { loadFabric } from '../routes/fabric-input.js';
import type { RouteHost } from '../routes/make-tables.js';
import { readTables } from '../routes/tables-input.js';
import { activeHosts, checkSource } from './given-counters.js';
import { measureTraffic, portTotals, type TrafficMeasurement } from './measure-traffic.js';
import { tablesNamed } from './named-tables.js';
import { errorsOf } from './reconstruction-error.js';
import type { ReconstructionRequest } from './reconstruction-request.js';
import { dictionaryFor, notMet, searchUntil } from './search-until.js';

/**
 * Reconstructs traffic.
 * @throws InputError, HostFileError
 */
export async function reconstructTraffic(
  request: ReconstructionRequest,
  host: RouteHost,
): Promise<ReconstructedTraffic & { readonly csv: Iterable<string> }> {
  const { lanes = 1, seed = 1, strategy = request.sl2vl === undefined ? 'random' : 'listed' } = request;
  checkSource(request);
  const { files = memoryHost() } = host;
  const source = await loadFabric(files, request);
  host.stage?.('reading tables');
  const named = tablesNamed(request.tables, source);
  const read = named === null ? await readTables(files, request.tables, source) : null;
  const tables = named ?? read!.tables[0]!;
  if ((read?.tables.length ?? 1) > 1)
    throw InputError.about('several-lids', '--tables', 'hosts have several LIDs, and counters do not tell them apart');
  const startSeconds = host.cpuSeconds();
  const measured = await measureTraffic(request, files, source, tables);
  const { ranks, traffic, dictionary, unmet, figures } = await search(measured, request, source, host, startSeconds);
  const { serviceLevels, truth, warnings } = measured;
  const totals =
    request.portTotals === true && lanes > 1
      ? await search(portTotals(measured, source, tables), request, source, host, host.cpuSeconds())
      : null;
  return {
    source,
    tables: typeof request.tables === 'string' ? request.tables : 'tables',
    truth,
    dictionary,
    strategy,
    lanes,
    serviceLevels,
    seed,
    ranks,
    pairs: ranks * (ranks - 1),
    ...figures,
    portTotals: totals?.figures ?? null,
    traffic,
    csv: trafficCsv(traffic),
    warnings: [...source.warnings, ...(read?.warnings ?? []), ...warnings, ...(unmet === null ? [] : [unmet])],
  };
}

interface SearchOutcome {
  readonly figures: FoundTraffic;
  readonly ranks: number;
  readonly dictionary: readonly string[];
  readonly traffic: Traffic;
  /** counters that are not met */
  readonly unmet: Diagnostic | null;
}

/** Searches for traffic that was measured. @param startSeconds CPU time when its measurement began */
async function search(
  { rows, counted, truth, sent }: TrafficMeasurement,
  request: ReconstructionRequest,
  source: RoutedFabric,
  host: RouteHost,
  startSeconds: number,
): Promise<SearchOutcome> {
  const { fabric } = source;
  const { counters } = counted;
  const ranks = activeHosts(source, counted);
  const dictionary = dictionaryFor(request.dictionary ?? 'od', ranks.length);
  const shapes = dictionary.map((name) => bases[name]);
  host.stage?.('leaving out pairs that sent nothing');
  const hosts = ranks.map((rank) => fabric.hosts[rank]!);
  const grid = new PairGrid(hosts, rows, counters, shapes);
  const presolveSeconds = host.cpuSeconds() - startSeconds;
  const found = new Reconstruction(grid, counters, shapes);
  const end = await searchUntil(found, request, host, host.files ?? memoryHost());
  const unit = (request.mix ?? 'bytes') === 'bytes' ? (truth?.unit ?? 'bytes') : 'relative';
  const traffic = foundTraffic(found, grid, ranks, source, unit);
  const residual = found.residual();
  const figures = {
    variables: grid.openPairs,
    counters: counters.reduce((count, own) => count + (own > 0 ? 1 : 0), 0),
    steps: found.steps,
    end,
    residual,
    ...(sent === null ? { relativeError: null, leafError: null } : errorsOf(sent, collapsed(traffic), source)),
    presolveSeconds,
    cpuSeconds: host.cpuSeconds() - startSeconds,
  };
  return {
    figures,
    ranks: ranks.length,
    dictionary,
    traffic,
    unmet: end === 'settled' ? null : notMet(residual, request),
  };
}

function foundTraffic(
  search: Reconstruction,
  { places, first, offset }: PairGrid,
  ranks: Int32Array,
  { fabric }: RoutedFabric,
  unit: Traffic['unit'],
): Traffic {
  const builder = new TrafficBuilder(fabric.hosts.length, unit);
  const found = search.traffic();
  const least = 1e-9 * found.reduce((most, own) => Math.max(most, own), 0);
  for (let place = 0; place < places; place++) {
    const [low, high] = [ranks[first[place]!]!, ranks[first[place]! + offset[place]!]!];
    if (found[2 * place]! > least) builder.add(low, high, found[2 * place]!);
    if (found[2 * place + 1]! > least) builder.add(high, low, found[2 * place + 1]!);
  }
  const matrix = builder.build();
  return { name: 'reconstructed', hostCount: fabric.hosts.length, unit, note: '', phases: [{ name: 'all', matrix }] };
}
