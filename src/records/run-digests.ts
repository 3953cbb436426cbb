// What the manifest of a run's folder says of the bytes beside it, so that a file that was changed, cut off or damaged
// later is refused instead of giving other figures.
// Not covered: somebody who computes the digests anew; folders that were written before there were digests.

import { InputError, wholeFile } from '../base/diagnostics.js';

/** The key of manifest.json under which they stand: SHA-256 in hexadecimal, by names of files. */
export const digestsKey = 'sha256';

/**
 * The digests in a manifest.
 * @param manifest what JSON makes of manifest.json: anything
 * @returns null if there are none
 */
export function digestsOfManifest(manifest: unknown): ReadonlyMap<string, string> | null {
  const given =
    typeof manifest === 'object' && manifest !== null && Object.hasOwn(manifest, digestsKey)
      ? (manifest as Readonly<Record<string, unknown>>)[digestsKey]
      : null;
  if (typeof given !== 'object' || given === null) return null;
  return new Map(Object.entries(given).filter((entry): entry is [string, string] => typeof entry[1] === 'string'));
}

/**
 * Refuses a file of a run that is not as the run wrote it.
 * @param file its path @param found SHA-256 of what it holds, hexadecimal @param wanted as its manifest says;
 * undefined: it says nothing of this file
 * @throws InputError
 */
export function requireUnchanged(file: string, found: string, wanted: string | undefined): void {
  if (wanted !== undefined && found !== wanted)
    throw changedFile(file, `SHA-256 ${found}`, `${wanted}, which the run wrote down`);
}

/** What is said of a file of a run that is not as the run wrote it. */
export function changedFile(file: string, got: string, wanted: string): InputError {
  return InputError.at('run-changed', file, wholeFile, 'this file is not as the run wrote it', {
    got,
    wanted,
    hint: 'it was changed, cut off or damaged: copy the folder anew, or run the scenario again',
  });
}
