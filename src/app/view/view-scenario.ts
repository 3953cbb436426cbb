// A scenario -> its run as a viewer shows it: figures, verdict, and the view. What the worker of a page does with a text,
// and a process of `weft ui` with a file.
// Invariant: the digest is that of `weft run`. Records are kept in memory, 8 bytes a value: a run that would need more than
// it may is refused before it begins.

import { formatSizeBytes } from '../../base/units.js';
import { InputError, wholeFile } from '../../base/diagnostics.js';
import type { Host } from '../../base/host.js';
import { probeTables } from '../../backends/packet/probes/probes.js';
import { NodeNames } from '../../fabric/node-names.js';
import { shownNames } from '../../fabric/port-identity.js';
import { MemorySink } from '../../records/memory-sink.js';
import { pauseTable, QueueColumn, queueTable } from '../../records/probe-records.js';
import type { Batch, TableSchema } from '../../records/schema.js';
import { PortCourses, putQueues } from '../../report/page/probe-series.js';
import type { Json } from '../../report/page/report-run.js';
import { RunRecords } from '../../report/page/run-records.js';
import { summaryObject } from '../../report/figures/run.js';
import { timelineJob } from '../../report/timeline-jobs.js';
import { makePlan } from '../../scenario/make-plan.js';
import type { Plan } from '../../scenario/plan.js';
import { findingsOfRun, KeepingSink } from '../diagnose/judge-run.js';
import { expectedCost } from '../forecast/expected-cost.js';
import { memoryHost, type MemoryHostAbilities } from '../memory-host.js';
import { runLabel } from '../run-label.js';
import type { Progress, RunSummary } from '../run-progress.js';
import { simulate } from '../simulate.js';
import { type FabricDrawing, runView, type RunView, drawingOfFabric, viewTables } from './run-view.js';

/** What is to be viewed. */
export interface ViewRequest {
  /** YAML */
  readonly text: string;
  /** what it is called in messages; files that it names are relative to its folder */
  readonly file: string;
  /** texts of files that it may name, by path */
  readonly files: Readonly<Record<string, string>>;
}

/** What a run came to, for whoever looks at it. */
export interface ViewedRun {
  readonly digest: string;
  /** the object of `weft run --json` */
  readonly json: Readonly<Record<string, unknown>>;
  readonly view: RunView;
}

/** What a plan may cost where it is viewed, and who is told how far it is. */
export interface ViewLimits {
  readonly mostMemoryBytes: number;
  readonly weftVersion: string;
  readonly onProgress: (progress: Progress) => void;
  readonly stopRequested: () => boolean;
}

/** What is known of a scenario before it runs. */
export interface ViewForecast {
  readonly hosts: number;
  readonly links: number;
  /** null: not known so quickly */
  readonly cpuSeconds: number | null;
  readonly memoryBytes: number | null;
  /** what the fabric looks like */
  readonly shape: FabricDrawing;
  readonly warnings: Plan['warnings'];
}

/** The files of a request, in memory. */
export function viewHost({ text, file, files }: ViewRequest, abilities: MemoryHostAbilities): Host {
  return memoryHost({ ...files, [file]: text }, abilities);
}

/** What a scenario would take here, without running it. @throws InputError with all that is wrong */
export async function forecastForView(file: string, host: Host): Promise<ViewForecast> {
  const plan = await makePlan(file, { host, overrides: [] });
  const cost = expectedCost(plan, host);
  await plan.source.close();
  const { boxes, lineEnds, note } = drawingOfFabric(plan.fabric, new NodeNames(plan.fabric));
  return {
    hosts: plan.fabric.hosts.length,
    links: plan.fabric.linkCount,
    cpuSeconds: cost?.cpuSeconds ?? null,
    memoryBytes: cost?.memoryBytes ?? null,
    shape: { boxes, lineEnds, note },
    warnings: plan.warnings,
  };
}

