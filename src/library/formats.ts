/**
 * `@weft-sim/weft/formats`: foreign files as values, and values as foreign files. A reader takes a text and gives a
 * value with warnings, or throws everything that it found wrong, with line and column; a writer gives a text. What each
 * format holds, with its units, is described in docs/formats.
 * Invariant: nothing here knows of scenarios, and nothing touches a file.
 *
 * @module @weft-sim/weft/formats
 */

import { type Reading, reading } from '../base/diagnostics.js';
import type { Fabric } from '../fabric/fabric.js';
import type { Traffic } from '../flows/traffic/matrix.js';
import { bytesOfUtf8 } from '../formats/byte-lines.js';
import { readInfinibandFabric } from '../formats/infiniband-fabric.js';
import type { IdentifiedFabric } from '../formats/subnet-records.js';
import type { GivenGroups } from '../formats/micro-benchmark.js';
import { lftTexts } from '../formats/opensm-lfts-writer.js';
import { LftReader } from '../formats/opensm-lfts.js';
import type { PortCounterReadings } from '../formats/counter-poll.js';
import {
  type CounterPolls,
  readCounterPolls as pollsOf,
  readPortCounters as countersOf,
} from '../formats/port-counters.js';
import { readRequests as requestsOf, type RequestRows } from '../formats/requests-csv.js';
import { type EndToEnd, readEndToEnd as passesOf } from '../formats/simai-end-to-end.js';
import { type FctRow, readFct as fctRowsOf } from '../formats/simai-fct.js';
import { readTopology as topologyOf } from '../formats/simai-topology.js';

import { formatTraceRow, traceHeader, TraceParser } from '../formats/trace-csv.js';
import { trafficCsv, TrafficReader } from '../formats/traffic-matrix.js';
import { readWorkloadFile } from '../formats/workload-file.js';
import type { ForwardingTables } from '../routing/forwarding-tables.js';
import type { TablesByOffset } from '../routing/lid-offsets.js';
import type { Workload } from '../workload/workload.js';

export type { Diagnostic, DiagnosticDetail, Position, Reading, Severity } from '../base/diagnostics.js';
export { formatDiagnostic, InputError } from '../base/diagnostics.js';
export type { Fabric } from '../fabric/fabric.js';
export type { AttachedPort, FabricIdentity } from '../fabric/identity.js';
export type { Traffic, TrafficColumn, TrafficMatrix, TrafficPhase, TrafficUnit } from '../flows/traffic/matrix.js';
export { writeIbnetdiscover } from '../formats/ibnetdiscover-writer.js';
export { type IdentifiedFabric } from '../formats/subnet-records.js';
export { type GivenGroups } from '../formats/micro-benchmark.js';
export { type PortCounterReadings } from '../formats/counter-poll.js';
export { type CounterPolls } from '../formats/port-counters.js';
export { type RequestRows } from '../formats/requests-csv.js';
export {
  type EndToEnd,
  type EndToEndKind,
  type EndToEndLayer,
  type EndToEndPass,
  endToEndOf,
  writeEndToEnd,
} from '../formats/simai-end-to-end.js';
export { fctLine, type FctRow } from '../formats/simai-fct.js';
export { writeTopology } from '../formats/simai-topology-text.js';
export { unwritable, writeSimaiWorkload as writeWorkload } from '../formats/simai-workload-text.js';
export type { ForwardingTables } from '../routing/forwarding-tables.js';
export type { GroupSizes, Layers, Workload } from '../workload/workload.js';

/** A line of a trace. */
export interface TraceRow {
  /** picoseconds */
  readonly startPs: number;
  /** nodes of the fabric */
  readonly source: number;
  readonly destination: number;
  /** payload, at least 1 */
  readonly sizeBytes: number;
}

/** A fabric from a topology file, SimAI's form or HPCC's. @param file what messages call it @throws InputError */
export function readTopology(text: string, file = 'topology'): Reading<Fabric> {
  return reading((diagnostics) => topologyOf(text, file, diagnostics));
}

/**
 * An InfiniBand fabric with names, GUIDs and LIDs, as ibnetdiscover or ibdiagnet (.lst, .db_csv) prints it. @throws
 * InputError
 */
export function readIbnetdiscover(text: string, file = 'ibnetdiscover'): Reading<IdentifiedFabric> {
  return reading((diagnostics) => readInfinibandFabric(text, file, diagnostics));
}

/**
 * Forwarding tables as OpenSM dumps them, of an InfiniBand fabric: those of the base LIDs of hosts. @throws InputError
 */
