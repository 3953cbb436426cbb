// A scenario -> its run as a viewer shows it: figures, verdict, and the view. What the worker of a page does with a text,
// and a process of `weft ui` with a file.
// Invariant: the digest is that of `weft run`. Records are kept in memory, 8 bytes a value: a run that would need more than
// it may is refused before it begins.

import { formatSizeBytes } from '../../base/units.js';
import { InputError, wholeFile } from '../../base/diagnostics.js';
import type { Host } from '../../base/host.js';
import { probeTables } from '../../backends/packet/probes/probes.js';
import { pauseTable } from '../../records/probe-records.js';
import { MemorySink } from '../../records/memory-sink.js';
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
import { runView, type RunView, viewTables } from './run-view.js';

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
  return {
    hosts: plan.fabric.hosts.length,
    links: plan.fabric.linkCount,
    cpuSeconds: cost?.cpuSeconds ?? null,
    memoryBytes: cost?.memoryBytes ?? null,
    warnings: plan.warnings,
  };
}

/** The plan with its pauses recorded: they cost little, and a viewer is asked for them. */
function withPauses(plan: Plan): Plan {
  return { ...plan, packet: { ...plan.packet, probes: { ...plan.packet.probes, pauses: true } } };
}

/** Figures without what was recorded for the view alone. */
function asAsked({ packet: { probes: asked } }: Plan, figures: RunSummary): RunSummary {
  const { probes } = figures;
  if (asked.pauses || probes === null) return figures;
  return { ...figures, probes: probeTables(asked).length === 0 ? null : { ...probes, pauses: null } };
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
  const kept = new MemorySink();
  const sink = new KeepingSink(kept);
  const undigested = plan.packet.probes.pauses ? null : pauseTable;
  const options = { host, sink, undigested, onProgress, stopRequested };
  const figures = asAsked(plan, await simulate(withPauses(plan), options));
  const findings = await findingsOfRun(plan, sink, figures);
  const json = summaryObject(runLabel(plan, weftVersion), { ...figures, findings });
  const records = new RunRecords(plan.fabric, plan.jobs.map(timelineJob));
  for (const table of viewTables) for (const batch of kept.batches(table)) records.put(batch);
  records.end();
  return { digest: figures.digest, json, view: runView(plan.name, plan.fabric, records, figures.simulatedPs) };
}