/** How queues are looked at where the scenario does not say: closely at first, and seldom in a long run. */
const viewedQueues = { queueInterval: 100_000, queueSamples: 2048 };

/** What a viewer is asked for and a plan does not record: it costs little, and changes nothing. */
interface Beside {
  readonly plan: Plan;
  /** tables that are recorded for the view alone */
  readonly tables: readonly TableSchema[];
}

/** The plan with its pauses and queues recorded. Phases that are simulated alone would be seen, too: then as it is. */
function besideOf(plan: Plan): Beside {
  const { probes, fastForward } = plan.packet;
  if (fastForward.enabled) return { plan, tables: [] };
  const queues = probes.queueInterval > 0 ? {} : viewedQueues;
  return {
    plan: { ...plan, packet: { ...plan.packet, probes: { ...probes, ...queues, pauses: true } } },
    tables: [...(probes.pauses ? [] : [pauseTable]), ...(probes.queueInterval > 0 ? [] : [queueTable])],
  };
}

/** Figures without what was recorded for the view alone. */
function asAsked({ packet: { probes: asked } }: Plan, figures: RunSummary, tables: readonly TableSchema[]): RunSummary {
  const { probes } = figures;
  if (tables.length === 0 || probes === null) return figures;
  if (probeTables(asked).length === 0) return { ...figures, probes: null };
  const own = new Set(tables.map(({ name }) => name));
  return {
    ...figures,
    probes: {
      ...probes,
      tables: probes.tables.filter(({ name }) => !own.has(name)),
      pauses: asked.pauses ? probes.pauses : null,
    },
  };
}

/** Keeps records, but of queues their courses: these are bounded however long a run is. */
class ViewSink extends MemorySink {
  private readonly origin = { originPs: 0 };
  readonly queues = new PortCourses(this.origin);

  override put(batch: Batch): void {
    if (batch.schema !== queueTable) {
      super.put(batch);
      return;
    }
    // courses begin when something waits for the first time
    if (this.queues.count === 0) this.origin.originPs = batch.columns[QueueColumn.time]![0]!;
    putQueues(this.queues, batch);
  }
}

/**
 * Runs a scenario and makes its view.
 * @throws InputError if it cannot be read, or would take more memory than there is; InvariantError
 */
export async function viewScenario(
  file: string,
  host: Host,
  { mostMemoryBytes, weftVersion, onProgress, stopRequested }: ViewLimits,
): Promise<ViewedRun> {
  const plan = await makePlan(file, { host, overrides: [] });
  const needed = expectedCost(plan, host)?.memoryBytes ?? 0;
  if (needed > mostMemoryBytes)
    throw InputError.at('run-too-large', file, wholeFile, 'the run would need more memory than it may take here', {
      got: `about ${formatSizeBytes(Math.round(needed))}`,
      wanted: `at most ${formatSizeBytes(mostMemoryBytes)}`,
      hint: 'fewer hosts or flows, backend: fluid, or the command line: npx weft run',
    });
  const kept = new ViewSink();
  const sink = new KeepingSink(kept);
  const { plan: watched, tables } = besideOf(plan);
  const options = { host, sink, undigested: tables, onProgress, stopRequested };
  const figures = asAsked(plan, await simulate(watched, options), tables);
  const findings = await findingsOfRun(plan, sink, figures);
  const json = summaryObject(runLabel(plan, weftVersion), { ...figures, findings });
  const { fabric } = plan;
  const records = new RunRecords(fabric, plan.jobs.map(timelineJob), kept.queues);
  for (const table of viewTables) for (const batch of kept.batches(table)) records.put(batch);
  records.end();
  const manifest = fabric.identity === undefined ? null : { nodeNames: shownNames(fabric.identity) };
  const run = { label: plan.name, manifest, summary: json as Json, records };
  return { digest: figures.digest, json, view: runView(run, fabric, figures.simulatedPs) };
}
