// Folders of runs on disk: may this path be used, take an earlier run out of the way, put the new one in its place.
// Invariants: a folder that is not a run of Weft is never touched; only files that Weft wrote are deleted, one by one
// (there is no recursive delete in Weft): what a user put beside them stays, in a folder set aside.

import { lstat, mkdir, readdir, realpath, rename, rmdir, unlink } from 'node:fs/promises';
import { basename, dirname, join, resolve } from 'node:path';
import { InputError, wholeFile } from '../base/diagnostics.js';
import { makeFolders, removeMadeFolders } from './made-folders.js';
import { filesOfManifest } from './manifest.js';
import { manifestName } from '../stored-runs/stored-manifest.js';
import { OutputError, outputError } from './output-error.js';
import { inputBelow } from './read-inputs.js';
import { readStandingFile } from './regular-file.js';
import { hasLiveWriter, isOfWriter, markWriter, releaseWriter } from './writer-mark.js';

/** Where manifest.json is written before it takes its name. */
export const newManifestName = 'manifest.json.new';

/** The two folders of a run: where its results will be, and where they are while it runs. */
export interface RunFolders {
  /** as the user wrote it, for messages */
  readonly shown: string;
  readonly target: string;
  readonly partial: string;
}

/**
 * The folders for an `--out` path; nothing is created.
 * @throws InputError if something stands there that is not a run of Weft, or if another process writes there now
 */
export async function runFolders(path: string): Promise<RunFolders> {
  if (path.trim() === '')
    throw unusable('--out', 'the folder for the results has no name', 'give a folder, such as --out results');
  const target = await settled(path);
  const folders = { shown: path, target, partial: `${target}.partial` };
  const kind = await kindOf(target);
  const inside = await runsInside(target);
  if (inside.length > 0)
    throw unusable(
      path,
      `holds other runs of Weft (${inside.join(', ')}), so it is left as it is`,
      'give another folder with --out, or remove it yourself',
    );
  if (kind === 'foreign' || kind === 'begun')
    throw unusable(
      path,
      'exists and is not an earlier run of Weft, so it is left as it is',
      'give another folder with --out, or remove it yourself',
    );
  if (kind === 'run' && (await hasLiveWriter(target)))
    throw unusable(path, 'another run is writing its results there now', 'give another folder with --out');
  if (kind !== 'absent' && target === process.cwd())
    throw unusable(
      path,
      'is the working folder, in whose place the results would be put',
      'give a folder in it, such as --out results',
    );
  // empty or begun: a run that ended before its first manifest
  const partial = await kindOf(folders.partial);
  if (partial === 'foreign')
    throw unusable(
      `${path}.partial`,
      'exists and is not an interrupted run of Weft',
      'the results are collected there: give another folder with --out, or remove it yourself',
    );
  if ((partial === 'run' || partial === 'begun') && (await hasLiveWriter(folders.partial)))
    throw unusable(
      `${path}.partial`,
      'another run is writing its results there now',
      'wait for it, give another folder with --out, or remove this one if that run is gone',
    );
  return folders;
}

/** The folders of a comparison: one for each of its runs. */
export interface ComparisonFolders {
  /** as they were asked for */
  readonly folders: readonly RunFolders[];
  /** what stands there already, of any run, whole or stopped */
  readonly earlier: readonly EarlierRun[];
}

/** A run of an earlier comparison. */
export interface EarlierRun {
  /** its folder's name when it is whole */
  readonly name: string;
  readonly isPartial: boolean;
  /** as people write it */
  readonly shown: string;
  readonly path: string;
}

/**
 * The folders for several runs below one `--out` path; nothing is created.
 * @param names of their folders
 * @param known all names that such a comparison may have: runs of those belong to an earlier one; null: any
 * @throws InputError if the path is no comparison of Weft, new or empty, or if another process writes there now
 */
