// Node's side of the Host contract: files, clocks and a breath between slices of work.
// Invariant: every file that cannot be read is a HostFileError with a reason; a file handle is closed however its iteration ends.

import { open, readFile } from 'node:fs/promises';
import { dirname, isAbsolute, join } from 'node:path';
import { performance } from 'node:perf_hooks';
import { HostFileError, type Host } from '../base/host.js';

/** Bytes per piece of readBytes. */
const pieceBytes = 256 * 1024;

/** The host of the command line: Node's file system and clocks. Relative paths are seen from the working directory. */
export function nodeHost(): Host {
  return {
    readText,
    readBytes,
    resolve: (from, path) => (isAbsolute(path) ? path : join(dirname(from), path)),
    wallMs: () => performance.now(),
    cpuSeconds: () => {
      const { user, system } = process.cpuUsage();
      return (user + system) / 1e6;
    },
    peakMemoryBytes: () => process.resourceUsage().maxRSS * 1024,
    breathe: () => new Promise((resolve) => { setImmediate(resolve); }),
  };
}

async function readText(path: string): Promise<string> {
  try {
    return await readFile(path, 'utf8');
  } catch (error) {
    throw fileError(path, error);
  }
}

async function* readBytes(path: string): AsyncGenerator<Uint8Array> {
  const handle = await open(path, 'r').catch((error: unknown) => { throw fileError(path, error); });
  try {
    const status = await handle.stat();
    if (status.isDirectory()) throw new HostFileError(path, 'directory');
    if (!status.isFile()) throw new HostFileError(path, 'unreadable', 'not a regular file: it has to be read twice; save it first');
    for (;;) {
      // a new buffer for each piece: the reader may keep it
      const piece = new Uint8Array(pieceBytes);
      const { bytesRead } = await handle.read(piece, 0, pieceBytes, null).catch((error: unknown) => { throw fileError(path, error); });
      if (bytesRead === 0) return;
      yield piece.subarray(0, bytesRead);
    }
  } finally {
    await handle.close();
  }
}

function fileError(path: string, error: unknown): HostFileError {
  const { code = '', message } = error as NodeJS.ErrnoException;
  switch (code) {
    case 'ENOENT':
    case 'ENOTDIR': return new HostFileError(path, 'missing');
    case 'EISDIR': return new HostFileError(path, 'directory');
    case 'EACCES':
    case 'EPERM': return new HostFileError(path, 'denied');
    case 'ERR_STRING_TOO_LONG':
    case 'ERR_FS_FILE_TOO_LARGE': return new HostFileError(path, 'too-large');
    default: return new HostFileError(path, 'unreadable', code === '' ? message : code);
  }
}
