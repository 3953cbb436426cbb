// The plan of a stored run, made again from what its manifest says: every setting is resolved there, and written as a
// scenario writes it.
// Invariant: files that the run read are read again from where they were, and are what they were (their digests).

import type { Host } from '../../base/host.js';
import { InputError } from '../../base/diagnostics.js';
import { bytesOfUtf8 } from '../../formats/byte-lines.js';
import type { RunTables } from '../../records/run-tables.js';
import type { Plan } from '../../scenario/plan.js';
import type { PlanOptions } from '../../scenario/make-plan.js';

/** Makes plans of scenarios; `makePlan`, or one with other catalogues. */
export type MakePlan = (source: string, options: PlanOptions) => Promise<Plan>;

/** What of a scenario shall be otherwise. */
export interface PlanChanges {
  /** `path=value` */
  readonly overrides: readonly string[];
  /** keys at its top that are left out */
  readonly without: readonly string[];
}

/** A stored run with its summary. */
export interface StoredRunTables extends RunTables {
  readonly summary: Readonly<Record<string, unknown>> | null;
}

/**
 * Makes the plan of a run again.
 * @param changes what shall be other than it was
 * @param scenarioFile where the scenario lies, whose folder other files are read from; null: where it was then
 * @throws InputError if it is no run of Weft's, or what its scenario reads is not there any more
 */
export async function planOfStoredRun(
  run: StoredRunTables,
  { host, makePlan }: { readonly host: Host; readonly makePlan: MakePlan },
  { overrides, without }: PlanChanges = { overrides: [], without: [] },
  scenarioFile: string | null = null,
): Promise<Plan> {
  const { manifest } = run;
  if (manifest === null)
    throw InputError.about('diagnose-run', run.shown, 'these are files of another simulator', {
      wanted: 'a folder of weft run --out',
      hint: 'what was run is not known of them; weft report and weft analyze read them',
    });
  if (manifest.scenario['fabric'] === undefined)
    throw InputError.about('diagnose-run', run.shown, 'this is a run of weft collective, which has no scenario', {
      wanted: 'a folder of weft run --out',
      hint: 'weft report has its verdict and its steps, weft collective --explain takes it apart',
    });
  const said = run.summary?.['scenarioFile'];
  const path = scenarioFile ?? (typeof said === 'string' ? said : `${run.shown}/scenario`);
  const kept = Object.entries(manifest.scenario).filter(([key]) => !without.includes(key));
  const text = JSON.stringify(Object.fromEntries(kept));
  const overlaid: Host = {
    ...host,
    readText: (file) => (file === path ? Promise.resolve(text) : host.readText(file)),
    readBytes: (file) => (file === path ? bytesOf(text) : host.readBytes(file)),
  };
  return makePlan(path, { overrides, host: overlaid });
}

async function* bytesOf(text: string): AsyncGenerator<Uint8Array> {
  yield bytesOfUtf8(text);
}
