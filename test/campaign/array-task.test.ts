// A task of a job array as its node carries it out, without Slurm: what it was submitted with, and what it refuses.

import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, truncateSync, writeFileSync } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { makeArrayFolder, storeFiles } from '../../src/campaign/slurm/array-folder.js';
import { carryOutArrayTask } from '../../src/campaign/slurm/array-task.js';

const version = '1.2.3';
/** Reads the file that its input names, and says its length. */
const reads =
  'export default async (shared, { path }, tools) => ({ shared, length: (await tools.host().readText(path)).length });';

let folder = '';
let digest = '';
beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'weft-array-task-'));
  writeFileSync(join(folder, 'reads.mjs'), reads);
  writeFileSync(join(folder, 'input.txt'), 'twelve bytes');
  writeFileSync(join(folder, 'secret.txt'), 'secret');
  await mkdir(join(folder, 'store'));
  digest = await made({});
});
afterEach(() => {
  rmSync(folder, { recursive: true, force: true });
});

const input = (): string => join(folder, 'input.txt');

async function made({ kind = 'reads', paths = [input(), input()] }): Promise<string> {
  const text = readFileSync(input());
  const sha256 = createHash('sha256').update(text).digest('hex');
  const files = await storeFiles(join(folder, 'store'), new Map([[input(), sha256]]));
  rmSync(join(folder, '1'), { recursive: true, force: true });
  const work = { weftVersion: version, campaign: 'c', kind, shared: new Map([['a', 1]]), files, roots: [] };
  const inputs = [paths.map((path, i) => ({ place: 7 + i, input: { path } }))];
  return (await makeArrayFolder(join(folder, '1'), work, inputs)).digest;
}

/** Carries out the task. @returns the lines of its results but the first, and whether it did all */
async function carriedOut(more: { weftVersion?: string; index?: number } = {}) {
  const results = join(folder, '1/results');
  const before = new Set(readdirSync(results));
  const isDone = await carryOutArrayTask({
    folder: join(folder, '1'),
    digest,
    index: 0,
    weftVersion: version,
    moduleOf: (kind) => (kind === 'reads' ? new URL(`file://${join(folder, 'reads.mjs')}`) : null),
    stopRequested: () => false,
    ...more,
  });
  const own = readdirSync(results).find((name) => !before.has(name))!;
  const lines = readFileSync(join(results, own), 'utf8').split('\n').slice(1, -1);
  return { isDone, lines: lines.map((line) => JSON.parse(line) as Record<string, unknown>) };
}

async function refused(wanted: RegExp, more = {}): Promise<void> {
  const { isDone, lines } = await carriedOut(more);
  expect(isDone).toBe(false);
  expect(lines).toEqual([{ refused: expect.stringMatching(wanted) as unknown }]);
}

describe('a task of a job array', () => {
  it('carries out its runs, each once, however often it begins', async () => {
    const result = { shared: { $map: [['a', 1]] }, length: 12 };
    expect(await carriedOut()).toEqual({
      isDone: true,
      lines: [
        { place: 7, result },
        { place: 8, result },
      ],
    });
    // the second line was cut off by a kill
    const path = join(folder, '1/results/0.0.jsonl');
    truncateSync(path, readFileSync(path).length - 5);
    expect((await carriedOut()).lines).toEqual([{ place: 8, result }]);
    expect((await carriedOut()).lines).toEqual([]);
  });

  it('begins nothing that nobody waits for', async () => {
    writeFileSync(join(folder, '1/ended'), '');
    await carryOutArrayTask({
      folder: join(folder, '1'),
      digest,
      index: 0,
      weftVersion: version,
      moduleOf: () => null,
      stopRequested: () => false,
    });
    expect(readdirSync(join(folder, '1/results'))).toEqual([]);
  });

  it.each(['secret.txt', '../secret.txt', '/etc/passwd', '/dev/zero'])(
    'lets a run read no file that did not come with it: %s',
    async (path) => {
      digest = await made({ paths: [path, join(folder, path)] });
      const { lines } = await carriedOut();
      expect(lines).toHaveLength(2);
      for (const { error } of lines)
        expect(error).toMatchObject({ name: 'HostFileError', detail: { reason: 'denied' } });
    },
  );

  it('refuses what is not as it was submitted', async () => {
    await refused(/this node has weft 2.0.0, and the job is of weft 1.2.3/, { weftVersion: '2.0.0' });
    await refused(/the array has no task 5/, { index: 5 });
    const runs = join(folder, '1/tasks/0.json');
    writeFileSync(runs, readFileSync(runs, 'utf8').replaceAll('input.txt', 'secret.txt'));
    await refused(/0.json: this is not what the job was submitted with/);
    const work = join(folder, '1/work.json');
    writeFileSync(work, readFileSync(work, 'utf8').replace('"reads"', '"other"'));
    await refused(/work.json: this is not what the job was submitted with/);
    digest = await made({ kind: 'other' });
    await refused(/there are no tasks of the kind "other"/);
  });

  it('refuses devices, pipes and files without end in place of its own', async () => {
    const [stored] = readdirSync(join(folder, 'store'));
    for (const name of [`store/${stored}`, '1/tasks/0.json', '1/work.json']) {
      const place = join(folder, name);
      const was = readFileSync(place);
      for (const put of [
        () => symlinkSync('/dev/zero', place),
        () => execFileSync('mkfifo', [place]),
        () => {
          writeFileSync(place, was);
          truncateSync(place, 2 ** 33);
        },
      ]) {
        rmSync(place);
        put();
        const { lines } = await carriedOut();
        expect(lines).toEqual([
          { refused: expect.stringMatching(/not a regular file|too large|is not what/) as unknown },
        ]);
      }
      rmSync(place);
      writeFileSync(place, was);
    }
    expect((await carriedOut()).lines).toHaveLength(2);
  });
});
