// Blocks in which a dictionary tells pairs of hosts: jobs that are known, else groups that counters of hosts suggest.
// Invariant: where jobs are not known every pair of hosts that took part has a place, whatever the groups: counters
// decide, and groups only say which pairs lie beside each other.

import type { RoutedFabric } from '../../fabric/routed-fabric.js';
import type { AllocatedJob } from '../../flows/traffic/allocation.js';
import { bases, PairGrid, type BasisName, type BasisShape } from '../../reconstruction/pair-grid.js';
import type { PairCounters } from '../../reconstruction/pair-rows.js';
import { PairsBetween } from '../../reconstruction/pairs-between.js';
import { activeHosts, volumeGroups } from './host-volumes.js';
import { expectedResidual, type Counted } from './made-counters.js';
import type { ReconstructionRequest } from './reconstruction-request.js';
import { dictionaryFor } from './search-until.js';

/** Pairs as a search has them. */
export interface PairLayout {
  readonly grid: PairGrid;
  readonly dictionary: readonly BasisName[];
  readonly shapes: readonly BasisShape[];
  /** ranks of the blocks of a class, one block after the other */
  readonly ranks: readonly number[];
  /** hosts that took part */
  readonly rankCount: number;
  /** their ordered pairs, of jobs that are known those within one */
  readonly pairs: number;
  /** hosts of each group by what counters of hosts say; null: there is one, or jobs are known */
  readonly groups: readonly number[] | null;
}

/** What blocks are made from. */
interface PairSource {
  readonly source: RoutedFabric;
  /** rows of classes of service */
  readonly byClass: readonly PairCounters[];
  readonly counted: Counted;
  /** null: they are not known */
  readonly jobs: readonly AllocatedJob[] | null;
}

/** Lays out pairs. @throws InputError if the dictionary does not suit the hosts */
export function layOutPairs(
  problem: PairSource,
  request: Pick<ReconstructionRequest, 'dictionary' | 'noise' | 'skew'>,
): PairLayout {
  const { source, counted, jobs } = problem;
  if (jobs !== null) {
    const blocks = jobs.map(({ hosts }) => hosts);
    return laidOut(problem, request, blocks, false);
  }
  const active = activeHosts(source, counted);
  const groups = volumeGroups(active, source, counted, expectedResidual(request));
  if (groups.length > 1) {
    const layout = laidOut(problem, request, [...groups, active], true);
    if (areMovedWithin(layout.grid, active.length)) return layout;
  }
  return laidOut(problem, request, [active], false);
}

/** @param hasBetween the last block is of the pairs between the others */
function laidOut(
  { source, byClass, counted }: PairSource,
  request: Pick<ReconstructionRequest, 'dictionary'>,
  blocks: readonly Int32Array[],
  hasBetween: boolean,
): PairLayout {
  const { hosts, nodeCount } = source.fabric;
  const sizes = blocks.map(({ length }) => length);
  const dictionary = dictionaryFor(request.dictionary ?? 'od', sizes);
  const shapes = dictionary.map((name) => bases[name]);
  const groups = hasBetween ? blocks.slice(0, -1) : blocks;
  const groupOf = new Uint8Array(nodeCount);
  groups.forEach((ranks, group) => ranks.forEach((rank) => (groupOf[hosts[rank]!] = group)));
  const grid = new PairGrid(
    byClass.flatMap((rows) =>
      blocks.map((ranks, block) => ({
        hosts: ranks.map((rank) => hosts[rank]!),
        rows: block < groups.length ? rows : new PairsBetween(rows, groupOf),
      })),
    ),
    counted.counters,
    shapes,
  );
  const own = hasBetween ? sizes.slice(-1) : sizes;
  return {
    grid,
    dictionary,
    shapes,
    ranks: blocks.flatMap((ranks) => Array.from(ranks)),
    rankCount: own.reduce((sum, size) => sum + size, 0),
    pairs: byClass.length * own.reduce((sum, size) => sum + size * (size - 1), 0),
    groups: hasBetween ? sizes.slice(0, -1) : null,
  };
}

/** Whether pairs within groups move all counters; else groups surely send to each other. @param ranks of all groups */
function areMovedWithin({ places, first, rowStart, rows, counterOf }: PairGrid, ranks: number): boolean {
  const isMoved = new Uint8Array(counterOf.length);
  for (let place = 0; place < places; place++)
    if (first[place]! % (2 * ranks) < ranks)
      for (let at = rowStart[2 * place]!; at < rowStart[2 * place + 2]!; at++) isMoved[rows[at]!] = 1;
  return isMoved.every((own) => own === 1);
}
