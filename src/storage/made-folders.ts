// Folders that are made for what will be written in them, and go again if nothing could be.
// Invariant: only folders that were made here are removed, and only while they are empty.

import { mkdir, rmdir, stat } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';

/**
 * Makes a folder and the folders above it that are missing; if that fails half-way, those made go again.
 * @returns those that were made, the topmost last; none if it exists
 * @throws errors of node:fs
 */
export async function makeFolders(path: string): Promise<readonly string[]> {
  const missing: string[] = [];
  for (let folder = resolve(path); !(await exists(folder)); folder = dirname(folder)) missing.push(folder);
  const made: string[] = [];
  try {
    for (let i = missing.length - 1; i >= 0; i--) {
      const isMine = await mkdir(missing[i]!).then(
        () => true,
        (error: NodeJS.ErrnoException) => {
          if (error.code !== 'EEXIST') throw error;
          return false;
        },
      );
      if (isMine) made.unshift(missing[i]!);
    }
    // an error if a file stands there
    await mkdir(path, { recursive: true });
    return made;
  } catch (error) {
    await removeMadeFolders(made);
    throw error;
  }
}

/** Removes folders that makeFolders() made, as far as they are empty. Never throws: it runs after a failure. */
export async function removeMadeFolders(made: readonly string[]): Promise<void> {
  for (const folder of made) {
    const isGone = await rmdir(folder).then(
      () => true,
      () => false,
    );
    if (!isGone) return;
  }
}

async function exists(path: string): Promise<boolean> {
  return stat(path).then(
    () => true,
    (error: NodeJS.ErrnoException) => error.code !== 'ENOENT',
  );
}
