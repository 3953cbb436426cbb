// The one object of `weft run --json`, which is also summary.json. docs/formats/run-directory.md describes its keys.
// Invariant: the order of the keys is fixed; only cpuSeconds, wallSeconds and peakMemoryBytes differ between two equal
// runs.

import type { Diagnostic } from '../base/diagnostics.js';
import { aloneFigures } from './alone-text.js';
import type { ErrorBand } from './band-classes.js';
import { jobObjects } from './job-json.js';
import type { UnfinishedFigures } from '../measurement/unfinished-figures.js';
import type { CounterFigures, PauseFigures, ProbeFigures, RunFigures, WatchdogSummary } from './run-figures.js';

/** What was run. */
export interface RunLabel {
  readonly weftVersion: string;
  readonly name: string;
  readonly seed: number;
  readonly warnings: readonly Diagnostic[];
  /** of the times of its jobs, if it has some and it is known; else why not, in words */
  readonly errorBand?: ErrorBand | string;
  /** how long each job takes by itself, in nanoseconds; null: it did not finish. Left out: nobody asked */
  readonly aloneNs?: readonly (number | null)[];
  /**
   * the flows that there would be if the run is not stopped, and where they stand; null or absent if that is not known
   */
  readonly planned?: { readonly flows: number; readonly where: 'trace' | 'scenario' } | null;
}

/** The summary of a run as a plain object, ready for JSON.stringify. */
export function summaryObject(run: RunLabel, figures: RunFigures): Record<string, unknown> {
  const { fct, slowdown, collisions } = figures;
  return {
    name: run.name,
    seed: run.seed,
    weftVersion: run.weftVersion,
    backend: figures.backend,
    outcome: figures.outcome,
    flows: figures.flows,
    finished: figures.finished,
    unfinished: unfinishedObject(figures.unfinished),
    ...jobObjects(figures.jobs, figures.programs, figures.transferJobs),
    ...(figures.jobs.length === 0
      ? {}
      : { errorBand: figures.outcome === 'finished' && typeof run.errorBand === 'object' ? run.errorBand : null }),
    ...(run.aloneNs === undefined ? {} : { alone: aloneFigures(figures.jobs, run.aloneNs) }),
    ...(figures.fastForward === null ? {} : { fastForward: figures.fastForward }),
    ...(figures.inference === null ? {} : { inference: figures.inference }),
    fct: { meanNs: fct.meanNs, p50Ns: fct.p50Ns, p99Ns: fct.p99Ns, maxNs: fct.maxNs },
    slowdown: { mean: slowdown.mean, p50: slowdown.p50, p99: slowdown.p99, max: slowdown.max },
    collisions: { links: collisions.links, flowPairs: collisions.flowPairs, exact: collisions.exact },
    controller: figures.controller,
    pins: figures.pins,
    failures: figures.failures,
    // not every backend has packets to count
    packetHops: figures.counters['packetHops'] ?? null,
    chunkLatency: chunkLatency(figures.counters),
    simulatedNs: figures.simulatedPs / 1000,
    cpuSeconds: figures.cpuSeconds,
    wallSeconds: figures.wallSeconds,
    peakMemoryBytes: figures.peakMemoryBytes,
    digest: figures.digest,
    unmarked: figures.unmarked,
    counters: countersObject(figures.counters),
    pauses:
      figures.pauses?.map(({ host, priority, frames, pausedPs, cause }) => ({
        host,
        priority,
        frames,
        pausedNs: pausedPs / 1000,
        cause,
      })) ?? null,
    watchdog: watchdogObject(figures.watchdog),
    probes: probesObject(figures.probes),
    verdicts: figures.verdicts.map(({ name, ok, detail, cause }) => ({
      name,
      ok,
      detail,
      ...(cause === undefined ? {} : { cause }),
    })),
    warnings: run.warnings,
  };
}

/** Rates are those since the flows' starts. */
function unfinishedObject(unfinished: UnfinishedFigures | null): object | null {
  if (unfinished === null) return null;
  const { flows, sizeBytes, deliveredBytes, rateBps, first } = unfinished;
  return {
    flows,
    sizeBytes,
    deliveredBytes,
    rateBps,
    first: first.map(({ id, source, destination, sizeBytes: bytes, startPs, ...arrived }) => ({
      flow: id,
      source,
      destination,
      sizeBytes: bytes,
      startNs: startPs / 1000,
      deliveredBytes: arrived.deliveredBytes,
      rateBps: arrived.rateBps,
    })),
  };
}

/** From the first bit of a packet at its sender to the last at its receiver; null where nobody counts it. */
function chunkLatency(counters: CounterFigures): { readonly meanNs: number; readonly maxNs: number } | null {
  const { packetLatencyTotalPs: totalPs, packetLatencyLargestPs: largestPs, dataPacketsDelivered: count } = counters;
  if (totalPs === undefined || largestPs === undefined || count === undefined || count === 0) return null;
  return { meanNs: totalPs / count / 1000, maxNs: largestPs / 1000 };
}

/** Counters of picoseconds are given in nanoseconds, as all times in the JSON are. */
function countersObject(counters: CounterFigures): object {
  return Object.fromEntries(
    Object.entries(counters).map(([name, count]) =>
      name.endsWith('Ps') ? [`${name.slice(0, -2)}Ns`, count / 1000] : [name, count],
    ),
  );
}

function watchdogObject(watchdog: WatchdogSummary | null): object | null {
  if (watchdog === null) return null;
  const { action, storms, packetsDropped, first } = watchdog;
  return {
    action,
    storms,
    packetsDropped,
    first: first.map(({ node, interface: port, name, priority, detectedPs, restoredPs, ...dropped }) => ({
      node,
      interface: port,
      name,
      priority,
      detectedNs: detectedPs / 1000,
      restoredNs: restoredPs === null ? null : restoredPs / 1000,
      packetsDropped: dropped.packetsDropped,
    })),
  };
}

function probesObject(probes: ProbeFigures | null): object | null {
  if (probes === null) return null;
  const { latency, pauses, sampling } = probes;
  return {
    rows: Object.fromEntries(probes.tables.map(({ name, rows }) => [name, rows])),
    pauses: pauses === null ? null : pausesObject(pauses),
    sampling,
    latency:
      latency === null
        ? null
        : {
            packets: latency.packets,
            meanNs: latency.meanNs,
            p50Ns: latency.p50Ns,
            p99Ns: latency.p99Ns,
            maxNs: latency.maxNs,
          },
  };
}

function pausesObject({ pauses, beyond, congestionPoints, largest }: PauseFigures): object {
  return {
    pauses,
    beyond,
    congestionPoints,
    largest: largest.map((point) => ({
      node: point.node,
      interface: point.interface,
      name: point.name,
      priority: point.priority,
      pauses: point.pauses,
      roots: point.roots,
      depth: point.depth,
      pausedNs: point.pausedPs / 1000,
      hosts: point.hosts,
    })),
  };
}
