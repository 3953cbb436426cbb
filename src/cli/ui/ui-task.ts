// What a process of `weft ui` carries out: it reads a run folder, or runs or looks at a scenario, and makes bytes of what the
// page shall show. A process of its own, so that a folder that breaks it breaks nothing else.
// Invariant: files are read within the folders that were named alone; what a run comes to is what `weft run` comes to.

import { totalmem } from 'node:os';
import { join, relative } from 'node:path';
import { bytesOfRun } from '../../app/view/run-bytes.js';
import { viewStoredRun } from '../../app/view/stored-view.js';
import { mostListedRuns, type SweepView, sweepView } from '../../app/view/sweep-view.js';
import type { ViewForecast } from '../../app/view/view-scenario.js';
import type { Host } from '../../base/host.js';
import type { TaskTools } from '../../campaign/worker-messages.js';
import { SweepFigures } from '../../report/page/sweep-figures.js';
import type { SweepRow } from '../../report/sweep/row-columns.js';
import { FolderBounds } from '../../storage/folder-bounds.js';
import { nodeHost } from '../../storage/node-host.js';
import { openRun } from '../../storage/run-reader.js';
import { keptFolders } from '../../storage/sweep/kept-runs.js';
import { StoredSweep } from '../../storage/sweep/read-sweep.js';
import { holdsRun } from './named-places.js';
import { weftVersion } from '../version.js';

/** A scenario: plain data. */
export interface ScenarioText {
  readonly text: string;
  /** what it is called; files that it names are relative to its folder */
  readonly file: string;
  /** whether it is a file of this machine: what it names is read from the disk, else from `files` */
  readonly isOnDisk: boolean;
  readonly files: Readonly<Record<string, string>>;
}

type MakesHost = (typeof import('../../app/view/view-scenario.js'))['viewHost'];

/** What is asked of a process: plain data. */
export type UiTask =
  | { readonly kind: 'open' | 'sweep'; readonly folders: readonly string[]; readonly path: string }
  | { readonly kind: 'run' | 'forecast'; readonly folders: readonly string[]; readonly scenario: ScenarioText };

/** What came of it: plain data. */
export type UiResult =
  | { readonly bytes: Uint8Array; readonly scenario?: StoredScenario }
  | { readonly sweep: KeptSweep }
  | { readonly forecast: ViewForecast };

/** A sweep, with the folder of each of its runs that was kept. */
export interface KeptSweep {
  readonly view: SweepView;
  readonly folders: readonly (string | null)[];
}

/** The scenario of a run that was read. */
interface StoredScenario {
  /** with every setting as it was */
  readonly text: string;
  /** where it lay, if that is within the folders that were named; null: it is not */
  readonly path: string | null;
}

/** Carries out one task. @throws InputError, HostFileError, InvariantError, Stopped */
export default async function performUiTask(_shared: null, task: UiTask, tools: TaskTools): Promise<UiResult> {
  const bounds = await FolderBounds.of(task.folders);
  if ('path' in task)
    return task.kind === 'open' ? storedRun(task.path, bounds) : { sweep: await storedSweep(task.path, bounds) };
  const { file } = task.scenario;
  // the engine is loaded by who runs something: a run that is read is there in half the time
  const { forecastForView, viewHost, viewScenario } = await import('../../app/view/view-scenario.js');
  const host = hostOf(task.scenario, bounds, viewHost);
  if (task.kind === 'forecast') return { forecast: await forecastForView(file, host) };
  const run = await viewScenario(file, host, {
    mostMemoryBytes: totalmem() / 2,
    weftVersion: weftVersion(),
    onProgress: ({ share, nowPs, flowsFinished }) => tools.report({ share, nowPs, flowsFinished }),
    stopRequested: tools.stopRequested,
  });
  return { bytes: bytesOfRun(run) };
}

/** A run that stands in a folder, as a page shows it. */
async function storedRun(path: string, bounds: FolderBounds): Promise<UiResult> {
  await bounds.requireFolder(path);
  const { run, scenario, scenarioFile } = await viewStoredRun(await openRun(path));
  const isNamed = await bounds.settled(scenarioFile).then(
    () => true,
    () => false,
  );
  return {
    bytes: bytesOfRun(run),
    scenario: { text: scenario, path: isNamed ? relative('', scenarioFile) : null },
  };
}

/** A sweep that stands in a folder, also one that goes on. */
async function storedSweep(path: string, bounds: FolderBounds): Promise<KeptSweep> {
  await bounds.requireFolder(path);
  const stored = await StoredSweep.open(path);
  try {
    const sweep = new SweepFigures(stored.settings, stored.ignored(), stored.drawn());
    const listed: SweepRow[] = [];
    for (const row of stored.rows()) {
      sweep.add(row);
      if (listed.length < mostListedRuns) listed.push(row);
    }
    const { name, runs } = stored.description;
    const folders = listed.map(async ({ run }) => {
      const { shown } = keptFolders(join(path, 'runs'), run);
      return (await holdsRun(shown)) ? shown : null;
    });
    return { view: sweepView(name, sweep, listed, runs), folders: await Promise.all(folders) };
  } finally {
    stored.close();
  }
}

function hostOf(scenario: ScenarioText, bounds: FolderBounds, viewHost: MakesHost): Host {
  const { wallMs, cpuSeconds, peakMemoryBytes, sha256, breathe } = nodeHost();
  const inMemory = viewHost(scenario, {
    wallMs,
    cpuSeconds,
    peakMemoryBytes,
    ...(sha256 === undefined ? {} : { sha256 }),
    breathe,
  });
  if (!scenario.isOnDisk) return inMemory;
  const onDisk = bounds.host();
  const hostFor = (path: string): Host => (path === scenario.file ? inMemory : onDisk);
  return {
    ...onDisk,
    readText: (path) => hostFor(path).readText(path),
    readBytes: (path) => hostFor(path).readBytes(path),
  };
}
