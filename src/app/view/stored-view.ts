// A run that was read from a folder, as a viewer shows it: what a process of `weft ui` does with one of the disk, and the
// worker of a page with one that a person gave it.
// Invariant: digest, figures and verdict are those that the run wrote.

import { InputError, wholeFile } from '../../base/diagnostics.js';
import { formatSizeBytes } from '../../base/units.js';
import { hopTable, flowTable } from '../../records/flow-records.js';
import type { Json } from '../../report/page/report-run.js';
import { jsonAt, numberAt, textAt } from '../../report/page/report-run.js';
import { outline } from '../../report/page/scenario-text.js';
import type { RunReader } from '../../stored-runs/run-reader.js';
import { readReportRun } from '../read-run.js';
import { runView, viewTables } from './run-view.js';
import type { ViewedRun } from './view-scenario.js';

/** What a row takes while it is read, by table, and what all else does, in bytes: measured on a million flows. */
const bytesPerRow: Readonly<Record<string, number>> = { [flowTable.name]: 130, [hopTable.name]: 24 };
const otherBytes = 150e6;

/** A run with what it was of. */
export interface StoredView {
  readonly run: ViewedRun;
  /** YAML with every setting as it was */
  readonly scenario: string;
  /** where the scenario lay; empty: the run does not say */
  readonly scenarioFile: string;
}

/**
 * Makes the view of a stored run. @param mostMemoryBytes that reading it may take
 * @throws InputError if it does not say its fabric, or is too large; what its files are refused for
 */
export async function viewStoredRun(reader: RunReader, mostMemoryBytes = Infinity): Promise<StoredView> {
  requireRoom(reader, mostMemoryBytes);
  const read = await readReportRun(reader, reader.manifest?.name ?? '', () => {}, viewTables);
  const { manifest, summary, records } = read;
  const { fabric } = records;
  if (fabric === null)
    throw InputError.at('run-fabric', reader.shown, wholeFile, 'this run does not say on which fabric it was', {
      wanted: 'a folder of weft run --out, with its fabric.topo',
    });
  const endPs = Math.round(1000 * (numberAt(summary, 'simulatedNs') ?? 0));
  const { scenarioFile, ...json } = summary as Readonly<Record<string, Json>>;
  return {
    run: {
      digest: textAt(manifest, 'digest'),
      json,
      view: runView(read, fabric, Math.max(endPs, records.flows.lastFinishPs)),
    },
    scenario: `# as the run ${reader.shown} had it\n${outline(jsonAt(manifest, 'scenario'))}\n`,
    scenarioFile: typeof scenarioFile === 'string' ? scenarioFile : '',
  };
}

/** Refuses a run before its tables are read. @throws InputError */
function requireRoom({ shown, tables }: RunReader, mostMemoryBytes: number): void {
  let bytes = otherBytes;
  for (const [name, { rows }] of tables) bytes += (bytesPerRow[name] ?? 0) * (rows ?? 0);
  if (bytes > mostMemoryBytes)
    throw InputError.at('run-too-large', shown, wholeFile, 'this run needs more memory than it may take here', {
      got: `about ${formatSizeBytes(Math.round(bytes / 1e6) * 1e6)}`,
      wanted: `at most ${formatSizeBytes(mostMemoryBytes)}`,
      hint: 'weft ui shows it from the disk, weft report as a page',
    });
}
