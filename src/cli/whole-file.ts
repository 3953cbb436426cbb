// A file that a command makes under a name that the user chose.
// Invariants: it appears whole or not at all (written beside its place, then renamed); a file that stands there already
// is replaced only with --force, unless it has the very same content; what the command has read, and files of runs, are
// not replaced with it either.

import type { Stats } from 'node:fs';
import { open, realpath, rename, stat, unlink } from 'node:fs/promises';
import { basename, dirname, join, resolve } from 'node:path';
import { InputError } from '../base/diagnostics.js';
import { makeFolders, removeMadeFolders } from '../storage/made-folders.js';
import { outputError } from '../storage/output-error.js';
import { noteOutput } from '../storage/read-inputs.js';
import { removeLeftovers, unfinishedName } from '../storage/unfinished-file.js';
import { kindOfFile, readStandingFile } from '../storage/regular-file.js';

/** Files up to this size are compared with what would be written, in bytes. */
const largestCompared = 100e6;

/** What --force says in the help of a command. */
export const forceHelp = 'replace a file that exists';

/** What a file shall hold: a text, whole or in pieces, or bytes. */
export type FileContent = string | Uint8Array | Iterable<string>;

/**
 * Writes a file.
 * @param text whole, or in pieces, so that files of gigabytes need no memory; pieces are only compared with what stands
 * there if it is small
 * @param force whether a file with other content may be replaced
 * @throws InputError if something stands there that must stay; OutputError
 */
export async function writeWholeFile(path: string, text: FileContent, force: boolean): Promise<void> {
  await writeWholeFiles([{ path, text }], force);
}

/**
 * Refuses before anything is computed what could not be written afterwards: a path in a folder that is not there, a
 * folder, two outputs of one name, a file that must stay. @param mayBeSame whether a file that stands there may turn
 * out to have the very same content; a long search is not to be lost over it @throws InputError, OutputError
 */
export async function checkOutputs(paths: readonly string[], force: boolean, mayBeSame: boolean): Promise<void> {
  for (const [i, path] of paths.entries()) {
    if (path.trim() === '') throw refused("''", 'a file for the results has no name', 'give the file a name');
    if (paths.slice(0, i).some((other) => resolve(other) === resolve(path)))
      throw refused(path, 'two outputs have this path', 'give each a path of its own');
    try {
      const there = await statOrNull(path);
      if (there === null) await stat(dirname(path));
      else if (!there.isFile() || !(force || mayBeSame)) throw mustStay(path, there);
      else if (force) await refuseNeeded(path, there);
    } catch (error) {
      throw outputError(path, error);
    }
  }
}

/**
 * Writes several files, or none if one of them may not be written or has no room.
 * @param folder made for them if it does not exist, and removed again if nothing is written
 * @throws InputError, OutputError
 */
export async function writeWholeFiles(
  files: readonly { readonly path: string; readonly text: FileContent }[],
  force: boolean,
  folder: string | null = null,
): Promise<void> {
  const made =
    folder === null
      ? []
      : await makeFolders(folder).catch((error: unknown) => {
          throw outputError(folder, error);
        });
  const written: { readonly path: string; readonly temporary: string }[] = [];
  try {
    const standing: boolean[] = [];
    for (const { path, text } of files) standing.push(await standsAlready(path, text, force));
    for (const [i, { path, text }] of files.entries())
      if (!standing[i]!) written.push({ path, temporary: await writeBeside(path, text) });
    for (const { path, temporary } of written)
      await rename(temporary, path).catch((error: unknown) => {
        throw outputError(path, error);
      });
  } catch (error) {
    for (const { temporary } of written) await unlink(temporary).catch(() => {});
    await removeMadeFolders(made);
    throw error;
  }
}

/**
 * Writes a file of any size from pieces that are made meanwhile; what stands there is not compared with it.
 * @param pieces each is written before the next is asked for; an error of theirs leaves nothing behind
 * @throws InputError, OutputError, what pieces throw
 */
