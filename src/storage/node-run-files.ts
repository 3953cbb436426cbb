// The files of stored runs on the disk. Invariant: nothing but regular files is read.

import { createHash } from 'node:crypto';
import { join } from 'node:path';
import { HostFileError } from '../base/host.js';
import type { OpenedFile, RunFiles } from '../stored-runs/run-files.js';
import { fileError, openRegularFile, readRegularFile } from './regular-file.js';

export const nodeRunFiles: RunFiles = {
  join,
  open,
  readText: async (path, mostBytes) => (await readRegularFile(path, mostBytes)).toString('utf8'),
  sha256: () => createHash('sha256'),
};

async function open(path: string): Promise<OpenedFile> {
  const { handle, sizeBytes } = await openRegularFile(path);
  return {
    sizeBytes,
    read: async (from, until) => {
      const bytes = new Uint8Array(until - from);
      for (let read = 0; read < bytes.length;) {
        const { bytesRead } = await handle
          .read(bytes, read, bytes.length - read, from + read)
          .catch((error: unknown) => {
            throw fileError(path, error);
          });
        if (bytesRead === 0) throw new HostFileError(path, 'unreadable', 'it became shorter while it was read');
        read += bytesRead;
      }
      return bytes;
    },
    close: () => handle.close(),
  };
}
