// Node's side of the Host contract: files, clocks and a breath between slices of work.
// Invariant: every file that cannot be read is a HostFileError with a reason, and nothing but regular files is read; a
// file handle is closed however its iteration ends.

import { isUtf8 } from 'node:buffer';
import { createHash } from 'node:crypto';
import { readFileSync, readSync } from 'node:fs';
import { dirname, isAbsolute, join } from 'node:path';
import { performance } from 'node:perf_hooks';
import { setImmediate as breathe } from 'node:timers/promises';
import { HostFileError, type Host } from '../base/host.js';
import type { RunHost } from '../records/run-tables.js';
import type { InputDigests } from './input-digests.js';
import { fileError, openRegularFile, readRegularFile } from './regular-file.js';

/**
 * Most memory that this process has held, in bytes. On Linux from /proc: the figure of getrusage begins with that of
 * the process that started this one, and stays there if that was larger.
 */
function peakMemoryBytes(): number {
  try {
    const [, kibibytes] = /^VmHWM:\s+(\d+) kB$/m.exec(readFileSync('/proc/self/status', 'utf8'))!;
    return Number(kibibytes) * 1024;
  } catch {
    return process.resourceUsage().maxRSS * 1024;
  }
}

/** Most and fewest bytes per piece of readBytes. */
const pieceBytes = 1024 * 1024;
const leastPieceBytes = 1024;
/** pieces between two breaths, in which signals are heard */
const piecesPerBreath = 32;

/**
 * The host of the command line: Node's file system and clocks. Relative paths are seen from the working directory.
 * @param digests takes a digest of every file that is read to its end, while it is read
 * @param places where the content of each path is, for tasks of another machine; what is not in it is refused, and a
 * stored run as well. Left out: at the path itself
 */
export function nodeHost(digests?: InputDigests, places?: ReadonlyMap<string, string>): Host & RunHost {
  return {
    readText: async (path) => readText(path, placeOf(path, places), digests),
    readBytes: (path) => readBytes(path, places, digests),
    resolve: (from, path) => (isAbsolute(path) ? path : join(dirname(from), path)),
    wallMs: () => performance.now(),
    cpuSeconds: () => {
      const { user, system } = process.cpuUsage();
      return (user + system) / 1e6;
    },
    peakMemoryBytes,
    sha256: () => createHash('sha256'),
    // loaded when it is wanted: most commands read no stored run
    openRun: async (folder) => (await import('./run-reader.js')).openRun(placeOf(folder, places)),
    breathe: () => breathe(),
  };
}

/** Where the content of a path is. @throws HostFileError */
function placeOf(path: string, places: ReadonlyMap<string, string> | undefined): string {
  if (places === undefined) return path;
  const place = places.get(path);
  if (place === undefined) throw new HostFileError(path, 'denied', 'it is none of the files that came with the task');
  return place;
}

async function readText(path: string, place: string, digests?: InputDigests): Promise<string> {
  const bytes = await readRegularFile(place);
  const zeroAt = bytes.indexOf(0);
  if (zeroAt !== -1)
    throw new HostFileError(path, 'not-text', `byte ${zeroAt + 1} is 0; texts are UTF-8, neither binary nor UTF-16`);
  digests?.whole(path, bytes);
  const text = bytes.toString('utf8');
  if (!isUtf8(bytes)) throw notUtf8(path, text, bytes);
  return text;
}

/**
 * What is no UTF-8, by its line. @param text the bytes with U+FFFD in its place, which a file may hold by right as well
 */
function notUtf8(path: string, text: string, bytes: Uint8Array): HostFileError {
  const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });
  let good = 0;
  try {
    for (let from = 0; from < bytes.length; from += leastPieceBytes)
      good += decoder.decode(bytes.subarray(from, from + leastPieceBytes), { stream: true }).length;
  } catch {
    // the piece that begins after so many characters has it
  }
  const before = text.slice(0, Math.max(good, text.indexOf('\ufffd', good)));
  const line = before.split('\n').length;
  const column = before.length - before.lastIndexOf('\n');
  return new HostFileError(path, 'not-text', `line ${line}, column ${column} is not UTF-8; save the file as UTF-8`);
}

/** Reads here, not beside: what another core copied would have to come from its cache. @throws HostFileError */
function readPiece(descriptor: number, piece: Uint8Array, path: string): number {
  try {
    return readSync(descriptor, piece);
  } catch (error) {
    throw fileError(path, error);
  }
}

async function* readBytes(
  path: string,
  places: ReadonlyMap<string, string> | undefined,
  digests?: InputDigests,
): AsyncGenerator<Uint8Array> {
  const { handle, sizeBytes } = await openRegularFile(placeOf(path, places));
  try {
    const digest = digests?.reading(path) ?? null;
    // no larger than the file: many are small
    const piece = new Uint8Array(Math.max(leastPieceBytes, Math.min(sizeBytes, pieceBytes)));
    for (let pieces = 1; ; pieces++) {
      if (pieces % piecesPerBreath === 0) await breathe();
      const bytesRead = readPiece(handle.fd, piece, path);
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