export async function writeStreamedFile(
  path: string,
  pieces: AsyncIterable<string | Uint8Array>,
  force: boolean,
): Promise<void> {
  await checkOutputs([path], force, false);
  const temporary = await placeBeside(path);
  const failed = (error: unknown): never => {
    throw outputError(path, error);
  };
  try {
    const file = await open(temporary, 'wx').catch(failed);
    try {
      for await (const piece of pieces) await file.writeFile(piece).catch(failed);
    } finally {
      await file.close();
    }
    // what came to stand there meanwhile stays
    await checkOutputs([path], force, false);
    await rename(temporary, path).catch(failed);
  } catch (error) {
    await unlink(temporary).catch(() => {});
    throw error;
  }
}

/**
 * Whether this very content stands there. Pieces are used up only if it does, or if it throws.
 * @throws InputError, OutputError
 */
async function standsAlready(path: string, text: FileContent, force: boolean): Promise<boolean> {
  try {
    const there = await statOrNull(path);
    if (there !== null && !there.isFile()) throw mustStay(path, there);
    if (there === null) return false;
    if (force) {
      await refuseNeeded(path, there);
      return false;
    }
    const whole = there.size <= largestCompared ? wholeUpTo(text, there.size) : null;
    if (whole !== null && (await readStandingFile(path)).equals(whole)) return true;
    throw refused(
      path,
      'exists and has other content, so it is left as it is',
      'give another path, or add --force to replace it',
    );
  } catch (error) {
    throw outputError(path, error);
  }
}

/** What stands at a path; null if nothing does. */
async function statOrNull(path: string): Promise<Stats | null> {
  return await stat(path).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return null;
    throw error;
  });
}

/**
 * Refuses to replace, --force or not, what this command has read, or a file of a run, whose manifest knows its bytes.
 * @throws InputError
 */
async function refuseNeeded(path: string, there: Stats): Promise<void> {
  noteOutput(path, there);
  const real = await realpath(path);
  // loaded for what is replaced alone
  const [{ filesOfManifest }, { manifestName }] = await Promise.all([
    import('../storage/manifest.js'),
    import('../stored-runs/stored-manifest.js'),
  ]);
  const manifest = await readStandingFile(join(dirname(real), manifestName)).catch(() => null);
  if (manifest !== null && filesOfManifest(manifest.toString('utf8'))?.includes(basename(real)) === true)
    throw refused(
      path,
      `belongs to the run in ${dirname(path)}, so it is left as it is, with --force, too`,
      'give another path',
    );
}

/** Why something that stands at a path stays. */
function mustStay(path: string, there: Stats): InputError {
  if (there.isDirectory()) return refused(path, 'there is a folder of this name', 'give another path');
  if (!there.isFile())
    return refused(
      path,
      `is not a regular file: it is ${kindOfFile(there)}`,
      'give the path of a file, new or to be replaced',
    );
  return refused(path, 'exists, so it is left as it is', 'give another path, or add --force to replace it');
}

/** The bytes of a content in one piece; null if there are not exactly `sizeBytes`. */
function wholeUpTo(text: FileContent, sizeBytes: number): Buffer | null {
  const pieces: Buffer[] = [];
  let bytes = 0;
  for (const piece of piecesOf(text)) {
    const own = Buffer.from(piece);
    bytes += own.length;
    if (bytes > sizeBytes) return null;
    pieces.push(own);
  }
  return bytes === sizeBytes ? Buffer.concat(pieces) : null;
}

function refused(path: string, message: string, hint: string): InputError {
  return InputError.about('output-path', path, message, { hint });
}

function piecesOf(content: FileContent): Iterable<string | Uint8Array> {
  return typeof content === 'string' || content instanceof Uint8Array ? [content] : content;
}

/**
 * Writes a text beside its place. @returns the path of the file @throws InputError, OutputError; nothing is left then
 */
async function writeBeside(path: string, text: FileContent): Promise<string> {
  const temporary = await placeBeside(path);
  try {
    const file = await open(temporary, 'wx');
    try {
      for (const piece of piecesOf(text)) await file.writeFile(piece);
    } finally {
      await file.close();
    }
    return temporary;
  } catch (error) {
    await unlink(temporary).catch(() => {});
    throw outputError(path, error);
  }
}

/** A name beside a place for what is not whole yet; what killed processes left there goes. */
async function placeBeside(path: string): Promise<string> {
  await removeLeftovers(path);
  return unfinishedName(path);
}