export async function comparisonFolders(
  path: string,
  names: readonly string[],
  known: readonly string[] | null,
): Promise<ComparisonFolders> {
  const target = path.trim() === '' ? null : await settled(path);
  const earlier: EarlierRun[] = [];
  if (target !== null) {
    const kind = await kindOf(target);
    if (kind === 'run')
      throw unusable(
        path,
        'is an earlier run of Weft, and a comparison writes a folder for each of its runs, so it is left as it is',
        'give another folder with --out, or remove it yourself',
      );
    for (const folder of await runsInside(target)) {
      const name = folder.replace(/\.partial$/, '');
      if (known === null || known.includes(name))
        earlier.push({ name, isPartial: folder !== name, shown: join(path, folder), path: join(target, folder) });
    }
    if ((kind === 'foreign' || kind === 'begun') && earlier.length === 0)
      throw unusable(
        path,
        'exists and is not an earlier comparison of Weft, so it is left as it is',
        'give another folder with --out, such as one in it, or remove it yourself',
      );
  }
  const folders: RunFolders[] = [];
  for (const name of names) folders.push(await runFolders(path.trim() === '' ? path : join(path, name)));
  return { folders, earlier };
}

/**
 * What of an earlier comparison still stands beside a new one.
 * @param names of the new runs' folders @param ends of these runs, in the same order; null: it was not begun
 */
export function stillStanding(
  { earlier }: ComparisonFolders,
  names: readonly string[],
  ends: readonly ('finished' | 'stopped' | null)[],
): string[] {
  const isReplaced = ({ name, isPartial }: EarlierRun): boolean => {
    const end = ends[names.indexOf(name)] ?? null;
    return isPartial ? end !== null : end === 'finished';
  };
  return earlier.filter((run) => !isReplaced(run)).map(({ shown }) => shown);
}

/**
 * Removes runs of an earlier comparison, but for runs that another process writes now.
 * @returns what went, and the folders that keep the user's own files found in it
 * @throws OutputError
 */
export async function removeEarlier(
  runs: readonly EarlierRun[],
): Promise<{ readonly removed: readonly string[]; readonly keptAside: readonly string[] }> {
  const removed: string[] = [];
  const keptAside: string[] = [];
  for (const { shown, path } of runs) {
    try {
      const kind = await kindOf(path);
      if ((kind !== 'run' && kind !== 'begun') || (await hasLiveWriter(path))) continue;
      const aside = await setAside(path);
      removed.push(shown);
      if (aside !== null) keptAside.push(aside);
    } catch (error) {
      throw outputError(shown, error);
    }
  }
  return { removed, keptAside };
}

/** Names of the folders in a folder that are runs of Weft, whole or begun; none if it is no folder. */
async function runsInside(path: string): Promise<readonly string[]> {
  const entries = await readdir(path, { withFileTypes: true }).catch(() => []);
  const runs: string[] = [];
  for (const entry of entries) {
    if (!entry.isDirectory()) continue;
    // one that may not be read is not ours
    const kind = await kindOf(join(path, entry.name)).catch(() => 'foreign');
    if (kind === 'run' || kind === 'begun') runs.push(entry.name);
  }
  return runs.sort();
}

/** An output path that cannot be used. */
export function unusable(path: string, message: string, hint: string): InputError {
  return InputError.at('output-path', path, wholeFile, message, { hint });
}

/** The absolute path, with symbolic links followed if it exists. */
export async function settled(path: string): Promise<string> {
  try {
    return await realpath(path);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return resolve(path);
    throw outputError(path, error);
  }
}

/** What stands at a path; `begun`: nothing but what a run writes before its first manifest. */
async function kindOf(path: string): Promise<'absent' | 'empty' | 'begun' | 'run' | 'foreign'> {
  try {
    if (!(await lstat(path)).isDirectory()) return 'foreign';
    if (filesOfManifest(await textOf(join(path, manifestName))) !== null) return 'run';
    const names = await readdir(path);
    if (names.length === 0) return 'empty';
    return names.every((name) => isOfWriter(name) || name === newManifestName) ? 'begun' : 'foreign';
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return 'absent';
    throw outputError(path, error);
  }
}

/** What a file of a run says; empty if there is none, or something else of its name. */
async function textOf(path: string): Promise<string> {
  return readStandingFile(path).then(
    (bytes) => bytes.toString('utf8'),
    () => '',
  );
}

/** A folder that was made, with the parents that had to be made for it. */
export interface MadeFolder {
  readonly path: string;
  /** parents that did not exist before, the topmost last */
  readonly parents: readonly string[];
  /** where a user's own files were kept, if there were any in a leftover that had to go */
  readonly keptAside: string | null;
}

/**
 * Makes the empty `.partial` folder, taking the leftover of an interrupted run out of the way.
 * @throws OutputError, InputError
 */
