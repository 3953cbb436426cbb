// The traffic that counters tell: hosts that took part, the pairs that are left, the search, and what it found.
// Used by `weft reconstruct` and, epoch after epoch, by `weft adapt`.

import type { RoutedFabric } from '../../fabric/routed-fabric.js';
import type { AllocatedJob } from '../../flows/traffic/allocation.js';
import type { Traffic, TrafficMatrix } from '../../flows/traffic/matrix.js';
import type { BasisName, PairGrid } from '../../reconstruction/pair-grid.js';
import { pairBounds } from '../../reconstruction/pair-bounds.js';
import type { PairCounters } from '../../reconstruction/pair-rows.js';
import { Reconstruction } from '../../reconstruction/restarted-pdhg.js';
import type { ToldByBasis } from '../../report/reconstruct/matrix-figure.js';
import type { RouteHost } from '../routes/make-tables.js';
import { searchExactly } from './exact-search.js';
import { matrixOfPairs, pairsOfTraffic, trafficOfPairs } from './grid-traffic.js';
import type { Counted } from './made-counters.js';
import { layOutPairs, type PairLayout } from './pair-layout.js';
import type { Unexplained } from './plausible-counters.js';
import type { ReconstructionRequest } from './reconstruction-request.js';
import type { SearchRecord } from './search-record.js';
import { noiseOf, searchUntil, type SearchResult } from './search-until.js';

/** Counters, and which of them each pair moves. */
interface CountedPairs {
  readonly source: RoutedFabric;
  readonly rows: PairCounters;
  /** rows of classes of service; left out: there is one */
  readonly byClass?: readonly PairCounters[];
  readonly counted: Counted;
  /** jobs whose hosts send to each other alone; null or left out: they are not known */
  readonly jobs?: readonly AllocatedJob[] | null;
  /** traffic to begin with, a matrix for each class; none: it is not known */
  readonly start?: readonly TrafficMatrix[];
  /** what had been found on the way is wanted, too; not if left out */
  readonly keepsEarlier?: boolean;
  /** a record of a first-order search, opened on its pairs; left out: nobody wants one */
  readonly record?: SearchRecord;
  /** what each basis tells is wanted, too, of one class; not if left out */
  readonly keepsBases?: boolean;
  /** what counters count */
  readonly unit: Traffic['unit'];
}

/** What was found, and how. */
interface TrafficFound {
  readonly traffic: Traffic;
  /** what had been found when the search had gone a quarter to a half of its way; the same if it came to its end, or nobody asked */
  readonly earlier: Traffic;
  /** what each basis tells, where that was asked for of a first-order search */
  readonly told: readonly ToldByBasis[];
  readonly dictionary: readonly BasisName[];
  /** hosts that took part */
  readonly ranks: number;
  /** their ordered pairs, of jobs that are known those within one */
  readonly pairs: number;
  /** hosts of each group by what counters of hosts say; null: there is one, or jobs are known */
  readonly groups: readonly number[] | null;
  /** pairs that counters leave open */
  readonly variables: number;
  readonly steps: number;
  /** why the search ended */
  readonly end: string;
  /** |R x - t| / |t| */
  readonly residual: number;
  /** how often entries were weighed anew */
  readonly reweighted: number;
  /** of pairs and bases; null: a solver has them */
  readonly memoryBytes: number | null;
  /** whether it began with traffic that was given */
  readonly began: boolean;
  /** counters that no pair moves */
  readonly unexplained: Unexplained;
  /** how much of all that was found counters alone prove, whatever the dictionary, as a share */
  readonly provenShare: number;
  /** pairs that may have sent, of which counters alone say how much */
  readonly provenPairs: number;
  /** CPU seconds until the search began */
  readonly presolveSeconds: number;
}

