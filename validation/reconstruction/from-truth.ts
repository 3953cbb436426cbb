// Why some traffic is not found as well as in its source: is it for want of time, or is the shortest traffic another one?
// Each search is made twice, from nothing and from what was sent, and both are compared with the sum that tells the
// truth. Source: Taffet's dissertation (docs/SOURCES.md), Tables 4.2 and 4.3.
// Invariant: of several bases the truth has the least sum that any split of it among them has, which a search with a
// counter for each pair finds.

import { memoryHost } from '#weft/app/memory-host.js';
import { layOutPairs } from '#weft/app/reconstruct/pair-layout.js';
import { measureTraffic } from '#weft/app/reconstruct/measure-traffic.js';
import { requestedTables } from '#weft/app/reconstruct/named-tables.js';
import { errorsOf } from '#weft/app/reconstruct/reconstruction-error.js';
import { pairsOfTraffic, trafficOfPairs } from '#weft/app/reconstruct/grid-traffic.js';
import { loadFabric } from '#weft/app/routes/fabric-input.js';
import { TrafficColumn, type TrafficMatrix } from '#weft/flows/traffic/matrix.js';
import { PairGrid, type BasisShape } from '#weft/reconstruction/pair-grid.js';
import type { PairCounters } from '#weft/reconstruction/pair-rows.js';
import { Reconstruction } from '#weft/reconstruction/restarted-pdhg.js';
import { tableText } from '../tables/gap-tables.js';
import { cpuSeconds } from './lane-errors.js';
import { laneColumns, printedErrors, type LaneColumn } from './printed-tables.js';

/** Where ours is above the better of both tables of the source, at two lanes or more, and its search is no short one. */
const gaps = [
  { pattern: 'amg', dictionary: 'scd', title: '5 SL, 5 VL', times: 3 },
  { pattern: 'multigrid-c', dictionary: 's', title: '5 SL, 5 VL', times: 1 },
  { pattern: 'lulesh', dictionary: 'scd', title: '2 SL, 2 VL', times: 1 },
  { pattern: 'lulesh', dictionary: 'od', title: '2 SL, 2 VL', times: 1 },
  { pattern: 'nekbone', dictionary: 'od', title: '2 SL, 2 VL', times: 1 },
  { pattern: 'boxlib-mg-c', dictionary: 'od', title: '2 SL, 2 VL', times: 1 },
] as const;

/** A sum this much below the truth's, or above it, is another one. */
const otherSum = 0.005;
/** Counters this near are met. */
const metShare = 0.001;

/** How a search ended. */
interface Outcome {
  /** in percent */
  readonly error: number;
  /** |R x - t| / |t| */
  readonly residual: number;
  /** beside what tells the truth */
  readonly sum: number;
}

/** The table in Markdown. @param mostSeconds CPU time of a search; AMG has more @param say told what is being done */
export async function fromTruthMarkdown(mostSeconds: number, say: (text: string) => void): Promise<string> {
  const lines: string[][] = [];
  for (const { pattern, dictionary, title, times } of gaps) {
    say(`${pattern} by ${dictionary}, ${title}, from nothing and from what was sent`);
    const at = laneColumns.findIndex((own) => own.title === title);
    const printed = printedErrors.find((own) => own.pattern === pattern)!;
    const [nothing, truth] = await bothSearches(pattern, dictionary, laneColumns[at]!, times * mostSeconds);
    lines.push([
      `\`${pattern}\``,
      `\`${dictionary}\``,
      title,
      ...[nothing, truth].flatMap(({ error, residual, sum }) => [
        error.toPrecision(3),
        residual.toExponential(0),
        sum.toFixed(4),
      ]),
      `${(dictionary === 'od' ? printed.od : printed.best)[at]!}`,
      reasonOf(nothing, truth),
    ]);
  }
  const titles = ['nothing', 'the truth'].flatMap((start) => [`from ${start}: error, %`, 'counters met to', 'sum']);
  return tableText(['application', 'basis', 'lanes', ...titles, 'source', 'so'], lines);
}

function reasonOf(nothing: Outcome, truth: Outcome): string {
  const isMet = nothing.residual <= metShare;
  if (truth.sum < 1 - otherSum && truth.residual <= metShare)
    return isMet && nothing.sum < 1 - otherSum
      ? 'the shortest is another one, and found'
      : 'the shortest is another one, and not reached';
  if (!isMet || nothing.sum > 1 + otherSum) return 'the search is not at its end';
  return 'others that agree are as short';
}

async function bothSearches(
  pattern: string,
  dictionary: string,
  { lanes, serviceLevels, strategy }: LaneColumn,
  mostSeconds: number,
): Promise<[Outcome, Outcome]> {
  const files = memoryHost();
  const request = { fabric: 'quartz1', tables: 'ftree', traffic: pattern, dictionary, lanes, serviceLevels, strategy };
  const source = await loadFabric(files, request);
  const { tables } = await requestedTables(request.tables, files, source);
  const { byClass, counted, sent, jobs } = await measureTraffic(request, files, source, tables);
  const { grid, shapes, ranks } = layOutPairs({ source, byClass, counted, jobs }, request);
  const start = pairsOfTraffic([sent!], grid, ranks);
  const truthSum = leastSum(sent!, ranks, shapes, mostSeconds);
  const outcomes = [null, start].map((begin): Outcome => {
    const search = new Reconstruction(grid, counted.counters, shapes, 0, begin);
    const untilSeconds = cpuSeconds() + mostSeconds;
    while (!search.isSettled && cpuSeconds() < untilSeconds) search.advance();
    const { matrix } = trafficOfPairs(search.traffic(), grid, ranks, source, 'relative', 1).phases[0]!;
    return {
      error: 100 * errorsOf(sent!, matrix, source).relativeError,
      residual: search.residual(),
      sum: search.length() / truthSum,
    };
  });
  return outcomes as [Outcome, Outcome];
}

/** The least sum that tells traffic, all of whose pairs are known. @param mostSeconds CPU time */
function leastSum(
  sent: TrafficMatrix,
  ranks: readonly number[],
  shapes: readonly BasisShape[],
  mostSeconds: number,
): number {
  const { hostCount } = sent;
  const amounts = new Float64Array(hostCount * hostCount);
  const column = new TrafficColumn(hostCount);
  for (let to = 0; to < hostCount; to++) {
    sent.toDestination(to, column);
    for (let i = 0; i < column.length; i++) amounts[column.sources[i]! * hostCount + to] = column.weights[i]!;
  }
  const rows: PairCounters = {
    count: amounts.length,
    rows: new Int32Array(1),
    shares: null,
    open: (from, to, counters) => {
      const row = from * hostCount + to;
      rows.rows[0] = row;
      return counters === null || counters[row]! > 0 ? 1 : 0;
    },
    rowOf: (row) => row,
  };
  const grid = new PairGrid([{ hosts: Int32Array.from(ranks), rows }], amounts, shapes);
  const search = new Reconstruction(grid, amounts, shapes);
  const untilSeconds = cpuSeconds() + mostSeconds;
  while (!search.isSettled && cpuSeconds() < untilSeconds) search.advance();
  return search.length();
}
