// Regular files opened for reading, and nothing else: a device would be read until memory ends, and opening a FIFO that
// nobody writes to would wait for ever, deaf to signals.
// Invariants: what is not regular is refused before it is opened (opening some devices does something), and looked at
// again once it is open, so that nothing can take its place meanwhile; opening never waits; no whole reading takes more
// memory than its limit.
// Not covered: file systems that hang (a server of NFS that is gone).

import { constants, type Stats } from 'node:fs';
import { open, stat, type FileHandle } from 'node:fs/promises';
import { HostFileError } from '../base/host.js';
import { machineLimit } from './machine-limits.js';
import { noteInput } from './read-inputs.js';

/** The largest file that is read as one text, in bytes; a string of V8 holds 536,870,888 characters. */
export const largestTextBytes = 500e6;

/** Bytes of one read. */
const pieceBytes = 1 << 20;

/**
 * Opens a regular file, or a link to one, for reading as an input, whose place no output may take (read-inputs.ts).
 * @returns the handle, to be closed by the caller, and the size it had, in bytes
 * @throws HostFileError
 */
export async function openRegularFile(path: string): Promise<{ handle: FileHandle; sizeBytes: number }> {
  const { handle, status } = await opened(path);
  try {
    noteInput(path, status);
  } catch (error) {
    await handle.close();
    throw error;
  }
  return { handle, sizeBytes: status.size };
}

async function opened(path: string): Promise<{ handle: FileHandle; status: Stats }> {
  try {
    requireRegular(path, await stat(path));
    // without waiting for a writer, if a FIFO has taken its place; Windows has neither
    const handle = await open(path, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0));
    try {
      const status = await handle.stat();
      requireRegular(path, status);
      return { handle, status };
    } catch (error) {
      await handle.close();
      throw error;
    }
  } catch (error) {
    throw fileError(path, error);
  }
}

/**
 * Reads a regular file whole, as an input.
 * @param mostBytes what is larger is refused: without reading it if the file system says so, else once it turns out so
 * (files in /proc have size 0, others grow)
 * @throws HostFileError
 */
export async function readRegularFile(path: string, mostBytes = largestTextBytes): Promise<Buffer> {
  const { handle, sizeBytes } = await openRegularFile(path);
  return whole(path, handle, sizeBytes, mostBytes);
}

/** The same of a file that stands where an output goes: no input. @throws HostFileError */
export async function readStandingFile(path: string, mostBytes = largestTextBytes): Promise<Buffer> {
  const { handle, status } = await opened(path);
  return whole(path, handle, status.size, mostBytes);
}

/** What an open file holds; it is closed. */
async function whole(path: string, handle: FileHandle, sizeBytes: number, mostBytes: number): Promise<Buffer> {
  try {
    if (sizeBytes > mostBytes) throw tooLarge(path, sizeBytes, mostBytes);
    // one byte more than there should be, to see the end without another round
    let bytes = Buffer.allocUnsafe(sizeBytes + 1);
    let length = 0;
    for (;;) {
      if (length > mostBytes) throw tooLarge(path, length, mostBytes);
      if (length === bytes.length) {
        const wider = Buffer.allocUnsafe(Math.min(2 * length + pieceBytes, mostBytes + 1));
        bytes.copy(wider);
        bytes = wider;
      }
      const { bytesRead } = await handle.read(bytes, length, bytes.length - length, null);
      if (bytesRead === 0) return bytes.subarray(0, length);
      length += bytesRead;
    }
  } catch (error) {
    throw fileError(path, error);
  } finally {
    await handle.close();
  }
}

/** An error of node:fs as the one to throw; one that is a HostFileError stays as it is. */
export function fileError(path: string, error: unknown): HostFileError {
  if (error instanceof HostFileError) return error;
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
    case 'ENXIO':
      return new HostFileError(path, 'not-regular');
    default:
      return new HostFileError(path, 'unreadable', machineLimit(error)?.what ?? (code === '' ? message : code));
  }
}

/** What stands at a path, in a word: `a FIFO`. */
export function kindOfFile(there: Stats): string {
  if (there.isFIFO()) return 'a FIFO';
  if (there.isSocket()) return 'a socket';
  if (there.isCharacterDevice() || there.isBlockDevice()) return 'a device';
  return there.isDirectory() ? 'a directory' : 'of an unknown kind';
}

function requireRegular(path: string, status: Stats): void {
  if (status.isDirectory()) throw new HostFileError(path, 'directory');
  if (!status.isFile())
    throw new HostFileError(path, 'not-regular', `it is ${kindOfFile(status)}; save its content first`);
}

function tooLarge(path: string, sizeBytes: number, mostBytes: number): HostFileError {
  return new HostFileError(path, 'too-large', `${megabytes(sizeBytes)}, at most ${megabytes(mostBytes)}`);
}

function megabytes(sizeBytes: number): string {
  return `${Math.ceil(sizeBytes / 1e6)} MB`;
}