/** Finds traffic within the limits of a request. @throws InputError if the dictionary does not suit the hosts */
export async function findTraffic(
  {
    source,
    rows,
    byClass = [rows],
    counted,
    jobs = null,
    start = [],
    unit,
    keepsEarlier = false,
    keepsBases = false,
    record,
  }: CountedPairs,
  request: Pick<
    ReconstructionRequest,
    'dictionary' | 'seconds' | 'mostWork' | 'noise' | 'skew' | 'method' | 'reweight' | 'counters'
  >,
  host: RouteHost,
): Promise<TrafficFound> {
  const startSeconds = host.cpuSeconds();
  const { counters } = counted;
  host.stage?.('leaving out pairs that sent nothing');
  const layout = layOutPairs({ source, byClass, counted, jobs }, request);
  const { grid, shapes, ranks, rankCount, pairs: pairCount, dictionary, groups } = layout;
  const presolveSeconds = host.cpuSeconds() - startSeconds;
  const unexplained = unexplainedOf(grid, rows, counters);
  const trafficOf = (found: Float64Array): Traffic => trafficOfPairs(found, grid, ranks, source, unit, byClass.length);
  let memoryBytes: number | null = null;
  let began = false;
  let told: readonly ToldByBasis[] = [];
  const firstOrder = async (): Promise<SearchResult> => {
    const begin = start.length === 0 ? null : fitted(pairsOfTraffic(start, grid, ranks), grid, counters);
    began = begin !== null;
    const search = new Reconstruction(grid, counters, shapes, noiseOf(request), begin);
    memoryBytes = grid.bytes + search.bytes;
    host.stage?.(`${grid.openPairs} pairs in ${Math.ceil(memoryBytes / 1e6)} MB`);
    const found = await searchUntil(search, request, host, keepsEarlier, record?.begin(grid, ranks));
    if (keepsBases) told = toldByBases(search, layout, source.fabric.hosts.length);
    return found;
  };
  const { pairs, earlier, residual, ...result } =
    request.method === 'exact' ? await searchExactly(grid, counters, shapes, request, host) : await firstOrder();
  const traffic = trafficOf(pairs);
  return {
    traffic,
    earlier: earlier === null ? traffic : trafficOf(earlier),
    told,
    dictionary,
    ranks: rankCount,
    pairs: pairCount,
    groups,
    variables: grid.openPairs,
    ...result,
    residual: withUnexplained(residual, unexplained),
    memoryBytes,
    began,
    unexplained,
    ...provenBy(grid, counters, pairs),
    presolveSeconds,
  };
}

/** What each basis tells, as matrices of all hosts. */
function toldByBases(
  search: Reconstruction,
  { grid, ranks, dictionary }: PairLayout,
  hostCount: number,
): readonly ToldByBasis[] {
  const matrixOf = (own: Float64Array): Float32Array => matrixOfPairs(own, grid, ranks, hostCount);
  return search
    .told()
    .map(({ share, entries }, i) => ({ name: dictionary[i]!, share: matrixOf(share), entries: matrixOf(entries) }));
}

/** Traffic to begin with that explains less of the counters than this share of their norm is worse than none. */
const worthBeginning = 0.5;

/**
 * Traffic of another time, as much of it as counters say best: least squares of a in R a x = t.
 * @returns null if counters are of other traffic
 */
function fitted(traffic: Float64Array, grid: PairGrid, counters: Float64Array): Float64Array | null {
  const counted = grid.countedBy(counters);
  const told = new Float64Array(counted.length);
  traffic.forEach((own, pair) => grid.addTo(told, pair, own));
  let [both, size, all] = [0, 0, 0];
  counted.forEach((own, row) => {
    both += told[row]! * own;
    size += told[row]! * told[row]!;
    all += own * own;
  });
  if (size === 0 || Math.sqrt(1 - (both * both) / (size * all)) > worthBeginning) return null;
  return traffic.map((own) => (own * both) / size);
}

/** Counters that no pair of a grid moves. */
function unexplainedOf(grid: PairGrid, rows: PairCounters, counters: Float64Array): Unexplained {
  const isMoved = new Uint8Array(counters.length);
  for (const row of grid.counterOf) isMoved[row] = 1;
  let all = 0;
  let left = 0;
  let largest = -1;
  counters.forEach((own, row) => {
    if (!(own > 0) || rows.rowOf(row) !== row) return;
    all += own * own;
    if (isMoved[row] === 1) return;
    left += own * own;
    if (largest === -1 || own > counters[largest]!) largest = row;
  });
  return { counted: Math.sqrt(all), share: all === 0 ? 0 : Math.sqrt(left / all), row: largest };
}

/** |R x - t| / |t| over all counters. @param residual over those that pairs move */
function withUnexplained(residual: number, { share }: Unexplained): number {
  return share === 0 ? residual : Math.sqrt(residual * residual * (1 - share * share) + share * share);
}

/** A pair whose bounds are this close, as a share of the upper one, is told by counters alone. */
const closeBounds = 0.01;

/** What counters say without a dictionary. @param found traffic by pair of the grid */
function provenBy(
  grid: PairGrid,
  counters: Float64Array,
  found: Float64Array,
): { readonly provenShare: number; readonly provenPairs: number } {
  const { lower, upper } = pairBounds(grid, counters);
  const total = found.reduce((sum, own) => sum + own, 0);
  let [least, provenPairs] = [0, 0];
  lower.forEach((own, pair) => {
    least += own;
    if (own > 0 && own >= (1 - closeBounds) * upper[pair]!) provenPairs++;
  });
  return { provenShare: total === 0 ? 0 : Math.min(1, least / total), provenPairs };
}
