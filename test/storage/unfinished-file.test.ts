// What a killed process left of a file goes with the next of its name; what somebody still writes stays.

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { writeWholeFile } from '../../src/cli/whole-file.js';
import { removeLeftovers, unfinishedName } from '../../src/storage/unfinished-file.js';

let folder = '';
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'weft-unfinished-'));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

/** The number of a process that has ended. */
async function endedProcess(): Promise<number> {
  const child = spawn(process.execPath, ['-e', '']);
  await once(child, 'exit');
  return child.pid!;
}

/** A name as another process of this machine would have given it. @param began empty: as this one's */
function nameOf(pid: number, began = ''): string {
  const parts = basename(unfinishedName(join(folder, 'trace.csv'))).split('.');
  parts[3] = `${pid}`;
  if (began !== '') parts[4] = began;
  return parts.join('.');
}

describe('what is left of a file', () => {
  it('goes if its process is gone, or was another of the same number', async () => {
    const ended = nameOf(await endedProcess());
    const before = nameOf(process.ppid, '1');
    for (const name of [ended, before]) await writeFile(join(folder, name), 'half');
    await writeWholeFile(join(folder, 'trace.csv'), 'whole', false);
    expect(await readdir(folder)).toEqual(['trace.csv']);
  });

  it('stays while its process is there, on another machine, of another file, or of somebody else', async () => {
    const gone = await endedProcess();
    const names = [
      basename(unfinishedName(join(folder, 'trace.csv'))),
      nameOf(gone).replace('.trace.csv.', '.other.csv.'),
      nameOf(gone).replace(/[0-9a-f]{8}(\.[0-9a-f]{8}\.partial)$/, '00000000$1'),
      '.trace.csv.partial',
      '.trace.csv.mine.partial',
    ].sort();
    for (const name of names) await writeFile(join(folder, name), 'half');
    await removeLeftovers(join(folder, 'trace.csv'));
    expect((await readdir(folder)).sort()).toEqual(names);
  });
});
