// The manifest or summary of a run's folder with other words in it, as a run would have written them: with the digest of
// what it says now.

import { readFile, writeFile } from 'node:fs/promises';
import { sealedJson } from '../../src/stored-runs/sealed-json.js';

/** Changes the text of a sealed JSON file in its place. */
export async function changeSealed(path: string, change: (text: string) => string): Promise<void> {
  await writeFile(path, resealed(change(await readFile(path, 'utf8'))));
}

/** A text with the digest that belongs to it; one that is no JSON object stays as it is. */
export function resealed(text: string): string {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return text;
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return text;
  const { sha256OfRest: _, ...rest } = value as Record<string, unknown>;
  return sealedJson(rest);
}
