// Who sent how much to whom, from what ports counted: `weft reconstruct`.
// Invariant: the search sees counters, tables and lanes alone; traffic that is given makes the counters, and is compared
// with what was found once it has ended.
// Source: Taffet's dissertation (docs/SOURCES.md), chapter 4.

import type { Diagnostic } from '../../base/diagnostics.js';
import type { RoutedFabric } from '../../fabric/routed-fabric.js';
import { collapsed, type Traffic, type TrafficMatrix } from '../../flows/traffic/matrix.js';
import { trafficCsv } from '../../formats/traffic-matrix.js';
import { matrixFigure, type ToldByBasis } from '../../report/reconstruct/matrix-figure.js';
import type { WholeChart } from '../../report/page/chart-frame.js';
import type {
  FoundTraffic,
  ReconstructedTraffic,
  ReconstructionTrace,
} from '../../report/reconstruct/reconstruction-text.js';
import { reconstructionTraceFigure } from '../../report/reconstruct/trace-figure.js';
import { usualLidUse } from '../../optimization/lid-use.js';
import { memoryHost } from '../memory-host.js';
import { loadFabric } from '../routes/fabric-input.js';
import { loadTraffic } from '../routes/traffic-input.js';
import type { RouteHost } from '../routes/make-tables.js';
import { findTraffic } from './find-traffic.js';
import { checkSource } from './given-counters.js';
import { matricesByClass, measureTraffic, portTotals, type TrafficMeasurement } from './measure-traffic.js';
import { requestedTables } from './named-tables.js';
import { errorsOf, jobErrors } from './reconstruction-error.js';
import type { ReconstructionRequest } from './reconstruction-request.js';
import { explainedOrTold } from './plausible-counters.js';
import { SearchRecord } from './search-record.js';
import { notBegun, notMet } from './search-until.js';

/** What is written beside the result. */
interface ReconstructionPictures {
  /** the matrix */
  readonly csv: Iterable<string>;
  /** its picture as SVG, and the chart of the search; undefined: not asked for */
  readonly figure: string | undefined;
  readonly traceFigure: WholeChart | undefined;
}

/**
 * Reconstructs traffic.
 * @throws InputError, HostFileError
 */
export async function reconstructTraffic(
  request: ReconstructionRequest,
  host: RouteHost,
): Promise<ReconstructedTraffic & ReconstructionPictures> {
  const { lanes = 1, seed = 1, strategy = request.sl2vl === undefined ? 'random' : 'listed' } = request;
  checkSource(request);
  const { files = memoryHost() } = host;
  const source = await loadFabric(files, request);
  host.stage?.('reading tables');
  const { tables, ...odd } = await requestedTables(request.tables, files, source);
  const startSeconds = host.cpuSeconds();
  const measured = await measureTraffic(request, files, source, tables);
  const begin =
    request.start === undefined
      ? null
      : await loadTraffic(files, { allocation: 'alone', ...request, traffic: request.start }, source);
  const start = begin === null ? [] : matricesByClass(begin.traffic, measured.byClass.length);
  const { ranks, pairs, groups, traffic, trace, toldByBasis, dictionary, told, figures } = await search(
    { ...measured, start },
    request,
    source,
    host,
    startSeconds,
  );
  const { serviceLevels, truth, jobs, sent, sentByClass, warnings } = measured;
  const totals =
    request.portTotals === true && lanes > 1
      ? await search({ ...portTotals(measured, source), start }, request, source, host, host.cpuSeconds())
      : null;
  const result: ReconstructedTraffic = {
    source,
    tables: typeof request.tables === 'string' ? request.tables : 'tables',
    truth,
    dictionary,
    strategy,
    lanes,
    serviceLevels,
    lids: tables?.length ?? 1,
    lidOffset: request.lidOffset ?? usualLidUse,
    split: request.split ?? null,
    splitPorts: request.splitPorts ?? null,
    seed,
    method: request.method ?? 'first-order',
    start: begin?.traffic.name ?? null,
    ranks,
    pairs,
    groups,
    ...figures,
    portTotals: totals?.figures ?? null,
    classes:
      measured.byClass.length === 1
        ? null
        : traffic.phases.map(({ name, matrix }, place) =>
            jobErrors({ name, hosts: everyRank(source) }, sentByClass?.[place] ?? null, matrix),
          ),
    jobs: jobs?.map((job) => jobErrors(job, sent, collapsed(traffic))) ?? null,
    traffic,
    trace,
    warnings: [...source.warnings, ...odd.warnings, ...warnings, ...(begin?.warnings ?? []), ...told],
  };
  return {
    ...result,
    csv: trafficCsv(traffic),
    figure: request.figure === true ? matrixFigure(traffic, truth, toldByBasis) : undefined,
    traceFigure: request.traceFigure === true && trace !== null ? reconstructionTraceFigure(result, trace) : undefined,
  };
}

function everyRank({ fabric }: RoutedFabric): Int32Array {
  return Int32Array.from(fabric.hosts.keys());
}

interface SearchOutcome {
  readonly figures: FoundTraffic;
  readonly ranks: number;
  readonly pairs: number;
  readonly groups: readonly number[] | null;
  readonly dictionary: readonly string[];
  readonly traffic: Traffic;
  /** null: a solver searched */
  readonly trace: ReconstructionTrace | null;
  readonly toldByBasis: readonly ToldByBasis[];
  /** counters that are not met, or not explained */
  readonly told: readonly Diagnostic[];
}

/** Traffic to begin with, of each class; none: it is not known. */
interface Begin {
  readonly start: readonly TrafficMatrix[];
}

/** Searches for traffic that was measured. @param startSeconds CPU time when its measurement began */
async function search(
  { rows, byClass, counted, truth, sent, jobs, start }: TrafficMeasurement & Begin,
  request: ReconstructionRequest,
  source: RoutedFabric,
  host: RouteHost,
  startSeconds: number,
): Promise<SearchOutcome> {
  const unit = (request.mix ?? 'bytes') === 'bytes' ? (truth?.unit ?? 'bytes') : 'relative';
  const setUpSeconds = host.cpuSeconds() - startSeconds;
  const keepsBases = request.drawBases === true;
  const record = new SearchRecord(sent, () => host.cpuSeconds() - startSeconds);
  const found = await findTraffic(
    { source, rows, byClass, counted, jobs, start, unit, record, keepsBases },
    request,
    host,
  );
  const { traffic, end, residual, unexplained } = found;
  const told = [...explainedOrTold(unexplained, found.ranks, request, source), ...notBegun(found.began, request)];
  const isExact = (request.noise ?? 0) === 0 && (request.skew ?? 0) === 0;
  const figures = {
    variables: found.variables,
    counters: counted.counters.reduce((count, own) => count + (own > 0 ? 1 : 0), 0),
    steps: found.steps,
    end,
    residual,
    reweighted: found.reweighted,
    memoryBytes: found.memoryBytes,
    provenShare: isExact ? found.provenShare : null,
    provenPairs: isExact ? found.provenPairs : null,
    ...(sent === null ? { relativeError: null, leafError: null } : errorsOf(sent, collapsed(traffic), source)),
    presolveSeconds: setUpSeconds + found.presolveSeconds,
    cpuSeconds: host.cpuSeconds() - startSeconds,
  };
  return {
    figures,
    ranks: found.ranks,
    pairs: found.pairs,
    groups: found.groups,
    dictionary: found.dictionary,
    traffic,
    trace: record.trace,
    toldByBasis: found.told,
    told: end === 'settled' ? told : [...told, ...notMet(residual, request)],
  };
}
