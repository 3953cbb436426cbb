// Figures of the benchmark by commit, one JSON object per line of a file that only grows.
// Invariants: all lines of a run are appended in one write, behind those of others; what is no regular file, or no
// history, is refused and stays as it is. Beside every figure stands how fast the machine was: the rate of the reference
// prototype, null where it is not at hand, and the time of a small piece of work beside that of the reference machine.

import { execFileSync } from 'node:child_process';
import { constants } from 'node:fs';
import { mkdir, open } from 'node:fs/promises';
import { cpus } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { HostFileError } from '#weft/base/host.js';
import { readRegularFile } from '#weft/storage/regular-file.js';
import { machineSlowness } from '#weft/app/forecast/machine-speed.js';
import { nodeHost } from '#weft/storage/node-host.js';
import { repositoryFolder } from '../validation/repository.js';

/** where the history is without a name */
const usualFile = '.weft/bench-history.jsonl';
/** a larger file is no history */
const mostBytes = 64e6;

/** A file that cannot take the history. */
export class HistoryError extends Error {
  override readonly name = 'HistoryError';
}

/** What stands beside the figures of a workload. */
export interface Occasion {
  /** of the build; null: git does not say */
  readonly commit: string | null;
  /** files differ from the commit */
  readonly isChanged: boolean;
  readonly at: string;
  readonly node: string;
  readonly cpu: string;
  /** packet-hops per CPU second of the prototype; null: it is not at hand */
  readonly prototypeHopsPerCpuSecond: number | null;
  /** time that this machine takes for what the reference machine takes 1 */
  readonly slowness: number;
}

/** The file that a name stands for. @param named true: the usual one */
export function historyFile(named: string | true): string {
  return named === true ? join(repositoryFolder, usualFile) : resolve(named);
}

/** When, where and of what commit figures are. @param prototypeHopsPerCpuSecond measured beside them */
export function occasion(prototypeHopsPerCpuSecond: number | null): Occasion {
  return {
    commit: git('rev-parse', '--short=12', 'HEAD'),
    isChanged: git('status', '--porcelain', '--untracked-files=no') !== '',
    at: new Date().toISOString(),
    node: process.version,
    cpu: cpus()[0]?.model ?? 'unknown',
    prototypeHopsPerCpuSecond,
    slowness: Number(machineSlowness(nodeHost()).toPrecision(3)),
  };
}

/** Looks whether a file can take lines, so that nobody measures in vain. @throws HistoryError */
export async function checkHistory(path: string): Promise<void> {
  await readHistory(path);
}

/** The lines of a history; none if there is no file. @throws HistoryError */
export async function readHistory(path: string): Promise<Readonly<Record<string, unknown>>[]> {
  let text: string;
  try {
    text = (await readRegularFile(path, mostBytes)).toString('utf8');
  } catch (error) {
    if (error instanceof HostFileError && error.reason === 'missing') return [];
    throw error instanceof HostFileError
      ? new HistoryError(`${error.message}: a history is a regular file of JSON lines, or none yet`)
      : error;
  }
  if (text !== '' && !text.endsWith('\n'))
    throw new HistoryError(`${path}: the last line has no end: it is no history, or was cut; remove that line`);
  return text
    .split('\n')
    .slice(0, -1)
    .map((line, i) => entryOf(line, `${path}:${i + 1}`));
}

/**
 * Adds lines, in one write.
 * @param figures an object for each workload
 * @throws HistoryError
 */
export async function addToHistory(
  path: string,
  when: Occasion,
  figures: readonly Readonly<Record<string, unknown>>[],
): Promise<void> {
  await readHistory(path);
  const text = figures.map((each) => `${JSON.stringify({ ...when, ...each })}\n`).join('');
  try {
    await mkdir(dirname(path), { recursive: true });
    const flags = constants.O_WRONLY | constants.O_APPEND | constants.O_CREAT | (constants.O_NONBLOCK ?? 0);
    const handle = await open(path, flags, 0o644);
    try {
      if (!(await handle.stat()).isFile()) throw new HistoryError(`${path} is no regular file: name another`);
      await handle.write(text);
    } finally {
      await handle.close();
    }
  } catch (error) {
    throw error instanceof HistoryError ? error : new HistoryError(`${path}: ${(error as Error).message}`);
  }
}

function entryOf(line: string, where: string): Readonly<Record<string, unknown>> {
  try {
    const entry: unknown = JSON.parse(line);
    if (typeof entry === 'object' && entry !== null && Object.hasOwn(entry, 'name') && Object.hasOwn(entry, 'commit'))
      return entry as Readonly<Record<string, unknown>>;
  } catch {
    // said below
  }
  throw new HistoryError(
    `${where}: no line of a history (a JSON object with name and commit); name another file, or remove the line`,
  );
}

function git(...words: string[]): string | null {
  try {
    return execFileSync('git', words, {
      cwd: repositoryFolder,
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'ignore'],
    }).trim();
  } catch {
    return null;
  }
}
