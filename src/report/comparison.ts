// Two runs of the same transfers side by side, without and with the central controller: which spine each flow took, how
// long it took, who shared a spine. Source of the facts: the `flows` and `hops` records of the two runs, nothing else.
// A spine is the switch of the middle hop of a 3-hop path (leaf, spine, leaf). Two flows collide if at the same time
// they left a switch by the same port, final hops (the port to the receiver) not counted. Not modelled: deeper fabrics
// have no spine here.

import { addTo } from '../base/lists-by-key.js';
import { FlowColumn, flowTable, HopColumn, hopTable } from '../records/flow-records.js';
import type { MemorySink } from '../records/memory-sink.js';
import type { TableSchema } from '../records/schema.js';
import type { CompletionStatistics } from '../measurement/completion.js';
import type { RunFigures } from './run-figures.js';

/** One flow in one run. */
export interface FlowOutcome {
  /** node id of the middle switch; null if the path has not three hops */
  readonly spine: number | null;
  readonly sourcePort: number;
  readonly completionPs: number;
  /** completion time divided by that of the flow alone on an idle fabric */
  readonly slowdown: number;
}

export interface ComparedFlow {
  readonly flowId: number;
  readonly source: number;
  readonly destination: number;
  readonly sizeBytes: number;
  /** null if it did not finish in that run */
  readonly without: FlowOutcome | null;
  readonly with: FlowOutcome | null;
}

/** Flows that shared links to or from one spine at the same time. */
interface SharedSpine {
  readonly spine: number;
  /** flow ids, ascending */
  readonly flows: readonly number[];
}

export interface ComparedRun {
  readonly name: string;
  readonly outcome: string;
  readonly fct: CompletionStatistics;
  readonly collisions: { readonly links: number; readonly flowPairs: number };
  readonly sharedSpines: readonly SharedSpine[];
}

export interface RunComparison {
  /** in order of flow id */
  readonly flows: readonly ComparedFlow[];
  readonly without: ComparedRun;
  readonly with: ComparedRun;
}

/** A run to compare. */
export interface RecordedRun {
  readonly name: string;
  readonly figures: RunFigures;
  readonly records: MemorySink;
}

/** What is read of each flow, and of each switch on its path. */
const flowColumns = {
  flowId: FlowColumn.flow,
  source: FlowColumn.source,
  destination: FlowColumn.destination,
  sourcePort: FlowColumn.sourcePort,
  sizeBytes: FlowColumn.size,
  startPs: FlowColumn.start,
  finishPs: FlowColumn.finish,
  idealPs: FlowColumn.ideal,
} as const;
const hopColumns = { flowId: HopColumn.flow, node: HopColumn.node, interface: HopColumn.interface } as const;

type FlowTimes = Readonly<Record<keyof typeof flowColumns, number>>;
type Hop = Readonly<Record<keyof typeof hopColumns, number>>;

/** Compares a run without the controller to one with it. */
export function compareRuns(without: RecordedRun, withController: RecordedRun): RunComparison {
  const [before, after] = [readRun(without), readRun(withController)];
  const flows = [...new Map([...after.times, ...before.times]).values()]
    .sort((a, b) => a.flowId - b.flowId)
    .map(({ flowId, source, destination, sizeBytes }): ComparedFlow => ({
      flowId,
      source,
      destination,
      sizeBytes,
      without: outcomeOf(before, flowId),
      with: outcomeOf(after, flowId),
    }));
  return { flows, without: before.run, with: after.run };
}

interface ReadRun {
  readonly run: ComparedRun;
  readonly times: ReadonlyMap<number, FlowTimes>;
  readonly paths: ReadonlyMap<number, readonly Hop[]>;
}

function readRun({ name, figures, records }: RecordedRun): ReadRun {
  const times = new Map(rowsOf(records, flowTable, flowColumns).map((flow) => [flow.flowId, flow]));
  const paths = new Map<number, Hop[]>();
  for (const hop of rowsOf(records, hopTable, hopColumns)) addTo(paths, hop.flowId, hop);
  const { outcome, fct } = figures;
  const { links, flowPairs } = figures.collisions;
  const run = { name, outcome, fct, collisions: { links, flowPairs }, sharedSpines: sharedSpines(times, paths) };
  return { run, times, paths };
}

/** The rows of a table as objects of some of its columns. */
function rowsOf<Key extends string>(
  records: MemorySink,
  table: TableSchema,
  columns: Readonly<Record<Key, number>>,
): Readonly<Record<Key, number>>[] {
  const read = Object.entries<number>(columns).map(([key, index]) => [key, records.column(table, index)] as const);
  return Array.from({ length: records.rowCount(table) }, (_, row) => {
    const values = read.map(([key, column]) => [key, column[row]!]);
    return Object.fromEntries(values) as Record<Key, number>;
  });
}

function spineOf(path: readonly Hop[] | undefined): number | null {
  return path?.length === 3 ? path[1]!.node : null;
}

function outcomeOf({ times, paths }: ReadRun, flowId: number): FlowOutcome | null {
  const flow = times.get(flowId);
  if (flow === undefined) return null;
  const completionPs = flow.finishPs - flow.startPs;
  return {
    spine: spineOf(paths.get(flowId)),
    sourcePort: flow.sourcePort,
    completionPs,
    slowdown: completionPs / flow.idealPs,
  };
}

/** The spines where flows shared a link at the same time, ascending, with those flows. */
function sharedSpines(
  times: ReadonlyMap<number, FlowTimes>,
  paths: ReadonlyMap<number, readonly Hop[]>,
): SharedSpine[] {
  const users = new Map<string, number[]>();
  for (const [id, path] of paths) {
    if (spineOf(path) === null || !times.has(id)) continue;
    for (const hop of path.slice(0, -1)) addTo(users, `${hop.node}:${hop.interface}`, id);
  }
  const shared = new Map<number, Set<number>>();
  for (const flows of users.values())
    for (const id of flows) {
      if (!flows.some((other) => other !== id && overlap(times.get(id)!, times.get(other)!))) continue;
      const spine = spineOf(paths.get(id))!;
      shared.set(spine, (shared.get(spine) ?? new Set()).add(id));
    }
  return [...shared]
    .map(([spine, members]) => ({ spine, flows: [...members].sort((a, b) => a - b) }))
    .sort((a, b) => a.spine - b.spine);
}

function overlap(a: FlowTimes, b: FlowTimes): boolean {
  return a.startPs < b.finishPs && b.startPs < a.finishPs;
}
