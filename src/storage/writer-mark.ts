// The mark of the process that writes into a folder: a file that names it, gone when it has ended well.
// Invariant: a mark holds off nobody once its process is gone, also if another has its number by now (in a container
// the same numbers come again): where the system says when a process began, the mark says it, too. Of several that come
// at the same instant one has it.
// Not seen: writers on other machines that share the folder.

import { constants, readFileSync } from 'node:fs';
import { copyFile, link, readdir, rename, unlink, writeFile } from 'node:fs/promises';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { readStandingFile } from './regular-file.js';

/** Its name in the folder. */
export const writerName = '.writer';
/** Marks of processes that are gone that are removed on the way to one of our own. */
const mostTries = 10;

/**
 * Marks a folder as this process's, in place of a process that is gone.
 * @returns false if a process that is there has marked it
 * @throws errors of node:fs
 */
export async function markWriter(folder: string): Promise<boolean> {
  const mark = join(folder, writerName);
  const own = `${mark}.${process.pid}`;
  try {
    await unlink(own).catch(() => {});
    await writeFile(own, ownMark(), { flag: 'wx' });
    for (let tries = 0; tries < mostTries; tries++) {
      if (await isLinked(own, mark)) {
        await removeLeftovers(folder);
        return true;
      }
      const there = await markIn(mark);
      if (isLive(there) || !(await removeMark(mark, there))) return false;
    }
    return false;
  } finally {
    await unlink(own).catch(() => {});
  }
}

/** Gives a file a second name, at once and with all that it has. @returns false if there is something of that name */
async function isLinked(path: string, name: string): Promise<boolean> {
  try {
    await link(path, name);
    return true;
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'EEXIST') return false;
    // file systems without such links
    if (code !== 'EPERM' && code !== 'ENOTSUP' && code !== 'ENOSYS') throw error;
    return copyFile(path, name, constants.COPYFILE_EXCL).then(
      () => true,
      (failed: NodeJS.ErrnoException) => {
        if (failed.code !== 'EEXIST') throw failed;
        return false;
      },
    );
  }
}

/** Removes the mark of a process that is gone. @returns false if another has taken its place meanwhile */
async function removeMark(mark: string, gone: string): Promise<boolean> {
  const aside = `${mark}.${process.pid}.gone`;
  try {
    await rename(mark, aside);
  } catch (error) {
    // another has removed it
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return true;
    throw error;
  }
  const moved = await markIn(aside);
  const isOther = moved !== gone && isLive(moved);
  if (isOther) await link(aside, mark).catch(() => {});
  await unlink(aside).catch(() => {});
  return !isOther;
}

/** Removes what processes left that were killed on the way to a mark, and whose numbers nobody has now. */
async function removeLeftovers(folder: string): Promise<void> {
  for (const name of await readdir(folder)) {
    const pid = /^\.writer\.(\d+)(?:\.gone)?$/.exec(name)?.[1];
    if (pid !== undefined && !isThere(Number(pid))) await unlink(join(folder, name)).catch(() => {});
  }
}

/** Whether a file is a mark, or what a process that was killed left on the way to one. */
export function isOfWriter(name: string): boolean {
  return name === writerName || /^\.writer\.\d+(\.gone)?$/.test(name);
}

/** Takes the mark away. Never throws. */
export async function releaseWriter(folder: string): Promise<void> {
  await unlink(join(folder, writerName)).catch(() => {});
}

/** Whether a process that is there, this one included, has marked a folder. */
export async function hasLiveWriter(folder: string): Promise<boolean> {
  return isLive(await markIn(join(folder, writerName)));
}

function isLive(mark: string): boolean {
  const [pid = '', host = '', began = ''] = mark.trim().split(' ');
  return /^\d+$/.test(pid) && host === hostname() && isLiveWriter({ pid, began });
}

/** A process on this machine: its number, and when it began; empty: the system does not say. */
export interface WriterParts {
  readonly pid: string;
  readonly began: string;
}

/** This process. */
export function writerParts(): WriterParts {
  return { pid: `${process.pid}`, began: beginningOf(process.pid) };
}

/** Whether a process is there. */
export function isLiveWriter({ pid, began }: WriterParts): boolean {
  if (began !== '' && began !== beginningOf(Number(pid))) return false;
  return isThere(Number(pid));
}

function isThere(pid: number): boolean {
  if (pid === process.pid) return true;
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}

function ownMark(): string {
  const { pid, began } = writerParts();
  return `${pid} ${hostname()} ${began}`.trimEnd() + '\n';
}

async function markIn(path: string): Promise<string> {
  return readStandingFile(path, 10_000).then(
    (bytes) => bytes.toString('utf8'),
    () => '',
  );
}

/**
 * When a process began, in ticks since the machine did (proc(5), field 22 of stat); empty: the system does not say, or
 * the process has ended and nobody has taken note.
 */
function beginningOf(pid: number): string {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, 'utf8');
    // behind the name of the program, which may hold anything
    const fields = text.slice(text.lastIndexOf(')') + 2).split(' ');
    return fields[0] === 'Z' ? '' : (fields[19] ?? '');
  } catch {
    return '';
  }
}