export function readForwardingTables(
  text: string,
  fabric: IdentifiedFabric,
  file = 'opensm-lfts.dump',
): Reading<ForwardingTables> {
  return reading((diagnostics) => {
    const reader = new LftReader(fabric, file, diagnostics);
    reader.push(bytesOfUtf8(text));
    return reader.end();
  });
}

/**
 * Forwarding tables as OpenSM's file engine reads them.
 * @param tables of hosts with several LIDs a set for each offset of a LID
 * @throws InvariantError if a node has no LID, or hosts have not as many LIDs as there are sets
 */
export function writeForwardingTables(fabric: IdentifiedFabric, tables: ForwardingTables | TablesByOffset): string {
  return [...lftTexts(fabric, 'fabric' in tables ? [tables] : tables)].join('');
}

/** Counters of ports as perfquery or ibqueryerrors prints them. @throws InputError */
export function readPortCounters(
  text: string,
  fabric: IdentifiedFabric,
  file = 'counters',
): Reading<PortCounterReadings> {
  return reading((diagnostics) => countersOf(text, file, fabric, diagnostics));
}

/**
 * The same round by round, of a file that says when its readings were made (`# Time 0.25 s` before them), as a run with
 * polled counters writes it. Without times there is one round. @throws InputError
 */
export function readCounterPolls(text: string, fabric: IdentifiedFabric, file = 'counters'): Reading<CounterPolls> {
  return reading((diagnostics) => pollsOf(text, file, fabric, diagnostics));
}

/**
 * A training iteration: SimAI's and AICB's workload files, and micro-benchmarks.
 * @param groups sizes of the groups of ranks, which micro-benchmarks need @throws InputError
 */
export function readWorkload(text: string, groups: GivenGroups = {}, file = 'workload'): Reading<Workload> {
  return reading((diagnostics) => readWorkloadFile(text, file, groups, diagnostics));
}

/** The transfers of a trace, in the order of the file. @param fabric whose hosts it names @throws InputError */
export function readTrace(text: string, fabric: Fabric, file = 'trace.csv'): Reading<TraceRow[]> {
  return reading((diagnostics) => {
    const rows: TraceRow[] = [];
    const parser = new TraceParser(file, fabric, diagnostics, {
      row: (startPs, source, destination, sizeBytes) => rows.push({ startPs, source, destination, sizeBytes }),
    });
    parser.push(bytesOfUtf8(text));
    parser.end();
    return rows;
  });
}

/** A trace with its header. */
export function writeTrace(rows: Iterable<TraceRow>): string {
  let text = `${traceHeader}\n`;
  for (const { startPs, source, destination, sizeBytes } of rows)
    text += `${formatTraceRow(startPs, source, destination, sizeBytes)}\n`;
  return text;
}

/**
 * Who sends how much to whom: CSV or MatrixMarket.
 * @param hostNames what the file may call the hosts, by rank; ranks as numbers are understood without it
 * @throws InputError
 */
export function readTraffic(
  text: string,
  hostCount: number,
  hostNames: readonly string[] = [],
  file = 'traffic',
): Reading<Traffic> {
  const ranks = new Map<string, number[]>();
  for (const [rank, name] of hostNames.entries()) ranks.set(name, [...(ranks.get(name) ?? []), rank]);
  return reading((diagnostics) => {
    const hosts = { count: hostCount, ranksOf: (name: string) => ranks.get(name) ?? [] };
    const reader = new TrafficReader(file, file, hosts, diagnostics);
    reader.push(bytesOfUtf8(text));
    return reader.end();
  });
}

/** Traffic as CSV. */
export function writeTraffic(traffic: Traffic): string {
  return [...trafficCsv(traffic)].join('');
}

/** Requests of inference as CSV. @throws InputError */
export function readRequests(text: string, file = 'requests.csv'): Reading<RequestRows> {
  return reading((diagnostics) => requestsOf(text, file, diagnostics));
}

/** Completion times of flows: fct.txt of SimAI, HPCC and Weft. @throws InputError */
export function readFct(text: string, file = 'fct.txt'): Reading<FctRow[]> {
  return reading((diagnostics) => fctRowsOf(file, text, diagnostics));
}

/** What a workload came to, by layer: SimAI's ncclFlowModel_EndToEnd.csv. @throws InputError */
export function readEndToEnd(text: string, file = 'ncclFlowModel_EndToEnd.csv'): Reading<EndToEnd> {
  return reading((diagnostics) => passesOf(file, text, diagnostics));
}
