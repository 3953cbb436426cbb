// The folder of a sweep: may it be used, whose is it, what stands in it.
// Invariants: a folder of anything else is never touched; only the very same sweep goes on in the folder of a sweep;
// one process writes at a time; sweep.json appears whole or not at all.

import { lstat, readdir, rename, unlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type Diagnostic, InputError } from '../../base/diagnostics.js';
import { makeFolders, removeMadeFolders } from '../made-folders.js';
import { outputError } from '../output-error.js';
import { largestTextBytes, readStandingFile } from '../regular-file.js';
import { settled, unusable } from '../run-folder.js';
import { hasLiveWriter, isOfWriter, markWriter, releaseWriter, writerName } from '../writer-mark.js';
import {
  descriptionText,
  sweepDifferences,
  readDescription,
  type SweepDescription,
  type SweepIdentity,
} from './sweep-description.js';
import { descriptionName, journalName, newName } from './sweep-files.js';

/** What was found at the path of a sweep's folder. */
export interface FoundSweep {
  /** as the user wrote it */
  readonly shown: string;
  readonly path: string;
  /** the sweep that is there; null: there is none yet */
  readonly earlier: SweepDescription | null;
}

/**
 * Looks at a folder for a sweep; nothing is created.
 * @throws InputError if something else stands there, or another process writes there; OutputError
 */
export async function findSweep(shown: string): Promise<FoundSweep> {
  if (shown.trim() === '')
    throw unusable('--out', 'the folder for the results has no name', 'give a folder, such as --out results');
  const path = await settled(shown);
  const earlier = await sweepAt(path, shown);
  if (await hasLiveWriter(path))
    throw unusable(
      shown,
      'another sweep is writing its results there now',
      'wait for it, or give another folder with --out',
    );
  return { shown, path, earlier };
}

/**
 * The description of the sweep in a folder; null if it is absent, empty, or has nothing but what a sweep begins with.
 */
async function sweepAt(path: string, shown: string): Promise<SweepDescription | null> {
  const foreign = (why: string): InputError =>
    unusable(shown, `${why}, so it is left as it is`, 'give another folder with --out, or remove it yourself');
  let names: string[];
  try {
    if (!(await lstat(path)).isDirectory()) throw foreign('exists and is no folder');
    names = await readdir(path);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null;
    throw outputError(shown, error);
  }
  if (!names.includes(descriptionName)) {
    if (names.every((name) => name === newName(descriptionName) || isOfWriter(name))) return null;
    throw foreign('exists and is no sweep of Weft');
  }
  const text = await readStandingFile(join(path, descriptionName), largestTextBytes).catch(() => null);
  const found = text === null ? null : readDescription(text.toString('utf8'));
  if (found === null) throw foreign(`has a ${descriptionName} that is none of this version of Weft's`);
  return found;
}

/** Refuses a sweep in the folder of another one. @param asked what is known of it so far @throws InputError */
export function requireSame({ shown, earlier }: FoundSweep, asked: SweepIdentity): void {
  if (earlier === null) return;
  const found = sweepDifferences(earlier, asked);
  if (found.length === 0) return;
  const diagnostics = found.map((message, i): Diagnostic => {
    const told = i === 0 ? `this folder has another sweep: ${message}` : message;
    const at: Diagnostic = { severity: 'error', code: 'sweep-other', file: shown, line: 0, column: 0, message: told };
    return i === found.length - 1 ? Object.assign(at, { hint: 'give another folder with --out' }) : at;
  });
  throw new InputError(diagnostics);
}

/** The folder of a sweep that goes on. */
export class SweepFolder {
  private constructor(
    readonly shown: string,
    readonly path: string,
  ) {}

  /** Makes the folder, if it is not there, and marks it. @throws OutputError, InputError */
  static async begin({ shown, path }: FoundSweep, sweep: SweepDescription): Promise<SweepFolder> {
    const made = await makeFolders(path).catch((error: unknown) => {
      throw outputError(shown, error);
    });
    const folder = new SweepFolder(shown, path);
    let isOurs = false;
    try {
      // looking at the scenario may have taken minutes
      isOurs = await markWriter(path).catch((error: unknown) => {
        throw outputError(join(shown, writerName), error);
      });
      if (!isOurs)
        throw unusable(shown, 'another sweep has just begun to write there', 'give another folder with --out');
      // another may have come and gone meanwhile
      requireSame({ shown, path, earlier: await sweepAt(path, shown) }, sweep);
      await folder.describe(sweep);
      return folder;
    } catch (error) {
      if (isOurs) await folder.end();
      await removeMadeFolders(made);
      throw error;
    }
  }

  get journalPath(): string {
    return join(this.path, journalName);
  }

  /** Writes sweep.json. @throws OutputError */
  async describe(sweep: SweepDescription): Promise<void> {
    const place = join(this.path, newName(descriptionName));
    try {
      // a new file: what stands there may be a link to somewhere
      await unlink(place).catch(() => {});
      await writeFile(place, descriptionText(sweep), { flag: 'wx' });
      await rename(place, join(this.path, descriptionName));
    } catch (error) {
      await unlink(place).catch(() => {});
      throw outputError(join(this.shown, descriptionName), error);
    }
  }

  /** Takes the mark away. Never throws. */
  async end(): Promise<void> {
    await releaseWriter(this.path);
  }
}