export async function makePartialFolder(folders: RunFolders): Promise<MadeFolder> {
  const { partial, shown } = folders;
  const made: string[] = [];
  try {
    const leftover = await kindOf(partial);
    let keptAside: string | null = null;
    // asked again: reading the scenario and its trace may have taken minutes since runFolders()
    for (const folder of [folders.target, partial]) {
      const input = await inputBelow(folder);
      if (input !== null)
        throw unusable(
          shown,
          `holds ${input}, which this run reads, so it is left as it is`,
          'give another folder with --out',
        );
    }
    if ((leftover === 'run' || leftover === 'begun') && (await hasLiveWriter(partial)))
      throw unusable(
        `${shown}.partial`,
        'another run has begun to write its results there',
        'give another folder with --out',
      );
    if (leftover === 'empty') await rmdir(partial);
    if (leftover === 'begun') await removeRunFiles(partial);
    if (leftover === 'run') keptAside = await setAside(partial);
    made.push(...(await makeFolders(dirname(partial))));
    await mkdir(partial);
    made.unshift(partial);
    if (!(await markWriter(partial)))
      throw new OutputError(shown, 'EBUSY', 'another run has just begun to write there');
    return { path: partial, parents: made.slice(1), keptAside };
  } catch (error) {
    // the file may be there, empty, on a disk that is full
    if (made[0] === partial) await releaseWriter(partial);
    await removeMadeFolders(made);
    if ((error as NodeJS.ErrnoException).code === 'EEXIST')
      throw unusable(`${shown}.partial`, 'another run has just begun to write there', 'give another folder with --out');
    throw outputError(shown, error);
  }
}

/**
 * Removes a folder that was made, and the parents made for it as far as they are empty. Never throws: it runs after a
 * failure.
 */
export async function removeMadeFolder(made: MadeFolder): Promise<void> {
  if ((await removeRunFiles(made.path)) === null) await removeMadeFolders(made.parents);
}

/**
 * Gives the finished `.partial` folder its name; an earlier run of that name goes.
 * @returns where the user's own files of the earlier run were kept, or null if there were none
 * @throws OutputError; the results are then complete in the `.partial` folder, and an earlier run is where it was
 */
export async function placeFolder(folders: RunFolders): Promise<string | null> {
  const { target, partial, shown } = folders;
  try {
    const kind = await kindOf(target);
    if (kind === 'absent' || kind === 'empty') {
      if (kind === 'empty') await rmdir(target);
      await rename(partial, target);
      return null;
    }
    if (kind !== 'run') throw new OutputError(shown, 'EEXIST', 'was created by somebody else while the run went on');
    const aside = await freeName(target);
    await rename(target, aside);
    try {
      await rename(partial, target);
    } catch (error) {
      await rename(aside, target);
      throw error;
    }
    return await removeRunFiles(aside);
  } catch (error) {
    const { message } = outputError(shown, error);
    throw new OutputError(
      shown,
      (error as NodeJS.ErrnoException).code ?? '',
      `the results are complete but could not be put in place (${message}); they are in ${partial}`,
    );
  }
}

/**
 * Takes a run's folder out of the way.
 * @returns the folder that keeps the user's own files, or null if there were none
 */
async function setAside(folder: string): Promise<string | null> {
  const aside = await freeName(folder);
  await rename(folder, aside);
  return removeRunFiles(aside);
}

/** `folder.previous`, or the first `folder.previous-N` that does not exist. */
async function freeName(folder: string): Promise<string> {
  for (let i = 1; ; i++) {
    const name = join(dirname(folder), `${basename(folder)}.previous${i === 1 ? '' : `-${i}`}`);
    if ((await kindOf(name)) === 'absent') return name;
  }
}

/** Deletes the files of a run and then its folder. @returns the folder if something else is left in it */
async function removeRunFiles(folder: string): Promise<string | null> {
  const manifest = await textOf(join(folder, manifestName));
  const marks = (await readdir(folder).catch(() => [])).filter(isOfWriter);
  const names = new Set([...(filesOfManifest(manifest) ?? []), ...marks, newManifestName]);
  names.delete(manifestName);
  // the manifest goes last: as long as it is there the folder is known as ours
  for (const name of [...names, manifestName]) await unlink(join(folder, name)).catch(() => {});
  return rmdir(folder).then(
    () => null,
    () => folder,
  );
}
