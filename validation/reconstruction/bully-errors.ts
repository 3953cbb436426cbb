// A barrier beside a bully found again from counters: Taffet's dissertation (docs/SOURCES.md), 5.4.2 and Figure 5.14.
// Counters of bytes lose the barrier; counters of packets and bytes keep it.

import { countersOf } from '#weft/app/reconstruct/made-counters.js';
import { ftreeOrNull } from '#weft/app/routes/algorithms/ftree.js';
import { findTraffic } from '#weft/app/reconstruct/find-traffic.js';
import { errorsOf, jobErrors } from '#weft/app/reconstruct/reconstruction-error.js';
import { PairRows } from '#weft/reconstruction/pair-rows.js';
import { DrawnLanes } from '#weft/routing/lane-maps.js';
import { DrawnLevels } from '#weft/routing/service-levels.js';
import { bullyTraffic, modifiedAllocation, randomAllocation, weights, type BullySize } from '../tables/bully-jobs.js';
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

/**
 * The table in Markdown, under the modified allocation, by ftree.
 * @param mostSeconds CPU time of a search @param say told what is being done
 */
export async function bullyErrorsMarkdown(
  size: BullySize,
  mostSeconds: number,
  say: (text: string) => void,
): Promise<string> {
  const source = fatTreeOf(size.name, 'fat-tree', size.shape);
  const allocation = modifiedAllocation(size, randomAllocation(size));
  const jobs = (['barrier', 'bully'] as const).map((name) => ({ name, hosts: Int32Array.from(allocation[name]) }));
  const rows = new PairRows(source.fabric, ftreeOrNull(source)!, {
    levels: new DrawnLevels(lanes, laneSeed),
    map: new DrawnLanes(lanes, laneSeed),
  });
  const lines: string[][] = [];
  for (const { weighting, ...printed } of cases)
    for (const known of [null, jobs]) {
      say(`barrier and bully found again, ${weighting.name}, jobs ${known === null ? 'unknown' : 'known'}`);
      const { counters, sent } = countersOf(bullyTraffic(size, allocation, weighting).phases[0]!.matrix, source, rows);
      const begin = cpuSeconds();
      const { traffic, end } = await findTraffic(
        { source, rows, counted: { counters, received: counters }, jobs: known, unit: 'relative' },
        { seconds: 1e6 },
        cpuHost(mostSeconds),
      );
      const { matrix } = traffic.phases[0]!;
      const [barrier, bully] = jobs.map((job) => jobErrors(job, sent, matrix).relativeError!);
      lines.push([
        weighting.name,
        known === null ? 'unknown' : 'known',
        percent(errorsOf(sent, matrix, source).relativeError),
        `${printed.all}`,
        percent(barrier!),
        `${printed.barrier}`,
        percent(bully!),
        (cpuSeconds() - begin).toFixed(1),
        end === 'settled' ? 'yes' : 'no',
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
