// Two runs of the same transfers side by side, without and with the central controller: which spine each flow took, how
// long it took, who shared a spine. Source of the facts: the `flows` and `hops` records of the two runs, nothing else.
// A spine is the switch of the middle hop of a 3-hop path (leaf, spine, leaf). Two flows collide if at the same time
// they left a switch by the same port, final hops (the port to the receiver) not counted. Not modelled: deeper fabrics
// have no spine here.

import { fail } from '../base/fail.js';
import { FlowColumn, flowTable, HopColumn, hopTable } from '../records/flow-records.js';
import type { MemorySink } from '../records/memory-sink.js';
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

interface FlowTimes {
  readonly source: number;
  readonly destination: number;
  readonly sourcePort: number;
  readonly sizeBytes: number;
  readonly startPs: number;
  readonly finishPs: number;
  readonly idealPs: number;
}

/** Compares a run without the controller to one with it. */
export function compareRuns(without: RecordedRun, withController: RecordedRun): RunComparison {
  const before = readRun(without);
  const after = readRun(withController);
  const ids = [...new Set([...before.times.keys(), ...after.times.keys()])];
  ids.sort((a, b) => a - b);
  const flows = ids.map((flowId): ComparedFlow => {
    const { source, destination, sizeBytes } =
      before.times.get(flowId) ?? after.times.get(flowId) ?? fail(`flow ${flowId} in neither run`);
    return {
      flowId,
      source,
      destination,
      sizeBytes,
      without: outcomeOf(before, flowId),
      with: outcomeOf(after, flowId),
    };
  });
  return { flows, without: before.run, with: after.run };
}

interface ReadRun {
  readonly run: ComparedRun;
  readonly times: ReadonlyMap<number, FlowTimes>;
  readonly paths: ReadonlyMap<number, readonly Hop[]>;
}

interface Hop {
  readonly node: number;
  readonly interface: number;
}

function readRun({ name, figures, records }: RecordedRun): ReadRun {
  const times = readTimes(records);
  const paths = readPaths(records);
  const { links, flowPairs } = figures.collisions;
  const run = {
    name,
    outcome: figures.outcome,
    fct: figures.fct,
    collisions: { links, flowPairs },
    sharedSpines: sharedSpines(times, paths),
  };
  return { run, times, paths };
}

function readTimes(records: MemorySink): Map<number, FlowTimes> {
  const column = (index: number): Float64Array => records.column(flowTable, index);
  const ids = column(FlowColumn.flow);
  const sources = column(FlowColumn.source);
  const destinations = column(FlowColumn.destination);
  const sourcePorts = column(FlowColumn.sourcePort);
  const sizes = column(FlowColumn.size);
  const starts = column(FlowColumn.start);
  const finishes = column(FlowColumn.finish);
  const ideals = column(FlowColumn.ideal);
  const times = new Map<number, FlowTimes>();
  for (const [row, id] of ids.entries()) {
    times.set(id, {
      source: sources[row]!,
      destination: destinations[row]!,
      sourcePort: sourcePorts[row]!,
      sizeBytes: sizes[row]!,
      startPs: starts[row]!,
      finishPs: finishes[row]!,
      idealPs: ideals[row]!,
    });
  }
  return times;
}

function readPaths(records: MemorySink): Map<number, Hop[]> {
  const ids = records.column(hopTable, HopColumn.flow);
  const nodes = records.column(hopTable, HopColumn.node);
  const interfaces = records.column(hopTable, HopColumn.interface);
  const paths = new Map<number, Hop[]>();
  for (const [row, id] of ids.entries()) {
    const hop = { node: nodes[row]!, interface: interfaces[row]! };
    const path = paths.get(id);
    if (path === undefined) paths.set(id, [hop]);
    else path.push(hop);
  }
  return paths;
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
    for (const hop of path.slice(0, -1)) {
      const port = `${hop.node}:${hop.interface}`;
      const flows = users.get(port);
      if (flows === undefined) users.set(port, [id]);
      else flows.push(id);
    }
  }
  const shared = new Map<number, Set<number>>();
  for (const flows of users.values()) {
    for (const id of flows) {
      if (!flows.some((other) => other !== id && overlap(times.get(id)!, times.get(other)!))) continue;
      const spine = spineOf(paths.get(id))!;
      const group = shared.get(spine);
      if (group === undefined) shared.set(spine, new Set([id]));
      else group.add(id);
    }
  }
  const groups = [...shared].map(([spine, members]) => {
    const flows = [...members];
    flows.sort((a, b) => a - b);
    return { spine, flows };
  });
  groups.sort((a, b) => a.spine - b.spine);
  return groups;
}

function overlap(a: FlowTimes, b: FlowTimes): boolean {
  return a.startPs < b.finishPs && b.startPs < a.finishPs;
}
