// What a command and the tasks of a job array share: a folder on a file system that all machines see.
//
//   work.json            what the tasks do, the files that they read, and the numbers of the runs of each
//   tasks/3.json         the inputs of the runs of task 3
//   results/3.0.jsonl    what came of them, a line each; 3.1 once Slurm has begun the task again
//   logs/3.log           what the task and Slurm said
//   job.json             the number of the job
//   ended                nobody waits for results any more: a task that begins ends at once
//   ../store/SHA-256     the files, by their content
//
// Invariants: whoever is to carry out tasks is told the digest of work.json by the script that Slurm holds, and
// work.json has the digests of all else, so nothing that another puts into the folder is carried out or read; only
// regular files are opened, none larger than its limit; a folder appears whole or not at all.

import { createHash } from 'node:crypto';
import { mkdir, readdir, rename, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { InputError } from '../../base/diagnostics.js';
import { HostFileError } from '../../base/host.js';
import { nodeHost } from '../../storage/node-host.js';
import { outputError } from '../../storage/output-error.js';
import { OutputFile } from '../../storage/output-file.js';
import { readStandingFile } from '../../storage/regular-file.js';
import { unfinishedName } from '../../storage/unfinished-file.js';
import { portableData, portableText } from '../portable-data.js';
import type { PortableWork } from '../task-engine.js';

/** Bytes of work.json and of a list of tasks that are read. */
const mostListBytes = 64 << 20;
const mostSmallBytes = 10_000;

/** A file that tasks read. */
interface StoredFile {
  readonly path: string;
  readonly sha256: string;
  readonly sizeBytes: number;
}

/** The runs of one task of the array. */
interface ListedTask {
  readonly sha256: string;
  readonly places: readonly number[];
}

/** work.json. */
export interface ArrayWork {
  readonly weftVersion: string;
  /** tells the campaign from any other: a digest */
  readonly campaign: string;
  readonly kind: string;
  /** what the module of the kind is given with every run */
  readonly shared: unknown;
  readonly files: readonly StoredFile[];
  /** folders below which runs may put results */
  readonly roots: readonly string[];
  readonly tasks: readonly ListedTask[];
}

/** A run with its input. */
export interface PlacedInput {
  readonly place: number;
  readonly input: unknown;
}

/** A folder that was refused: it is not what the job was submitted with. */
export class RefusedWorkError extends Error {
  override readonly name = 'RefusedWorkError';
}

/** SHA-256, hexadecimal. */
export function sha256Of(content: string | Uint8Array): string {
  return createHash('sha256').update(content).digest('hex');
}

/**
 * Puts files into a store by their digests.
 * @param store its folder @param files SHA-256 by path
 * @throws InputError if a file has another content by now; HostFileError, OutputError
 */
export async function storeFiles(store: string, files: PortableWork['files']): Promise<readonly StoredFile[]> {
  const stored: StoredFile[] = [];
  for (const [path, sha256] of files) {
    const place = join(store, sha256);
    const sizeBytes = await stat(place).then(
      ({ size }) => size,
      () => copied(path, sha256, place),
    );
    stored.push({ path, sha256, sizeBytes });
  }
  return stored;
}

/** @returns bytes */
async function copied(path: string, sha256: string, place: string): Promise<number> {
  const unfinished = unfinishedName(place);
  const file = await OutputFile.create(unfinished);
  try {
    let sizeBytes = 0;
    for await (const piece of nodeHost().readBytes(path)) {
      sizeBytes += piece.length;
      file.append(Buffer.from(piece));
      if (file.full) await file.drain();
    }
    if ((await file.close()) !== sha256)
      throw InputError.about('sweep-input', path, 'this file has changed since the campaign began', {
        hint: 'put it back and give the same command again',
      });
    await rename(unfinished, place);
    return sizeBytes;
  } catch (error) {
    await file.abandon();
    await rm(unfinished, { force: true });
    throw outputError(place, error);
  }
}

/**
 * Makes the folder of an array.
 * @param inputs of each task of the array
 * @returns digest of its work.json @throws OutputError; nothing is left then
 */
export async function makeArrayFolder(
  folder: string,
  work: Omit<ArrayWork, 'tasks'>,
  inputs: readonly (readonly PlacedInput[])[],
): Promise<{ readonly digest: string; readonly work: ArrayWork }> {
  const unfinished = unfinishedName(folder);
  try {
    for (const name of ['tasks', 'results', 'logs']) await mkdir(join(unfinished, name), { recursive: true });
    const tasks: ListedTask[] = [];
    for (const [index, list] of inputs.entries()) {
      const text = portableText(list);
      await writeFile(join(unfinished, 'tasks', `${index}.json`), text);
      tasks.push({ sha256: sha256Of(text), places: list.map(({ place }) => place) });
    }
    const whole = { ...work, tasks };
    const text = portableText(whole);
    await writeFile(join(unfinished, 'work.json'), text);
    await rename(unfinished, folder);
    return { digest: sha256Of(text), work: whole };
  } catch (error) {
    await rm(unfinished, { recursive: true, force: true });
    throw outputError(folder, error);
  }
}

/** Numbers of the arrays whose folders are there, in order. */
export async function arraysIn(folder: string): Promise<readonly number[]> {
  const names = await readdir(folder).catch((): string[] => []);
  return names
    .filter((name) => /^[1-9]\d{0,8}$/.test(name))
    .map(Number)
    .sort((a, b) => a - b);
}

/** Reads work.json. @param digest which it must have; left out: any @throws RefusedWorkError */
export async function readWork(folder: string, digest?: string): Promise<ArrayWork> {
  const path = join(folder, 'work.json');
  const work = portableData(await listed(path, digest)) as ArrayWork;
  if (isWork(work)) return work;
  throw new RefusedWorkError(`${path}: this is no work of an array`);
}

/** Reads the runs of a task. @throws RefusedWorkError */
export async function readInputs(folder: string, index: number, task: ListedTask): Promise<readonly PlacedInput[]> {
  const path = join(folder, 'tasks', `${index}.json`);
  const inputs = portableData(await listed(path, task.sha256));
  if (Array.isArray(inputs)) return inputs as PlacedInput[];
  throw new RefusedWorkError(`${path}: this is no list of runs`);
}

/** A text that was written for tasks. @throws RefusedWorkError */
async function listed(path: string, digest: string | undefined): Promise<string> {
  const bytes = await readStandingFile(path, mostListBytes).catch((error: unknown) => {
    throw new RefusedWorkError(error instanceof Error ? error.message : String(error));
  });
  if (digest !== undefined && sha256Of(bytes) !== digest)
    throw new RefusedWorkError(`${path}: this is not what the job was submitted with`);
  return bytes.toString('utf8');
}

/**
 * Where each file that tasks may read is, once its content was found to be what it was.
 * @throws RefusedWorkError
 */
export async function placesOf(store: string, files: ArrayWork['files']): Promise<ReadonlyMap<string, string>> {
  const places = new Map<string, string>();
  for (const { path, sha256, sizeBytes } of files) {
    const place = join(store, sha256);
    const hash = createHash('sha256');
    let length = 0;
    try {
      for await (const piece of nodeHost().readBytes(place)) {
        length += piece.length;
        if (length > sizeBytes) break;
        hash.update(piece);
      }
    } catch (error) {
      if (error instanceof HostFileError) throw new RefusedWorkError(error.message);
      throw error;
    }
    if (length !== sizeBytes || hash.digest('hex') !== sha256)
      throw new RefusedWorkError(`${place}: this is not what ${path} was`);
    places.set(path, place);
  }
  return places;
}

/** Writes a small file of an array. @throws OutputError */
export async function writeSmall(folder: string, name: 'job.json' | 'ended', text: string): Promise<void> {
  const place = join(folder, name);
  const unfinished = unfinishedName(place);
  try {
    await writeFile(unfinished, text, { flag: 'wx' });
    await rename(unfinished, place);
  } catch (error) {
    await rm(unfinished, { force: true });
    throw outputError(place, error);
  }
}

/** Reads a small file of an array. @returns null if it is not there */
export async function readSmall(folder: string, name: string): Promise<string | null> {
  return readStandingFile(join(folder, name), mostSmallBytes).then(
    (bytes) => bytes.toString('utf8'),
    () => null,
  );
}

function isWork(work: unknown): boolean {
  const { weftVersion, campaign, kind, files, roots, tasks } = (work ?? {}) as Record<string, unknown>;
  return (
    [weftVersion, campaign, kind].every((word) => typeof word === 'string') &&
    Array.isArray(files) &&
    files.every(({ path, sha256, sizeBytes }) => typeof path === 'string' && isDigest(sha256) && sizeBytes >= 0) &&
    Array.isArray(roots) &&
    roots.every((root) => typeof root === 'string') &&
    Array.isArray(tasks) &&
    tasks.every(({ sha256, places }) => isDigest(sha256) && Array.isArray(places) && places.every(Number.isSafeInteger))
  );
}

function isDigest(word: unknown): boolean {
  return typeof word === 'string' && /^[0-9a-f]{64}$/.test(word);
}
