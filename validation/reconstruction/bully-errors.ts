// A barrier beside a bully found again from counters: Taffet's dissertation (docs/SOURCES.md), 5.4.2 and Figure 5.14.
// Counters of bytes lose the barrier; counters of packets and bytes keep it.

import { countersOf } from '#weft/app/reconstruct/made-counters.js';
import { ftreeOrNull } from '#weft/app/routes/algorithms/ftree.js';
import { findTraffic } from '#weft/app/reconstruct/find-traffic.js';
import { errorsOf, jobErrors } from '#weft/app/reconstruct/reconstruction-error.js';
import type { RoutedFabric } from '#weft/fabric/routed-fabric.js';
import type { Traffic, TrafficMatrix } from '#weft/flows/traffic/matrix.js';
import { PairRows } from '#weft/reconstruction/pair-rows.js';
import { DrawnLanes } from '#weft/routing/lane-maps.js';
import { DrawnLevels } from '#weft/routing/service-levels.js';
import {
  bullyTraffic,
  modifiedAllocation,
  randomAllocation,
  weights,
  type Allocation,
  type BullySize,
} from '../tables/bully-jobs.js';
import { tableText } from '../tables/gap-tables.js';
import { fatTreeOf } from '../tables/measure-routes.js';
import { cpuHost, cpuSeconds } from './lane-errors.js';

/** Levels and lanes of chapter 5. */
const lanes = 5;
const laneSeed = 1;

/** What the source prints, in percent: of both jobs, and of the barrier's pairs. */
const cases = [
  { weighting: weights.countedBytes, all: 0.03, barrier: 100 },
  { weighting: weights.mixed, all: 0.0077, barrier: 8.2 },
] as const;

/** Both jobs under the modified allocation, ftree, levels and lanes. */
export interface BullyProblem {
  readonly size: BullySize;
  readonly source: RoutedFabric;
  readonly allocation: Allocation;
  readonly jobs: readonly { readonly name: string; readonly hosts: Int32Array }[];
  readonly rows: PairRows;
}

/** What was found, and errors of both jobs, as shares. */
export interface BullyErrors {
  readonly traffic: Traffic;
  readonly all: number;
  readonly barrier: number;
  readonly bully: number;
  readonly cpuSeconds: number;
  readonly isSettled: boolean;
}

/** The problem of a size. */
export function bullyProblem(size: BullySize): BullyProblem {
  const source = fatTreeOf(size.name, 'fat-tree', size.shape);
  const allocation = modifiedAllocation(size, randomAllocation(size));
  return {
    size,
    source,
    allocation,
    jobs: (['barrier', 'bully'] as const).map((name) => ({ name, hosts: Int32Array.from(allocation[name]) })),
    rows: new PairRows(source.fabric, ftreeOrNull(source)!, {
      levels: new DrawnLevels(lanes, laneSeed),
      map: new DrawnLanes(lanes, laneSeed),
    }),
  };
}

/** What is found of traffic from what it counts. @param isKnown whether jobs are @param mostSeconds CPU time */
export async function bullyErrorsOf(
  { source, jobs, rows }: BullyProblem,
  given: TrafficMatrix,
  isKnown: boolean,
  mostSeconds: number,
): Promise<BullyErrors> {
  const { counters, sent } = countersOf(given, source, rows);
  const begin = cpuSeconds();
  const { traffic, end } = await findTraffic(
    { source, rows, counted: { counters, received: counters }, jobs: isKnown ? jobs : null, unit: 'relative' },
    { seconds: 1e6 },
    cpuHost(mostSeconds),
  );
  const { matrix } = traffic.phases[0]!;
  const [barrier, bully] = jobs.map((job) => jobErrors(job, sent, matrix).relativeError!);
  return {
    traffic,
    all: errorsOf(sent, matrix, source).relativeError,
    barrier: barrier!,
    bully: bully!,
    cpuSeconds: cpuSeconds() - begin,
    isSettled: end === 'settled',
  };
}

/** The table in Markdown. @param mostSeconds CPU time of a search @param say told what is being done */
export async function bullyErrorsMarkdown(
  size: BullySize,
  mostSeconds: number,
  say: (text: string) => void,
): Promise<string> {
  const problem = bullyProblem(size);
  const lines: string[][] = [];
  for (const { weighting, ...printed } of cases)
    for (const isKnown of [false, true]) {
      say(`barrier and bully found again, ${weighting.name}, jobs ${isKnown ? 'known' : 'unknown'}`);
      const { matrix } = bullyTraffic(size, problem.allocation, weighting).phases[0]!;
      const found = await bullyErrorsOf(problem, matrix, isKnown, mostSeconds);
      lines.push([
        weighting.name,
        isKnown ? 'known' : 'unknown',
        percent(found.all),
        `${printed.all}`,
        percent(found.barrier),
        `${printed.barrier}`,
        percent(found.bully),
        found.cpuSeconds.toFixed(1),
        found.isSettled ? 'yes' : 'no',
      ]);
    }
  return tableText(
    ['counted', 'jobs', 'error, %', 'source', 'of the barrier', 'source', 'of the bully', 'CPU seconds', 'settled'],
    lines,
  );
}

function percent(share: number): string {
  return (100 * share).toPrecision(2);
}
