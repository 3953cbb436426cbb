// JSON files of a run's folder that end with the digest of their own text, so that a change in them is found.
// Invariant: the digest is the SHA-256 of the text as it would be without it.
// Not covered: texts without a digest, as folders had before, are taken as they are.

import { sha256 } from '@noble/hashes/sha2.js';
import { bytesToHex, utf8ToBytes } from '@noble/hashes/utils.js';
import { changedFile, requireUnchanged } from '../records/run-digests.js';

const key = 'sha256OfRest';
const seal = new RegExp(`,\\n  "${key}": "([0-9a-f]{64})"\\n}\\n$`);

/** The text of a JSON object, indented, with its digest as the last key. */
export function sealedJson(value: object): string {
  const text = `${JSON.stringify(value, null, 2)}\n`;
  return text.replace(/\n}\n$/, `,\n  "${key}": "${digestOf(text)}"\n}\n`);
}

/**
 * Refuses a text that is not as it was written.
 * @param file its path @param isSealed whether it must have a digest
 * @throws InputError
 */
export function requireSeal(file: string, text: string, isSealed: boolean): void {
  const [found, wanted] = seal.exec(text) ?? [];
  if (found !== undefined) requireUnchanged(file, digestOf(`${text.slice(0, -found.length)}\n}\n`), wanted);
  else if (isSealed) throw changedFile(file, 'no digest of it at its end', `"${key}" as the last key`);
}

function digestOf(text: string): string {
  return bytesToHex(sha256(utf8ToBytes(text)));
}
