// The history of the benchmark: lines are added behind those of others, and nothing that is no history is touched.

import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { mkdtemp, mkdir, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { addToHistory, HistoryError, type Occasion, readHistory } from '../../bench/history.js';

const when: Occasion = {
  commit: '0123456789ab',
  isChanged: false,
  at: '2026-01-01T00:00:00.000Z',
  node: 'v20.0.0',
  cpu: 'one',
  prototypeHopsPerCpuSecond: null,
  slowness: 1,
};

let folder = '';
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'weft-history-'));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

describe('a history', () => {
  it('begins with its first lines, in a folder that is made, and grows by others', async () => {
    const path = join(folder, 'new/history.jsonl');
    expect(await readHistory(path)).toEqual([]);
    await addToHistory(path, when, [
      { name: 'a', cpuSeconds: 1 },
      { name: 'b', cpuSeconds: 2 },
    ]);
    await addToHistory(path, { ...when, prototypeHopsPerCpuSecond: 1e7 }, [{ name: '__proto__', cpuSeconds: 3 }]);
    const lines = await readHistory(path);
    expect(lines.map(({ name, commit, cpuSeconds }) => [name, commit, cpuSeconds])).toEqual([
      ['a', when.commit, 1],
      ['b', when.commit, 2],
      ['__proto__', when.commit, 3],
    ]);
    expect(lines.map((line) => line['prototypeHopsPerCpuSecond'])).toEqual([null, null, 1e7]);
  });

  it('keeps the lines of all who add to it at once', async () => {
    const path = join(folder, 'history.jsonl');
    const names = Array.from({ length: 40 }, (_, i) => `run ${i}`);
    await Promise.all(names.map((name) => addToHistory(path, when, [{ name }, { name }])));
    const found = (await readHistory(path)).map(({ name }) => String(name));
    expect(found.sort()).toEqual([...names, ...names].sort());
  });
});

describe.skipIf(process.platform === 'win32')('what is no history is refused and stays: ', () => {
  const others: Readonly<Record<string, (path: string) => Promise<unknown>>> = {
    'a device': (path) => symlink('/dev/zero', path),
    'a FIFO': (path) => Promise.resolve(execFileSync('mkfifo', [path])),
    'a directory': (path) => mkdir(path),
    'a link in a circle': (path) => symlink(path, path),
    'a text': (path) => writeFile(path, 'fabric: {}\n'),
    'another JSON file': (path) => writeFile(path, '[1, 2]\n'),
    'lines of other objects': (path) => writeFile(path, '{"__proto__":{"name":1,"commit":2}}\n'),
    'a line without its end': (path) => writeFile(path, '{"name":"a","commit":"b"}'),
    'no UTF-8': (path) => writeFile(path, Buffer.from([0xff, 0xfe, 0x0a])),
    'below a file': (path) => writeFile(join(path, '..', 'file'), ''),
  };

  it.each(Object.entries(others))('%s', async (name, make) => {
    const bad = join(folder, 'bad');
    await make(bad);
    const path = name === 'below a file' ? join(folder, 'file/history') : bad;
    const isFile = name.startsWith('a text') || name.includes('line') || name.includes('JSON') || name.includes('UTF');
    const before = isFile ? readFileSync(bad) : null;
    await expect(addToHistory(path, when, [{ name: 'a' }])).rejects.toThrow(HistoryError);
    if (before !== null) expect(readFileSync(bad).equals(before)).toBe(true);
    else expect(existsSync(join(folder, 'history'))).toBe(false);
  });
});
