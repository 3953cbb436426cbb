// The mark of the process that writes into a folder: a file that names it, gone when it has ended well.
// Invariant: a mark holds off nobody once its process is gone, also if another has its number by now (in a container the
// same numbers come again): where the system says when a process began, the mark says it, too.
// Not seen: writers on other machines that share the folder.

import { readFileSync } from 'node:fs';
import { unlink, writeFile } from 'node:fs/promises';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { readRegularFile } from './regular-file.js';

/** Its name in the folder. */
export const writerName = '.writer';

/** Marks a folder as this process's; what a process that is gone has left is replaced. @throws errors of node:fs */
export async function markWriter(folder: string): Promise<void> {
  await releaseWriter(folder);
  await writeFile(join(folder, writerName), ownMark(), { flag: 'wx' });
}

/** Takes the mark away. Never throws. */
export async function releaseWriter(folder: string): Promise<void> {
  await unlink(join(folder, writerName)).catch(() => {});
}

/** Whether the mark in a folder is this process's. */
export async function isOwnWriter(folder: string): Promise<boolean> {
  return (await markIn(folder)) === ownMark();
}

/** Whether a process that is there, this one included, has marked a folder. */
export async function hasLiveWriter(folder: string): Promise<boolean> {
  const [pid = '', host = '', began = ''] = (await markIn(folder)).trim().split(' ');
  if (!/^\d+$/.test(pid) || host !== hostname()) return false;
  if (began !== '' && began !== beginningOf(Number(pid))) return false;
  if (Number(pid) === process.pid) return true;
  try {
    process.kill(Number(pid), 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}

function ownMark(): string {
  return `${process.pid} ${hostname()} ${beginningOf(process.pid)}`.trimEnd() + '\n';
}

async function markIn(folder: string): Promise<string> {
  return readRegularFile(join(folder, writerName), 10_000).then(
    (bytes) => bytes.toString('utf8'),
    () => '',
  );
}

/**
 * When a process began, in ticks since the machine did (proc(5), field 22 of stat); empty: the system does not say, or the
 * process has ended and nobody has taken note.
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
