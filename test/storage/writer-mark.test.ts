// The mark of who writes into a folder: it holds others off while its process is there, and not a moment longer.

import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { hostname, tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { hasLiveWriter, markWriter, releaseWriter, writerName } from '../../src/storage/writer-mark.js';

let folder = '';
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'weft-writer-'));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

const mark = (text: string): Promise<void> => writeFile(join(folder, writerName), text);

describe('the mark of a writer', () => {
  it('is there from begin to end', async () => {
    expect(await hasLiveWriter(folder)).toBe(false);
    expect(await markWriter(folder)).toBe(true);
    expect(await hasLiveWriter(folder)).toBe(true);
    expect(await readdir(folder)).toEqual([writerName]);
    await releaseWriter(folder);
    expect(await hasLiveWriter(folder)).toBe(false);
    expect(await readdir(folder)).toEqual([]);
  });

  it('takes away what a process left that was killed on the way to one', async () => {
    const child = spawn('true');
    await new Promise((resolve) => child.on('exit', resolve));
    for (const name of [`.writer.${child.pid}`, `.writer.${child.pid}.gone`, `.writer.${process.ppid}`, 'other'])
      await writeFile(join(folder, name), '');
    expect(await markWriter(folder)).toBe(true);
    expect((await readdir(folder)).sort()).toEqual([writerName, `.writer.${process.ppid}`, 'other']);
  });

  it.skipIf(process.platform !== 'linux')("is nobody's once another process has the number", async () => {
    await markWriter(folder);
    const [pid, host, began] = (await readFile(join(folder, writerName), 'utf8')).trim().split(' ');
    expect(Number(began)).toBeGreaterThan(0);
    // as after a container that was started again, whose processes have the same numbers
    await mark(`${pid} ${host} ${Number(began) - 1}\n`);
    expect(await hasLiveWriter(folder)).toBe(false);
    // a mark of a version that did not say
    await mark(`${pid} ${host}\n`);
    expect(await hasLiveWriter(folder)).toBe(true);
  });

  it.skipIf(process.platform !== 'linux')(
    "is nobody's once its process has ended and nobody has taken note",
    async () => {
      // a shell that becomes `sleep` and so never asks what became of the process that it began
      const parent: ChildProcess = spawn('sh', ['-c', 'sleep 0.3 & echo $!; exec sleep 60'], {
        stdio: ['ignore', 'pipe', 'ignore'],
      });
      try {
        const pid = await new Promise<string>((resolve) => {
          parent.stdout!.once('data', (data: Buffer) => {
            resolve(data.toString().trim());
          });
        });
        const stat = (): Promise<string> => readFile(`/proc/${pid}/stat`, 'utf8');
        while (!/\) Z /.test(await stat())) await new Promise((resolve) => setTimeout(resolve, 10));
        const began = (await stat()).split(' ')[21];
        await mark(`${pid} ${hostname()} ${began}\n`);
        expect(await hasLiveWriter(folder)).toBe(false);
      } finally {
        parent.kill('SIGKILL');
      }
    },
  );

  it('is not given to a second, and takes the place of one whose process is gone', async () => {
    await mark(`${process.ppid} ${hostname()}\n`);
    expect(await markWriter(folder)).toBe(false);
    expect(await readFile(join(folder, writerName), 'utf8')).toBe(`${process.ppid} ${hostname()}\n`);
    await mark(`999999999 ${hostname()} 5\n`);
    expect([await markWriter(folder), await hasLiveWriter(folder)]).toEqual([true, true]);
    expect(await readdir(folder)).toEqual([writerName]);
  });

  it('that says nothing holds nobody off', async () => {
    for (const text of ['', 'x', '-1 here 5', `999999999 ${hostname()} 5`, `1 elsewhere-${hostname()} 5`]) {
      await mark(text);
      expect(await hasLiveWriter(folder)).toBe(false);
    }
  });
});
