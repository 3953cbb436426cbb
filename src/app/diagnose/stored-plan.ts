// The plan of a stored run, made again from what its manifest says: every setting is resolved there, and written as a
// scenario writes it.
// Invariant: files that the run read are read again from where they were, and are what they were (their digests).

import { sha256 } from '@noble/hashes/sha2.js';
import { bytesToHex } from '@noble/hashes/utils.js';
import { HostFileError, type Host } from '../../base/host.js';
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

/** The files that a run read, as its manifest lists them. */
type RunInputs = readonly { readonly role: string; readonly path: string; readonly sha256: string }[];

/** A stored run with its summary. */
export interface StoredRunTables extends RunTables {
  readonly manifest: (NonNullable<RunTables['manifest']> & { readonly inputs: RunInputs }) | null;
  readonly summary: Readonly<Record<string, unknown>> | null;
}

/**
 * Makes the plan of a run again.
 * @param changes what shall be other than it was
 * @param scenarioFile where the scenario lies, whose folder other files are read from; null: where it was then
 * @throws InputError if it is no run of Weft's, or what its scenario reads is not there any more, or not what it was
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
  await requireSameFiles(manifest.inputs, host, path, scenarioFile !== null);
  const kept = Object.entries(manifest.scenario).filter(([key]) => !without.includes(key));
  const text = JSON.stringify(Object.fromEntries(kept));
  const overlaid: Host = {
    ...host,
    readText: (file) => (file === path ? Promise.resolve(text) : host.readText(file)),
    readBytes: (file) => (file === path ? bytesOf(text) : host.readBytes(file)),
  };
  return makePlan(path, { overrides, host: overlaid });
}

/** Digits of a digest that a message shows. */
const shownDigits = 16;

/**
 * Refuses files that are not those that the run read. What is not there the plan misses by itself.
 * @param base where the scenario lies @param isNamed whether somebody said so: else only its folder counts
 * @throws InputError, HostFileError
 */
async function requireSameFiles(inputs: RunInputs, host: Host, base: string, isNamed: boolean): Promise<void> {
  for (const { role, path, sha256: wanted } of inputs) {
    const isScenario = role === 'scenario' || role === 'conf';
    if (isScenario && !isNamed) continue;
    const file = isScenario ? base : host.resolve(base, path);
    const got = await digestOf(file, host, !isScenario);
    if (got === null || got === wanted) continue;
    throw InputError.about(
      'diagnose-input',
      file,
      isScenario ? 'this is not the scenario of the run' : 'this is not what the run read',
      {
        got: `SHA-256 ${got.slice(0, shownDigits)}`,
        wanted: `${path}, SHA-256 ${wanted.slice(0, shownDigits)}`,
        hint: isScenario
          ? 'give the file that weft run read, unchanged, or leave --scenario out'
          : 'put the file back as it was, or say by --scenario where the scenario lies beside it',
      },
    );
  }
}

/** SHA-256 of a file in hexadecimal; null: it may be away, and cannot be read. @throws HostFileError */
async function digestOf(file: string, host: Host, mayBeAway: boolean): Promise<string | null> {
  const digest = host.sha256?.() ?? sha256.create();
  try {
    for await (const piece of host.readBytes(file)) digest.update(piece);
  } catch (error) {
    if (mayBeAway && error instanceof HostFileError) return null;
    throw error;
  }
  return bytesToHex(digest.digest());
}

async function* bytesOf(text: string): AsyncGenerator<Uint8Array> {
  yield bytesOfUtf8(text);
}
