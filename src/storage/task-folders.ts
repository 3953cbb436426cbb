// Where a task that came from elsewhere may put its results: below folders that whoever began its worker has named.
// Invariants: symbolic links are followed before a path is looked at; two machines at the same run never write into the
// same unfinished folder.
// Not seen: who puts a link into those folders while a run goes on; they are shared with people one trusts.

import { realpath } from 'node:fs/promises';
import { hostname } from 'node:os';
import { basename, dirname, join, resolve, sep } from 'node:path';
import { InputError } from '../base/diagnostics.js';
import type { RunFolders } from './run-folder.js';

/**
 * The folders of a task's run, with an unfinished one of this process's own.
 * @param folders as they came with the task @param roots below which it may write
 * @throws InputError if it may not write there
 */
export async function taskFolders({ shown, target }: RunFolders, roots: readonly string[]): Promise<RunFolders> {
  const place = await settledFolder(resolve(target));
  for (const root of roots) {
    const real = await settledFolder(resolve(root));
    if (place.startsWith(real.endsWith(sep) ? real : `${real}${sep}`))
      return { shown, target: place, partial: ownPartial(place) };
  }
  throw InputError.about('output-path', shown, `${hostname()} may not write results into this folder`, {
    got: target,
    wanted: roots.length === 0 ? 'a worker that may write' : `a folder below ${roots.join(' or ')}`,
    hint: 'weft worker --results DIR names a folder that all machines share; --out lies in it',
  });
}

/** Where this process writes a run until it has ended. */
export function ownPartial(target: string): string {
  return `${target}.${hostname()}-${process.pid}.partial`;
}

/** The path with links followed as far as there is something. */
async function settledFolder(path: string): Promise<string> {
  const real = await realpath(path).catch(() => null);
  if (real !== null || dirname(path) === path) return real ?? path;
  return join(await settledFolder(dirname(path)), basename(path));
}
