// Node's side of the Host contract: files, clocks and a breath between slices of work.
// Invariant: every file that cannot be read is a HostFileError with a reason; a file handle is closed however its
// iteration ends.

import { createHash } from 'node:crypto';
import { open, readFile } from 'node:fs/promises';
import { dirname, isAbsolute, join } from 'node:path';
import { performance } from 'node:perf_hooks';
import { HostFileError, type Host } from '../base/host.js';
import type { InputDigests } from './input-digests.js';

/** Bytes per piece of readBytes. */
const pieceBytes = 256 * 1024;

/**
 * The host of the command line: Node's file system and clocks. Relative paths are seen from the working directory.
 * @param digests takes a digest of every file that is read to its end, while it is read
 */
export function nodeHost(digests?: InputDigests): Host {
  return {
    readText: (path) => readText(path, digests),
    readBytes: (path) => readBytes(path, digests),
    resolve: (from, path) => (isAbsolute(path) ? path : join(dirname(from), path)),
    wallMs: () => performance.now(),
    cpuSeconds: () => {
      const { user, system } = process.cpuUsage();
      return (user + system) / 1e6;
    },
    peakMemoryBytes: () => process.resourceUsage().maxRSS * 1024,
    sha256: () => createHash('sha256'),
    breathe: () =>
      new Promise((resolve) => {
        setImmediate(resolve);
      }),
  };
}

async function readText(path: string, digests?: InputDigests): Promise<string> {
  try {
    const bytes = await readFile(path);
    digests?.whole(path, bytes);
    return bytes.toString('utf8');
  } catch (error) {
    throw fileError(path, error);
  }
}

async function* readBytes(path: string, digests?: InputDigests): AsyncGenerator<Uint8Array> {
  const handle = await open(path, 'r').catch((error: unknown) => {
    throw fileError(path, error);
  });
  try {
    const status = await handle.stat();
    if (status.isDirectory()) throw new HostFileError(path, 'directory');
    if (!status.isFile())
      throw new HostFileError(path, 'unreadable', 'not a regular file: it has to be read twice; save it first');
    const digest = digests?.reading(path) ?? null;
    for (;;) {
      // a new buffer for each piece: the reader may keep it
      const piece = new Uint8Array(pieceBytes);
      const { bytesRead } = await handle.read(piece, 0, pieceBytes, null).catch((error: unknown) => {
        throw fileError(path, error);
      });
      if (bytesRead === 0) {
        digest?.end();
        return;
      }
      const bytes = piece.subarray(0, bytesRead);
      digest?.add(bytes);
      yield bytes;
    }
  } finally {
    await handle.close();
  }
}

function fileError(path: string, error: unknown): HostFileError {
  const { code = '', message } = error as NodeJS.ErrnoException;
  switch (code) {
    case 'ENOENT':
    case 'ENOTDIR':
      return new HostFileError(path, 'missing');
    case 'EISDIR':
      return new HostFileError(path, 'directory');
    case 'EACCES':
    case 'EPERM':
      return new HostFileError(path, 'denied');
    case 'ERR_STRING_TOO_LONG':
    case 'ERR_FS_FILE_TOO_LARGE':
      return new HostFileError(path, 'too-large');
    default:
      return new HostFileError(path, 'unreadable', code === '' ? message : code);
  }
}
