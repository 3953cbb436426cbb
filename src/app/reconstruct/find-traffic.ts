// The traffic that counters tell: hosts that took part, the pairs that are left, the search, and what it found.
// Used by `weft reconstruct` and, epoch after epoch, by `weft adapt`.

import type { RoutedFabric } from '../../fabric/routed-fabric.js';
import type { AllocatedJob } from '../../flows/traffic/allocation.js';
import { TrafficBuilder, type Traffic } from '../../flows/traffic/matrix.js';
import { bases, PairGrid, type BasisName } from '../../reconstruction/pair-grid.js';
import { pairBounds } from '../../reconstruction/pair-bounds.js';
import type { PairCounters } from '../../reconstruction/pair-rows.js';
import { Reconstruction } from '../../reconstruction/restarted-pdhg.js';
import { memoryHost } from '../memory-host.js';
import type { RouteHost } from '../routes/make-tables.js';
import { activeHosts } from './given-counters.js';
import type { Counted } from './made-counters.js';
import type { Unexplained } from './plausible-counters.js';
import type { ReconstructionRequest } from './reconstruction-request.js';
import { dictionaryFor, noiseOf, searchUntil } from './search-until.js';

/** Counters, and which of them each pair moves. */
interface CountedPairs {
  readonly source: RoutedFabric;
  readonly rows: PairCounters;
  /** rows of classes of service; left out: there is one */
  readonly byClass?: readonly PairCounters[];
  readonly counted: Counted;
  /** jobs whose hosts send to each other alone; null or left out: they are not known */
  readonly jobs?: readonly AllocatedJob[] | null;
  /** what counters count */
  readonly unit: Traffic['unit'];
}

/** What was found, and how. */
interface TrafficFound {
  readonly traffic: Traffic;
  /** what had been found when the search had gone a quarter to a half of its way; the same if it came to its end */
  readonly earlier: Traffic;
  readonly dictionary: readonly BasisName[];
  /** hosts that took part */
  readonly ranks: number;
  /** their ordered pairs, of jobs that are known those within one */
  readonly pairs: number;
  /** pairs that counters leave open */
  readonly variables: number;
  readonly steps: number;
  /** why the search ended */
  readonly end: string;
  /** |R x - t| / |t| */
  readonly residual: number;
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
  { source, rows, byClass = [rows], counted, jobs = null, unit }: CountedPairs,
  request: Pick<ReconstructionRequest, 'dictionary' | 'seconds' | 'mostWork' | 'noise' | 'skew'>,
  host: RouteHost,
): Promise<TrafficFound> {
  const startSeconds = host.cpuSeconds();
  const { fabric } = source;
  const { counters } = counted;
  const blocks = jobs === null ? [activeHosts(source, counted)] : jobs.map((job) => job.hosts);
  const sizes = blocks.map(({ length }) => length);
  const dictionary = dictionaryFor(request.dictionary ?? 'od', sizes);
  const shapes = dictionary.map((name) => bases[name]);
  host.stage?.('leaving out pairs that sent nothing');
  const grid = new PairGrid(
    byClass.flatMap((own) => blocks.map((ranks) => ({ hosts: ranks.map((rank) => fabric.hosts[rank]!), rows: own }))),
    counters,
    shapes,
  );
  const presolveSeconds = host.cpuSeconds() - startSeconds;
  const search = new Reconstruction(grid, counters, shapes, noiseOf(request));
  const unexplained = unexplainedOf(grid, rows, counters);
  const { end, earlier } = await searchUntil(search, request, host, host.files ?? memoryHost());
  const ranks = blocks.flatMap((own) => Array.from(own));
  const trafficOf = (found: Float64Array): Traffic => foundTraffic(found, grid, ranks, source, unit, byClass.length);
  const traffic = trafficOf(search.traffic());
  return {
    traffic,
    earlier: earlier === null ? traffic : trafficOf(earlier),
    dictionary,
    ranks: sizes.reduce((sum, size) => sum + size, 0),
    pairs: byClass.length * sizes.reduce((sum, size) => sum + size * (size - 1), 0),
    variables: grid.openPairs,
    steps: search.steps,
    end,
    residual: withUnexplained(search.residual(), unexplained),
    unexplained,
    ...provenBy(grid, counters, search.traffic()),
    presolveSeconds,
  };
}

/** Counters that no pair of a grid moves. */
function unexplainedOf(grid: PairGrid, rows: PairCounters, counters: Float64Array): Unexplained {
  const isMoved = new Uint8Array(counters.length);
  for (const row of grid.rows) isMoved[row] = 1;
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

function foundTraffic(
  found: Float64Array,
  { places, first, offset }: PairGrid,
  ranks: readonly number[],
  { fabric }: RoutedFabric,
  unit: Traffic['unit'],
  classCount: number,
): Traffic {
  const classes = Array.from({ length: classCount }, () => new TrafficBuilder(fabric.hosts.length, unit));
  const least = 1e-9 * found.reduce((most, own) => Math.max(most, own), 0);
  for (let place = 0; place < places; place++) {
    const at = first[place]!;
    const builder = classes[Math.floor(at / ranks.length)]!;
    const [low, high] = [ranks[at % ranks.length]!, ranks[(at % ranks.length) + offset[place]!]!];
    if (found[2 * place]! > least) builder.add(low, high, found[2 * place]!);
    if (found[2 * place + 1]! > least) builder.add(high, low, found[2 * place + 1]!);
  }
  const phases = classes.map((builder, place) => ({
    name: classCount === 1 ? 'all' : `class ${place}`,
    matrix: builder.build(),
  }));
  return { name: 'reconstructed', hostCount: fabric.hosts.length, unit, note: '', phases };
}
