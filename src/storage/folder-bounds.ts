// The folders that were named to a program that others ask for files: nothing outside of them is read for anybody.
// Invariants: links are followed before a path is looked at, and what is opened is what they led to; a path that lies
// outside is refused before the disk is asked for it, so nobody learns what is there.
// Not seen: who puts a link into those folders between the look and the opening.

import { readdir, realpath } from 'node:fs/promises';
import { join, resolve, sep } from 'node:path';
import { HostFileError, type Host } from '../base/host.js';
import { nodeHost } from './node-host.js';
import { fileError } from './regular-file.js';

export class FolderBounds {
  /** @param named absolute, as they were named @param real where they are */
  private constructor(
    private readonly named: readonly string[],
    private readonly real: readonly string[],
  ) {}

  /** @param folders that are there @throws HostFileError */
  static async of(folders: readonly string[]): Promise<FolderBounds> {
    const real: string[] = [];
    for (const folder of folders) real.push(await settledPath(folder));
    return new FolderBounds(
      folders.map((folder) => resolve(folder)),
      real,
    );
  }

  /** Where a path leads to. @throws HostFileError if there is nothing, or if it lies outside */
  async settled(path: string): Promise<string> {
    if (!isBelow(resolve(path), [...this.named, ...this.real])) throw outside(path);
    const real = await settledPath(path);
    if (!isBelow(real, this.real)) throw outside(path);
    return real;
  }

  /** Looks at a folder, the files of which are about to be read. @throws HostFileError if one lies outside */
  async requireFolder(path: string): Promise<void> {
    const real = await this.settled(path);
    const entries = await readdir(real, { withFileTypes: true }).catch((error) => {
      throw fileError(path, error);
    });
    for (const entry of entries) if (entry.isSymbolicLink()) await this.settled(join(path, entry.name));
  }

  /** A host that reads files within the folders alone. */
  host(): Host {
    const within = async (path: string): Promise<Host> =>
      nodeHost(undefined, new Map([[path, await this.settled(path)]]));
    const { openRun: _, ...host } = nodeHost();
    return {
      ...host,
      readText: async (path) => (await within(path)).readText(path),
      readBytes: async function* (path) {
        yield* (await within(path)).readBytes(path);
      },
    };
  }
}

async function settledPath(path: string): Promise<string> {
  try {
    return await realpath(path);
  } catch (error) {
    throw fileError(path, error);
  }
}

function isBelow(path: string, folders: readonly string[]): boolean {
  return folders.some(
    (folder) => path === folder || path.startsWith(folder.endsWith(sep) ? folder : `${folder}${sep}`),
  );
}

function outside(path: string): HostFileError {
  return new HostFileError(path, 'denied', 'it lies outside of the folders that were named to weft ui');
}
