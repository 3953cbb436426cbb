// Who sent how much to whom, from what ports counted: `weft reconstruct`.
// Invariant: the search sees counters, tables and lanes alone; traffic that is given makes the counters, and is compared
// with what was found once it has ended.
// Source: Taffet's dissertation (docs/SOURCES.md), chapter 4.

import { Diagnostics, InputError, wholeFile, type Diagnostic } from '../../base/diagnostics.js';
import type { Host } from '../../base/host.js';
import type { RoutedFabric } from '../../fabric/routed-fabric.js';
import type { AllocatedJob } from '../../flows/traffic/allocation.js';
import { namesTraffic, parseTrafficName } from '../../flows/traffic/catalogue.js';
import {
  collapsed,
  TrafficBuilder,
  TrafficColumn,
  type Traffic,
  type TrafficMatrix,
} from '../../flows/traffic/matrix.js';
import { readCounterPolls, readPortCounters } from '../../formats/port-counters.js';
import { trafficCsv } from '../../formats/traffic-matrix.js';
import { bases, dictionaryOf, PairGrid, type BasisName } from '../../reconstruction/pair-grid.js';
import { PairRows } from '../../reconstruction/pair-rows.js';
import { Reconstruction } from '../../reconstruction/restarted-pdhg.js';
import type { ReconstructedTraffic } from '../../report/reconstruct/reconstruction-text.js';
import type { RunHost } from '../../records/run-tables.js';
import { DrawnLanes, PairLanes, SteadyLanes, type LaneAssignment } from '../../routing/lane-maps.js';
import { DrawnLevels } from '../../routing/service-levels.js';
import { memoryHost } from '../memory-host.js';
import { loadFabric, type FabricRequest } from '../routes/fabric-input.js';
import { readOwnKind, type GivenText } from '../routes/file-kinds.js';
import type { RouteHost } from '../routes/make-tables.js';
import { sinceReading } from '../routes/route-counters.js';
import { readTables, type TablesRequest } from '../routes/tables-input.js';
import { loadTraffic, patternTraffic, type TrafficRequest } from '../routes/traffic-input.js';
import { tablesNamed } from './named-tables.js';
import { errorsOf } from './reconstruction-error.js';

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

/** The eleventh host: in the source jobs that are alone begin there (section 4.7). */
const firstOfAlone = 10;
/** A share of what was counted that cannot be met; and steps before a search may end as it comes no nearer. */
const worthTelling = 0.001;
const fewSteps = 2000;
/** Limit of a search, in wall-clock seconds. */
export const usualReconstructionSeconds = 60;

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
  if (end !== 'settled' && search.residual() > worthTelling) warnings.push(notMet(search.residual(), request));
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

function notMet(residual: number, { counters }: ReconstructionRequest): Diagnostic {
  return {
    severity: 'warning',
    code: 'counters-not-met',
    file: counters === undefined ? '--time' : '--counters',
    ...wholeFile,
    message: `what was found would have counted otherwise: ${(100 * residual).toPrecision(2)} % are not met`,
    hint:
      counters === undefined
        ? 'give the search more --time'
        : 'are counters, tables and fabric of one moment? If they are, give the search more --time',
  };
}

/** @throws InputError unless counters are given, or traffic that makes them */
function checkSource({ traffic, counters, before }: ReconstructionRequest, lanes: number): void {
  if ((traffic === undefined) === (counters === undefined))
    throw InputError.about(
      'which-counters',
      '--counters',
      counters === undefined ? 'there are no counters' : 'there are counters, and traffic that would make others',
      { wanted: '--counters FILE, or --traffic PATTERN|FILE, which makes them' },
    );
  if (before !== undefined && counters === undefined)
    throw InputError.about('missing-counters', '--before', 'the counters from afterwards are missing', {
      hint: 'add --counters FILE',
    });
  if (counters !== undefined && lanes > 1)
    throw InputError.about('unused-option', '--lanes', 'counters of files are of whole ports', {
      got: String(lanes),
      wanted: 'no --lanes: counters by lane are not read yet',
    });
}

/** Levels of pairs, and their lanes. */
type LaneDraw = Pick<LaneAssignment, 'levels' | 'map'>;

function assignmentOf(strategy: LaneStrategy, lanes: number, levels: number, seed: number): LaneDraw {
  const own = new DrawnLevels(levels, seed);
  if (strategy === 'pairs') return { levels: own, map: new PairLanes(lanes, seed) };
  return {
    levels: own,
    map: strategy === 'steady' || lanes === 1 ? new SteadyLanes(lanes) : new DrawnLanes(lanes, seed),
  };
}

