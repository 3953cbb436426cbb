// A run whose folder a person gave to the page, read in the worker by what reads folders for `weft report`. Nothing is sent
// anywhere.

import { sha256 } from '@noble/hashes/sha2.js';
import { viewStoredRun } from '#weft/app/view/stored-view.js';
import { HostFileError } from '#weft/base/host.js';
import type { OpenedFile, RunFiles } from '#weft/stored-runs/run-files.js';
import { openFolder } from '#weft/stored-runs/run-reader.js';
import type { GivenRun } from './protocol.js';

/** a file that is read whole may have so many bytes: fabric, manifest, summary */
const mostTextBytes = 100e6;

/**
 * Reads a run. @param folder what it is called in messages @param files by their names in it
 * @throws InputError, HostFileError
 */
export async function openGiven(
  folder: string,
  files: ReadonlyMap<string, Blob>,
  mostMemoryBytes: number,
): Promise<GivenRun> {
  const reader = await openFolder(givenFiles(folder, files), folder, folder);
  const { run, scenario } = await viewStoredRun(reader, mostMemoryBytes);
  return { run, scenario };
}

function givenFiles(folder: string, files: ReadonlyMap<string, Blob>): RunFiles {
  const blobOf = (path: string): Blob => {
    const blob = files.get(path.slice(folder.length + 1));
    if (blob === undefined) throw new HostFileError(path, 'missing');
    return blob;
  };
  return {
    join: (own, name) => `${own}/${name}`,
    open: async (path): Promise<OpenedFile> => {
      const blob = blobOf(path);
      return {
        sizeBytes: blob.size,
        read: (from, until) => read(path, blob.slice(from, until)),
        close: () => Promise.resolve(),
      };
    },
    readText: async (path, mostBytes = mostTextBytes) => {
      const blob = blobOf(path);
      if (blob.size > Math.min(mostBytes, mostTextBytes)) throw new HostFileError(path, 'too-large');
      return new TextDecoder().decode(await read(path, blob));
    },
    sha256: () => sha256.create(),
  };
}

async function read(path: string, blob: Blob): Promise<Uint8Array<ArrayBuffer>> {
  try {
    return new Uint8Array(await blob.arrayBuffer());
  } catch (error) {
    throw new HostFileError(path, 'unreadable', error instanceof Error ? error.message : String(error));
  }
}
