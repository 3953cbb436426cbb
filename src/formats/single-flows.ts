// Graphs of flows as people and programs read them: a record per flow, in the words of the communication-stack
// document's SingleFlow (docs/SOURCES.md, chapter 3), then what Weft adds. JSON lines have it as an object per line,
// the Parquet file (storage/flow-graph-parquet.ts) as columns; docs/formats/flow-graph.md describes both.
// Invariant: records come in the order of the numbers, made when they are asked for; every value is a number, a word of
// Weft's or a list of numbers.

import { emptyFlow, type FlowSet } from '../collectives/flow-graph.js';

/** What a flow is part of: one collective of a job, or one message between stages of its pipeline. */
interface FlowCause {
  /** number of the collective or message, from 0 */
  readonly collective: number;
  /** allreduce, ...; sendrecv of a message */
  readonly operation: string;
  /** tp, dp, ... */
  readonly group: string;
  /** of the workload, from 0; -1: none */
  readonly layer: number;
  /** forward, inputGradient, weightGradient, update; empty: none */
  readonly pass: string;
  readonly microBatch: number;
  readonly iteration: number;
}

/** Flows of one cause. */
export interface CausedFlows {
  readonly cause: FlowCause;
  readonly flows: FlowSet;
}

/** A flow as files have it: a field for each column, because readers share it. Its lists are overwritten by the next. */
export interface FlowRecord {
  readonly flow_id: number;
  readonly src: number;
  readonly dest: number;
  readonly flow_size: number;
  readonly prev: readonly number[];
  readonly parallel_deps: readonly number[];
  readonly child_flow_id: readonly number[];
  readonly channel_id: number;
  readonly chunk_id: number;
  readonly chunk_count: number;
  readonly conn_type: string;
  readonly step: number;
  readonly is_reduction: boolean;
  readonly wire_size: number;
  readonly collective: number;
  readonly operation: string;
  readonly group: string;
  readonly layer: number;
  readonly pass: string;
  readonly micro_batch: number;
  readonly iteration: number;
}

/** What has been told of a graph. */
export interface FlowCounts {
  collectives: number;
  flows: number;
  /** data */
  sizeBytes: number;
}

/** lines of one piece of text */
const linesPerPiece = 4096;

/** The records of a graph. @param counts counts on */
export function* flowRecords(graph: Iterable<CausedFlows>, counts: FlowCounts): Generator<FlowRecord> {
  const flow = emptyFlow();
  for (const { cause, flows } of graph) {
    counts.collectives++;
    for (let i = 0; i < flows.count; i++) {
      flows.describe(i, flow);
      counts.flows++;
      counts.sizeBytes += flow.sizeBytes;
      yield {
        flow_id: flow.flowId,
        src: flow.source,
        dest: flow.destination,
        flow_size: flow.sizeBytes,
        prev: flow.prev,
        parallel_deps: flow.parallelDeps,
        child_flow_id: flow.children,
        channel_id: flow.channel,
        chunk_id: flow.chunk,
        chunk_count: flow.chunkCount,
        conn_type: flow.connectionType,
        step: flow.step,
        is_reduction: flow.isReduction,
        wire_size: flow.wireBytes,
        collective: cause.collective,
        operation: cause.operation,
        group: cause.group,
        layer: cause.layer,
        pass: cause.pass,
        micro_batch: cause.microBatch,
        iteration: cause.iteration,
      };
    }
  }
}

/** Records as JSON lines, in pieces. */
export function* flowLines(records: Iterable<FlowRecord>): Generator<string> {
  let lines: string[] = [];
  for (const record of records) {
    if (lines.push(JSON.stringify(record)) < linesPerPiece) continue;
    yield `${lines.join('\n')}\n`;
    lines = [];
  }
  if (lines.length > 0) yield `${lines.join('\n')}\n`;
}
