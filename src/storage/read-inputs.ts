// The files that a command has read, so that none of its outputs takes the place of one: by what they are on the disk,
// whatever the path (a symbolic or hard link, `./`, another folder).
// Invariant: nothing is kept before `beginInputs`, which every command and every worker process begins with; of a
// command before nothing is left then.

import { statSync, type Stats } from 'node:fs';
import { realpath } from 'node:fs/promises';
import { resolve, sep } from 'node:path';
import { InputError, wholeFile } from '../base/diagnostics.js';

/** Paths by device and number of the file: what was read, and what is to be replaced. */
interface KnownFiles {
  readonly inputs: Map<string, string>;
  readonly outputs: Map<string, string>;
}

/** null: nobody asks */
let known: KnownFiles | null = null;

/** From now on files that are read are kept in mind. */
export function beginInputs(): void {
  known = { inputs: new Map(), outputs: new Map() };
}

/** A file was opened as an input. @throws InputError if it is to be replaced by an output */
export function noteInput(path: string, stats: Stats): void {
  const output = known === null ? undefined : standing(known.outputs, stats);
  if (output !== undefined) throw needed(output, path);
  known?.inputs.set(keyOf(stats), path);
}

/** A file is to be replaced by an output. @throws InputError if it was read as an input */
export function noteOutput(path: string, stats: Stats): void {
  const input = known === null ? undefined : standing(known.inputs, stats);
  if (input !== undefined) throw needed(path, input);
  known?.outputs.set(keyOf(stats), path);
}

/**
 * The path of an input that lies in a folder, at any depth; null if none does. @param folder absolute, links followed
 */
export async function inputBelow(folder: string): Promise<string | null> {
  for (const path of known?.inputs.values() ?? []) {
    const real = await realpath(path).catch(() => null);
    if (real?.startsWith(`${folder}${sep}`) === true) return path;
  }
  return null;
}

/** The path of a known file that is still that file: numbers of files that are gone come again. */
function standing(files: ReadonlyMap<string, string>, stats: Stats): string | undefined {
  const path = files.get(keyOf(stats));
  const now = path === undefined ? undefined : statSync(path, { throwIfNoEntry: false });
  return now !== undefined && keyOf(now) === keyOf(stats) ? path : undefined;
}

function keyOf({ dev, ino }: Stats): string {
  return `${dev}:${ino}`;
}

function needed(output: string, input: string): InputError {
  const what = resolve(input) === resolve(output) ? 'is read' : `is the same file as ${input}, which is read`;
  return InputError.at(
    'output-path',
    output,
    wholeFile,
    `${what} by this command, so it is left as it is, with --force, too`,
    { hint: 'give another path' },
  );
}