function dictionaryFor(name: string, ranks: number): readonly BasisName[] {
  const names = dictionaryOf(name, ranks);
  if (names === null)
    throw InputError.about('bad-setting', '--dictionary', 'there is no such basis', {
      got: name,
      wanted: `od, or ${Object.keys(bases).join(', ')}, also several: scd+s`,
    });
  if (names.some((own) => own.endsWith('cs')) && (ranks & (ranks - 1)) !== 0)
    throw InputError.about('bad-setting', '--dictionary', 'CS is for a power of two of hosts', {
      got: `${name}, and ${ranks} hosts that send or receive`,
      wanted: 'od, scd, cd, s or i',
    });
  return names;
}

async function givenTruth(
  { traffic, allocation = 'alone' }: ReconstructionRequest,
  seed: number,
  files: Host & RunHost,
  source: RoutedFabric,
): Promise<{ readonly traffic: Traffic; readonly warnings: readonly Diagnostic[] }> {
  if (allocation !== 'alone')
    return loadTraffic(files, { ...(traffic === undefined ? {} : { traffic }), allocation, seed }, source);
  const parsed = typeof traffic === 'string' && namesTraffic(traffic) ? parseTrafficName(traffic) : null;
  const [only, ...others] = parsed !== null && 'groups' in parsed ? parsed.groups : [];
  const ranks = only?.pattern.ranks ?? null;
  const isOne = only !== undefined && others.length === 0 && only.instances === null && only.ranks === null;
  if (!isOne || ranks === null || only.coupled || firstOfAlone + ranks > source.fabric.hosts.length)
    return loadTraffic(
      files,
      { ...(traffic === undefined ? {} : { traffic }), allocation: 'contiguous', seed },
      source,
    );
  const job: AllocatedJob = { name: 'job', hosts: Int32Array.from({ length: ranks }, (_, i) => firstOfAlone + i) };
  return patternTraffic({ traffic: traffic as string, seed, allocation: [job] }, source);
}

/** What every row counts of some traffic. */
function countersOf(sent: TrafficMatrix, { fabric }: RoutedFabric, rows: PairRows): Float64Array {
  const counters = new Float64Array(rows.count);
  const column = new TrafficColumn(sent.hostCount);
  for (let to = 0; to < sent.hostCount; to++) {
    sent.toDestination(to, column);
    for (let i = 0; i < column.length; i++) {
      const count = rows.open(fabric.hosts[column.sources[i]!]!, fabric.hosts[to]!, null);
      for (let row = 0; row < count; row++) counters[rows.rows[row]!]! += column.weights[i]!;
    }
  }
  return counters;
}

/** Bytes that ports sent between two readings, or up to one; NaN where none was read. @throws InputError */
async function readCounters(
  { counters, before }: ReconstructionRequest,
  files: Host,
  source: RoutedFabric,
  warnings: Diagnostic[],
): Promise<Float64Array> {
  const diagnostics = new Diagnostics();
  const after = await readOwnKind(files, counters!, 'counters');
  const { rounds, last } = readCounterPolls(after.text, after.name, source, diagnostics);
  let first = rounds.length > 1 ? rounds[0]! : null;
  if (before !== undefined) {
    const earlier = await readOwnKind(files, before, 'counters');
    first = readPortCounters(earlier.text, earlier.name, source, diagnostics);
  }
  diagnostics.throwIfErrors();
  warnings.push(...diagnostics.warnings);
  return last.transmitBytes.map((bytes, port) =>
    first === null ? bytes : sinceReading(bytes, first.transmitBytes[port]!),
  );
}

/** Ranks of the hosts that sent or received, or of which that is not known, ascending. */
function activeHosts({ fabric }: RoutedFabric, counters: Float64Array, lanes: number): Int32Array {
  const { hosts, portOffset, portPeer } = fabric;
  const isActive = (port: number): boolean => {
    for (let lane = 0; lane < lanes; lane++) if (counters[port * lanes + lane] !== 0) return true;
    return false;
  };
  return Int32Array.from(hosts.keys()).filter((rank) => {
    const port = portOffset[hosts[rank]!]!;
    return isActive(port) || isActive(portPeer[port]!);
  });
}

async function searchUntil(
  search: Reconstruction,
  { seconds = usualReconstructionSeconds, mostWork = Infinity }: ReconstructionRequest,
  host: RouteHost,
  files: Host,
): Promise<string> {
  const close = host.watch?.('reconstruction', seconds);
  const untilMs = host.wallMs() + 1000 * seconds;
  let least = Infinity;
  let leastAt = 0;
  try {
    for (;;) {
      if (search.isSettled) return 'settled';
      if (host.stopRequested()) return 'stopped';
      if (search.steps >= mostWork) return 'by its work';
      if (host.wallMs() >= untilMs) return `after ${seconds} s`;
      search.advance();
      const residual = search.residual();
      if (residual < 0.99 * least) [least, leastAt] = [residual, search.steps];
      if (least > worthTelling && search.steps > 2 * Math.max(leastAt, fewSteps)) return 'nothing came nearer for long';
      host.stage?.(`step ${search.steps}: counters are met but for ${(100 * residual).toPrecision(2)} %`);
      await files.breathe();
    }
  } finally {
    close?.();
  }
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
