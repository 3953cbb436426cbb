// Who sent how much to whom, from what ports counted: `weft reconstruct`.
// Invariant: the search sees counters, tables and lanes alone; traffic that is given makes the counters, and is compared
// with what was found once it has ended.
// Source: Taffet's dissertation (docs/SOURCES.md), chapter 4.

import { InputError, type Diagnostic } from '../../base/diagnostics.js';
import type { RoutedFabric } from '../../fabric/routed-fabric.js';
import { collapsed, TrafficBuilder, type Traffic } from '../../flows/traffic/matrix.js';
import { trafficCsv } from '../../formats/traffic-matrix.js';
import { bases, PairGrid } from '../../reconstruction/pair-grid.js';
import { PairRows } from '../../reconstruction/pair-rows.js';
import { Reconstruction } from '../../reconstruction/restarted-pdhg.js';
import type { ReconstructedTraffic } from '../../report/reconstruct/reconstruction-text.js';
import { memoryHost } from '../memory-host.js';
import { loadFabric } from '../routes/fabric-input.js';
import type { RouteHost } from '../routes/make-tables.js';
import { readTables } from '../routes/tables-input.js';
import { activeHosts, checkSource, countersOf, givenTruth, readCounters } from './given-counters.js';
import { assignmentOf } from './lane-strategies.js';
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
  const { lanes = 1, serviceLevels = lanes, strategy = 'random', dictionary = 'od', seed = 1 } = request;
  checkSource(request, lanes);
  const { files = memoryHost() } = host;
  const source = await loadFabric(files, request);
  const { fabric } = source;
  host.stage?.('reading tables');
  const named = tablesNamed(request.tables, source);
  const read = named === null ? await readTables(files, request.tables, source) : null;
  const tables = named ?? read!.tables[0]!;
  if ((read?.tables.length ?? 1) > 1)
    throw InputError.about('several-lids', '--tables', 'hosts have several LIDs, and counters do not tell them apart');
  const warnings: Diagnostic[] = [...source.warnings, ...(read?.warnings ?? [])];
  const startSeconds = host.cpuSeconds();
  const rows = new PairRows(fabric, tables, assignmentOf(strategy, lanes, serviceLevels, seed));
  const truth = request.traffic === undefined ? null : await givenTruth(request, seed, files, source);
  if (truth !== null) warnings.push(...truth.warnings);
  const sent = truth === null ? null : collapsed(truth.traffic);
  const counters =
    sent === null ? await readCounters(request, files, source, warnings) : countersOf(sent, source, rows);
  const ranks = activeHosts(source, counters, lanes);
  const names = dictionaryFor(dictionary, ranks.length);
  const shapes = names.map((name) => bases[name]);
  host.stage?.('leaving out pairs that sent nothing');
  const hosts = ranks.map((rank) => fabric.hosts[rank]!);
  const grid = new PairGrid(hosts, rows, counters, shapes);
  const presolveSeconds = host.cpuSeconds() - startSeconds;
  const search = new Reconstruction(grid, counters, shapes);
  const end = await searchUntil(search, request, host, files);
  const unmet = end === 'settled' ? null : notMet(search.residual(), request);
  if (unmet !== null) warnings.push(unmet);
  const traffic = foundTraffic(search, grid, ranks, source, truth?.traffic.unit ?? 'bytes');
  return {
    source,
    tables: typeof request.tables === 'string' ? request.tables : 'tables',
    truth: truth?.traffic ?? null,
    dictionary: names,
    strategy,
    lanes,
    serviceLevels,
    seed,
    ranks: ranks.length,
    pairs: ranks.length * (ranks.length - 1),
    variables: grid.openPairs,
    counters: counters.reduce((count, own) => count + (own > 0 ? 1 : 0), 0),
    steps: search.steps,
    end,
    residual: search.residual(),
    ...(sent === null ? { relativeError: null, leafError: null } : errorsOf(sent, collapsed(traffic), source)),
    presolveSeconds,
    cpuSeconds: host.cpuSeconds() - startSeconds,
    traffic,
    csv: trafficCsv(traffic),
    warnings,
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
